// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/batch_norm.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/torch/collectives.hpp>

#include "support/errors.hpp"
#include "torch/slopes.hpp"

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t num_rows = 37;
constexpr std::int64_t num_columns = 11;

/// The first of a rank's rows; rank 1 of three or more has none.
std::int64_t begin_of(int rank, int ranks) {
  return rank == 0 ? 0 : rank == ranks ? num_rows : rank <= 2 ? num_rows / 3 : num_rows * rank / (ranks + 1);
}

at::Tensor own_rows(at::Tensor const& joined, auto const& comm) {
  return joined.slice(0, begin_of(comm.rank(), comm.size()), begin_of(comm.rank() + 1, comm.size())).detach().clone();
}

double largest(at::Tensor const& difference) {
  return difference.numel() == 0 ? 0.0 : difference.abs().max().item<double>();
}

/// Copies parameters and buffers by name.
void copy_state(torch::nn::Module const& from, torch::nn::Module const& to) {
  at::NoGradGuard const without_graph;
  for (auto const& entry : from.named_parameters()) {
    to.named_parameters()[entry.key()].copy_(entry.value());
  }
  for (auto const& entry : from.named_buffers()) {
    to.named_buffers()[entry.key()].copy_(entry.value());
  }
}

/// How far a rank is from one process.
struct distances {
  double forward = 0;
  double of_x = 0;
  double of_weight = 0;
  double of_bias = 0;
  double buffers = 0;
  double evaluation = 0;
};

/// Runs three steps of glt::batch_norm on ranks and of BatchNorm1d on the joined rows.
std::vector<distances> compare(int ranks, at::ScalarType type, glt::batch_norm::options options) {
  at::manual_seed(3);
  auto const x = at::randn({num_rows, num_columns}, type) * 3 + 2;
  auto const coefficients = at::randn({num_rows, num_columns}, type);
  torch::nn::BatchNorm1dOptions same(num_columns);
  same.eps(options.eps).affine(options.affine).track_running_stats(options.track_running_stats);
  same.momentum(options.momentum ? c10::optional<double>(*options.momentum) : c10::nullopt);
  torch::nn::BatchNorm1d reference(same);
  reference->to(type);
  {
    at::NoGradGuard const without_graph;
    for (auto const& parameter : reference->parameters()) {
      parameter.copy_(at::randn({num_columns}, type));
    }
  }
  glt::batch_norm first(options);
  first->to(type);
  copy_state(*reference, *first);
  auto const joined = x.detach().clone().requires_grad_();
  at::Tensor y;
  for (int step = 0; step < 3; ++step) {
    y = reference->forward(joined * (step + 1));
  }
  (y.pow(2) * coefficients).sum().backward();
  auto const after = y.detach();
  reference->eval();
  auto const evaluated = reference->forward(x).detach();

  std::vector<distances> found(static_cast<std::size_t>(ranks));
  glt::run_threads(ranks, [&](auto comm) {
    at::set_num_threads(1);
    glt::batch_norm norm(options);
    norm->to(type);
    copy_state(*first, *norm);
    auto own = own_rows(x, comm).requires_grad_();
    at::Tensor of_rank;
    for (int step = 0; step < 3; ++step) {
      of_rank = norm(comm, own * (step + 1));
    }
    (of_rank.pow(2) * own_rows(coefficients, comm)).sum().backward();
    auto& distance = found[static_cast<std::size_t>(comm.rank())];
    distance.forward = largest(of_rank.detach() - own_rows(after, comm));
    distance.of_x = largest(own.grad() - own_rows(joined.grad(), comm));
    if (options.affine) {
      auto shares = at::stack({norm->named_parameters()["weight"].grad(), norm->named_parameters()["bias"].grad()})
                        .to(at::kDouble);
      comm.all_reduce(std::span(shares.data_ptr<double>(), static_cast<std::size_t>(shares.numel())),
                      glt::reduction::sum);
      distance.of_weight = largest(shares[0] - reference->weight.grad());
      distance.of_bias = largest(shares[1] - reference->bias.grad());
    }
    for (auto const& buffer : reference->named_buffers()) {
      distance.buffers = std::max(distance.buffers, largest(norm->named_buffers()[buffer.key()] - buffer.value()));
    }
    norm->eval();
    distance.evaluation = largest(norm(comm, own_rows(x, comm)).detach() - own_rows(evaluated, comm));
  });
  return found;
}

/// A network with a batch norm of either kind.
template <class Norm>
struct network : torch::nn::Module {
  torch::nn::Linear input{nullptr};
  Norm norm{nullptr};
  torch::nn::Linear output{nullptr};
  explicit network(Norm of_hidden) : norm(of_hidden) {
    input = register_module("input", torch::nn::Linear(num_columns, 6));
    norm = register_module("norm", of_hidden);
    output = register_module("output", torch::nn::Linear(6, 3));
    this->to(at::kDouble);
  }
};

} // namespace

TEST_CASE("batch_norm on ranks equals BatchNorm1d on the joined rows") {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    for (auto const type : {at::kFloat, at::kDouble}) {
      for (auto const& options :
           {glt::batch_norm::options{.features = num_columns},
            glt::batch_norm::options{.features = num_columns, .eps = 0.1, .momentum = std::nullopt},
            glt::batch_norm::options{.features = num_columns, .affine = false},
            glt::batch_norm::options{.features = num_columns, .track_running_stats = false}}) {
        CAPTURE(ranks);
        CAPTURE(options.affine);
        CAPTURE(options.track_running_stats);
        double const bound = type == at::kFloat ? 2e-5 : 1e-12;
        for (auto const& distance : compare(ranks, type, options)) {
          CHECK(distance.forward < bound);
          CHECK(distance.of_x < bound);
          CHECK(distance.of_weight < 20 * bound); // sums of 37 rows
          CHECK(distance.of_bias < 20 * bound);
          CHECK(distance.buffers < 5 * bound); // variances of about 30
          CHECK(distance.evaluation < bound);
        }
      }
    }
  }
}

TEST_CASE("with losses scaled alike, gather_grads gives the gradients of one process") {
  at::manual_seed(5);
  auto const x = at::randn({num_rows, num_columns}, at::kDouble);
  auto const labels = at::randint(3, {num_rows}, at::kLong);
  auto const trained = at::arange(num_rows).remainder(3) == 0; // seeds are spread unevenly
  auto const num_seeds = trained.sum().item<std::int64_t>();
  network<torch::nn::BatchNorm1d> one(torch::nn::BatchNorm1d(6));
  auto const loss_of = [](at::Tensor const& y, at::Tensor const& of_rows, at::Tensor const& seeds) {
    auto const losses = torch::nn::functional::cross_entropy(
        y, of_rows, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
    return (losses * seeds).sum();
  };
  (loss_of(one.output(one.norm(one.input(x)).relu()), labels, trained) / num_seeds).backward();

  for (int ranks = 1; ranks <= 4; ++ranks) {
    CAPTURE(ranks);
    std::vector<double> distance(static_cast<std::size_t>(ranks), 0);
    glt::run_threads(ranks, [&](auto comm) {
      at::set_num_threads(1);
      network<glt::batch_norm> net(glt::batch_norm({.features = 6}));
      {
        at::NoGradGuard const without_graph;
        for (auto const& parameter : one.named_parameters()) {
          net.named_parameters()[parameter.key()].copy_(parameter.value());
        }
      }
      auto const y = net.output(net.norm(comm, net.input(own_rows(x, comm))).relu());
      auto const loss = loss_of(y, own_rows(labels, comm), own_rows(trained, comm));
      (loss * (comm.size() / static_cast<double>(num_seeds))).backward();
      glt::gather_grads(comm, net, 1);
      for (auto const& parameter : one.named_parameters()) {
        distance[static_cast<std::size_t>(comm.rank())] =
            std::max(distance[static_cast<std::size_t>(comm.rank())],
                     largest(net.named_parameters()[parameter.key()].grad() - parameter.value().grad()));
      }
    });
    for (auto const of_rank : distance) {
      CHECK(of_rank < 1e-13);
    }
  }
}

TEST_CASE("the gradients of batch_norm over ranks agree with finite differences") {
  at::manual_seed(8);
  auto const joined = at::randn({7, 3}, at::kDouble);
  auto const weights = at::randn({7, 3}, at::kDouble);
  for (int ranks = 1; ranks <= 4; ++ranks) {
    glt::run_threads(ranks, [&](auto comm) {
      at::set_num_threads(1);
      glt::batch_norm norm({.features = 3, .track_running_stats = false});
      norm->to(at::kDouble);
      auto inputs = norm->parameters();
      inputs.push_back(joined.clone().requires_grad_());
      auto const own = [&](at::Tensor const& rows) {
        return rows.slice(0, 7 * comm.rank() / comm.size(), 7 * (comm.rank() + 1) / comm.size());
      };
      glt_test::check_slopes(comm, inputs,
                             [&] { return (norm(comm, own(inputs.back())).pow(2) * own(weights)).sum(); });
    });
  }
}

TEST_CASE("batch_norm reads rows of any strides, twice before one backward pass") {
  at::manual_seed(4);
  glt::serial_comm const comm;
  glt::batch_norm norm({.features = 5});
  torch::nn::BatchNorm1d reference(5);
  auto const x = at::randn({5, 12});
  auto const left = x.detach().clone().requires_grad_();
  auto const right = x.detach().clone().requires_grad_();
  (norm(comm, left.t()) * norm(comm, left.t() * left.t())).sum().backward();
  (reference(right.t()) * reference(right.t() * right.t())).sum().backward();
  CHECK(largest(left.grad() - right.grad()) < 1e-5);

  norm(comm, x.t()).sum().backward(); // its gradient arrives expanded, with strides 0; x asks for none
  CHECK(largest(norm->named_parameters()["bias"].grad() - reference->bias.grad() - 12) < 1e-4);
}

TEST_CASE("each pass is a header exchange and a payload exchange, evaluation is none") {
  glt::run_threads(3, [](auto inner) {
    at::set_num_threads(1);
    glt::counting_comm comm(inner);
    glt::batch_norm norm({.features = 4});
    auto const y = norm(comm, at::randn({5, 4}));
    CHECK(comm.counts().total().collectives == 2);
    y.sum().backward();
    CHECK(comm.counts().total().collectives == 4);
    norm->eval();
    static_cast<void>(norm(comm, at::randn({5, 4})));
    CHECK(comm.counts().total().collectives == 4);
  });
}

TEST_CASE("what one rank cannot normalize is the same error on all, and changes no statistics") {
  for (int ranks : {1, 3}) {
    CAPTURE(ranks);
    glt::run_threads(ranks, [](auto comm) {
      at::set_num_threads(1);
      bool const last = comm.rank() == comm.size() - 1;
      auto const text = "rank " + std::to_string(comm.size() - 1);
      glt::batch_norm norm({.features = 4});
      auto const refused = [&](at::Tensor const& x) {
        return glt_test::thrown<glt::collective_error>([&] { static_cast<void>(norm(comm, x)); });
      };
      auto const good = at::randn({5, 4});
      CHECK(glt_test::names(refused(last ? at::randn({5, 3}) : good), text, "[5, 3]", "[rows, 4]"));
      CHECK(glt_test::names(refused(last ? at::randn({4}) : good), text, "[4]"));
      CHECK(glt_test::names(refused(last ? at::Tensor() : good), text, "no tensor"));
      CHECK(glt_test::names(refused(last ? good.to(at::kDouble) : good), text, "Double", "type of its parameters"));
      CHECK(glt_test::names(refused(last ? good.to(at::kLong) : good), text, "Long"));
      CHECK(glt_test::names(refused(good.slice(0, 0, last ? 1 : 0)), "over 1 rows of all ranks"));
      CHECK(largest(norm->named_buffers()["running_mean"]) == 0);
      CHECK(norm->named_buffers()["num_batches_tracked"].item<std::int64_t>() == 0);
      CHECK(refused(good) == "(nothing was thrown)");

      norm->eval();
      CHECK_THROWS_AS(static_cast<void>(norm(comm, at::randn({5, 3}))), glt::precondition_error);
    });
  }
}

TEST_CASE("a failing backward pass is the same error on all ranks") {
  glt::run_threads(2, [](auto comm) {
    at::set_num_threads(1);
    glt::batch_norm norm({.features = 2});
    auto const y = norm(comm, at::randn({5, 2}));
    bool const create_graph = comm.rank() == 1;
    auto const error = glt_test::thrown<glt::collective_error>(
        [&] { torch::autograd::grad({y.sum()}, {norm->parameters()[0]}, {}, /*retain_graph=*/true, create_graph); });
    CHECK(glt_test::names(error, "rank 1", "gradients of the gradients"));
    y.sum().backward();
    CHECK(norm->named_parameters()["bias"].grad().sum().item<float>() == 10.0F);
  });
}

TEST_CASE("batch_norm refuses options that do not fit") {
  CHECK_THROWS_AS(glt::batch_norm({.features = 0}), glt::precondition_error);
  CHECK_THROWS_AS(glt::batch_norm({.features = 2, .eps = -1.0}), glt::precondition_error);
  CHECK_THROWS_AS(glt::batch_norm({.features = 2, .momentum = 1.5}), glt::precondition_error);
}
