// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/detail/pickle_objects.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <cstdint>
#include <vector>

using namespace glt::io;
using glt_test::names;
using glt_test::thrown;

static_assert(glt::io::detail::pickle_objects<glt::io::detail::plain_pickle_objects>);
static_assert(!glt::io::detail::pickle_objects<glt::io::detail::pickle_values>);

TEST_CASE("Plain pickles may name dictionaries of collections, and what makes their missing keys") {
  glt::io::detail::plain_pickle_objects const objects;
  CHECK(objects.knows({"collections", "OrderedDict"}));
  CHECK(objects.knows({"collections", "defaultdict"}));
  CHECK(objects.knows({"builtins", "list"}));
  CHECK(objects.knows({"__builtin__", "int"}));
  CHECK_FALSE(objects.knows({"collections", "Counter"}));
  CHECK_FALSE(objects.knows({"collections", "dict"}));
  CHECK_FALSE(objects.knows({"builtins", "eval"}));
  CHECK_FALSE(objects.knows({"os", "system"}));
  CHECK_FALSE(objects.knows({"", ""}));
}

TEST_CASE("A call makes an empty dictionary, or is refused") {
  glt::io::detail::plain_pickle_objects const objects;
  glt::io::detail::pickle_values values;
  auto const& factory = values.add({glt::io::detail::pickle_name{"builtins", "list"}});
  auto const& none = values.add({glt::io::detail::pickle_none()});
  auto const& number = values.add({std::int64_t{1}});
  auto const made = [&](glt::io::detail::pickle_name const& name,
                        std::vector<glt::io::detail::pickle_value const*> const& args) {
    auto const value = objects.call(values, name, args);
    auto const* const dict = value.get_if<glt::io::detail::pickle_dict>();
    return dict != nullptr && dict->entries.empty();
  };
  CHECK(made({"collections", "OrderedDict"}, {}));
  CHECK(made({"collections", "defaultdict"}, {}));
  CHECK(made({"collections", "defaultdict"}, {&factory}));
  CHECK(made({"collections", "defaultdict"}, {&none}));
  auto const refused = [&](glt::io::detail::pickle_name const& name,
                           std::vector<glt::io::detail::pickle_value const*> const& args) {
    return thrown<glt::precondition_error>([&] { static_cast<void>(objects.call(values, name, args)); });
  };
  CHECK(names(refused({"builtins", "dict"}, {}), "builtins.dict", "save tensors"));
  CHECK(names(refused({"collections", "OrderedDict"}, {&factory}), "no plain container"));
  CHECK(names(refused({"collections", "defaultdict"}, {&number}), "no plain container"));
  CHECK(names(refused({"collections", "defaultdict"}, {&factory, &factory}), "no plain container"));
  CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(objects.persistent(values, number)); }),
              "outside of the pickle", "torch.save"));
}
