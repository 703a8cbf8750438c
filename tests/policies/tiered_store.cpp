// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/elements.hpp"
#include "support/errors.hpp"
#include "support/tiers.hpp"

#include <glt/core/random.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>
#include <glt/feature/tier/tiered_store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using device::cpu;

namespace {

// Features in ordinary memory: what the tiered ones are compared with.
template <class T>
struct plain_features {
  std::vector<T> rows;
  std::vector<detail::label_type> labels;
  std::vector<float> scales;
  std::int64_t vertices;
  std::int64_t columns;

  plain_features(std::int64_t v, std::int64_t f, bool labelled)
      : rows(any_numbers<T>(v * f, 11)), vertices(v), columns(f) {
    if (labelled) {
      labels = any_numbers<detail::label_type>(v, 12);
    }
    if (std::is_integral_v<T>) {
      scales = any_numbers<float>(f, 13);
    }
  }

  [[nodiscard]] feature_view<memory_space::host, T> view() const {
    return {.features = {rows.data(), vertices, columns}, .labels = labels, .scales = scales};
  }
};

std::vector<local_id> shuffled(std::int64_t vertices) {
  std::vector<local_id> ranking(static_cast<std::size_t>(vertices));
  std::iota(ranking.begin(), ranking.end(), local_id{0});
  random_stream draws(random_key(4), static_cast<std::uint64_t>(vertices));
  for (std::size_t i = ranking.size(); i > 1; --i) {
    std::swap(ranking[i - 1], ranking[static_cast<std::size_t>(draws.below(i))]);
  }
  return ranking;
}

std::vector<local_id> some_ids(std::int64_t count, std::int64_t vertices) {
  std::vector<local_id> ids;
  random_stream draws(random_key(7), static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < (vertices > 0 ? count : 0); ++i) {
    ids.push_back(static_cast<local_id>(draws.below(static_cast<std::uint64_t>(vertices))));
  }
  return ids;
}

// What a gather from the store writes, and what one from ordinary memory does.
template <class Out, class T, class Store, class Policy>
void check_gather(Store const& store, int device, plain_features<T> const& plain, std::vector<local_id> const& ids,
                  Policy const& policy) {
  auto const count = static_cast<std::int64_t>(ids.size());
  std::vector<Out> expected(static_cast<std::size_t>(count * plain.columns));
  gather_rows(cpu().executor(), plain.view(), host_view<local_id const>(ids),
              host_matrix<Out>(expected.data(), count, plain.columns));
  auto const wanted = make_buffer<Policy>(ids, policy);
  buffer<Policy, Out> out(count * plain.columns, policy);
  gather_rows(policy.executor(), store.view(device), wanted.view(),
              matrix_view<Policy::space, Out>(out.data(), count, plain.columns));
  CHECK(bytes_of(to_vector(policy, std::as_const(out).view())) == bytes_of(expected));
}

// All of it, over several devices and by both ways to make it.
template <class Tiers, class T, class Out>
void check_store(std::int64_t vertices, std::int64_t columns, glt::detail::hot_limit limit, std::size_t devices) {
  CAPTURE(vertices);
  CAPTURE(columns);
  CAPTURE(limit.ratio);
  CAPTURE(devices);
  using hot = typename Tiers::hot;
  using cold = typename Tiers::cold;
  plain_features<T> const plain(vertices, columns, true);
  auto const ranking = shuffled(vertices);
  auto const ids = some_ids(517, vertices);
  std::vector<hot> const gpus(devices, hot());
  cold const pinned;
  tiered_store<hot, cold, T> const divided(plain.view(), ranking, limit, gpus, pinned);
  tiered_store<hot, cold, T> const in_place(copy<cold>(plain.view(), pinned), ranking, limit, gpus, pinned);
  auto const expected_hot = static_cast<std::int64_t>(limit.ratio * static_cast<double>(vertices) + 0.5);
  std::int64_t hits = 0;
  for (auto const id : ids) {
    hits += std::find(ranking.begin(), ranking.begin() + expected_hot, id) != ranking.begin() + expected_hot ? 1 : 0;
  }
  auto const cold_rows = [](auto const& store) { return store.view().cold.rows(); };
  CHECK(cold_rows(divided) == vertices - expected_hot);
  CHECK(cold_rows(in_place) == vertices);
  for (auto const* const store : {&divided, &in_place}) {
    REQUIRE(store->num_devices() == static_cast<int>(devices));
    CHECK(store->num_hot() == expected_hot);
    CHECK(store->view().num_vertices() == vertices);
    CHECK(store->view().num_columns() == columns);
    CHECK(to_vector(pinned, store->view().labels) == plain.labels);
    for (int device = 0; device < store->num_devices(); ++device) {
      auto const& policy = gpus[static_cast<std::size_t>(device)];
      check_gather<T>(*store, device, plain, ids, policy);
      check_gather<Out>(*store, device, plain, ids, policy);
      auto const wanted = make_buffer<hot>(ids, policy);
      auto const found = detail::count_hits(policy.executor(), store->view(device), wanted.view());
      CHECK(found.rows == static_cast<std::int64_t>(ids.size()));
      CHECK(found.hot == hits);
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("tiered rows are those of the store they were made of, whatever is hot", Tiers, GLT_TEST_TIERS) {
  for (double const ratio : {0.0, 0.3, 1.0}) {
    for (std::int64_t const columns : {1, 3, 7, 16, 33, 128}) {
      check_store<Tiers, float, bfloat16>(101, columns, {.ratio = ratio}, 1);
      check_store<Tiers, std::int8_t, float>(101, columns, {.ratio = ratio}, 1);
    }
    check_store<Tiers, bfloat16, float>(1, 5, {.ratio = ratio}, 1);
    check_store<Tiers, float, double>(64, 0, {.ratio = ratio}, 1);
    check_store<Tiers, float, double>(0, 4, {.ratio = ratio}, 1);
  }
}

TEST_CASE_TEMPLATE("hot rows lie on several devices in turn", Tiers, GLT_TEST_TIERS) {
  for (std::size_t const devices : {2U, 3U, 5U, 17U}) {
    for (double const ratio : {0.0, 0.01, 0.3, 1.0}) {
      check_store<Tiers, float, bfloat16>(97, 4, {.ratio = ratio}, devices);
      check_store<Tiers, std::int8_t, float>(97, 33, {.ratio = ratio}, devices);
    }
    check_store<Tiers, float, double>(0, 4, {.ratio = 0.5}, devices);
  }
}

TEST_CASE_TEMPLATE("a budget of bytes counts rows, slots and scales of a device", Tiers, GLT_TEST_TIERS) {
  using hot = typename Tiers::hot;
  using cold = typename Tiers::cold;
  plain_features<std::int8_t> const plain(50, 8, false);
  auto const ranking = shuffled(50);
  std::int64_t const beside = 50 * 4 + 8 * 4;
  auto const num_hot = [&](glt::detail::hot_limit limit, std::size_t devices) {
    return tiered_store<hot, cold, std::int8_t>(plain.view(), ranking, limit, std::vector<hot>(devices)).num_hot();
  };
  CHECK(num_hot({.bytes = 0}, 1) == 0);
  CHECK(num_hot({.bytes = beside + 7}, 1) == 0);
  CHECK(num_hot({.bytes = beside + 8}, 1) == 1);
  CHECK(num_hot({.bytes = beside + 8 * 20 + 7}, 1) == 20);
  CHECK(num_hot({.bytes = beside + 8 * 20}, 2) == 40);
  CHECK(num_hot({.bytes = beside + 8 * 20}, 3) == 50);
  CHECK(num_hot({.ratio = 0.1, .bytes = beside + 8 * 20}, 3) == 5);
  CHECK(num_hot({}, 1) == 50);
}

TEST_CASE_TEMPLATE("a ranking may be shorter than there are vertices, and wrong ones are refused", Tiers,
                   GLT_TEST_TIERS) {
  using hot = typename Tiers::hot;
  using cold = typename Tiers::cold;
  using store = tiered_store<hot, cold, float>;
  plain_features<float> const plain(6, 2, true);
  std::vector<local_id> const two{4, 0};
  store const made(plain.view(), two, {});
  CHECK(made.num_hot() == 2);
  check_gather<float>(made, 0, plain, {0, 1, 2, 3, 4, 5}, hot());
  auto const complaint = [&](std::vector<local_id> const& ranking, glt::detail::hot_limit limit,
                             std::size_t devices = 1) {
    return thrown<precondition_error>([&] { store(plain.view(), ranking, limit, std::vector<hot>(devices)); });
  };
  CHECK(names(complaint({1, 6}, {}), "hot vertex 1 is 6", "[0, 6)"));
  CHECK(names(complaint({-1}, {}), "hot vertex 0 is -1"));
  CHECK(names(complaint({3, 2, 3}, {}), "hot vertex 2 is 3", "as hot vertex 0"));
  CHECK(names(complaint({3, 2, 3}, {.ratio = 1.5}), "ratio of 1.5"));
  CHECK(names(complaint({3, 2}, {.bytes = -1}), "-1 bytes"));
  CHECK(names(complaint({3, 2}, {}, 0), "0 devices"));
  CHECK(store(plain.view(), std::vector<local_id>{3, 2, 3}, {.ratio = 0.34}).num_hot() == 2);
}

TEST_CASE_TEMPLATE("a moved store keeps its rows, and a result of another shape is refused", Tiers, GLT_TEST_TIERS) {
  using hot = typename Tiers::hot;
  using cold = typename Tiers::cold;
  constexpr auto space = hot::space;
  plain_features<float> const plain(9, 3, true);
  hot const policy;
  tiered_store<hot, cold, float> first(plain.view(), shuffled(9), {.ratio = 0.5}, std::vector<hot>(2));
  auto const moved = std::move(first);
  check_gather<double>(moved, 1, plain, {8, 0, 8, 3}, policy);
  auto const ids = make_buffer<hot>(std::vector<local_id>{1, 2}, policy);
  buffer<hot, float> out(9, policy);
  CHECK(names(thrown<precondition_error>([&] {
                gather_rows(policy.executor(), moved.view(), ids.view(), matrix_view<space, float>(out.data(), 3, 3));
              }),
              "2 rows of 3 columns", "[3, 3]"));
}

TEST_CASE_TEMPLATE("rows that were to be taken over stay where they were if something is wrong", Tiers,
                   GLT_TEST_TIERS) {
  using hot = typename Tiers::hot;
  using cold = typename Tiers::cold;
  plain_features<std::int32_t> const plain(9, 3, true);
  cold const policy;
  auto features = copy<cold>(plain.view(), policy);
  CHECK(names(thrown<precondition_error>(
                  [&] { tiered_store<hot, cold, std::int32_t>(std::move(features), std::vector<local_id>{2, 9}, {}); }),
              "hot vertex 1 is 9"));
  CHECK(to_vector(policy, features.view().features.flat()) == plain.rows);
}

TEST_CASE("hits add up, and of no rows the ratio is 0") {
  detail::tier_hits hits;
  CHECK(hits.ratio() == 0);
  hits += {.rows = 10, .hot = 5};
  hits += {.rows = 10, .hot = 10};
  CHECK(hits.ratio() == 0.75);
}
