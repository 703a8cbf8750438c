// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/elements.hpp"
#include "support/policies.hpp"

#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/feature/tier/tiered_store.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using device::cpu;

namespace {

std::vector<float> finite_rows(std::int64_t count) {
  std::vector<float> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    rows.push_back(static_cast<float>(i * 37 % 101) / 7 - 5);
  }
  return rows;
}

} // namespace

TEST_CASE_TEMPLATE("copied features have the rows, labels and scales of their source", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (std::int64_t const vertices : {0, 1, 13}) {
    for (std::int64_t const columns : {0, 1, 5}) {
      for (bool const more : {false, true}) {
        auto const rows = any_numbers<std::int8_t>(vertices * columns, 1);
        auto const labels = any_numbers<detail::label_type>(more ? vertices : 0, 2);
        auto const scales = any_numbers<float>(more ? columns : 0, 3);
        feature_view<memory_space::host, std::int8_t> const source{
            .features = {rows.data(), vertices, columns}, .labels = labels, .scales = scales};
        auto const made = copy<Policy>(source, policy);
        CHECK(made.view().num_vertices() == vertices);
        CHECK(made.view().num_columns() == columns);
        CHECK(to_vector(policy, made.view().features.flat()) == rows);
        CHECK(to_vector(policy, made.view().labels) == labels);
        CHECK(to_vector(policy, made.view().scales) == scales);
      }
    }
  }
}

TEST_CASE_TEMPLATE("quantised features are the same on every policy", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const rows = finite_rows(41 * 6);
  host_matrix<float const> const matrix(rows.data(), 41, 6);
  auto const expected = quantize_rows(matrix, cpu(2));
  auto const found = quantize_rows<Policy>(matrix, policy);
  cpu const host;
  CHECK(to_vector(policy, found.view().features.flat()) == to_vector(host, expected.view().features.flat()));
  CHECK(to_vector(policy, found.view().scales) == to_vector(host, expected.view().scales));
  auto const labels = any_numbers<detail::label_type>(41, 2);
  auto const labelled =
      quantize_rows<Policy>(matrix, std::vector<float>(6, 0.1F), make_buffer<Policy>(labels, policy), policy);
  CHECK(to_vector(policy, labelled.view().labels) == labels);
}

TEST_CASE_TEMPLATE("chosen rows are copied in, however little is staged", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const rows = finite_rows(20 * 3);
  std::vector<local_id> const ids{19, 0, 7, 7, 3};
  std::vector<float> expected;
  for (auto const id : ids) {
    expected.insert(expected.end(), rows.begin() + id * 3, rows.begin() + id * 3 + 3);
  }
  host_matrix<float const> const matrix(rows.data(), 20, 3);
  for (std::int64_t const staged_bytes : {1, 12, 25, 1 << 20}) {
    auto const made = detail::copy_rows_in(policy, matrix, host_view<local_id const>(ids), staged_bytes);
    CHECK(to_vector(policy, made.view()) == expected);
  }
  CHECK(detail::copy_rows_in(policy, matrix, host_view<local_id const>()).empty());
  CHECK(detail::copy_rows_in(policy, host_matrix<float const>(nullptr, 20, 0), host_view<local_id const>(ids)).empty());
}

TEST_CASE_TEMPLATE("a table of named features gathers on every policy", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  feature_table<Policy> table(4, policy);
  auto const rows = finite_rows(12);
  table.add("text", copy<Policy>(feature_view<memory_space::host, float>{.features = {rows.data(), 4, 3}}, policy));
  auto const ids = make_buffer<Policy>(std::vector<local_id>{3, 1}, policy);
  auto const found = table.template gather<double>("text", ids.view());
  std::vector<double> expected;
  for (std::size_t const i : {9U, 10U, 11U, 3U, 4U, 5U}) {
    expected.push_back(static_cast<double>(rows[i]));
  }
  CHECK(to_vector(policy, found.view().features.flat()) == expected);
}
