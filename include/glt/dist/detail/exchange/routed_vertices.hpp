// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/routed_list.hpp>

namespace glt::dist {

template <communicator Comm, device_policy Policy>
using routed_vertices = detail::routed_list<Comm, Policy>;

} // namespace glt::dist
