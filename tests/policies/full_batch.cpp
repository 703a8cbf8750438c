// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/threads.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/full_batch/aggregate.hpp>
#include <glt/dist/full_batch/aggregate_messages.hpp>
#include <glt/dist/full_batch/detail/attention.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>

#include "support/device_parts.hpp"
#include "support/parts.hpp"
#include "support/policies.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using glt_test::divided_graph;

namespace {

constexpr std::int64_t columns = 6;

// relu(source − destination).
struct relu_of_difference {
  GLT_HOST_DEVICE void message(float const* x, float const* y, std::int64_t, float* sum) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      sum[c] += x[c] > y[c] ? x[c] - y[c] : 0.0F;
    }
  }
  GLT_HOST_DEVICE void source_vjp(float const* x, float const* y, std::int64_t, float const* gradient,
                                  float* out) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      out[c] += x[c] > y[c] ? gradient[c] : 0.0F;
    }
  }
  GLT_HOST_DEVICE void destination_vjp(float const* x, float const* y, std::int64_t, float const* gradient,
                                       float* out) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      out[c] -= x[c] > y[c] ? gradient[c] : 0.0F;
    }
  }
};

// What a rank's passes over two ranks make, one after the other.
template <class Policy>
std::vector<std::vector<float>> passes_of(divided_graph const& divided, glt::threads_comm comm) {
  Policy const policy;
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
  glt::dist::sharded_graph<glt::threads_comm, Policy> sharded(comm, graph, {}, policy);
  auto const rows = sharded.num_destinations();
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    values.push_back(static_cast<float>((i * 29 + comm.rank()) % 31 - 15) / 8);
  }
  using view = glt::matrix_view<Policy::space, float>;
  auto const matrix = [&](glt::buffer<Policy, float>& of, std::int64_t width) { return view(of.data(), rows, width); };
  auto x = glt::make_buffer<Policy>(values, policy);
  std::vector<std::vector<float>> made;
  auto const keep = [&](auto const& of) { made.push_back(glt::to_vector(policy, of.view())); };
  glt::buffer<Policy, float> y(rows * columns, policy);
  glt::buffer<Policy, float> dx(rows * columns, policy);
  for (auto const how : {glt::dist::aggregator::mean, glt::dist::aggregator::max}) {
    for (bool const is_reproducible : {false, true}) {
      glt::buffer<Policy, glt::local_id> chosen(rows * columns, policy);
      glt::matrix_view<Policy::space, glt::local_id> const choice(chosen.data(), rows, columns);
      glt::dist::aggregation<Policy::space, float> const options{.how = how, .reproducible = is_reproducible};
      glt::dist::aggregate(sharded, matrix(x, columns), matrix(y, columns), options, choice);
      glt::detail::aggregate_backward(sharded, matrix(x, columns), matrix(dx, columns), options, choice);
      keep(y);
      keep(dx);
    }
  }
  constexpr std::int64_t heads = 2;
  auto keys = glt::make_buffer<Policy>(std::vector<float>(values.begin(), values.begin() + rows * heads), policy);
  auto queries = glt::make_buffer<Policy>(std::vector<float>(values.end() - rows * heads, values.end()), policy);
  glt::buffer<Policy, float> softmax(rows * 2 * heads, policy);
  glt::buffer<Policy, float> dkeys(rows * heads, policy);
  glt::buffer<Policy, float> dqueries(rows * heads, policy);
  glt::detail::attention_options<Policy::space> const options{.heads = heads};
  glt::detail::attention_rows<Policy::space, float const> const in{matrix(x, columns), matrix(keys, heads),
                                                                   matrix(queries, heads)};
  glt::detail::attend(sharded, in, matrix(y, columns), matrix(softmax, 2 * heads), options);
  glt::detail::attend_backward(
      sharded, in,
      glt::detail::attention_result<Policy::space, float const>{matrix(y, columns), matrix(softmax, 2 * heads)},
      {matrix(x, columns)},
      glt::detail::attention_rows<Policy::space, float>{matrix(dx, columns), matrix(dkeys, heads),
                                                        matrix(dqueries, heads)},
      options);
  keep(y);
  keep(dx);
  keep(dkeys);
  keep(dqueries);
  glt::buffer<Policy, float> dy(rows * columns, policy);
  glt::dist::aggregate_messages(sharded, relu_of_difference{}, matrix(x, columns), matrix(x, columns),
                                matrix(y, columns));
  glt::detail::aggregate_messages_backward(sharded, relu_of_difference{}, matrix(x, columns), matrix(x, columns),
                                           matrix(y, columns), matrix(dx, columns), matrix(dy, columns));
  keep(y);
  keep(dx);
  keep(dy);
  return made;
}

} // namespace

TEST_CASE_TEMPLATE("full-batch passes are the same on any policy", Policy, GLT_TEST_POLICIES) {
  divided_graph const divided(glt_test::random_graph(101, 999), glt_test::all_partitioners()[1], 2);
  glt::run_threads(2, [&](glt::threads_comm comm) {
    auto const expected = passes_of<glt::device::cpu>(divided, comm);
    auto const made = passes_of<Policy>(divided, comm);
    REQUIRE(made.size() == expected.size());
    for (std::size_t pass = 0; pass < made.size(); ++pass) {
      CAPTURE(pass);
      REQUIRE(made[pass].size() == expected[pass].size());
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < made[pass].size(); ++i) {
        wrong += std::abs(made[pass][i] - expected[pass][i]) > 1e-4F * (1 + std::abs(expected[pass][i]));
      }
      CHECK(wrong == 0);
    }
  });
}
