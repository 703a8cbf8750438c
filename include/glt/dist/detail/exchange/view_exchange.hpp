// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/slice_exchange.hpp>

namespace glt::dist {

template <communicator Comm, device_policy Policy>
using view_exchange = detail::slice_exchange<Comm, Policy>;

} // namespace glt::dist
