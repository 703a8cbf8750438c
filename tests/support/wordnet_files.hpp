// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "scratch.hpp"

#include <filesystem>
#include <string>

namespace glt_test {

/// Writes a WordNet database of six synsets (entity, dog, to dog, doggy, puppyish, doggedly) and eight pointers.
///
/// Every file begins with a line of licence of 16 bytes.
inline void write_wordnet(std::filesystem::path const& folder) {
  std::filesystem::create_directories(folder);
  std::string const licence = "  1 a licence  \n";
  write_bytes(folder / "data.noun",
              licence + "00000016 03 n 01 entity 0 001 ~ 00000076 n 0000 | that is  \n" +
                  "00000076 05 n 02 dog 0 Canis_familiaris 0 003 @ 00000016 n 0000 + 00000016 v 0101 ~ 00000076 n 0000 "
                  "| a pet; \"a dog\"  \n");
  write_bytes(folder / "data.verb", licence + "00000016 38 v 01 dog 0 001 + 00000076 n 0101 01 + 08 00 | go after  \n");
  write_bytes(folder / "data.adj", licence + "00000016 00 a 01 doggy(p) 0 001 & 00000081 a 0000 | like a dog  \n" +
                                       "00000081 00 s 01 puppyish a 002 & 00000016 s 0000 \\ 00000016 r 0000 |   \n");
  write_bytes(folder / "data.adv", licence + "00000016 02 r 01 doggedly 0 000 | so  \n");
}

} // namespace glt_test
