// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "places.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace glt_test {

/// A folder of a public data set. Where it is missing: nothing, and the words by which CTest reports the test, one of the
/// suite "data <set>", as skipped.
inline std::optional<std::filesystem::path> public_data(std::string const& path) {
  auto folder = std::filesystem::path(places::data) / path;
  if (std::filesystem::exists(folder)) {
    return folder;
  }
  MESSAGE("skipped: there is no data set ", folder.string());
  return std::nullopt;
}

} // namespace glt_test
