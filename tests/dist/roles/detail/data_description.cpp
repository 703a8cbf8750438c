// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/detail/data_description.hpp>

#include <glt/comm/detail/exchange.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <vector>

TEST_CASE("a description tells what there is, names it where something else is asked for, and can be sent") {
  glt::detail::data_description const empty;
  CHECK(empty.num_vertices() == 0);
  CHECK(empty.num_columns() == 0);
  CHECK_FALSE(empty.has_labels());
  CHECK(empty.num_classes() == 0);
  CHECK_FALSE(empty.has("originals"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(empty.split("train")); }),
                        "no split \"train\"; there are none"));

  glt::detail::data_description const some{.offsets = {0, 3, 9},
                                           .ranks = {4, 2},
                                           .tensors = {{"x", glt::element_type::float16, 7, {}},
                                                       {"y", glt::element_type::int64, 1, {}},
                                                       {"small", glt::element_type::int8, 2, {0.5F, 4}}},
                                           .splits = {{"train", {1, 4}}, {"test", {0, 0}}},
                                           .classes = 12};
  CHECK(some.num_vertices() == 9);
  CHECK(some.num_columns() == 7);
  CHECK(some.has_labels());
  CHECK(some.num_classes() == 12);
  glt::detail::data_description numbers;
  numbers.offsets = {0, 3};
  numbers.classes = 1'000'000'000;
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(numbers.num_classes()); }),
                        "a label is 999999999"));
  CHECK_FALSE(some.has("originals"));
  CHECK(some.tensor("small").scales[1] == 4);
  CHECK(some.split("train").size() == 5);
  CHECK(some.split("test").size() == 0);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(some.tensor("large")); }),
                        "no tensor \"large\"; there are \"x\", \"y\", \"small\""));

  std::vector<std::byte> bytes(glt::detail::packed_size(some));
  glt::detail::packer(bytes.data()).add(some);
  glt::detail::data_description read;
  glt::detail::unpacker(bytes, nullptr).get(read);
  CHECK(read == some);
  CHECK_FALSE(read == empty);
}
