// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/vertex_weights.hpp>

#include <glt/core/random.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

using weights_view = glt::host_view<double const>;

double weight_of(std::int64_t original) {
  return original % 4 == 1 ? 0 : std::pow(static_cast<double>(original + 1), 0.75);
}

template <class Policy>
void check_numbers(auto& comm, std::int64_t size, glt_test::named_partitioner const& partitioner) {
  Policy const policy;
  auto const list = glt_test::random_graph(size, size);
  divided_graph const divided(list, partitioner, comm.size());
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
  glt::dist::vertex_directory const directory(comm, graph, policy);
  std::vector<double> own;
  for (auto const original : glt::to_vector(policy, graph.original())) {
    own.push_back(weight_of(original));
  }
  std::vector<double> all;
  for (std::int64_t v = 0; v < size; ++v) {
    all.push_back(weight_of(v));
  }
  glt::vertex_weights<cpu> const whole{weights_view(all)};
  auto const of_own = glt::make_buffer<Policy>(own, policy);
  glt::dist::vertex_weights table(comm, directory, of_own.view(), policy);
  CHECK(table.total() == whole.total());
  glt::random_stream draws(glt::random_key(4), static_cast<std::uint64_t>(comm.rank()));
  std::vector<std::int64_t> numbers{0, whole.total() - 1};
  for (int i = 0; i < 40 * comm.rank(); ++i) {
    numbers.push_back(static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(whole.total()))));
  }
  std::vector<std::int64_t> expected;
  for (auto const number : numbers) {
    expected.push_back(divided.names.renumbered[whole.view().find(number)]);
  }
  auto const there = glt::make_buffer<Policy>(numbers, policy);
  glt::buffer<Policy, glt::global_id> vertices(there.size(), policy);
  INFO(partitioner.name, ", ", size);
  CHECK(table.find(there.view(), vertices.view()));
  CHECK(glt::to_vector(policy, vertices.view()) == expected);
  CHECK(!table.find({}, {}));
}

} // namespace

TEST_CASE("a number stands for the vertex that it stands for on one process") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (std::int64_t const size : {1, 5, 257}) {
        check_numbers<cpu>(comm, size, partitioner);
      }
    }
  });
}

TEST_CASE_TEMPLATE("a number stands for the same vertex on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    for (std::int64_t const size : {1, 257}) {
      check_numbers<Policy>(comm, size, glt_test::all_partitioners()[1]);
    }
  });
}

TEST_CASE("wrong weights of one rank are the same error on every rank") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::vertex_directory const directory(comm, graph);
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    auto const refused = [&](std::vector<double> const& weights) {
      return glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::vertex_weights(comm, directory, weights_view(weights), cpu()); });
    };
    auto const rows = static_cast<std::size_t>(graph.local().num_rows());
    std::vector<double> weights(rows, 1);
    if (comm.rank() == last) {
      weights.push_back(1);
    }
    CHECK(glt_test::names(refused(weights), name, "weights for", "vertices of the part"));
    weights.resize(rows);
    if (comm.rank() == last) {
      weights.back() = -3;
    }
    CHECK(glt_test::names(refused(weights), name, "weight of vertex 100 is -3"));
    CHECK(glt_test::names(refused(std::vector<double>(rows, 0)), "rank 0", "all weights are 0"));
  });
}

TEST_CASE("a rank without memory for its share of the table is the same error on every rank") {
  using glt_test::scarce_policy;
  using glt_test::scarce_resource;
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(20, 40), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(
        comm, glt::split_graph<glt::global_id>(divided.whole.view(), divided.names, comm.rank(), scarce_policy{}));
    glt::dist::vertex_directory const directory(comm, graph);
    std::vector<double> const own(static_cast<std::size_t>(graph.original().size()), 1);
    std::string const none = "(nothing was thrown)";
    std::string error;
    std::int64_t allocations = 0;
    for (; allocations < 50 && error != none; ++allocations) {
      scarce_resource::allocations_left = comm.rank() == 0 ? allocations : -1;
      error = glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::vertex_weights(comm, directory, weights_view(own), scarce_policy{}); });
      scarce_resource::allocations_left = -1;
      CHECK((error == none || glt_test::names(error, "rank 0")));
    }
    CHECK(error == none);
    CHECK(allocations > 2);
  });
}
