// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The one place where the version stands: CMake, pkg-config files and packages read these three lines.
#define GLT_VERSION_MAJOR 0
#define GLT_VERSION_MINOR 1
#define GLT_VERSION_PATCH 0

#include <string>

namespace glt {

/// The version as text, such as "0.1.0".
inline std::string version() {
  return std::to_string(GLT_VERSION_MAJOR) + '.' + std::to_string(GLT_VERSION_MINOR) + '.' +
         std::to_string(GLT_VERSION_PATCH);
}

} // namespace glt
