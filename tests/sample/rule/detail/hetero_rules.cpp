// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/detail/hetero_rules.hpp>

#include "support/errors.hpp"
#include "support/naive_hetero_sampler.hpp"

#include <string>
#include <vector>

namespace {

template <class Rule>
std::string refused(glt_test::hetero_list const& list, glt::hetero_options const& options,
                    std::vector<Rule> const& rules) {
  auto const graph = list.graph();
  return glt_test::thrown<glt::precondition_error>(
      [&] { glt::detail::check_rules(list.schema, options, rules, [&](int e) { return graph.view().relation(e); }); });
}

} // namespace

TEST_CASE("rules that do not fit the edge types or the options are refused by name") {
  auto const list = glt_test::academic_graph(33);
  glt::hetero_options options{.fanouts = glt::same_fanouts(list.schema, {3, 7})};
  std::string const fine = "(nothing was thrown)";
  CHECK(refused(list, options, std::vector<glt::uniform_rule>(7)) == fine);
  CHECK(glt_test::names(refused(list, options, std::vector<glt::uniform_rule>(6)), "6 draw rules", "7 edge types"));
  CHECK(refused(list, options, std::vector<glt_test::turning_rule>(7)) == fine);
  options.fanouts[2] = {1, 8};
  CHECK(glt_test::names(refused(list, options, std::vector<glt_test::turning_rule>(7)), "(paper, cites, paper)",
                        "no more than 7 turns"));
  options.fanouts[2] = {1, 0};
  CHECK(refused(list, options, std::vector<glt_test::turning_rule>(7)) == fine);
  CHECK(glt_test::names(refused(list, options, std::vector<glt_test::limit_rule>(7)), "disjoint = true"));
  options.disjoint = true;
  CHECK(refused(list, options, std::vector<glt_test::limit_rule>(7)) == fine);
}
