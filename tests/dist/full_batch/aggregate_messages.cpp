// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/aggregate_messages.hpp>

#include <glt/core/types.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using glt::device::cpu;
using glt_test::divided_graph;
using glt_test::names;
using glt_test::on_ranks;
using glt_test::thrown;

namespace {

constexpr std::int64_t columns = 3;

// w(e) · source · destination, column by column: every gradient depends on all three.
template <glt::memory_space Space>
struct products {
  glt::array_view<Space, double const> weights;
  glt::array_view<Space, double> by_weight;
  GLT_HOST_DEVICE void message(double const* x, double const* y, std::int64_t e, double* sum) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      sum[c] += weights[e] * x[c] * y[c];
    }
  }
  GLT_HOST_DEVICE void source_vjp(double const* x, double const* y, std::int64_t e, double const* gradient,
                                  double* out) const {
    by_weight[e] = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      out[c] += weights[e] * y[c] * gradient[c];
      by_weight[e] += x[c] * y[c] * gradient[c];
    }
  }
  GLT_HOST_DEVICE void destination_vjp(double const* x, double const*, std::int64_t e, double const* gradient,
                                       double* out) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      out[c] += weights[e] * x[c] * gradient[c];
    }
  }
};

// The first column of a source, twice: wider sums than rows, no destination, one edge that throws.
struct doubled {
  bool throws = false;
  void message(double const* x, double const* destination, std::int64_t, double* sum) const {
    if (throws) {
      throw std::runtime_error("a message of mine");
    }
    CHECK(destination == nullptr);
    sum[0] += x[0];
    sum[1] += x[0];
  }
  void source_vjp(double const*, double const*, std::int64_t, double const* gradient, double* out) const {
    out[0] += gradient[0] + gradient[1];
  }
};
static_assert(glt::detail::destination_message<products<glt::memory_space::host>, double>);
static_assert(glt::dist::edge_message<doubled, double> && !glt::detail::destination_message<doubled, double>);

double value_of(std::int64_t vertex, std::int64_t column, int which) {
  return static_cast<double>((vertex * 31 + column * 7 + which * 5) % 17 - 8); // small integers: sums are exact
}
double weight_of(std::int64_t edge) {
  return static_cast<double>(edge % 5 - 2);
}

// All sums and gradients by one loop over the edges.
struct expected_products {
  std::vector<double> sums, by_source, by_destination, by_weight;

  explicit expected_products(glt_test::edge_list const& list)
      : sums(static_cast<std::size_t>(list.num_vertices * columns), 0), by_source(sums), by_destination(sums),
        by_weight(list.sources.size(), 0) {
    for (std::size_t e = 0; e < list.sources.size(); ++e) {
      auto const w = weight_of(static_cast<std::int64_t>(e));
      for (std::int64_t c = 0; c < columns; ++c) {
        auto const x = value_of(list.sources[e], c, 0);
        auto const y = value_of(list.destinations[e], c, 1);
        auto const gradient = value_of(list.destinations[e], c, 2);
        auto const source = static_cast<std::size_t>(list.sources[e] * columns + c);
        auto const destination = static_cast<std::size_t>(list.destinations[e] * columns + c);
        sums[destination] += w * x * y;
        by_source[source] += w * y * gradient;
        by_destination[destination] += w * x * gradient;
        by_weight[e] += x * y * gradient;
      }
    }
  }
};

template <class Policy, class Comm>
void check_products(Comm comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                    std::int64_t depth) {
  INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank(), " of ", comm.size(), ", depth ", depth);
  divided_graph const divided(list, partitioner, comm.size());
  Policy const policy;
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
  glt::dist::sharded_graph<Comm, Policy> sharded(comm, graph, {.depth = depth}, policy);
  auto const rows = sharded.num_destinations();
  auto const vertex = [&](std::int64_t row) {
    return divided.names.original[divided.names.book.begin(comm.rank()) + row];
  };
  auto const own = [&](int which) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      values.push_back(value_of(vertex(i / columns), i % columns, which));
    }
    return glt::make_buffer<Policy>(values, policy);
  };
  auto const matrix = [&](glt::buffer<Policy, double>& of) {
    return glt::matrix_view<Policy::space, double>(of.data(), rows, columns);
  };
  auto const edge_ids = glt::to_vector(policy, graph.local().edge_ids());
  std::vector<double> own_weights;
  for (auto const id : edge_ids) {
    own_weights.push_back(weight_of(id));
  }
  auto const weights = glt::make_buffer<Policy>(own_weights, policy);
  glt::buffer<Policy, double> by_weight(weights.size(), policy);
  auto x = own(0);
  auto y = own(1);
  auto gradient = own(2);
  auto sums = own(2); // overwritten
  auto by_source = own(2);
  auto by_destination = own(2);
  products<Policy::space> const message{weights.view(), by_weight.view()};
  glt::dist::aggregate_messages(sharded, message, matrix(x), matrix(y), matrix(sums));
  glt::detail::aggregate_messages_backward(sharded, message, matrix(x), matrix(y), matrix(gradient), matrix(by_source),
                                           matrix(by_destination));

  expected_products const expected(list);
  auto const made = glt::to_vector(policy, sums.view());
  auto const source_part = glt::to_vector(policy, by_source.view());
  auto const destination_part = glt::to_vector(policy, by_destination.view());
  auto const weight_part = glt::to_vector(policy, by_weight.view());
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    auto const at = static_cast<std::size_t>(i);
    auto const whole = static_cast<std::size_t>(vertex(i / columns) * columns + i % columns);
    wrong += made[at] != expected.sums[whole];
    wrong += source_part[at] != expected.by_source[whole];
    wrong += destination_part[at] != expected.by_destination[whole];
  }
  for (std::size_t e = 0; e < edge_ids.size(); ++e) {
    wrong += weight_part[e] != expected.by_weight[static_cast<std::size_t>(edge_ids[e])];
  }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("messages of one's own and their gradients are those of one loop over all edges") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_products<cpu>(comm, list, partitioner, 1);
      }
    }
    for (std::int64_t const depth : {0, 2, 3}) {
      check_products<cpu>(comm, glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], depth);
    }
  });
}

TEST_CASE_TEMPLATE("messages of one's own are the same on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    check_products<Policy>(comm, glt_test::random_graph(101, 999), glt_test::all_partitioners()[1], 1);
  });
}

TEST_CASE("messages without destinations may be wider than rows; sources travel there and gradients back") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 999);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph sharded(comm, graph);
    auto const rows = sharded.num_destinations();
    std::vector<double> x(static_cast<std::size_t>(rows), 1.0);
    std::vector<double> sums(x.size() * 2);
    std::vector<double> out(x.size());
    glt::host_matrix<double> const wide(sums.data(), rows, 2);
    glt::host_matrix<double> const narrow(x.data(), rows, 1);
    glt::host_matrix<double> const back(out.data(), rows, 1);
    std::int64_t needed = 0;
    std::int64_t offered = 0;
    for (int k = 1; k < comm.size(); ++k) {
      needed += sharded.num_received(k);
      offered += sharded.sent_rows(k).size();
    }
    sharded.report() = {};
    glt::dist::aggregate_messages(sharded, doubled{}, narrow, {}, wide);
    CHECK(sharded.report().bytes == offered * 8);
    CHECK(sharded.report().messages <= comm.size() - 1);
    glt::detail::aggregate_messages_backward(sharded, doubled{}, narrow, {}, wide, back);
    CHECK(sharded.report().bytes == offered * 16 + needed * 8);
    CHECK(sharded.report().messages <= 3 * (comm.size() - 1));
    auto const degrees = sharded.in_degrees();
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      wrong += wide(row, 0) != degrees[row] || wide(row, 1) != degrees[row];
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("a rank whose message throws, or that passes others, fails all ranks with the same error") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph sharded(comm, graph);
    auto const rows = sharded.num_destinations();
    std::vector<double> x(static_cast<std::size_t>(rows * 3), 1.0);
    std::vector<double> y(x.size());
    auto const last = comm.size() - 1;
    bool const is_odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    auto const failure = [&](doubled const& message, std::int64_t width, std::int64_t num_rows, bool is_backward) {
      return thrown<glt::collective_error>([&] {
        glt::host_matrix<double> const from(x.data(), num_rows, width);
        glt::host_matrix<double> const to(y.data(), rows, 2);
        glt::host_matrix<double> const back(x.data(), rows, width);
        if (is_backward) {
          glt::detail::aggregate_messages_backward(sharded, message, from, {}, to, back);
        } else {
          glt::dist::aggregate_messages(sharded, message, from, {}, to);
        }
      });
    };
    CHECK(names(failure({.throws = is_odd}, 1, rows, false), name, "a message of mine"));
    CHECK(names(failure({}, 1, is_odd ? rows - 1 : rows, false), name, "sources [", "in a pass of messages; pass ["));
    CHECK(names(failure({}, 1, is_odd ? rows - 1 : rows, true), name, "sources ["));
    if (comm.size() > 1) {
      CHECK(names(failure({}, is_odd ? 3 : 1, rows, false), name, "from sources of 3", "from sources of 1"));
      CHECK(names(failure({}, 1, rows, is_odd), name, "passes gradients of double", "rank 0 passes double"));
    }
    CHECK(failure({}, 1, rows, true) == "(nothing was thrown)"); // still usable
  });
}
