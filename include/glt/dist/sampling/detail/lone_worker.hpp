// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/policy.hpp>

#include <type_traits>

namespace glt::detail {

template <device_policy Policy>
struct no_lone_worker {
  explicit no_lone_worker(Policy const&) {}
};

/// What draws for the only rank: without other ranks nothing is sorted by owner, and a device does not wait for the sizes
/// of every hop. Hosts, which have nothing to wait for, draw as they draw with others.
template <device_policy Policy, class Worker>
using lone_worker = std::conditional_t<host_policy<Policy>, no_lone_worker<Policy>, Worker>;

} // namespace glt::detail
