// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/relation_stitch.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/ranks.hpp"

#include <glt/memory/copy.hpp>
#include <glt/partition/book.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using glt::device::cpu;

namespace {

// Two ranks, each with rows 0 and 1 of type 0 and row 2 of type 1; everybody asks for all rows of both, own
// ones in the middle.
std::vector<glt::global_id> const wanted{3, 0, 1, 4, 2, 5};
std::vector<std::int64_t> const first_place{0, 4, 6};

void put(std::vector<std::byte>& out, auto value) {
  auto const* const bytes = reinterpret_cast<std::byte const*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(value));
}

// What a rank draws over the only relation of a type: row r gives its number of sources, 10 r, 10 r + 1, …
std::vector<std::byte> answer_to(std::vector<glt::local_id> const& rows) {
  std::vector<std::byte> out;
  for (auto const row : rows) {
    put(out, static_cast<std::uint8_t>(row));
  }
  for (auto const row : rows) {
    for (glt::local_id i = 0; i < row; ++i) {
      put(out, 10 * row + i);
    }
  }
  return out;
}

} // namespace

TEST_CASE("draws come into the order of the frontiers, and an answer that is too short is an error") {
  glt_test::on_ranks(
      [](auto comm) {
        bool const second = comm.rank() == 1;
        glt::dist::requests requests(comm);
        requests.route(glt::partition_book({0, 3, 6}), glt::host_view<glt::global_id const>(wanted));
        requests.start({}, 0, {});
        requests.finish();
        auto data = answer_to({0, 1});
        for (auto const byte : answer_to({2})) {
          data.push_back(byte);
        }
        std::span answer(data);
        auto const answer_of = [&](std::size_t rank) {
          CHECK(rank == (second ? 0 : 1));
          return std::as_bytes(answer);
        };

        glt::hop_sample<cpu, glt::local_id> own;
        std::vector<glt::local_id> const own_sources{77, 78, 79};
        own.sources = glt::make_buffer<cpu>(glt::host_view<glt::local_id const>(own_sources));
        std::vector<glt::edge_offset> const own_pairs{0, 2, 3};
        std::vector<glt::edge_offset> const own_single{0, 3};
        glt::dist::sample_reply_layout<glt::local_id> const layout(5, false);
        glt::dist::relation_stitch<decltype(comm), cpu, glt::local_id> stitch;
        glt::hop_sample<cpu, glt::local_id> out;
        stitch.begin(requests, first_place, answer_of);
        stitch.add(0, layout, own_pairs, own, false, out);
        // Places 0 and 3 belong to the second rank, 1 and 2 to the first; rows 0 and 1 each.
        CHECK(glt_test::to_vector(out.offsets) ==
              (second ? std::vector<glt::edge_offset>{0, 2, 2, 3, 4} : std::vector<glt::edge_offset>{0, 0, 2, 3, 4}));
        CHECK(glt_test::to_vector(out.sources) ==
              (second ? std::vector<glt::local_id>{77, 78, 10, 79} : std::vector<glt::local_id>{77, 78, 79, 10}));
        stitch.add(1, layout, own_single, own, false, out);
        CHECK(glt_test::to_vector(out.offsets) ==
              (second ? std::vector<glt::edge_offset>{0, 2, 5} : std::vector<glt::edge_offset>{0, 3, 5}));
        CHECK(glt_test::to_vector(out.sources) == (second ? std::vector<glt::local_id>{20, 21, 77, 78, 79}
                                                          : std::vector<glt::local_id>{77, 78, 79, 20, 21}));

        answer = answer.first(data.size() - 1);
        stitch.begin(requests, first_place, answer_of);
        stitch.add(0, layout, own_pairs, own, false, out);
        CHECK(glt_test::names(glt_test::thrown<glt::error>([&] { stitch.add(1, layout, own_single, own, false, out); }),
                              second ? "rank 0" : "rank 1", "1 bytes too early"));
      },
      {2});
}
