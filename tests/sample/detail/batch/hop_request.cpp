// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/hop_request.hpp>

#include <glt/sample/rule/temporal_rule.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

using namespace glt;

TEST_CASE("a request names its rows by their original ids, or by their numbers") {
  std::vector<local_id> const rows{3, 0, 3};
  std::vector<global_id> const original{100, 101, 102, std::int64_t{1} << 40};
  detail::hop_request<memory_space::host, local_id> request{
      .rows = rows, .original = {}, .options = {}, .key = random_key(1)};
  static_assert(std::is_trivially_copyable_v<decltype(request)>);
  CHECK(request.subject(0) == 3);
  CHECK(request.subject(1) == 0);
  request.original = original;
  CHECK(request.subject(0) == std::uint64_t{1} << 40);
  CHECK(request.subject(1) == 100);
  CHECK(request.subject(2) == request.subject(0));
}

TEST_CASE("a request gives every row its query, where the rule has one") {
  std::vector<local_id> const rows{1, 1};
  std::vector<std::int64_t> const times{7, 9};
  using rule = temporal_rule<memory_space::host>;
  detail::hop_request<memory_space::host, local_id, rule> const request{
      .rows = rows, .original = {}, .options = {}, .key = random_key(1), .rule = {}, .queries = times};
  CHECK(request.query(0) == 7);
  CHECK(request.query(1) == 9);
  detail::hop_request<memory_space::host, local_id> const plain{
      .rows = rows, .original = {}, .options = {}, .key = random_key(1)};
  static_assert(std::same_as<decltype(plain.query(0)), no_query>);
  CHECK(plain.query(1) == no_query{});
}
