// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_exchange.hpp>

#include <glt/comm/counting.hpp>
#include <glt/core/random.hpp>
#include <glt/dist/collect/detail/row_requests.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/feature/detail/any_rows.hpp>

#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
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

void check_rounds(auto& comm, std::int64_t round_bytes, bool reserved, cpu const& policy,
                  std::int64_t limit = std::int64_t{1} << 26) {
  CAPTURE(round_bytes);
  divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
  auto const local = divided.features(comm.rank(), columns);
  auto const& book = divided.names.book;
  auto const vertices = wanted(comm.rank());
  auto const ids = divided.renumbered(vertices);
  auto const num_labels = static_cast<std::int64_t>(ids.size()) / 2;

  glt::counting_comm counted(comm);
  auto const tensors = glt::detail::matrix_tensors<cpu::space>(local.view(), true);
  glt::detail::row_message<cpu> message(
      {{"features", tensors[0], tensors[0].type, false}, {"labels", tensors[1], tensors[1].type, true}}, policy);
  glt::detail::row_requests requests(counted, book, false, true, policy);
  glt::detail::row_exchange<decltype(counted), cpu> exchange(std::move(message), policy, round_bytes, limit);
  if (reserved) {
    exchange.reserve(comm.size());
  }
  glt::dist::collected_rows<cpu, float> out;
  out.features.resize(static_cast<std::int64_t>(ids.size()) * columns);
  out.labels.resize(num_labels);
  std::ranges::fill(out.features, -1.0F);
  std::ranges::fill(out.labels, -1);
  std::vector<glt::detail::row_target> const targets{
      {glt::element_type::float32, reinterpret_cast<std::byte*>(out.features.data())},
      {glt::element_type::int64, reinterpret_cast<std::byte*>(out.labels.data())}};
  glt::detail::collector_seconds seconds;
  for (std::int64_t step = 0; step < 2; ++step) { // the second time in memory of the first
    glt::detail::call_site const site{.what = glt::detail::operation::user, .step = step};
    requests.sources().sort(
        glt::detail::row_keys<cpu::space, glt::global_id>{glt::host_view<glt::global_id const>(ids)}, num_labels, 0);
    requests.start(site);
    requests.finish();
    counted.reset();
    exchange.template run<glt::detail::no_conversion>(requests, site, targets, seconds);

    std::vector<float> expected;
    std::vector<glt::detail::label_type> expected_labels;
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
    bool const agreed = limit == 1 && requests.anything();
    bytes += agreed ? glt::detail::header_bytes * (comm.size() - 1) : 0;
    std::vector<std::int64_t> sums{traffic.bytes, bytes};
    comm.all_reduce(std::span(sums), glt::reduction::sum);
    CHECK(sums[0] == sums[1]); // dividing them costs no byte
    auto const rows = std::max<std::int64_t>(1, round_bytes / item_bytes);
    CHECK(traffic.collectives == (requests.largest_asked() + rows - 1) / rows + (agreed ? 1 : 0));
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
    check_rounds(comm, 10 * item_bytes, true, cpu{}, 1); // ranks agree that they have memory
  });
}

TEST_CASE("messages stay of some size when there are many ranks") {
  CHECK(glt::detail::default_round_bytes<cpu>(2) == 1 << 20);
  CHECK(glt::detail::default_round_bytes<cpu>(1024) == 1 << 25);
}
