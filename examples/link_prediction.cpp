// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learns to tell edges from pairs that are none, and measures it on edges that were taken out of the graph, by mean
// reciprocal rank: mpirun -np 2 link_prediction
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <numeric>
#include <utility>
#include <vector>

namespace dist = glt::dist;
using glt::device::cpu;
constexpr std::int64_t width = 16;
using row = std::array<float, width>;

// The embedding of every end in a batch: the mean of its features and those of its sampled neighbours.
glt::buffer<cpu, row> embed(auto const& batch) {
  auto const block = batch.sample.subgraph().block(0);
  glt::buffer<cpu, row> ends(block.num_destinations);
  for (std::int64_t v = 0; v < block.num_destinations; ++v) {
    std::ranges::copy(batch.features().row(v), ends[v].begin());
    for (auto e = block.offsets[v] - block.offsets[0]; e < block.offsets[v + 1] - block.offsets[0]; ++e) {
      std::ranges::transform(ends[v], batch.features().row(block.row[e]), ends[v].begin(), std::plus<float>());
    }
    auto const summands = static_cast<float>(1 + block.offsets[v + 1] - block.offsets[v]);
    std::ranges::for_each(ends[v], [&](float& x) { x /= summands; });
  }
  return ends;
}

// Goes through an epoch, learns from it if there is a rate, and returns the mean reciprocal rank of edges among their
// negatives. The decoder is that of DistMult: a dot product with a learnt weight for every column.
double run_epoch(glt::mpi_comm comm, auto& loader, std::int64_t epoch, row& weights, float rate = 0) {
  std::array<double, 2> sums{}; // of reciprocal ranks, and of edges
  for (auto const& batch : loader.epoch(epoch)) {
    auto const ends = embed(batch);
    auto const& sample = batch.sample;
    std::array<float, width + 1> gradient{}; // and the number of pairs
    for (std::int64_t i = 0; i < sample.num_positives(); ++i) {
      auto const& source = ends[sample.src_index()[i]];
      auto const& positive = ends[sample.dst_pos_index()[i]];
      double place = 1;
      for (auto const at : sample.dst_neg_index().row(i)) {
        if (at < 0) {
          continue; // no pair was found that is no edge
        }
        row difference; // of the two scores, without the weights
        for (std::size_t c = 0; c < width; ++c) {
          difference[c] = source[c] * (positive[c] - ends[at][c]);
        }
        auto const margin = std::inner_product(weights.begin(), weights.end(), difference.begin(), 0.0F);
        place += margin < 0 ? 1 : margin == 0 ? 0.5 : 0; // a tie counts half
        for (std::size_t c = 0; c < width; ++c) {
          gradient[c] -= difference[c] / (1 + std::exp(margin)); // of the loss log(1 + exp(-margin))
        }
        ++gradient[width];
      }
      sums = {sums[0] + 1 / place, sums[1] + 1};
    }
    if (rate > 0) {
      glt::reduce_over_ranks(comm, gradient, glt::reduction::sum); // a rank without seeds adds zeros
      for (std::size_t c = 0; c < width; ++c) {
        weights[c] -= rate * gradient[c] / std::max(gradient[width], 1.0F);
      }
    }
  }
  glt::reduce_over_ranks(comm, sums, glt::reduction::sum);
  return sums[0] / sums[1];
}

void run(glt::mpi_comm comm) {
  // Every rank makes the same graph; about a tenth of the edges, with their reverses, are held out.
  auto const planted =
      glt::make_planted_communities<>({.num_vertices = 1000, .num_communities = 20, .in_degree = 8, .out_degree = 1});
  auto const edges =
      glt::remove_duplicates<cpu>(glt::symmetrize<cpu>(planted.graph.view()).view(), glt::self_loop_handling::remove);
  dist::edge_seeds<glt::local_id> kept, taken_out;
  for (std::int64_t e = 0; e < edges.view().num_edges(); ++e) {
    auto const [low, high] = std::minmax(edges.view().sources()[e], edges.view().destinations()[e]);
    auto& list = (low * 1009 + high) % 10 == 0 ? taken_out : kept;
    list.sources.push_back(edges.view().sources()[e]);
    list.destinations.push_back(edges.view().destinations()[e]);
  }
  glt::coo_view<glt::memory_space::host> const rest(1000, kept.sources, kept.destinations);
  auto const whole = glt::make_csr<cpu>(rest);
  auto const part_of = glt::random_partitioner{}(whole.view(), comm.size());
  auto const names = glt::make_relabelling(part_of.view(), comm.size());
  dist::graph const graph(comm, glt::split_graph(whole.view(), names, comm.rank()));

  // Half of the columns tell something about the community, the other half is louder and tells nothing.
  auto const rows = graph.local().num_rows();
  glt::buffer<cpu, float> values(rows * width);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    auto const vertex = graph.original()[i / width];
    auto const random = [](std::int64_t of, std::int64_t column) {
      return static_cast<float>(glt::random_stream(glt::random_key(1).fold(column), of).next_unit() - 0.5);
    };
    values[i] = i % 2 == 0 ? random(vertex, i % width) + random(-1 - planted.community[vertex], i % width)
                           : 6 * random(vertex, i % width);
  }
  dist::feature_store const features(comm, graph.book(),
                                     glt::feature_store<cpu, float>(rows, width, std::move(values)));

  // Learn from the edges into this rank's vertices; held-out edges are dealt out, by the numbers that vertices have now.
  dist::edge_seeds<> learnt, held_out;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (auto const source : graph.local().row(r)) {
      learnt.sources.push_back(source);
      learnt.destinations.push_back(graph.book().begin(comm.rank()) + r);
    }
  }
  for (auto i = static_cast<std::size_t>(comm.rank()); i < taken_out.sources.size();
       i += static_cast<std::size_t>(comm.size())) {
    held_out.sources.push_back(names.renumbered[taken_out.sources[i]]);
    held_out.destinations.push_back(names.renumbered[taken_out.destinations[i]]);
  }

  dist::link_batches const training(graph, features,
                                    {.neighbors = {.fanouts = {10}},
                                     .negatives = {.mode = glt::negative_mode::triplet, .amount = 2},
                                     .exclude = glt::seed_exclusion::edges_and_reverses});
  dist::link_batches const evaluation(
      graph, features,
      {.neighbors = {.fanouts = {-1}}, .negatives = {.mode = glt::negative_mode::triplet, .amount = 50}});
  dist::loader train_loader(comm, training, learnt, {.batch_size = 256, .shuffle = true});
  dist::loader test_loader(comm, evaluation, held_out, {.batch_size = 256});
  row weights;
  weights.fill(1);
  auto const before = run_epoch(comm, test_loader, 0, weights);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    run_epoch(comm, train_loader, epoch, weights, 10);
  }
  auto const after = run_epoch(comm, test_loader, 0, weights);
  if (comm.rank() == 0) {
    std::cout << taken_out.sources.size() << " held-out edges among 50 negatives each: MRR " << before
              << " before training, " << after << " after it\n";
  }
  if (!(after > before + 0.2)) {
    throw glt::precondition_error("the decoder has learnt too little");
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}
