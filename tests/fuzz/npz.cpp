// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. An input is a whole .npz archive.
#include "support/archives.hpp"
#include "support/fuzz.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npz.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

std::vector<std::string> glt_test::fuzz_seeds() {
  scratch_folder const scratch;
  std::vector<std::pair<std::string, std::string>> const members{{"indices.npy", npy_longs({3, 1, 2})},
                                                                 {"data.npy", npy_floats({1, 2})},
                                                                 {"format.npy", npy_bytes("|S3", "()", "csr")}};
  std::vector<std::string> seeds;
  for (int const method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    write_zip(scratch / "seed.npz", members, method);
    seeds.push_back(read_bytes(scratch / "seed.npz"));
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static glt_test::scratch_folder const scratch;
  glt_test::write_bytes(scratch / "input.npz", std::string(data, data + size));
  try {
    glt::io::detail::npz_file file(scratch / "input.npz");
    for (auto const& name : file.names()) {
      try {
        auto const array = file.read(name);
        glt_test::insist(array.bytes().size() <= static_cast<std::int64_t>(size) * 2 * 1032,
                         "no more than deflate makes");
        glt_test::insist(glt::io::detail::count_not_finite(array) * glt::detail::size_of(array.type()) <=
                             array.bytes().size(),
                         "at most all elements are not finite");
      } catch (glt::io_error const&) {
        static_cast<void>(file.read_string(name));
      }
    }
  } catch (glt::io_error const&) {
  }
  return 0;
}
