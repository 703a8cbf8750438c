// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learns the topics of papers from a graph of papers and authors, with sampled batches over MPI ranks, each of which owns
// a part of both types: mpirun -np 2 typed_classification
#include <glt/dlpack/import.hpp>
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/rgcn_conv.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <torch/optim/adam.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

namespace dist = glt::dist;
using glt::device::cpu;
using batch_type = dist::typed_batches<cpu, glt::global_id>::batch_type;
constexpr std::int64_t num_papers = 2000, num_authors = 600, num_topics = 4, width = 8;

struct network : torch::nn::Module {
  explicit network(glt::hetero_schema const& schema)
      : first(register_module("first", glt::rgcn_conv(schema, {.in = width, .out = 16}))),
        second(register_module("second", glt::rgcn_conv(schema, {.in = 16, .out = num_topics}))) {}

  std::vector<at::Tensor> forward(batch_type const& batch) { // a matrix for every type
    std::vector<at::Tensor> x;
    for (auto const& tensors : batch.tensors) {
      x.push_back(glt::to_tensor(tensors["x"].as<float>()));
    }
    x = first(x, [&](int relation) { return batch.block(relation, 0); });
    for (auto& rows : x) {
      rows = rows.relu();
    }
    return second(x, [&](int relation) { return batch.block(relation, 1); });
  }

  glt::rgcn_conv first, second;
};

// Every rank makes the same graph and keeps its part; a real program opens a folder with io::open_data_set.
glt::hetero_graph<cpu> make_graph(auto const& planted) {
  glt::hetero_schema const schema(
      {{"paper", num_papers}, {"author", num_authors}},
      {{"paper", "cites", "paper"}, {"author", "writes", "paper"}, {"paper", "written_by", "author"}});
  std::array<std::vector<glt::local_id>, 3> sources, destinations;
  for (std::int64_t e = 0; e < planted.graph.view().num_edges(); ++e) {
    auto const u = planted.graph.view().sources()[e], v = planted.graph.view().destinations()[e];
    auto const relation = static_cast<std::size_t>(v >= num_papers ? 2 : u >= num_papers ? 1 : 0);
    if (u < num_papers || v < num_papers) { // ids count within their type
      sources[relation].push_back(u < num_papers ? u : u - num_papers);
      destinations[relation].push_back(v < num_papers ? v : v - num_papers);
    }
  }
  std::vector<glt::csr_graph<cpu>> relations;
  for (std::size_t e = 0; e < sources.size(); ++e) {
    relations.push_back(glt::make_relation<cpu>(schema, static_cast<int>(e), sources[e], destinations[e]));
  }
  return {schema, std::move(relations)};
}

// Tensors of this rank's vertices of a type: their topics, and features that tell little about them.
dist::data_part<cpu>::vertex_data make_data(glt::host_view<glt::global_id const> original,
                                            glt::host_view<glt::local_id const> topics) {
  auto const own = glt::to_tensor(topics).to(at::kLong).index_select(0, glt::to_tensor(original));
  auto const x = at::randn({own.size(0), width}) + at::one_hot(own, width);
  glt::feature_table<cpu> table(own.size(0));
  table.add("x", glt::from_dlpack<glt::feature_store<cpu, float>>(glt::to_dlpack(x)));
  table.add("y", glt::from_dlpack<glt::feature_store<cpu, std::int64_t>>(glt::to_dlpack(own.unsqueeze(1))));
  return {.tensors = std::move(table)};
}

void run(glt::mpi_comm comm) {
  glt::set_torch_threads(1); // ranks are the parallelism
  at::manual_seed(static_cast<std::uint64_t>(comm.rank()));
  auto const planted = glt::make_planted_communities<>(
      {.num_vertices = num_papers + num_authors, .num_communities = num_topics, .in_degree = 8, .out_degree = 2});
  auto const whole = make_graph(planted);
  auto const names = glt::partition_by_type(whole.view(), glt::random_partitioner{}, comm.size());
  dist::data_part<cpu> part(glt::split_graph(whole.view(), names, comm.rank()));
  auto const paper = whole.schema().find_node_type("paper"), author = whole.schema().find_node_type("author");
  auto const topics = planted.community.view();
  auto const& papers = part.graph.original[paper];
  part.vertices[paper] = make_data(papers.view(), topics.subview(0, num_papers));
  part.vertices[author] = make_data(part.graph.original[author].view(), topics.subview(num_papers, num_authors));
  std::vector<glt::global_id> learnt, tested; // one paper in ten is labelled
  for (std::int64_t r = 0; r < papers.size(); ++r) {
    (papers[r] % 10 == 0 ? learnt : tested).push_back(part.graph.books[paper].begin(comm.rank()) + r);
  }
  part.vertices[paper].splits = {{"train", learnt}, {"test", tested}};
  dist::data_set const data(comm, std::move(part));

  glt::hetero_options options{.fanouts = glt::same_fanouts(data.schema(), {5, 5})};
  options.fanouts[data.schema().find_edge_type("cites")] = {8, 3};
  dist::typed_batches const recipe(data, options); // with "x" of all types and "y" of the seeds
  auto const seeds_of = [&](char const* split) { return dist::typed_seeds<>(paper, {data.split(split, paper)}); };
  dist::loader train_loader(comm, recipe, seeds_of("train"), {.batch_size = 32, .shuffle = true});
  dist::loader test_loader(comm, recipe, seeds_of("test"), {.batch_size = 256});

  network net(data.schema());
  glt::sync_params(comm, net);
  torch::optim::Adam adam(net.parameters(), 0.01);
  for (std::int64_t epoch = 0; epoch < 15; ++epoch) {
    for (auto const& batch : train_loader.epoch(epoch)) {
      adam.zero_grad();
      auto const labels = glt::to_tensor(batch.tensors[paper]["y"].as<std::int64_t>());
      auto const scores = net.forward(batch)[paper].log_softmax(1);
      if (batch.num_seeds > 0) {
        (-scores.gather(1, labels).mean()).backward();
      }
      glt::gather_grads(comm, net, batch.num_seeds); // on every rank, also on one that has run out of seeds
      adam.step();
    }
  }

  at::NoGradGuard const no_gradients;
  std::array<std::int64_t, 3> counts{}; // of papers, of right ones, of those that their features alone tell
  for (auto const& batch : test_loader.epoch(0)) {
    auto const topic = glt::to_tensor(batch.tensors[paper]["y"].as<std::int64_t>()).squeeze(1);
    auto const x = glt::to_tensor(batch.tensors[paper]["x"].as<float>()).narrow(0, 0, topic.size(0));
    auto const right = [&](at::Tensor const& scores) { return scores.argmax(1).eq(topic).sum().item<std::int64_t>(); };
    counts = {counts[0] + topic.size(0), counts[1] + right(net.forward(batch)[paper]),
              counts[2] + right(x.narrow(1, 0, num_topics))};
  }
  glt::reduce_over_ranks(comm, counts, glt::reduction::sum);
  auto const share = [&](int i) { return static_cast<double>(counts[i]) / static_cast<double>(counts[0]); };
  if (comm.rank() == 0) {
    std::cout << "test accuracy " << share(1) << " on " << counts[0] << " papers (features only " << share(2) << ")\n";
  }
  if (!(share(1) > 0.85)) {
    throw glt::precondition_error("the network has learnt too little");
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}
