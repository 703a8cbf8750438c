// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"

#include <glt/sample/detail/batch/batch_numbering.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace glt;

namespace {

template <memory_space Space, class Key>
struct key_list {
  array_view<Space, Key const> keys;
  array_view<Space, Key> nodes;
  array_view<Space, local_id> numbers;
  array_view<Space, local_id> firsts;

  GLT_HOST_DEVICE Key key(std::int64_t e) const { return keys[e]; }
  GLT_HOST_DEVICE Key known(std::int64_t n) const { return nodes[n]; }
  GLT_HOST_DEVICE void set(std::int64_t e, local_id number) const { numbers[e] = number; }
  GLT_HOST_DEVICE void add(std::int64_t e, local_id number) const {
    firsts[e] = 1;
    nodes[number] = key(e);
  }
};

template <class Key>
Key make_key(std::mt19937& random, unsigned variety) {
  auto const value = random() % variety;
  if constexpr (requires { Key{}.tree; }) {
    return {.tree = static_cast<local_id>(value % 7), .vertex = static_cast<decltype(Key{}.vertex)>(value / 7)};
  } else if constexpr (sizeof(Key) == 8) {
    return static_cast<Key>(value) * 0x123456789 - 5;
  } else {
    return static_cast<Key>(value) - 5;
  }
}

// Numbers rounds of random keys as the serial numbering does; `slack` is how much the bounds exceed the sizes.
template <class Policy, class Key>
void compare(std::vector<std::int64_t> const& rounds, unsigned variety, std::int64_t slack, std::int64_t expected) {
  constexpr auto space = Policy::space;
  Policy const policy;
  detail::parallel_numbering<Policy> numbering(policy);
  for (int batch = 0; batch < 2; ++batch) { // nothing of the first batch may shine through
    detail::first_seen_numbering<Key> serial;
    std::mt19937 random(static_cast<unsigned>(batch) + variety);
    std::int64_t room = 1;
    for (auto const size : rounds) {
      room += size;
    }
    buffer<Policy, Key> nodes(room, policy);
    auto sizes = make_buffer(std::vector<std::int64_t>(rounds.size() + 1), policy);
    numbering.clear(expected);
    std::vector<Key> expected_nodes;
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      auto const size = rounds[round];
      std::vector<Key> keys(static_cast<std::size_t>(size));
      for (auto& key : keys) {
        key = make_key<Key>(random, variety);
      }
      auto const there = make_buffer(keys, policy);
      auto const count = make_buffer(std::vector<std::int64_t>{size}, policy);
      buffer<Policy, local_id> numbers(size, policy);
      auto firsts = make_buffer(std::vector<local_id>(static_cast<std::size_t>(size)), policy);
      detail::bounded_size<space> bounded{.bound = size + slack};
      if (slack > 0) {
        bounded.exact = count.view();
      }
      auto const index = static_cast<std::int64_t>(round);
      numbering.number_all(bounded, std::as_const(sizes).view().subview(index, 1), sizes.view().subview(index + 1, 1),
                           key_list<space, Key>{there.view(), nodes.view(), numbers.view(), firsts.view()});
      std::vector<local_id> expected_numbers;
      std::vector<local_id> expected_firsts;
      for (auto const& key : keys) {
        auto const [number, first] = serial.number(key);
        expected_numbers.push_back(number);
        expected_firsts.push_back(first ? 1 : 0);
        if (first) {
          expected_nodes.push_back(key);
        }
      }
      CHECK(to_vector(policy, numbers.view()) == expected_numbers);
      CHECK(to_vector(policy, firsts.view()) == expected_firsts);
      auto const num_nodes = detail::read_element(policy, sizes.view(), index + 1);
      REQUIRE(num_nodes == static_cast<std::int64_t>(expected_nodes.size()));
      CHECK(numbering.bound() >= num_nodes);
      CHECK(to_vector(policy, nodes.view().subview(0, num_nodes)) == expected_nodes);
      if (round == 1) {
        numbering.tighten(num_nodes);
        CHECK(numbering.bound() == num_nodes);
      }
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("keys get the numbers of the serial numbering, round by round", Policy, GLT_TEST_POLICIES) {
  for (std::int64_t const slack : {0, 1, 1000}) {
    CAPTURE(slack);
    compare<Policy, std::int32_t>({0, 1, 0, 3, 1000, 77, 5000}, 900, slack, 0);
    compare<Policy, std::int64_t>({100, 0, 2000, 4001}, 1'000'000'000, slack, 3);
    compare<Policy, std::int64_t>({2, 2000, 1}, 1, slack, 0);
    compare<Policy, detail::tree_vertex<std::int32_t>>({13, 2000, 4001}, 3000, slack, 10'000);
    compare<Policy, detail::tree_vertex<std::int64_t>>({0, 0, 0}, 3000, slack, 0);
  }
}

TEST_CASE_TEMPLATE("bounds beyond 31 bits are refused before anything is done", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  detail::parallel_numbering<Policy> numbering(policy);
  auto sizes = make_buffer(std::vector<std::int64_t>{0, 42}, policy);
  CHECK_THROWS_WITH_AS(numbering.number_all({.bound = std::numeric_limits<local_id>::max()},
                                            std::as_const(sizes).view().subview(0, 1), sizes.view().subview(1, 1),
                                            key_list<space, std::int32_t>{}),
                       "numbering of up to 2147483647 occurrences after up to 0 vertices; together they must fit 31 "
                       "bits: sample smaller batches",
                       precondition_error);
  CHECK(detail::read_element(policy, sizes.view(), 1) == 42);
}
