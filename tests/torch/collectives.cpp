// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/collectives.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>

#include <ATen/Parallel.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

/// Parameters and buffers of several shapes and element types.
struct small_net : torch::nn::Module {
  torch::nn::Linear linear{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
  at::Tensor table;

  explicit small_net(std::int64_t width = 3, at::ScalarType table_type = at::kFloat) {
    linear = register_module("linear", torch::nn::Linear(4, width));
    norm = register_module("norm", torch::nn::BatchNorm1d(width)); // has an int64 buffer
    table = register_parameter("table", at::randn({2, 1, 5}, table_type));
  }
};

void fill(torch::nn::Module& module, double value) {
  for (auto& parameter : module.parameters()) {
    parameter.detach().fill_(value);
  }
  for (auto& buffer : module.buffers()) {
    buffer.fill_(value);
  }
}

/// Every element of the parameter's gradient becomes `value`.
void set_gradient(at::Tensor parameter, double value) {
  parameter.mutable_grad() = at::full_like(parameter.detach(), value);
}

bool all_equal(at::Tensor const& tensor, double value) {
  return tensor.defined() && tensor.sub(value).abs().max().item<double>() < 1e-6;
}

/// Runs `work(comm)` on every rank; the text of what each throws, or "" where it returns.
template <class Work>
std::vector<std::string> errors_of(int ranks, Work work) {
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  glt::run_threads(ranks, [&](auto comm) {
    at::set_num_threads(1);
    try {
      work(comm);
    } catch (glt::collective_error const& failure) {
      errors[static_cast<std::size_t>(comm.rank())] = failure.what();
    }
  });
  return errors;
}

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("sync_params gives every rank the parameters and buffers of rank 0") {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    CAPTURE(ranks);
    std::vector<char> right(static_cast<std::size_t>(ranks), 0);
    glt::run_threads(ranks, [&](auto comm) {
      small_net net;
      fill(net, 7 + comm.rank());
      glt::sync_params(comm, net);
      bool good = true;
      for (auto const& parameter : net.parameters()) {
        good = good && all_equal(parameter.detach(), 7) && parameter.requires_grad();
      }
      for (auto const& buffer : net.buffers()) {
        good = good && all_equal(buffer, 7);
      }
      right[static_cast<std::size_t>(comm.rank())] = good ? 1 : 0;
    });
    CHECK(right == std::vector<char>(static_cast<std::size_t>(ranks), 1));
  }
}

TEST_CASE("sync_params of a module without tensors does nothing") {
  glt::serial_comm comm;
  torch::nn::Module empty;
  CHECK_NOTHROW(glt::sync_params(comm, empty));
  CHECK_NOTHROW(glt::gather_grads(comm, empty, 3));
}

TEST_CASE("sync_params with another shape on one rank throws the same error on all and changes nothing") {
  std::vector<char> unchanged(3, 0);
  auto const errors = errors_of(3, [&](auto& comm) {
    small_net net(comm.rank() == 2 ? 6 : 3);
    fill(net, comm.rank());
    try {
      glt::sync_params(comm, net);
    } catch (...) {
      unchanged[static_cast<std::size_t>(comm.rank())] = all_equal(net.table.detach(), comm.rank()) ? 1 : 0;
      throw;
    }
  });
  CHECK(unchanged == std::vector<char>(3, 1));
  CHECK(errors[0] == errors[1]);
  CHECK(errors[0] == errors[2]);
  CHECK(contains(errors[0], "rank 2"));
  CHECK(contains(errors[0], "linear.weight Float [6, 4]"));
  CHECK(contains(errors[0], "linear.weight Float [3, 4]"));
}

TEST_CASE("sync_params with another element type or number of tensors on one rank throws the same error on all") {
  auto const types = errors_of(2, [](auto& comm) {
    small_net net(3, comm.rank() == 1 ? at::kDouble : at::kFloat);
    glt::sync_params(comm, net);
  });
  CHECK(types[0] == types[1]);
  CHECK(contains(types[0], "table Double [2, 1, 5]"));

  auto const numbers = errors_of(3, [](auto& comm) {
    small_net net;
    if (comm.rank() == 0) {
      net.register_parameter("extra", at::zeros({1}));
    }
    glt::sync_params(comm, net);
  });
  CHECK(numbers[0] == numbers[1]);
  CHECK(numbers[0] == numbers[2]);
  CHECK(contains(numbers[0], "rank 1"));
  CHECK(contains(numbers[0], "extra"));
}

TEST_CASE("gather_grads gives every rank the mean weighted by seeds") {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    CAPTURE(ranks);
    std::vector<char> right(static_cast<std::size_t>(ranks), 0);
    double weighted = 0;
    double total = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      weighted += (rank + 1) * (10.0 + 3 * rank);
      total += 10.0 + 3 * rank;
    }
    glt::run_threads(ranks, [&](auto comm) {
      small_net net;
      for (auto const& parameter : net.parameters()) {
        set_gradient(parameter, comm.rank() + 1);
      }
      glt::gather_grads(comm, net, 10 + 3 * comm.rank());
      bool good = true;
      for (auto const& parameter : net.parameters()) {
        good = good && all_equal(parameter.grad(), weighted / total) && parameter.grad().sizes() == parameter.sizes();
      }
      right[static_cast<std::size_t>(comm.rank())] = good ? 1 : 0;
    });
    CHECK(right == std::vector<char>(static_cast<std::size_t>(ranks), 1));
  }
}

TEST_CASE("gather_grads: ranks without gradients or seeds contribute zeros and get the result") {
  for (bool const no_gradient : {true, false}) {
    CAPTURE(no_gradient);
    std::vector<char> right(3, 0);
    glt::run_threads(3, [&](auto comm) {
      small_net net;
      bool const idle = comm.rank() == 1;
      for (auto const& parameter : net.parameters()) {
        if (!idle) {
          set_gradient(parameter, comm.rank() == 0 ? 4 : 8);
        } else if (!no_gradient) {
          set_gradient(parameter, std::numeric_limits<double>::quiet_NaN());
        }
      }
      // a rank without gradients but with seeds weighs, a rank without seeds does not
      glt::gather_grads(comm, net, !idle ? 2 : no_gradient ? 4 : 0);
      auto const mean = (4 * 2 + 8 * 2) / (no_gradient ? 8.0 : 4.0);
      bool good = true;
      for (auto const& parameter : net.parameters()) {
        good = good && all_equal(parameter.grad(), mean);
      }
      right[static_cast<std::size_t>(comm.rank())] = good ? 1 : 0;
    });
    CHECK(right == std::vector<char>(3, 1));
  }
}

TEST_CASE("gather_grads: a parameter without gradient on all ranks with seeds has none afterwards") {
  std::vector<char> right(2, 0);
  glt::run_threads(2, [&](auto comm) {
    small_net net;
    net.linear->bias.set_requires_grad(false);
    if (comm.rank() == 0) {
      set_gradient(net.linear->weight, 6);
    } else {
      set_gradient(net.table, 5); // of a rank without seeds
    }
    glt::gather_grads(comm, net, comm.rank() == 0 ? 1 : 0);
    right[static_cast<std::size_t>(comm.rank())] =
        all_equal(net.linear->weight.grad(), 6) && !net.table.grad().defined() && !net.linear->bias.grad().defined()
            ? 1
            : 0;
  });
  CHECK(right == std::vector<char>(2, 1));

  glt::serial_comm alone;
  small_net net;
  set_gradient(net.table, 5);
  glt::gather_grads(alone, net, 0);
  CHECK_FALSE(net.table.grad().defined());
}

TEST_CASE("sum_grads gives every rank the sum over ranks, and ranks without gradients get it too") {
  for (int const ranks : {1, 2, 4}) {
    std::vector<char> right(static_cast<std::size_t>(ranks), 0);
    auto const errors = errors_of(ranks, [&](auto& comm) {
      small_net net;
      if (comm.rank() + 1 == comm.size()) {
        net.table.mutable_grad() = at::full_like(net.table.detach(), 0.1F);
      }
      glt::sum_grads(comm, net);
      right[static_cast<std::size_t>(comm.rank())] =
          all_equal(net.table.grad(), 0.1F) && !net.linear->weight.grad().defined() ? 1 : 0;
    });
    CHECK(right == std::vector<char>(static_cast<std::size_t>(ranks), 1));
  }
}

TEST_CASE("gather_grads is one header exchange and one all-reduce") {
  glt::run_threads(2, [](auto inner) {
    glt::counting_comm comm(inner);
    small_net net;
    glt::gather_grads(comm, net, 1);
    CHECK(comm.counts().total().collectives == 2);
    CHECK(comm.counts().headers.bytes == glt::detail::header_bytes);
    CHECK(comm.counts().reduce.bytes == 4 * (15 + 6 + 10 + 5)); // elements of five parameters and one flag for each
  });
}

TEST_CASE("gather_grads in double precision") {
  torch::nn::Linear layer(2, 2);
  layer->to(at::kDouble);
  set_gradient(layer->weight, 0.1);
  glt::serial_comm comm;
  glt::gather_grads(comm, *layer, 7);
  CHECK(layer->weight.grad()[1][1].item<double>() == 0.1);
  CHECK_FALSE(layer->bias.grad().defined());
}

TEST_CASE("gather_grads refuses on all ranks what one rank cannot give") {
  auto const check_all = [](std::vector<std::string> const& errors, std::string const& rank, std::string const& cause) {
    for (auto const& error : errors) {
      CHECK(error == errors[0]);
    }
    CAPTURE(errors[0]);
    CHECK(contains(errors[0], rank));
    CHECK(contains(errors[0], cause));
  };
  check_all(errors_of(3,
                      [](auto& comm) {
                        small_net net;
                        glt::gather_grads(comm, net, comm.rank() == 1 ? -4 : 4);
                      }),
            "rank 1", "gradients of -4 seeds");
  check_all(errors_of(3,
                      [](auto& comm) {
                        small_net net(comm.rank() == 2 ? 5 : 3);
                        glt::gather_grads(comm, net, 1);
                      }),
            "rank 2", "bytes while rank 0 gathers");
  check_all(errors_of(2,
                      [](auto& comm) {
                        small_net net(3, comm.rank() == 0 ? at::kDouble : at::kFloat);
                        glt::gather_grads(comm, net, 1);
                      }),
            "rank 0", "make all parameters float, or all double");
  auto const with_odd_gradient = [](auto& comm, double value, std::int64_t num_seeds) {
    small_net net;
    set_gradient(net.linear->weight, 1);
    set_gradient(net.table, comm.rank() == 1 ? value : 1);
    glt::gather_grads(comm, net, comm.rank() == 1 ? num_seeds : 3);
    CHECK(net.table.grad().isfinite().all().item<bool>());
  };
  constexpr auto infinite = std::numeric_limits<double>::infinity();
  for (double const value : {infinite, std::numeric_limits<double>::quiet_NaN()}) {
    check_all(errors_of(3, [&](auto& comm) { with_odd_gradient(comm, value, 2); }),
              "rank 1: ", "the gradient of table is not finite");
    check_all(errors_of(3, [&](auto& comm) { with_odd_gradient(comm, value, 0); }), "", ""); // it does not count
  }
  auto const large = errors_of(3, [](auto& comm) { // whose sum is too large for a float
    small_net net;
    set_gradient(net.table, 2e38);
    glt::sum_grads(comm, net);
  });
  check_all(large, "rank 0: ", "the sum of the gradients of all ranks is not finite");
  CHECK(errors_of(2,
                  [](auto& comm) { // many elements whose sum is too large, but none of which is
                    small_net net;
                    set_gradient(net.table, 1e38);
                    glt::gather_grads(comm, net, 1);
                  })[0]
            .empty());
}
