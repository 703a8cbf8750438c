// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/embedding.hpp>

#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/torch/collectives.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "torch/dense_graph.hpp"

#include <ATen/Parallel.h>
#include <torch/nn/modules/embedding.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/sgd.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

using glt_test::largest;
using glt_test::on_ranks;
using table_type = glt::dist::sparse_embedding<glt::threads_comm>;

namespace {

constexpr std::int64_t num_vertices = 23;
constexpr std::int64_t num_columns = 4;

// Vertices of a step in original ids, some of them twice, and what each row is compared with.
at::Tensor vertices_of(std::int64_t step) {
  return (at::arange(14) * (step + 3) + step * step) % num_vertices;
}
at::Tensor targets_of(std::int64_t step) {
  return at::sin(at::arange(14 * num_columns, at::kFloat) + static_cast<double>(step)).view({14, num_columns});
}
at::Tensor loss_of(at::Tensor const& rows, at::Tensor const& targets) {
  return (rows - targets).pow(2).sum(1).mean();
}

// What LibTorch makes of the same rows, on one process.
template <class Optimizer, class Options>
at::Tensor trained_by_libtorch(at::Tensor const& initial, Options const& options) {
  torch::nn::Embedding table(torch::nn::EmbeddingOptions(num_vertices, num_columns).sparse(true));
  table->weight.detach().copy_(initial);
  Optimizer optimizer(table->parameters(), options);
  for (std::int64_t step = 0; step < 5; ++step) {
    optimizer.zero_grad();
    loss_of(table(vertices_of(step)), targets_of(step)).backward();
    optimizer.step();
  }
  return table->weight.detach().clone();
}

at::Tensor rows_of(table_type const& table) {
  return glt::to_tensor(table.store().local().features).clone();
}

template <class Optimizer, class Options>
void check_against_libtorch(glt::detail::sparse_optimizer const& optimizer, Options const& options) {
  on_ranks(
      [&](glt::threads_comm comm) {
        at::set_num_threads(1);
        glt_test::divided_graph const divided(glt_test::random_graph(num_vertices, 40), glt_test::all_partitioners()[1],
                                              comm.size());
        auto const& names = divided.names;
        auto const own = names.original.view().subview(names.book.begin(comm.rank()), names.book.size(comm.rank()));
        table_type table(comm, names.book, own, {.columns = num_columns, .optimizer = optimizer, .seed = 5});
        std::vector<glt::global_id> all(num_vertices);
        std::iota(all.begin(), all.end(), 0);
        table_type const alone(comm.split(comm.rank(), 0), glt::partition_book({0, num_vertices}),
                               glt::host_view<glt::global_id const>(all), {.columns = num_columns, .seed = 5});
        auto const expected = trained_by_libtorch<Optimizer>(rows_of(alone), options);
        for (std::int64_t step = 0; step < 5; ++step) {
          auto const share = at::arange(comm.rank(), 14, comm.size());
          auto const ids =
              glt::to_tensor(names.renumbered.view()).index_select(0, vertices_of(step).index_select(0, share));
          glt::host_view<glt::global_id const> const vertices(ids.data_ptr<glt::global_id>(), ids.numel());
          auto const rows = glt::embedding_rows(table, vertices);
          loss_of(rows, targets_of(step).index_select(0, share)).backward();
          glt::apply_gradients(table, vertices, rows.grad(), vertices.size());
        }
        CHECK(largest(rows_of(table) - expected.index_select(0, glt::to_tensor(own))) < 1e-5);
        CHECK(largest(expected - rows_of(alone)) > 0.05);
      },
      {1, 2, 3});
}

} // namespace

TEST_CASE("rows trained on ranks are those of torch::nn::Embedding with sparse gradients on one process") {
  check_against_libtorch<torch::optim::SGD>(glt::dist::embedding_options::sgd{.learning_rate = 0.5},
                                            torch::optim::SGDOptions(0.5));
  check_against_libtorch<torch::optim::Adagrad>(glt::dist::embedding_options::adagrad{.learning_rate = 0.1},
                                                torch::optim::AdagradOptions(0.1));
}

TEST_CASE("apply_gradients takes what a rank has, and refuses other shapes on all ranks") {
  on_ranks(
      [](glt::threads_comm comm) {
        auto const first = comm.rank() * 2;
        std::vector<glt::global_id> const original{first, first + 1};
        table_type table(comm, glt::partition_book({0, 2, 4}), glt::host_view<glt::global_id const>(original),
                         {.columns = 2});
        glt::host_view<glt::global_id const> const vertices(original);
        auto const before = rows_of(table);
        auto const gradients = comm.rank() == 0 ? at::ones({2, 2}, at::kDouble) : at::Tensor();
        glt::apply_gradients(table, vertices, gradients, comm.rank() == 0 ? 3 : 0);
        CHECK(largest(before - rows_of(table) - (comm.rank() == 0 ? 0.01 : 0)) < 1e-6);
        for (auto const& wrong : {at::ones({2}), at::ones({2, 3}), at::ones({1, 2})}) {
          CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                                  glt::apply_gradients(table, vertices, comm.rank() == 1 ? wrong : at::ones({2, 2}), 1);
                                }),
                                "rank 1", "pass [2, 2]"));
        }
        auto const sparse = at::ones({2, 2}).to_sparse();
        glt::apply_gradients(table, vertices, sparse, 1);
        CHECK(table.num_updates() == 2);
      },
      {2});
}

TEST_CASE("gather_grads refuses sparse gradients, and names what takes them") {
  on_ranks(
      [](glt::threads_comm comm) {
        torch::nn::Embedding table(torch::nn::EmbeddingOptions(3, 2).sparse(true));
        table(at::zeros({1}, at::kLong)).sum().backward();
        CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { glt::gather_grads(comm, *table, 1); }),
                              "rank 0", "gradient of weight is sparse", "dist::sparse_embedding"));
      },
      {2});
}
