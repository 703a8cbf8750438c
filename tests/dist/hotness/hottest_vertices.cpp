// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/hottest_vertices.hpp>

#include <glt/comm/counting.hpp>
#include <glt/core/random.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

// Uneven parts, some empty.
glt::partition_book make_book(int ranks) {
  std::vector<glt::global_id> offsets{0};
  for (int rank = 0; rank < ranks; ++rank) {
    offsets.push_back(offsets.back() + (rank % 3 == 1 ? 0 : 40 + 13 * rank));
  }
  return glt::partition_book(offsets);
}

// Few values, so that many vertices are as hot as others, some of them cold.
std::vector<double> make_hotness(std::int64_t vertices) {
  std::vector<double> hotness;
  glt::random_stream draws(glt::random_key(5), 0);
  for (std::int64_t v = 0; v < vertices; ++v) {
    auto const level = draws.below(12);
    auto const scale = level < 2 ? 0 : level < 9 ? 0.1 : 1e-300;
    hotness.push_back(scale * static_cast<double>(level));
  }
  return hotness;
}

std::vector<double> part_of(std::vector<double> const& whole, glt::partition_book const& book, int rank) {
  return {whole.begin() + book.begin(rank), whole.begin() + book.end(rank)};
}

// The hottest of other parts by sorting all, in the order of their owners.
std::vector<glt::global_id> naive(std::vector<double> const& whole, glt::partition_book const& book, int rank,
                                  std::int64_t count) {
  std::vector<glt::global_id> remote;
  for (glt::global_id v = 0; v < book.num_vertices(); ++v) {
    if (book.owner(v) != rank && whole[static_cast<std::size_t>(v)] > 0) {
      remote.push_back(v);
    }
  }
  auto const heat = [&](glt::global_id v) { return whole[static_cast<std::size_t>(v)]; };
  std::ranges::stable_sort(remote, std::greater<>(), heat);
  remote.resize(static_cast<std::size_t>(std::min<std::int64_t>(count, std::ssize(remote))));
  std::ranges::stable_sort(remote, std::less<>(), [&](glt::global_id v) { return book.owner(v); });
  return remote;
}

} // namespace

TEST_CASE("every rank gets as many of the hottest vertices of others as it asks for") {
  glt_test::on_ranks([](auto comm) {
    auto const book = make_book(comm.size());
    auto const whole = make_hotness(book.num_vertices());
    auto const own = part_of(whole, book, comm.rank());
    for (std::int64_t const count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, std::int64_t{50},
                                     std::int64_t{1000}, std::numeric_limits<std::int64_t>::max() / 4}) {
      CAPTURE(count);
      auto const asked = count / (1 + comm.rank()); // other counts on other ranks
      glt::counting_comm counted(comm);
      CHECK(glt::dist::hottest_vertices(counted, book, own, asked) == naive(whole, book, comm.rank(), asked));
      CHECK(counted.counts().total().collectives <= 8);
    }
  });
}

TEST_CASE("many vertices of different hotness, of which few are wanted") {
  glt_test::on_ranks([](auto comm) {
    std::vector<glt::global_id> offsets{0};
    for (int rank = 0; rank < comm.size(); ++rank) {
      offsets.push_back(offsets.back() + 3000 * (1 + rank));
    }
    glt::partition_book const book(offsets);
    std::vector<double> whole;
    glt::random_stream draws(glt::random_key(11), 0);
    for (std::int64_t v = 0; v < book.num_vertices(); ++v) {
      whole.push_back(static_cast<double>(draws.below(1 + v % 7 * 100000)));
    }
    for (std::int64_t const count : {1, 33, 500, 2999, 4000}) {
      CHECK(glt::dist::hottest_vertices(comm, book, part_of(whole, book, comm.rank()), count) ==
            naive(whole, book, comm.rank(), count));
    }
  });
}

TEST_CASE("ranks take turns where each has a hotness of its own") {
  glt_test::on_ranks([](auto comm) {
    auto const book = make_book(comm.size());
    for (int turn = 0; turn < comm.size(); ++turn) {
      auto whole = make_hotness(book.num_vertices());
      std::ranges::rotate(whole, whole.begin() + turn);
      auto const count = comm.rank() == turn ? 9 : 0;
      auto const found = glt::dist::hottest_vertices(comm, book, part_of(whole, book, comm.rank()), count);
      CHECK(found == naive(whole, book, comm.rank(), count));
    }
  });
}

TEST_CASE("what a rank says wrongly is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const book = make_book(comm.size());
    auto const own = part_of(make_hotness(book.num_vertices()), book, comm.rank());
    auto const error = [&](std::vector<double> const& hotness, std::int64_t count, glt::partition_book const& used) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(glt::dist::hottest_vertices(comm, used, comm.rank() == last ? hotness : own,
                                                      comm.rank() == last ? count : 3));
      });
    };
    auto const text = "rank " + std::to_string(last);
    auto longer = own;
    longer.push_back(1);
    CHECK(glt_test::names(error(longer, 3, book), text, "hotness of " + std::to_string(book.size(last) + 1)));
    CHECK(glt_test::names(error(own, -1, book), text, "-1 hottest vertices"));
    if (book.size(last) > 2) {
      for (double const odd : {-0.5, std::numeric_limits<double>::quiet_NaN()}) {
        auto wrong = own;
        wrong.resize(static_cast<std::size_t>(book.size(last)));
        if (comm.rank() == last) {
          wrong[2] = odd;
        }
        CHECK(glt_test::names(error(wrong, 3, book), text, "hotness of vertex 2"));
      }
    }
    if (comm.size() > 1) {
      glt::partition_book const more(std::vector<glt::global_id>(static_cast<std::size_t>(comm.size()) + 2, 0));
      CHECK(glt_test::names(error(own, 3, comm.rank() == last ? more : book), text, "a book of "));
    }
  });
}
