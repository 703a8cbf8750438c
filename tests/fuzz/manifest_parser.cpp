// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. An input is the text of a manifest,
// whose checksum is made right before it is read.
#include "support/fuzz.hpp"

#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/detail/parts_files.hpp>
#include <glt/io/parts/manifest.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

// With the sum that belongs to the text, where it names one.
std::string with_right_sum(std::string text) {
  std::string const key = "\"xxh3\": \"";
  auto const place = text.rfind(key);
  if (place == std::string::npos || place + key.size() + glt::io::detail::no_sum.size() > text.size()) {
    return text;
  }
  text.replace(place + key.size(), glt::io::detail::no_sum.size(), glt::io::detail::no_sum);
  glt::io::detail::checksum sum;
  sum.add(text.data(), static_cast<std::int64_t>(text.size()));
  return text.replace(place + key.size(), glt::io::detail::no_sum.size(), glt::io::detail::checksum_text(sum.value()));
}

} // namespace

std::vector<std::string> glt_test::fuzz_seeds() {
  glt::io::manifest made;
  made.name = "set";
  made.partitioner = {.name = "ldg", .options = {{"passes", "5"}}, .key = 7};
  made.nodes = {{.name = "paper",
                 .offsets = {0, 3, 5},
                 .features = {{"x", glt::element_type::float32, {4}}},
                 .labels = glt::io::detail::manifest_array{"labels", glt::element_type::int64, {}},
                 .times = true,
                 .train = {1, 1},
                 .valid = {0, 0},
                 .test = {1, 0},
                 .hot = {2, 0},
                 .hot_features = {"x"}}};
  made.edges = {{.type = {"paper", "cites", "paper"},
                 .edges = {4, 2},
                 .weights = true,
                 .times = false,
                 .features = {},
                 .halo = {1, 1},
                 .links = {{"train", {1, 0}, {0, 2}}}}};
  made.files = {{"part0/nodes/paper/original.npy", 152, 12345}};
  return {glt::io::detail::to_json(made)};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    auto const read = glt::io::detail::parse_manifest(with_right_sum(std::string(data, data + size)), "manifest.json");
    glt_test::insist(read.num_parts() >= 1, "there is a part");
    auto again = glt::io::detail::parse_manifest(glt::io::detail::to_json(read), "manifest.json");
    again.xxh3 = read.xxh3; // of the text, which may have had other spaces
    glt_test::insist(again == read, "what is written is what was read");
  } catch (glt::io_error const&) {
  }
  return 0;
}
