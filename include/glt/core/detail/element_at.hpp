// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/space.hpp>
#include <glt/core/view.hpp>

#include <cstdint>

namespace glt::detail {

/// Elements of a list as a function of their positions.
template <memory_space Space, class T>
struct element_at {
  array_view<Space, T const> elements;
  GLT_HOST_DEVICE T operator()(std::int64_t i) const { return elements[i]; }
};

} // namespace glt::detail
