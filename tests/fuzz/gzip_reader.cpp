// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. An input is the content of a file,
// packed or not, which is unpacked in large and in small pieces.
#include "support/fuzz.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/io/text/detail/text_source.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace {

std::string outcome(std::filesystem::path const& path, std::int64_t piece_bytes) {
  try {
    glt::io::detail::text_source source(path,
                                        {.piece_bytes = piece_bytes, .line_bytes = 1 << 24, .text_bytes = 1 << 24});
    std::string text;
    while (source.load()) {
      text += source.unread();
      source.skip(source.unread().size());
    }
    return "value " + text;
  } catch (glt::io_error const&) {
    return "error"; // how much of damaged data zlib has looked at when it notices depends on the room for the result
  }
}

} // namespace

std::vector<std::string> glt_test::fuzz_seeds() {
  return {gzip("0 1\n1 2\n"), gzip("one\n") + gzip("two\n", 0), gzip(std::string(3000, 'x') + "\n1 2\n", 9),
          gzip("") + gzip("\n"), "plain text\n\n1 2"};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static glt_test::scratch_folder const scratch;
  std::filesystem::remove(scratch / "input"); // some file systems flush a file that is cut and written again
  glt_test::write_bytes(scratch / "input", std::string(data, data + size));
  glt_test::insist(outcome(scratch / "input", 1 << 16) == outcome(scratch / "input", 7), "pieces make no difference");
  return 0;
}
