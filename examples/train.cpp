// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains GraphSAGE on a partitioned graph, one part per MPI rank:
//   mpirun -np 2 train PARTS_DIR --epochs 10
// and then the same network without edges, to show what the graph is worth.
#include "support/epoch_report.hpp"
#include "support/graph_sage.hpp"
#include "support/progress.hpp"
#include "support/train_options.hpp"

#include <glt/comm/counting.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loader.hpp>
#include <glt/io/parts.hpp>
#include <glt/memory/copy.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace example;
using glt::device::cpu;
using comm_type = glt::counting_comm<glt::mpi_comm>;
using features_type = glt::dist::feature_store<cpu, float>;
using loader_type = glt::dist::loader<comm_type, cpu, glt::global_id, float>;
using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

/// A part with the same vertices and no edges.
glt::graph_part<cpu> without_edges(glt::graph_part<cpu> const& part) {
  auto const rows = part.book.size(part.part);
  glt::buffer<cpu, glt::edge_offset> offsets(rows + 1);
  std::fill(offsets.begin(), offsets.end(), 0);
  return {part.book, part.part, glt::csr_graph<cpu, glt::global_id>(part.book.num_vertices(), std::move(offsets), {}),
          glt::make_buffer<cpu>(part.original.view())};
}

/// Seeds of this rank.
struct splits {
  std::vector<glt::global_id> train;
  std::vector<glt::global_id> valid;
  std::vector<glt::global_id> test;
};

/// Trains one network on one graph and keeps the parameters of the epoch with the best validation accuracy.
class trainer {
public:
  trainer(comm_type comm, glt::dist::graph<cpu> const& graph, features_type const& features, splits const& seeds,
          std::int64_t num_classes, train_options const& options, std::string name)
      : comm_(std::move(comm)), options_(options), name_(std::move(name)),
        train_(make_loader(graph, features, seeds.train, true)), valid_(make_loader(graph, features, seeds.valid, false)),
        test_(make_loader(graph, features, seeds.test, false)),
        network_({.in = features.num_columns(), .hidden = options.hidden, .out = num_classes, .dropout = options.dropout,
                  .input_dropout = options.input_dropout}),
        adam_(network_.parameters(), torch::optim::AdamOptions(options.lr).weight_decay(options.weight_decay)) {
    glt::sync_params(comm_, network_);
    torch::manual_seed(options.seed + 1 + static_cast<std::uint64_t>(comm_.rank())); // every rank drops others
  }

  /// The accuracy on the test vertices of all ranks.
  double run() {
    double best = -1;
    std::vector<at::Tensor> parameters;
    for (std::int64_t epoch = 1; epoch <= options_.epochs; ++epoch) {
      auto report = train(epoch);
      count_right(valid_, report);
      auto const total = sum_over_ranks(comm_, report);
      if (total.accuracy() > best) {
        best = total.accuracy();
        parameters = network_.copy_parameters();
      }
      if (comm_.rank() == 0) {
        std::printf("%s: %s\n", label(epoch).c_str(), line_of(total, comm_.size()).c_str());
        std::fflush(stdout);
      }
    }
    network_.restore_parameters(parameters);
    epoch_report report;
    count_right(test_, report);
    return sum_over_ranks(comm_, report).accuracy();
  }

private:
  loader_type make_loader(glt::dist::graph<cpu> const& graph, features_type const& features,
                          std::vector<glt::global_id> const& seeds, bool shuffle) {
    return {comm_, graph, features, glt::host_view<glt::global_id const>(seeds),
            {.batch_size = options_.batch, .neighbors = {.fanouts = options_.fanout}, .shuffle = shuffle, .seed = options_.seed}};
  }

  [[nodiscard]] std::string label(std::int64_t epoch) const {
    return name_ + " epoch " + std::to_string(epoch) + "/" + std::to_string(options_.epochs);
  }

  epoch_report train(std::int64_t epoch) {
    epoch_report report;
    progress_bar bar(options_.progress && comm_.rank() == 0, label(epoch), train_.num_steps());
    auto const loading = train_.seconds();
    comm_.reset();
    network_.train();
    for (auto const& batch : train_.epoch(epoch)) {
      auto const start = clock_type::now();
      adam_.zero_grad();
      if (batch.num_seeds > 0) {
        auto const scores = network_.forward(glt::to_tensor(batch.features()), batch.subgraph);
        auto const loss = torch::nn::functional::cross_entropy(scores, glt::to_tensor(batch.labels()));
        loss.backward();
        report.loss += loss.item<double>() * static_cast<double>(batch.num_seeds);
      }
      glt::gather_grads(comm_, network_, batch.num_seeds);
      adam_.step();
      report.training_seconds += seconds_since(start);
      report.seeds += static_cast<double>(batch.num_seeds);
      report.sampled_edges += static_cast<double>(batch.subgraph.row().size());
      report.feature_rows += static_cast<double>(batch.subgraph.nodes().size());
      bar.advance();
    }
    report.sampling_seconds = train_.seconds().sampling - loading.sampling;
    report.feature_seconds = train_.seconds().features - loading.features;
    auto const sent = comm_.counts().total();
    report.communication_seconds = sent.seconds;
    report.bytes = static_cast<double>(sent.bytes);
    report.messages = static_cast<double>(sent.messages);
    return report;
  }

  void count_right(loader_type& loader, epoch_report& report) {
    torch::NoGradGuard const no_gradients;
    network_.eval();
    for (auto const& batch : loader.epoch(0)) {
      if (batch.num_seeds > 0) {
        auto const scores = network_.forward(glt::to_tensor(batch.features()), batch.subgraph);
        report.right += scores.argmax(1).eq(glt::to_tensor(batch.labels())).sum().item<double>();
        report.validated += static_cast<double>(batch.num_seeds);
      }
    }
  }

  comm_type comm_;
  train_options options_;
  std::string name_;
  loader_type train_;
  loader_type valid_;
  loader_type test_;
  graph_sage network_;
  torch::optim::Adam adam_;
};

/// One more than the largest label of all ranks.
std::int64_t count_classes(comm_type& comm, features_type const& features) {
  std::int64_t count = 0;
  for (auto const label : features.local().labels) {
    count = std::max(count, label + 1);
  }
  comm.all_reduce(std::span<std::int64_t>(&count, 1), glt::reduction::max);
  return count;
}

void run(comm_type comm, std::span<char const* const> arguments) {
  auto const options = parse_train_options(arguments);
  at::set_num_threads(1); // ranks are the parallelism
  auto part = glt::io::read_part(options.parts, comm.rank());
  splits const seeds{std::move(part.train), std::move(part.valid), std::move(part.test)};
  auto edgeless = without_edges(part.graph);
  features_type const features(comm, part.graph.book, std::move(part.features));
  auto const num_classes = count_classes(comm, features);

  auto const accuracy_on = [&](glt::graph_part<cpu> edges, char const* name) {
    glt::dist::graph<cpu> const graph(comm, std::move(edges));
    torch::manual_seed(options.seed);
    return trainer(comm, graph, features, seeds, num_classes, options, name).run();
  };
  auto const with_graph = accuracy_on(std::move(part.graph), "graph");
  auto const features_only = accuracy_on(std::move(edgeless), "features only");
  if (comm.rank() == 0) {
    std::printf("test accuracy %.3f (features only %.3f)\n", with_graph, features_only);
  }
}

/// The first line of an error; LibTorch appends a stack trace.
std::string first_line(std::exception const& failure) {
  std::string const text = failure.what();
  return text.substr(0, text.find('\n'));
}

} // namespace

int main(int argc, char** argv) {
  try {
    glt::mpi_environment const mpi;
    comm_type comm(glt::mpi_comm::world());
    try {
      glt::run_collectively(comm, [&] { run(comm, std::span<char const* const>(argv + 1, static_cast<std::size_t>(argc - 1))); });
      return 0;
    } catch (glt::collective_error const& failure) {
      if (comm.rank() == 0) { // all ranks have the same
        std::fprintf(stderr, "train: %s\n", first_line(failure).c_str());
      }
      return 1;
    } catch (std::exception const& failure) { // this rank's alone: the others cannot be reached
      std::fprintf(stderr, "train: rank %d: %s\n", comm.rank(), first_line(failure).c_str());
      mpi.abort(1);
    }
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "train: %s\n", first_line(failure).c_str());
    return 1;
  }
}
