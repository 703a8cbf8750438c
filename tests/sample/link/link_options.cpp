// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/link_options.hpp>

#include <glt/core/view.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using glt::negative_mode;

std::string refused(glt::link_options const& options) {
  return glt_test::thrown<glt::precondition_error>([&] { glt::detail::validate(options); });
}

std::string refused_labels(std::vector<std::int64_t> const& labels, std::int64_t num_positives,
                           negative_mode mode = negative_mode::binary) {
  return glt_test::thrown<glt::precondition_error>([&] {
    glt::detail::validate_labels(glt::device::cpu(), glt::host_view<std::int64_t const>(labels), num_positives,
                                 {.mode = mode});
  });
}

} // namespace

TEST_CASE("options of neighbours and of negatives are both checked") {
  CHECK_NOTHROW(glt::detail::validate(glt::link_options{.neighbors = {.fanouts = {3}}}));
  CHECK(glt_test::names(refused({}), "no fanouts"));
  CHECK(glt_test::names(refused({.neighbors = {.fanouts = {3}}, .negatives = {.amount = -1}}), "-1", "negatives"));
  CHECK(glt_test::names(refused({.neighbors = {.fanouts = {5}}, .exclude = static_cast<glt::seed_exclusion>(9)}),
                        "exclude 9"));
  CHECK(glt_test::names(
      refused({.neighbors = {.fanouts = {5}}, .negatives = {.mode = static_cast<glt::negative_mode>(9)}}), "mode 9"));
  CHECK(glt_test::names(refused({.neighbors = {.fanouts = {-3}}}), "fanout -3"));
}

TEST_CASE("options of links of a type are checked against the types of the graph") {
  glt::hetero_schema const schema({{"user", 5}, {"item", 7}},
                                  {{"user", "buys", "item"}, {"item", "bought_by", "user"}});
  glt::hetero_link_options const good{.neighbors = {.fanouts = glt::same_fanouts(schema, {2})}};
  CHECK_NOTHROW(glt::detail::validate(good, schema));
  auto const refused = [&](auto change) {
    auto options = good;
    change(options);
    return glt_test::thrown<glt::precondition_error>([&] { glt::detail::validate(options, schema); });
  };
  CHECK(glt_test::names(refused([](auto& options) { options.neighbors.fanouts.pop_back(); }), "1 lists of fanouts"));
  CHECK(glt_test::names(refused([](auto& options) { options.negatives.amount = -1; }), "-1 negatives"));
  CHECK(glt_test::names(refused([](auto& options) { options.edge_type = 2; }), "seed edges of type 2", "2 edge types"));
  auto with_reverses = good;
  with_reverses.exclude = glt::seed_exclusion::edges_and_reverses;
  with_reverses.reverse_type = 1;
  CHECK_NOTHROW(glt::detail::validate(with_reverses, schema));
}

TEST_CASE("labels are none, or one class per seed edge") {
  CHECK_NOTHROW(glt::detail::validate_labels(glt::device::cpu(), glt::host_view<std::int64_t const>(), 3,
                                             {.mode = negative_mode::triplet}));
  std::vector<std::int64_t> const fit{0, 7, 2};
  CHECK_NOTHROW(glt::detail::validate_labels(glt::device::cpu(), glt::host_view<std::int64_t const>(fit), 3,
                                             {.mode = negative_mode::binary}));
  CHECK(glt_test::names(refused_labels(fit, 4), "3 labels", "4"));
  CHECK(glt_test::names(refused_labels(fit, 3, negative_mode::triplet), "triplets", "binary"));
  CHECK(glt_test::names(refused_labels({0, -2, -3}, 3), "label of seed edge 1 is -2"));
  CHECK(glt_test::names(refused_labels({std::numeric_limits<std::int64_t>::max()}, 1), "seed edge 0"));
}
