// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/detail/walk_rounds.hpp>

#include <glt/partition/book.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using glt::device::cpu;
using glt_test::names;
using glt_test::on_ranks;
using glt_test::scarce_policy;
using glt_test::scarce_resource;

namespace {

constexpr std::int64_t num_vertices = 30;

glt::partition_book equal_book(int parts) {
  std::vector<glt::global_id> offsets;
  for (int p = 0; p <= parts; ++p) {
    offsets.push_back(num_vertices * p / parts);
  }
  return glt::partition_book(offsets);
}

struct counting_walker {
  std::int64_t named = 0;
  std::int64_t at = 0;
  std::int32_t home = 0;
  std::int32_t walk = 0;
  std::int32_t step = 0;
};

// Every step goes to the next vertex but three, so that walkers stay on a rank for some steps, and ends at
// vertex 29 or after `length` steps.
struct counting_turn {
  glt::partition_book const* book;
  int rank;
  std::int64_t length;

  counting_walker set_off(std::int64_t start, int owner, std::int64_t number, int home, std::int32_t walk) const {
    CHECK(book->owner(start) == owner);
    return {.named = -number, .at = start, .home = home, .walk = walk};
  }
  void name(counting_walker& walker) const {
    CHECK(walker.named <= 0);
    CHECK(book->owner(walker.at) == rank);
    walker.named = 1 - walker.named;
  }
  void operator()(std::span<counting_walker> walkers, std::span<glt::dist::walk_move> moves,
                  std::span<glt::dist::walk_visit<glt::global_id>> visits) const {
    for (std::size_t i = 0; i < walkers.size(); ++i) {
      auto& walker = walkers[i];
      moves[i] = {.rank = rank};
      while (moves[i].rank == rank && moves[i].steps < glt::dist::steps_of_turn) {
        if (walker.at == num_vertices - 1) {
          moves[i].rank = glt::dist::walk_move::ended;
          break;
        }
        walker.at = (walker.at + 3) % num_vertices;
        auto const place = i * glt::dist::steps_of_turn + static_cast<std::size_t>(moves[i].steps++);
        visits[place] = {walker.at, 100 * walker.named + walker.step};
        moves[i].rank = ++walker.step == length ? glt::dist::walk_move::ended : book->owner(walker.at);
      }
    }
  }
};

template <class Policy>
void check_walks(glt::walks<Policy, glt::global_id> const& out, std::vector<glt::global_id> const& starts,
                 std::int64_t per_start, std::int64_t length) {
  REQUIRE(out.num_walks() == std::ssize(starts) * per_start);
  for (std::int64_t w = 0; w < out.num_walks(); ++w) {
    auto at = starts[static_cast<std::size_t>(w / per_start)];
    CHECK(out.vertices()(w, 0) == at);
    for (std::int64_t s = 0; s < length; ++s) {
      bool const ended = at < 0 || at == num_vertices - 1;
      at = ended ? -1 : (at + 3) % num_vertices;
      CHECK(out.vertices()(w, s + 1) == at);
      CHECK(out.edge_ids()(w, s) == (ended ? -1 : 100 * (1 + w % per_start) + s));
    }
  }
}

std::vector<glt::global_id> starts_of(int rank) {
  std::vector<glt::global_id> starts;
  for (int i = 0; rank != 1 && i < 10; ++i) { // rank 1 has none
    starts.push_back((i * 7 + rank) % num_vertices);
  }
  return starts;
}

} // namespace

TEST_CASE("walkers make their steps wherever they are, named once by the owner of their start") {
  on_ranks([](auto comm) {
    auto const book = equal_book(comm.size());
    glt::dist::walk_rounds<decltype(comm), cpu, glt::global_id, counting_walker> rounds(comm, true, cpu());
    glt::walks<cpu, glt::global_id> out;
    for (std::int64_t const length : {1, 8, 9, 50}) {
      auto const starts = starts_of(comm.rank());
      rounds.run({.step = length}, starts, 2, length, book, counting_turn{&book, comm.rank(), length}, out);
      check_walks(out, starts, 2, length);
    }
  });
}

TEST_CASE("a rank without memory for its walks is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const book = equal_book(comm.size());
    glt::dist::walk_rounds<decltype(comm), scarce_policy, glt::global_id, counting_walker> rounds(comm, true, {});
    auto const starts = starts_of(comm.rank());
    counting_turn const turn{&book, comm.rank(), 50};
    for (std::int64_t allocations = 0; allocations < 3; ++allocations) {
      glt::walks<scarce_policy, glt::global_id> out;
      scarce_resource::allocations_left = comm.rank() == 0 ? allocations : -1;
      auto const error =
          glt_test::thrown<glt::collective_error>([&] { rounds.run({}, starts, 3, 50, book, turn, out); });
      if (allocations < 2) {
        CHECK(names(error, "rank 0", "bad_alloc"));
      } else {
        check_walks(out, starts, 3, 50);
        scarce_resource::allocations_left = 0; // walks that are not more need no memory
        rounds.run({.step = 1}, starts, 3, 50, book, turn, out);
        check_walks(out, starts, 3, 50);
      }
      scarce_resource::allocations_left = -1;
    }
  });
}

TEST_CASE("what a turn throws on one rank reaches all") {
  on_ranks([](auto comm) {
    struct stumbling_turn : counting_turn {
      void operator()(std::span<counting_walker> walkers, std::span<glt::dist::walk_move> moves,
                      std::span<glt::dist::walk_visit<glt::global_id>> visits) const {
        for (auto const& walker : walkers) {
          if (walker.at == num_vertices - 1) {
            throw glt::precondition_error("stumbled");
          }
        }
        counting_turn::operator()(walkers, moves, visits);
      }
    };
    auto const book = equal_book(comm.size());
    glt::dist::walk_rounds<decltype(comm), cpu, glt::global_id, counting_walker> rounds(comm, true, cpu());
    glt::walks<cpu, glt::global_id> out;
    stumbling_turn const turn{{&book, comm.rank(), 50}};
    std::vector<glt::global_id> const starts{29};
    auto const error = glt_test::thrown<glt::collective_error>([&] { rounds.run({}, starts, 1, 50, book, turn, out); });
    CHECK(names(error, "rank " + std::to_string(comm.size() - 1), "stumbled"));
    std::vector<glt::global_id> const others{1};
    rounds.run({}, others, 1, 7, book, counting_turn{&book, comm.rank(), 7}, out);
    check_walks(out, others, 1, 7);
  });
}
