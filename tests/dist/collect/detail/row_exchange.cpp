// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_exchange.hpp>

#include <glt/comm/counting.hpp>
#include <glt/core/random.hpp>
#include <glt/dist/collect/detail/row_message.hpp>
#include <glt/dist/detail/exchange/requests.hpp>

#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;

namespace {

constexpr std::int64_t columns = 5;
constexpr std::int64_t item_bytes = columns * 4 + 8;

// What a rank asks for: rank 0 nothing, the others more and more, some vertices twice.
std::vector<std::int64_t> wanted(int rank) {
  std::vector<std::int64_t> vertices(static_cast<std::size_t>(rank * 70));
  glt::random_stream draws(glt::random_key(4), static_cast<std::uint64_t>(rank));
  for (auto& vertex : vertices) {
    vertex = static_cast<std::int64_t>(draws.below(257));
  }
  return vertices;
}

void check_rounds(auto& comm, std::int64_t round_bytes, bool reserved, cpu const& policy) {
  CAPTURE(round_bytes);
  divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
  auto const local = divided.features(comm.rank(), columns);
  auto const& book = divided.names.book;
  auto const vertices = wanted(comm.rank());
  auto const ids = divided.renumbered(vertices);
  auto const num_labels = static_cast<std::int64_t>(ids.size()) / 2;

  glt::counting_comm counted(comm);
  glt::dist::requests requests(counted);
  using message = glt::dist::row_message<cpu, float>;
  glt::dist::row_exchange<decltype(counted), cpu, message> exchange({local.view(), policy}, policy, round_bytes);
  if (reserved) {
    exchange.reserve(comm.size());
  }
  glt::dist::collected_rows<cpu, float> out;
  out.features.resize(static_cast<std::int64_t>(ids.size()) * columns);
  out.labels.resize(num_labels);
  std::ranges::fill(out.features, -1.0F);
  std::ranges::fill(out.labels, -1);
  glt::dist::collector_seconds seconds;
  for (std::int64_t step = 0; step < 2; ++step) { // the second time in memory of the first
    requests.route(book, glt::host_view<glt::global_id const>(ids), num_labels);
    requests.start({.what = glt::operation::user, .step = step}, 0, {});
    requests.finish();
    counted.reset();
    exchange.run(requests, out, seconds);

    std::vector<float> expected;
    std::vector<glt::label_type> expected_labels;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      bool const is_remote = book.owner(ids[i]) != comm.rank();
      bool const is_labelled = static_cast<std::int64_t>(i) < num_labels;
      bytes += is_remote ? columns * 4 + (is_labelled ? 8 : 0) : 0;
      for (std::int64_t c = 0; c < columns; ++c) {
        expected.push_back(is_remote ? divided_graph::feature(vertices[i], c) : -1); // own rows are not its business
      }
      if (is_labelled) {
        expected_labels.push_back(is_remote ? divided_graph::label(vertices[i]) : -1);
      }
    }
    CHECK(glt_test::to_vector(out.features) == expected);
    CHECK(glt_test::to_vector(out.labels) == expected_labels);

    auto const traffic = counted.counts().total();
    std::vector<std::int64_t> sums{traffic.bytes, bytes};
    comm.all_reduce(std::span(sums), glt::reduction::sum);
    CHECK(sums[0] == sums[1]); // dividing them costs no byte
    auto const rows = std::max<std::int64_t>(1, round_bytes / item_bytes);
    CHECK(traffic.collectives == (requests.largest_asked() + rows - 1) / rows);
  }
  CHECK(seconds.packing + seconds.exchanging + seconds.unpacking >= 0);
}

} // namespace

TEST_CASE("rows and labels arrive in any number of rounds, in memory made before or when it is needed") {
  glt_test::on_ranks([](auto comm) {
    check_rounds(comm, 1, true, cpu{});
    check_rounds(comm, 10 * item_bytes, true, cpu{});
    check_rounds(comm, 10 * item_bytes, false, cpu(3));
    check_rounds(comm, 1 << 20, false, cpu{});
  });
}

TEST_CASE("messages stay of some size when there are many ranks") {
  CHECK(glt::dist::default_round_bytes(2) == 1 << 20);
  CHECK(glt::dist::default_round_bytes(1024) == 1 << 25);
}
