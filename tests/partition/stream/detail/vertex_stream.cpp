// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/naive_stream.hpp"

#include <glt/core/random.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/partition/stream/detail/vertex_stream.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <numeric>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// A rule with nothing but what a stream asks for: neighbours count, sizes do not.
struct minimal_rule {
  std::int64_t most;
  struct nothing {};
  std::int64_t capacity() const { return most; }
  nothing level(std::int64_t) const { return {}; }
  std::int64_t score(std::int64_t neighbors, nothing) const { return neighbors; }
};

template <class Stream>
std::vector<local_id> result_of(Stream stream) {
  return to_vector(std::move(stream).result());
}

} // namespace

TEST_CASE("a rule needs no more than a capacity, a level and a score") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    auto const n = graph.num_vertices;
    for (int const num_parts : {1, 2, 7}) {
      auto const capacity = (n + num_parts - 1) / num_parts;
      detail::vertex_stream<minimal_rule> stream({capacity}, n, num_parts, {});
      stream.place_rows(0, rows.view());
      std::vector<std::int64_t> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      CHECK(result_of(std::move(stream)) == naive_stream(rows.view(), order, 1, num_parts,
                                                         static_cast<double>(capacity), {},
                                                         [](double neighbors, double) { return neighbors; }));
    }
  }
}

TEST_CASE("it does not matter whether rows come at once, in blocks, or one by one from anywhere") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    auto const n = graph.num_vertices;
    ldg_partitioner const ldg{.passes = 2, .order = stream_order::natural};
    auto const expected = to_vector(ldg(rows.view(), 3));
    auto blocks = ldg.stream(n, 3);
    auto singles = ldg.stream(n, 3);
    for (int pass = 0; pass < 2; ++pass) {
      if (pass == 1) {
        blocks.restart();
        singles.restart();
      }
      for (std::int64_t first = 0; first < n; first += 5) {
        auto const count = std::min<std::int64_t>(5, n - first);
        // A block as a file gives it: its own offsets, from 0 on.
        std::vector<edge_offset> offsets;
        for (std::int64_t r = 0; r <= count; ++r) {
          offsets.push_back(rows.view().offset(first + r) - rows.view().offset(first));
        }
        std::vector<global_id> sources;
        for (auto e = rows.view().offset(first); e < rows.view().offset(first + count); ++e) {
          sources.push_back(rows.view().source(e));
        }
        blocks.place_rows(first, csr_view<memory_space::host, global_id>(n, offsets, sources));
      }
      for (std::int64_t v = 0; v < n; ++v) {
        auto const row = rows.view().row(v);
        auto const part = singles.place(v, std::list<std::int64_t>(row.begin(), row.end()));
        CHECK(part >= 0);
        CHECK(part < 3);
      }
    }
    CHECK(result_of(std::move(blocks)) == expected);
    CHECK(result_of(std::move(singles)) == expected);
  }
}

TEST_CASE("memory depends on the vertices and parts alone: rows are not kept") {
  auto const rows = make_csr<device::cpu>(random_graph(3001, 20'011).view());
  auto stream = fennel_partitioner{.balance = {balance_limit::edges(rows.view())}}.stream(3001, 20'011, 64);
  auto const before = num_allocations();
  for (int pass = 0; pass < 3; ++pass) {
    stream.place_rows(0, rows.view());
    stream.restart();
  }
  CHECK(num_allocations() - before <= 8); // a list of up to 64 parts grows
}

TEST_CASE("limits are kept where that is possible") {
  auto const graph = random_graph(3001, 20'011);
  auto const rows = make_csr<device::cpu>(graph.view());
  std::vector<std::int32_t> types;
  std::vector<local_id> seeds;
  for (std::int64_t v = 0; v < 3001; ++v) {
    types.push_back(v % 5 == 0 ? 1 : 0);
    if (v % 11 == 3) {
      seeds.push_back(static_cast<local_id>(v));
    }
  }
  balance_constraints const balance{balance_limit::edges(rows.view(), 0.1),
                                    balance_limit::types(host_view<std::int32_t const>(types), 2, 0.1),
                                    balance_limit::seeds(3001, host_view<local_id const>(seeds), 0.1)};
  auto const check = [&](auto const& partitioner, int num_parts) {
    auto const part_of = partitioner(rows.view(), num_parts);
    for (auto const& limit : balance) {
      naive_limit counted(limit, 3001, num_parts);
      for (std::int64_t v = 0; v < 3001; ++v) {
        counted.add(v, static_cast<std::size_t>(part_of[v]));
      }
      for (auto const& of_part : counted.loads) {
        for (std::size_t group = 0; group < of_part.size(); ++group) {
          CAPTURE(limit.name);
          CHECK(of_part[group] <= counted.capacities[group]);
        }
      }
    }
  };
  for (int const num_parts : {2, 4}) {
    check(ldg_partitioner{.balance = balance}, num_parts);
    check(fennel_partitioner{.passes = 2, .balance = balance}, num_parts);
  }
}

TEST_CASE("limits that contradict each other are exceeded by little, and the naive stream does the same") {
  auto const graph = random_graph(501, 3001);
  auto const rows = make_csr<device::cpu>(graph.view());
  std::vector<std::int32_t> weights;
  random_stream draws(random_key(5), 0);
  for (int v = 0; v < 501; ++v) {
    weights.push_back(static_cast<std::int32_t>(draws.below(1000)));
  }
  ldg_partitioner const options{.capacity_slack = 0,
                                .passes = 1,
                                .order = stream_order::natural,
                                .balance = {balance_limit::weights("cost", host_view<std::int32_t const>(weights), 0),
                                            balance_limit::edges(rows.view(), 0)}};
  std::vector<std::int64_t> order(501);
  std::iota(order.begin(), order.end(), 0);
  for (int const num_parts : {2, 7, 40}) {
    auto const capacity = (501 + num_parts - 1) / num_parts;
    auto const expected = naive_stream(rows.view(), order, 1, num_parts, capacity, options.balance,
                                       [&](double neighbors, double size) { return neighbors * (capacity - size); });
    CHECK(to_vector(options(rows.view(), num_parts)) == expected);
  }
}

TEST_CASE("vertices out of range, too many and too few are refused") {
  auto const rows = make_csr<device::cpu>(random_graph(7, 20).view());
  std::vector<local_id> const none;
  auto const complaint = [](auto&& call) { return thrown<precondition_error>(call); };
  auto stream = ldg_partitioner{}.stream(7, 2);
  CHECK(names(complaint([&] { stream.place(7, none); }), "7", "[0, 7)"));
  CHECK(names(complaint([&] { stream.place(-1, none); }), "-1"));
  CHECK(names(complaint([&] { stream.place_rows(1, rows.view()); }), "1 to 7"));
  CHECK(names(complaint([&] { stream.place_rows(rows.view(), host_view<local_id const>(none)); }), "order of 0",
              "7 rows"));
  stream.place(3, none);
  CHECK(names(complaint([&] { stream.place_rows(0, rows.view()); }), "vertex 8 of a pass over 7"));
  CHECK(names(complaint([&] { stream.restart(); }), "1 vertices so far", "all 7"));
  CHECK(names(complaint([&] { static_cast<void>(std::move(stream).result()); }), "1 vertices so far"));
  auto twice = ldg_partitioner{}.stream(3, 2);
  for (int const v : {0, 2, 2}) {
    twice.place(v, none);
  }
  CHECK(names(complaint([&] { static_cast<void>(std::move(twice).result()); }), "vertex 1 has not come"));
}
