// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/detail/pickle_stack.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace glt::io;
using glt::io::detail::pickle_stack;
using glt_test::names;
using glt_test::thrown;

namespace {

template <class F>
std::string refused(F&& f) {
  return thrown<glt::precondition_error>(f);
}

struct three_values {
  glt::io::detail::pickle_values values{};
  glt::io::detail::pickle_value& a = values.add({std::int64_t{1}});
  glt::io::detail::pickle_value& b = values.add({std::int64_t{2}});
  glt::io::detail::pickle_value& c = values.add({std::int64_t{3}});
};

} // namespace

TEST_CASE("Values come off the stack as they went on, alone, several, and up to a mark") {
  three_values v;
  pickle_stack stack;
  CHECK(stack.empty());
  stack.push(v.a);
  stack.mark();
  CHECK_FALSE(stack.empty());
  stack.push(v.b);
  stack.push(v.c);
  CHECK(&stack.top() == &v.c);
  CHECK(stack.pop(2) == std::vector<glt::io::detail::pickle_value const*>{&v.b, &v.c});
  stack.push(v.c);
  CHECK(stack.pop_group() == std::vector<glt::io::detail::pickle_value const*>{&v.c});
  stack.mark();
  CHECK(stack.pop_group().empty());
  CHECK(stack.pop(0).empty());
  CHECK(&stack.pop() == &v.a);
  CHECK(stack.empty());
  stack.mark();
  CHECK_FALSE(stack.empty());
  stack.clear();
  CHECK(stack.empty());
}

TEST_CASE("What is below a mark or was never there is refused") {
  three_values v;
  pickle_stack stack;
  CHECK(names(refused([&] { static_cast<void>(stack.top()); }), "where there is none"));
  CHECK(names(refused([&] { static_cast<void>(stack.pop()); }), "where there is none"));
  CHECK(names(refused([&] { static_cast<void>(stack.pop_group()); }), "did not begin"));
  CHECK(names(refused([&] { stack.keep(); }), "where there is none"));
  CHECK(names(refused([&] { stack.append({}); }), "where there is none"));
  stack.push(v.a);
  CHECK(names(refused([&] { static_cast<void>(stack.pop(2)); }), "where there is none"));
  stack.push(v.a);
  stack.mark();
  CHECK(names(refused([&] { static_cast<void>(stack.pop()); }), "where there is none"));
}

TEST_CASE("Lists and dictionaries on top take items; nothing else does") {
  three_values v;
  pickle_stack stack;
  auto& list = v.values.add({glt::io::detail::pickle_list()});
  stack.push(list);
  stack.append(std::vector<glt::io::detail::pickle_value const*>{&v.a, &v.b});
  stack.append(std::vector<glt::io::detail::pickle_value const*>{&v.c});
  CHECK(list.get_if<glt::io::detail::pickle_list>()->items ==
        std::vector<glt::io::detail::pickle_value const*>{&v.a, &v.b, &v.c});
  CHECK(names(refused([&] { stack.set_items({}); }), "adds items to a list"));
  auto& dict = v.values.add({glt::io::detail::pickle_dict()});
  stack.push(dict);
  stack.set_items(std::vector<glt::io::detail::pickle_value const*>{&v.a, &v.b});
  REQUIRE(dict.get_if<glt::io::detail::pickle_dict>()->entries.size() == 1);
  CHECK(dict.get_if<glt::io::detail::pickle_dict>()->entries[0].second == &v.b);
  CHECK(names(refused([&] { stack.set_items(std::vector<glt::io::detail::pickle_value const*>{&v.a}); }),
              "key without a value"));
  CHECK(names(refused([&] { stack.append({}); }), "adds items to a dict"));
}

TEST_CASE("Values are kept by the number that is given, or by how many there are") {
  three_values v;
  pickle_stack stack;
  CHECK(names(refused([&] { stack.push_kept(0); }), "value 0"));
  stack.push(v.a);
  stack.keep();
  stack.push(v.b);
  stack.keep();
  stack.keep(700000);
  stack.push(v.c);
  stack.keep(0);
  stack.push_kept(1);
  CHECK(&stack.pop() == &v.b);
  stack.push_kept(700000);
  CHECK(&stack.pop() == &v.b);
  stack.push_kept(0);
  CHECK(&stack.pop() == &v.c);
  CHECK(names(refused([&] { stack.push_kept(2); }), "value 2", "never kept"));
  stack.clear();
  CHECK(names(refused([&] { stack.push_kept(0); }), "value 0"));
}
