// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/folder/detail/npy_folder_tables.hpp>

#include <cstdint>
#include <map>
#include <string>

using namespace glt;
using namespace glt_test;

namespace {

using counts = std::map<std::string, std::int64_t>;

counts read(std::string const& text) {
  scratch_folder const scratch;
  write_bytes(scratch / "meta.json", text);
  return io::detail::read_node_counts(scratch / "meta.json");
}

std::string fault_of(std::string const& text) {
  return thrown<io_error>([&] { static_cast<void>(read(text)); });
}

} // namespace

TEST_CASE("numbers of vertices are found with and without types") {
  CHECK(read(R"({"nodes": 7, "edges": 9})") == counts{{"node", 7}});
  CHECK(read(R"({"nodes": 7, "num_nodes": 8})") == counts{{"node", 8}});
  CHECK(read(R"({"num_nodes": {"paper": 3, "author": 0}})") == counts{{"author", 0}, {"paper", 3}});
  scratch_folder const scratch;
  CHECK(io::detail::read_node_counts(scratch / "meta.json").empty());
}

TEST_CASE("what is of another kind is left") {
  for (char const* const text : {"{}", "[]", "7", "\"nodes\"", R"({"nodes": ["7"]})", R"({"num_nodes": null})"}) {
    CAPTURE(text);
    CHECK(read(text).empty());
  }
}

TEST_CASE("a number that no graph has is refused") {
  for (char const* const number : {"-1", "1.5", "18446744073709551615", "1000000000000000", "1e300"}) {
    CAPTURE(number);
    CHECK(names(fault_of(std::string(R"({"nodes": )") + number + "}"), "meta.json", "vertices of type 'node'",
                "whole number from 0 to 281474976710656"));
    CHECK(names(fault_of(std::string(R"({"num_nodes": {"paper": )") + number + "}}"), "of type 'paper'"));
  }
}

TEST_CASE("what is no JSON, or too long, is refused") {
  CHECK(names(fault_of(""), "meta.json", "no JSON"));
  CHECK(names(fault_of("{\"nodes\": 7"), "meta.json", "no JSON"));
  CHECK(names(fault_of(std::string((1 << 20) + 1, ' ')), "meta.json", "megabyte"));
  CHECK(names(fault_of(std::string(100000, '[')), "no JSON"));
}
