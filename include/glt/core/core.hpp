// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The prelude of all other folders: ids, memory spaces, views, errors and their messages, and the standard headers
// below. A header of glt that includes it, directly or through another header of glt, does not repeat them.
#include <glt/core/element_type.hpp>
#include <glt/core/error.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
