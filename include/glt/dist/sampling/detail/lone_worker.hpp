// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

#include <type_traits>

namespace glt::detail {

template <device_policy Policy>
struct no_lone_worker {
  explicit no_lone_worker(Policy const&) {}
};

/// Worker that draws when there is only one rank: it sorts nothing by owner, and a device never waits for the sizes of
/// a hop. Host policies have nothing to wait for and draw as with other ranks.
template <device_policy Policy, class Worker>
using lone_worker = std::conditional_t<host_policy<Policy>, no_lone_worker<Policy>, Worker>;

} // namespace glt::detail
