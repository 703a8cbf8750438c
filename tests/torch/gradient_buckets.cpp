// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/gradient_buckets.hpp>

#include <glt/comm/guard.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/torch/collectives.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct net : torch::nn::Module {
  torch::nn::Linear first = register_module("first", torch::nn::Linear(6, 9));
  torch::nn::Linear unused = register_module("unused", torch::nn::Linear(3, 2));
  torch::nn::Linear second = register_module("second", torch::nn::Linear(9, 4));

  explicit net(std::int64_t seed = 1) {
    double value = static_cast<double>(seed);
    for (auto& parameter : parameters()) {
      parameter.detach().copy_(at::arange(parameter.numel()).add(value).sin().view(parameter.sizes()));
      value += 0.5;
    }
  }
  at::Tensor loss(int rank, std::int64_t step) {
    auto const x = at::arange(30, at::kFloat).mul(0.1 * (rank + 1)).add(static_cast<double>(step)).cos().view({5, 6});
    return second(first(x).tanh()).square().mean();
  }
};

bool same_gradients(torch::nn::Module& a, torch::nn::Module& b) {
  bool same = true;
  for (std::size_t i = 0; i < a.parameters().size(); ++i) {
    auto const left = a.parameters()[i].grad();
    auto const right = b.parameters()[i].grad();
    same = same && left.defined() == right.defined() && (!left.defined() || at::allclose(left, right, 1e-5, 1e-7));
  }
  return same;
}

/// Throws in its backward pass.
struct failing : torch::autograd::Function<failing> {
  static at::Tensor forward(torch::autograd::AutogradContext*, at::Tensor const& x) { return x.clone(); }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list const&) {
    throw std::runtime_error("no gradient today");
  }
};

} // namespace

TEST_CASE("gradient_buckets give what gather_grads gives, with any size of buckets and over several steps") {
  for (int const ranks : {1, 2, 3}) {
    for (std::int64_t const bytes : {1, 200, 1 << 20}) {
      std::vector<char> right(static_cast<std::size_t>(ranks), 1);
      glt::run_threads(ranks, [&](auto comm) {
        auto const note = [&](bool same) {
          right[static_cast<std::size_t>(comm.rank())] =
              same && right[static_cast<std::size_t>(comm.rank())] == 1 ? 1 : 0;
        };
        net overlapped;
        net plain;
        glt::gradient_buckets gradients(comm, overlapped, bytes);
        CHECK(gradients.num_buckets() == (bytes == 1 ? 6 : bytes == 200 ? 2 : 1));
        for (std::int64_t step = 0; step < 5; ++step) {
          overlapped.zero_grad();
          plain.zero_grad();
          bool const has_seeds = comm.rank() != 1 || step % 2 == 0;
          auto const seeds = has_seeds ? 3 + comm.rank() : 0;
          gradients.backward(has_seeds ? overlapped.loss(comm.rank(), step) : at::Tensor(), seeds);
          if (has_seeds) {
            plain.loss(comm.rank(), step).backward();
          }
          glt::gather_grads(comm, plain, seeds);
          note(same_gradients(overlapped, plain));
        }
        overlapped.zero_grad();
        plain.zero_grad();
        gradients.backward(overlapped.loss(comm.rank(), 9));
        plain.loss(comm.rank(), 9).backward();
        glt::sum_grads(comm, plain);
        note(same_gradients(overlapped, plain));
      });
      CHECK(right == std::vector<char>(static_cast<std::size_t>(ranks), 1));
    }
  }
}

TEST_CASE("a backward pass outside of the buckets sends nothing") {
  glt::serial_comm comm;
  net module;
  glt::gradient_buckets gradients(comm, module);
  module.loss(0, 0).backward();
  auto const before = module.second->weight.grad().clone();
  CHECK(at::equal(module.second->weight.grad(), before));
  module.zero_grad();
  gradients.backward(module.loss(0, 0), 1);
  CHECK(at::allclose(module.second->weight.grad(), before));
}

TEST_CASE("a backward pass that fails on one rank is the same error on all, and the next step works") {
  std::vector<std::string> texts(3);
  glt::run_threads(3, [&](auto comm) {
    net module;
    glt::gradient_buckets gradients(comm, module, 1);
    auto loss = module.loss(comm.rank(), 0);
    if (comm.rank() == 2) {
      loss = failing::apply(loss);
    }
    try {
      gradients.backward(loss, 1);
    } catch (glt::collective_error const& error) {
      texts[static_cast<std::size_t>(comm.rank())] = error.what();
    }
    module.zero_grad();
    gradients.backward(module.loss(comm.rank(), 1), 1);
    CHECK(module.first->weight.grad().abs().sum().template item<double>() > 0);
  });
  CHECK(texts[0].find("rank 2") != std::string::npos);
  CHECK(texts[0].find("no gradient today") != std::string::npos);
  CHECK(texts[1] == texts[0]);
  CHECK(texts[2] == texts[0]);
}

TEST_CASE(
    "a sparse gradient that a pass makes in a bucket without its other gradients is the same error on all ranks") {
  std::vector<std::string> texts(2);
  glt::run_threads(2, [&](auto comm) {
    struct : torch::nn::Module {
      torch::nn::Embedding table =
          register_module("table", torch::nn::Embedding(torch::nn::EmbeddingOptions(5, 2).sparse(true)));
      torch::nn::Linear unused = register_module("unused", torch::nn::Linear(3, 2));
    } module;
    glt::gradient_buckets gradients(comm, module);
    try {
      auto const rows = at::arange(3);
      gradients.backward(comm.rank() == 1 ? module.table(rows).sum() : at::Tensor(), comm.rank());
    } catch (glt::collective_error const& error) {
      texts[static_cast<std::size_t>(comm.rank())] = error.what();
    }
  });
  CHECK(texts[0].find("rank 1: the gradient of table.weight is sparse") != std::string::npos);
  CHECK(texts[1] == texts[0]);
}

TEST_CASE("a rank that fails before its backward pass ends the others, and buckets can be destroyed") {
  CHECK_THROWS_WITH_AS(glt::run_threads(2,
                                        [&](auto comm) {
                                          glt::run_collectively(comm, [&] {
                                            net module;
                                            glt::gradient_buckets gradients(comm, module);
                                            if (comm.rank() == 1) {
                                              throw std::runtime_error("lost the batch");
                                            }
                                            gradients.backward(module.loss(0, 0), 1);
                                          });
                                        }),
                       doctest::Contains("lost the batch"), glt::collective_error);
}

TEST_CASE("gradient_buckets refuse what gather_grads refuses, and buckets without room") {
  glt::run_threads(2, [&](auto comm) {
    net module;
    CHECK_THROWS_WITH_AS((glt::gradient_buckets(comm, module, 8 + comm.rank())), doctest::Contains("pass the same"),
                         glt::collective_error);
    CHECK_THROWS_WITH_AS((glt::gradient_buckets(comm, module, comm.rank() == 0 ? 1 : 0)), doctest::Contains("0 bytes"),
                         glt::collective_error);
    glt::gradient_buckets gradients(comm, module);
    CHECK_THROWS_WITH_AS(gradients.backward(module.loss(0, 0), comm.rank() == 0 ? 1 : -1),
                         doctest::Contains("-1 seeds"), glt::collective_error);
  });
}
