// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/detail/walk_rounds.hpp>

#include <glt/partition/book.hpp>
#include <glt/sample/walk/walk_options.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
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

using rows = glt::detail::part_rows<glt::memory_space::host, glt::global_id>;

struct counting_walker {
  glt::detail::walk_draws draws;
  std::int64_t at;
  std::int32_t home;
  std::int32_t walk;
  std::int32_t step;

  void set_start(glt::global_id start, glt::local_id) { at = start; }
  std::int64_t row_in(rows const& own) const {
    CHECK(own.has(at));
    return own.row_of(at);
  }
};

// Every step goes to the next vertex but three, so that walkers stay on a rank for some steps, and ends at vertex 29.
struct counting_step {
  rows own;
  bool stumbles = false;

  template <class Walker>
  struct state : Walker {};

  void begin(auto&) const {}
  void draw(auto&&) const {}
  bool choose(auto const& it) const {
    if (stumbles && it.at == num_vertices - 1) {
      throw glt::precondition_error("stumbled");
    }
    return it.at != num_vertices - 1;
  }
  void look(auto&) const {}
  void judge(auto&&) const {}
  void go(auto& it, auto const& walkers) const {
    CHECK(own.has(it.at));
    it.at = (it.at + 3) % num_vertices;
    walkers.visit(it, it.at, *this);
    ++it.step;
    static_cast<void>(own.enter(it, it.at));
  }
  glt::edge_id edge_of(auto const& it) const { return edge_of(it.draws, it.step); }
  static glt::edge_id edge_of(glt::detail::walk_draws draws, std::int32_t step) {
    return static_cast<glt::edge_id>(draws.bits() % 1000) * 100 + step;
  }
  void advance() {}
};

// A rank that walks.
template <class Comm, class Policy>
class rank_of_walks {
public:
  explicit rank_of_walks(Comm comm)
      : book_(equal_book(comm.size())), rank_(comm.rank()), rounds_(comm, true, Policy()) {
    for (auto v = book_.begin(rank_); v < book_.end(rank_); ++v) {
      original_.push_back(1000 - v);
    }
  }

  void run(glt::sample_key key, std::vector<glt::global_id> const& starts, glt::walk_options options,
           glt::walks<Policy, glt::global_id>& out, bool stumbles = false) {
    rows const own{{},
                   glt::detail::book_view<glt::memory_space::host>(book_.offsets()),
                   rank_,
                   book_.begin(rank_),
                   book_.end(rank_)};
    glt::detail::walks_to_make<Policy, glt::global_id> const batch{starts, key, &out};
    rounds_.run(std::span(&batch, 1), book_, options, counting_step{own, stumbles}, {own, {}, original_});
  }

private:
  glt::partition_book book_;
  int rank_;
  std::vector<glt::global_id> original_;
  glt::detail::walk_rounds<Comm, Policy, glt::global_id, counting_walker> rounds_;
};

template <class Policy>
void check_walks(glt::walks<Policy, glt::global_id> const& out, std::vector<glt::global_id> const& starts,
                 glt::walk_options const& options, glt::sample_key key) {
  auto const per_start = options.walks_per_start;
  REQUIRE(out.num_walks() == std::ssize(starts) * per_start);
  for (std::int64_t w = 0; w < out.num_walks(); ++w) {
    auto at = starts[static_cast<std::size_t>(w / per_start)];
    glt::detail::walk_draws const draws(glt::detail::walk_key(key), w % per_start, 1000 - at);
    CHECK(out.vertices()(w, 0) == at);
    for (std::int32_t s = 0; s < options.length; ++s) {
      bool const ended = at < 0 || at == num_vertices - 1;
      at = ended ? -1 : (at + 3) % num_vertices;
      CHECK(out.vertices()(w, s + 1) == at);
      CHECK(out.edge_ids()(w, s) == (ended ? -1 : counting_step::edge_of(draws, s)));
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
    rank_of_walks<decltype(comm), cpu> walker(comm);
    glt::walks<cpu, glt::global_id> out;
    for (std::int64_t const length : {1, 8, 9, 50}) {
      auto const starts = starts_of(comm.rank());
      glt::walk_options const options{.length = length, .walks_per_start = 2};
      walker.run({.step = length}, starts, options, out);
      check_walks(out, starts, options, {.step = length});
    }
  });
}

TEST_CASE("a rank without memory for its walks is the same error on every rank") {
  on_ranks([](auto comm) {
    rank_of_walks<decltype(comm), scarce_policy> walker(comm);
    auto const starts = starts_of(comm.rank());
    glt::walk_options const options{.length = 50, .walks_per_start = 3};
    glt::walks<scarce_policy, glt::global_id> out;
    for (std::int64_t allocations = 0; allocations < 5; ++allocations) {
      scarce_resource::allocations_left = comm.rank() == 0 ? 0 : -1;
      auto const error = glt_test::thrown<glt::collective_error>([&] { walker.run({}, starts, options, out); });
      CHECK(names(error, "rank 0", "bad_alloc"));
      // What could be allocated is kept.
      scarce_resource::allocations_left = comm.rank() == 0 ? 1 : -1;
      CHECK(names(glt_test::thrown<glt::collective_error>([&] { walker.run({}, starts, options, out); }), "bad_alloc"));
    }
    scarce_resource::allocations_left = -1;
    walker.run({}, starts, options, out);
    check_walks(out, starts, options, {});
    walker.run({}, starts, options, out);  // of walks of the same key, the ranks tell each other as much again
    scarce_resource::allocations_left = 0; // walks that are not more need no memory
    walker.run({}, starts, options, out);
    check_walks(out, starts, options, {});
    scarce_resource::allocations_left = -1;
  });
}

TEST_CASE("what a step throws on one rank reaches all") {
  on_ranks([](auto comm) {
    rank_of_walks<decltype(comm), cpu> walker(comm);
    glt::walks<cpu, glt::global_id> out;
    std::vector<glt::global_id> const starts{29};
    auto const error = glt_test::thrown<glt::collective_error>(
        [&] { walker.run({}, starts, {.length = 50}, out, comm.rank() == comm.size() - 1); });
    CHECK(names(error, "rank " + std::to_string(comm.size() - 1), "stumbled"));
    std::vector<glt::global_id> const others{1};
    walker.run({}, others, {.length = 7}, out);
    check_walks(out, others, {.length = 7}, {});
  });
}
