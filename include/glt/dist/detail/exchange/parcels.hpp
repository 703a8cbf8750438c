// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/routed_items.hpp>

namespace glt::dist {

template <communicator Comm, bytes_copyable Item>
using parcels = detail::routed_items<Comm, Item>;

} // namespace glt::dist
