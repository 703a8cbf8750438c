// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/buffer.hpp>

#include <vector>

template <class Policy>
bool sorts() {
  Policy const policy;
  auto keys = glt::make_buffer<Policy>(std::vector<int>{30, 10, 20}, policy);
  auto values = glt::make_buffer<Policy>(std::vector<float>{3, 1, 2}, policy);
  policy.executor().sort_by_key(keys.view(), values.view());
  return glt::to_vector(policy, values.view()) == std::vector<float>{1, 2, 3};
}
