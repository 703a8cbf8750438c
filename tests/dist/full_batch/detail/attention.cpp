// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/attention.hpp>

#include <glt/comm/threads.hpp>
#include <glt/dist/full_batch/pushed_edges.hpp>

#include "support/device_parts.hpp"
#include "support/differences.hpp"
#include "support/errors.hpp"
#include "support/naive_attention.hpp"
#include "support/once.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

using glt::detail::attention_score;
using glt_test::divided_graph;
using glt_test::naive_attention;
using glt_test::on_ranks;

namespace {

// A value that tells its row, its column, and what it is for: of keys and queries, no sum is 0.
double value_at(std::int64_t vertex, std::int64_t column, int salt) {
  return static_cast<double>((vertex * 7919 + column * 104729 + salt * 31) % 61 - 30) / 16 + salt * 0.01;
}

std::vector<double> all_rows(std::int64_t vertices, std::int64_t columns, int salt) {
  std::vector<double> values;
  for (std::int64_t v = 0; v < vertices; ++v) {
    for (std::int64_t c = 0; c < columns; ++c) {
      values.push_back(value_at(v, c, salt));
    }
  }
  return values;
}

enum class backward_form { rematerialise, push, smaller };

struct setting {
  std::int64_t columns = 6;
  std::int64_t heads = 1;
  attention_score score = attention_score::additive;
  std::int64_t depth = 1;
  double dropout = 0;
  backward_form form = backward_form::smaller;
  bool is_reproducible = false;

  [[nodiscard]] std::int64_t key_columns() const { return score == attention_score::additive ? heads : 2 * heads; }
};

naive_attention oracle(glt_test::edge_list const& list, setting const& how) {
  return {.list = list,
          .heads = how.heads,
          .score = how.score,
          .dropout = how.dropout,
          .key = glt::random_key(7).fold(3).fold(1),
          .values = all_rows(list.num_vertices, how.columns, 0),
          .keys = all_rows(list.num_vertices, how.key_columns(), 1),
          .queries = all_rows(list.num_vertices, how.key_columns(), 2)};
}

// What an attention over all edges makes, and its gradients: the same on any rank, whatever the partition.
struct whole_attention {
  naive_attention inputs;
  std::vector<double> gradient_rows;
  std::vector<double> log_gradient_rows;
  naive_attention::result result;
  naive_attention::gradients gradients;
};

whole_attention const& expected_of(glt_test::edge_list const& list, setting const& how) {
  auto const key =
      std::tuple(list.num_vertices, list.sources, list.destinations, how.columns, how.heads, how.score, how.dropout);
  return glt_test::once(key, [&] {
    auto const inputs = oracle(list, how);
    auto const gradient_rows = all_rows(list.num_vertices, how.columns, 3);
    auto const log_gradient_rows = all_rows(list.num_vertices, how.heads, 4);
    return whole_attention{inputs, gradient_rows, log_gradient_rows, inputs.forward(),
                           inputs.backward(gradient_rows, log_gradient_rows)};
  });
}

// Rows of a rank's vertices in memory of a policy.
template <class Policy, class T>
struct rows {
  glt::buffer<Policy, T> values;
  std::int64_t count;
  std::int64_t columns;

  rows(std::int64_t size, std::int64_t width, Policy policy)
      : values(size * width, policy), count(size), columns(width) {}
  rows(divided_graph const& divided, int rank, std::vector<double> const& all, std::int64_t width, Policy policy)
      : rows(divided.names.book.size(rank), width, policy) {
    std::vector<T> own;
    for (auto v = divided.names.book.begin(rank); v < divided.names.book.end(rank); ++v) {
      for (std::int64_t c = 0; c < width; ++c) {
        own.push_back(static_cast<T>(all[static_cast<std::size_t>(divided.names.original[v] * width + c)]));
      }
    }
    values = glt::make_buffer<Policy>(own, policy);
  }
  [[nodiscard]] glt::matrix_view<Policy::space, T> view() { return {values.data(), count, columns}; }

  // How many elements are not those of all rows, but for rounding.
  [[nodiscard]] std::int64_t wrong(divided_graph const& divided, int rank, std::vector<double> const& all,
                                   Policy const& policy) const {
    auto const made = glt::to_vector(policy, values.view());
    std::int64_t wrong = 0;
    for (std::int64_t v = 0; v < count; ++v) {
      auto const whole = divided.names.original[divided.names.book.begin(rank) + v];
      for (std::int64_t c = 0; c < columns; ++c) {
        auto const own = static_cast<double>(made[static_cast<std::size_t>(v * columns + c)]);
        auto const right = all[static_cast<std::size_t>(whole * columns + c)];
        auto const allowed = (std::is_same_v<T, float> ? 2e-5 : 1e-11) * (1 + std::abs(right));
        wrong += own == right || std::abs(own - right) <= allowed ? 0 : 1;
      }
    }
    return wrong;
  }
};

// The logarithms of the sums of powers that a softmax stands for.
template <class Policy, class T>
rows<Policy, T> log_sums_of(rows<Policy, T> const& softmax, Policy const& policy) {
  auto const both = glt::to_vector(policy, softmax.values.view());
  auto const heads = softmax.columns / 2;
  std::vector<T> sums;
  for (std::int64_t i = 0; i < softmax.count * heads; ++i) {
    auto const* const row = both.data() + i / heads * softmax.columns + i % heads;
    sums.push_back(row[0] - std::log(row[heads]));
  }
  rows<Policy, T> made(softmax.count, heads, policy);
  made.values = glt::make_buffer<Policy>(sums, policy);
  return made;
}

// Forward and backward on the ranks of a test against one loop over the edge list; returns all results.
template <class Policy, class T, class Comm>
std::vector<T> check_attention(Comm& comm, glt_test::edge_list const& list,
                               glt_test::named_partitioner const& partitioner, setting const& how,
                               Policy const policy = {}) {
  INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank(), " of ", comm.size(), ", columns ", how.columns,
       ", heads ", how.heads, ", score ", static_cast<int>(how.score), ", depth ", how.depth, ", dropout ", how.dropout,
       ", form ", static_cast<int>(how.form), how.is_reproducible ? ", reproducible" : "");
  divided_graph const divided(list, partitioner, comm.size());
  auto const rank = comm.rank();
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, rank, policy));
  glt::dist::sharded_graph<Comm, Policy> sharded(comm, graph, {.depth = how.depth}, policy);
  auto const ids = graph.local().edge_ids();
  auto const& [expected, gradient_rows, log_gradient_rows, result, back] = expected_of(list, how);

  using matrix = rows<Policy, T>;
  matrix x(divided, rank, expected.values, how.columns, policy);
  matrix keys(divided, rank, expected.keys, how.key_columns(), policy);
  matrix queries(divided, rank, expected.queries, how.key_columns(), policy);
  matrix gradient(divided, rank, gradient_rows, how.columns, policy);
  matrix log_gradient(divided, rank, log_gradient_rows, how.heads, policy);
  matrix y(x.count, how.columns, policy);
  matrix softmax(x.count, 2 * how.heads, policy);
  matrix dx(x.count, how.columns, policy);
  matrix dkeys(x.count, how.key_columns(), policy);
  matrix dqueries(x.count, how.key_columns(), policy);
  glt::detail::attention_options<Policy::space> const options{.heads = how.heads,
                                                              .score = how.score,
                                                              .dropout = how.dropout,
                                                              .dropout_key = expected.key,
                                                              .edge_ids = ids,
                                                              .reproducible = how.is_reproducible};
  glt::detail::attend(sharded, {x.view(), keys.view(), queries.view()}, y.view(), softmax.view(), options);
  std::optional<glt::dist::pushed_edges<Policy>> pushed;
  if (how.form != backward_form::rematerialise) {
    pushed.emplace(sharded, ids,
                   how.form == backward_form::push ? glt::detail::push_choice::all : glt::detail::push_choice::useful);
  }
  glt::detail::attend_backward(sharded, {x.view(), keys.view(), queries.view()}, {y.view(), softmax.view()},
                               {gradient.view(), log_gradient.view()},
                               glt::detail::attention_rows{dx.view(), dkeys.view(), dqueries.view()}, options,
                               pushed ? &*pushed : nullptr);

  CHECK(y.wrong(divided, rank, result.output, policy) == 0);
  CHECK(log_sums_of(softmax, policy).wrong(divided, rank, result.log_sums, policy) == 0);
  CHECK(dx.wrong(divided, rank, back.values, policy) == 0);
  CHECK(dkeys.wrong(divided, rank, back.keys, policy) == 0);
  CHECK(dqueries.wrong(divided, rank, back.queries, policy) == 0);

  std::vector<T> made;
  for (auto const* of : {&y, &softmax, &dx, &dkeys, &dqueries}) {
    auto const values = glt::to_vector(policy, of->values.view());
    made.insert(made.end(), values.begin(), values.end());
  }
  return made;
}

constexpr backward_form all_forms[] = {backward_form::rematerialise, backward_form::push, backward_form::smaller};

} // namespace

TEST_CASE("the gradients of the naive attention are its finite differences") {
  auto const list = glt_test::random_graph(20, 70);
  for (auto const score : {attention_score::additive, attention_score::dot_product}) {
    for (double const dropout : {0.0, 0.4}) {
      auto attention = oracle(list, {.heads = 3, .score = score, .dropout = dropout});
      auto gradient = all_rows(list.num_vertices, 6, 3);
      auto const log_gradient = all_rows(list.num_vertices, 3, 4);
      auto const found = attention.backward(gradient, log_gradient);
      gradient.insert(gradient.end(), log_gradient.begin(), log_gradient.end());
      auto const wrong_by = [&](std::vector<double>& inputs, std::vector<double> const& derivatives) {
        return glt_test::count_wrong_derivatives(inputs, derivatives, gradient, [&] {
          auto [made, log_sums] = attention.forward();
          for (auto const log_sum : log_sums) { // −∞ of a vertex without edges has no differences
            made.push_back(std::isfinite(log_sum) ? log_sum : 0);
          }
          return made;
        });
      };
      CHECK(wrong_by(attention.values, found.values) == 0);
      CHECK(wrong_by(attention.keys, found.keys) == 0);
      CHECK(wrong_by(attention.queries, found.queries) == 0);
    }
  }
}

TEST_CASE("an attention over ranks and its gradients are those of one loop over all edges") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        for (auto const form : all_forms) {
          check_attention<glt::device::cpu, double>(comm, list, partitioner, {.heads = 3, .form = form});
        }
      }
    }
  });
}

TEST_CASE("an attention has any number of heads, either score, dropout and depth") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 1999);
    auto const partitioner = glt_test::all_partitioners()[1];
    for (auto const score : {attention_score::additive, attention_score::dot_product}) {
      for (auto const form : all_forms) {
        for (std::int64_t const depth : {0, 1, 2, 3}) {
          check_attention<glt::device::cpu, double>(
              comm, list, partitioner,
              {.heads = depth % 2 == 0 ? 1 : 3, .score = score, .depth = depth, .dropout = 0.3, .form = form});
        }
        for (std::int64_t const columns : {0, 1, 4, 33}) {
          check_attention<glt::device::cpu, float>(comm, list, partitioner,
                                                   {.columns = columns, .score = score, .form = form});
        }
      }
    }
  });
}

TEST_CASE("an attention over more rows than are worked on at a time has the same bits in any number of threads") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(9001, 30'001);
    auto const partitioner = glt_test::all_partitioners()[1];
    setting const how{.columns = 16, .heads = 2, .score = attention_score::dot_product, .dropout = 0.3};
    auto const alone = check_attention<glt::device::cpu, float>(comm, list, partitioner, how);
    CHECK(check_attention<glt::device::cpu, float>(comm, list, partitioner, how, glt::device::cpu(3)) == alone);
  });
}

TEST_CASE_TEMPLATE(
    "a reproducible attention and its gradients have the same bits on any number of ranks, parts and threads, "
    "whether edges are pushed or not",
    T, float, double) {
  auto const list = glt_test::random_graph(257, 4099);
  for (auto const score : {attention_score::additive, attention_score::dot_product}) {
    std::vector<T> first;
    auto const partitioners = glt_test::all_partitioners();
    for (auto const& partitioner : {partitioners[1], partitioners[4]}) {
      for (int const ranks : {1, 2, 3, 4}) {
        for (auto const form : all_forms) {
          setting const how{
              .heads = 2, .score = score, .depth = ranks % 3, .dropout = 0.3, .form = form, .is_reproducible = true};
          auto const widths = {how.columns, 2 * how.heads, how.columns, how.key_columns(), how.key_columns()};
          std::vector<T> all(static_cast<std::size_t>(list.num_vertices * std::reduce(widths.begin(), widths.end())));
          glt::run_threads(ranks, [&](glt::threads_comm comm) {
            auto const made = check_attention<glt::device::cpu, T>(comm, list, partitioner, how,
                                                                   glt::device::cpu(ranks == 2 ? 3 : 1));
            divided_graph const divided(list, partitioner, ranks);
            auto from = made.begin();
            std::int64_t matrix = 0;
            for (auto const width : widths) {
              for (auto v = divided.names.book.begin(comm.rank()); v < divided.names.book.end(comm.rank()); ++v) {
                std::copy_n(from, width, all.begin() + matrix + divided.names.original[v] * width);
                from += width;
              }
              matrix += list.num_vertices * width;
            }
          });
          first = first.empty() ? all : first;
          CHECK(std::memcmp(all.data(), first.data(), all.size() * sizeof(T)) == 0);
        }
      }
    }
  }
}

TEST_CASE("values or scores that are not finite are an error of all ranks of a reproducible attention, which go on") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph sharded(comm, graph);
    auto const count = sharded.num_sources();
    std::vector<float> x(static_cast<std::size_t>(count), 1.0F);
    auto keys = x;
    auto y = x;
    std::vector<float> softmax(2 * x.size());
    auto const of = [&](std::vector<float>& values) { return glt::host_matrix<float>(values.data(), count, 1); };
    auto const failure = [&](bool exact) {
      return glt_test::thrown<glt::collective_error>([&] {
        glt::detail::attend(sharded, {of(x), of(keys), of(keys)}, of(y),
                            glt::host_matrix<float>(softmax.data(), count, 2), {.reproducible = exact});
      });
    };
    CHECK(failure(true) == "(nothing was thrown)");
    for (auto* const wrong : {&x, &keys}) {
      std::fill(wrong->begin(), wrong->end(),
                comm.rank() + 1 == comm.size() ? std::numeric_limits<float>::quiet_NaN() : 1.0F);
      CHECK(glt_test::names(failure(true), "rank " + std::to_string(comm.size() - 1), "not a number"));
      std::fill(wrong->begin(), wrong->end(), 1.0F);
    }
    CHECK(failure(true) == "(nothing was thrown)");
    if (comm.size() > 1) {
      CHECK(glt_test::names(failure(comm.rank() == 1), "rank 1", "attends forward reproducibly to 1 float"));
    }
  });
}

TEST_CASE_TEMPLATE("an attention is the same on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    for (auto const score : {attention_score::additive, attention_score::dot_product}) {
      for (auto const form : all_forms) {
        check_attention<Policy, float>(comm, glt_test::random_graph(101, 999), partitioner,
                                       {.heads = 2, .score = score, .depth = 2, .dropout = 0.5, .form = form});
        check_attention<Policy, double>(comm, glt_test::random_graph(101, 37), partitioner,
                                        {.score = score, .form = form});
        check_attention<Policy, float>(
            comm, glt_test::random_graph(101, 999), partitioner,
            {.heads = 2, .score = score, .dropout = 0.5, .form = form, .is_reproducible = true});
      }
    }
  });
}
