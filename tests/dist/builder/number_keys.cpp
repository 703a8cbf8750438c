// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/builder/number_keys.hpp>

#include <glt/core/random.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

// All keys of a case; rank r has those at places r, r + R, … and, of every second case, the first ranks have none.
template <class Key, class Make>
std::vector<Key> random_keys(std::int64_t count, std::int64_t distinct, Make make) {
  glt::random_stream draws(glt::random_key(3), static_cast<std::uint64_t>(count));
  std::vector<Key> keys;
  for (std::int64_t i = 0; i < count; ++i) {
    keys.push_back(make(draws.below(static_cast<std::uint64_t>(distinct))));
  }
  return keys;
}

template <class Key, class Comm>
std::int64_t num_wrong(Comm& comm, std::vector<Key> const& all, bool last_only, std::int64_t round_bytes) {
  std::vector<Key> own;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const rank = last_only ? comm.size() - 1 : static_cast<int>(i * 7 % static_cast<std::size_t>(comm.size()));
    if (rank == comm.rank()) {
      own.push_back(all[i]);
    }
  }
  std::set<Key> const distinct(all.begin(), all.end());
  std::map<Key, std::int64_t> expected;
  for (auto const& key : distinct) {
    expected.emplace(key, std::ssize(expected));
  }
  auto const found = glt::dist::numbered_keys(comm, own, round_bytes);
  std::int64_t wrong = found.num_keys != std::ssize(expected) || found.numbers.size() != own.size() ? 1 : 0;
  for (std::size_t i = 0; i < own.size() && wrong == 0; ++i) {
    wrong += found.numbers[i] != expected.at(own[i]) ? 1 : 0;
  }
  return wrong;
}

} // namespace

TEST_CASE_TEMPLATE("keys get their places among the sorted keys of all ranks", Key, std::int8_t, std::int64_t,
                   std::uint64_t, std::int32_t) {
  auto const spread = [](std::uint64_t i) { // over the whole range of the type, its ends included
    if (i < 2) {
      return i == 0 ? std::numeric_limits<Key>::min() : std::numeric_limits<Key>::max();
    }
    return static_cast<Key>(i * 0x9e3779b97f4a7c15U);
  };
  glt_test::on_ranks([&](auto comm) {
    for (std::int64_t const count : {0, 1, 2, 100, 1000}) {
      auto const keys = random_keys<Key>(count, 300, spread);
      for (bool const last_only : {false, true}) {
        for (std::int64_t const bytes : {1, 200, 1 << 20}) {
          CHECK(num_wrong(comm, keys, last_only, bytes) == 0);
        }
      }
    }
  });
}

TEST_CASE("texts are numbered by the order of their bytes") {
  auto const name = [](std::uint64_t i) {
    std::string text(i % 7, static_cast<char>('a' + i % 3));
    return i % 5 == 0 ? text : text + std::to_string(i) + (i % 11 == 0 ? std::string("\xff\0x", 3) : "");
  };
  glt_test::on_ranks([&](auto comm) {
    for (std::int64_t const count : {0, 1, 500}) {
      auto const keys = random_keys<std::string>(count, 200, name);
      for (std::int64_t const bytes : {1, 300, 1 << 20}) {
        CHECK(num_wrong(comm, keys, false, bytes) == 0);
        CHECK(num_wrong(comm, keys, true, bytes) == 0);
      }
    }
  });
}

TEST_CASE("one rank with one key beside ranks with the same key many times") {
  glt_test::on_ranks([](auto comm) {
    std::vector<std::string_view> const keys(comm.rank() == 0 ? 1 : 50, "same");
    auto const found = glt::dist::numbered_keys(comm, keys);
    CHECK(found.num_keys == 1);
    CHECK(std::ranges::count(found.numbers, 0) == std::ssize(keys));
    if (comm.size() > 1) { // a rank with other rounds is told so
      auto const text = glt_test::thrown<glt::collective_error>(
          [&] { static_cast<void>(glt::dist::numbered_keys(comm, keys, comm.rank() == 1 ? 8 : 640)); });
      CHECK(glt_test::names(text, "rank 1", "passes round_bytes 8", "rank 0 passes 640"));
    }
  });
}
