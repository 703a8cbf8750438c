// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/routed_list.hpp>

namespace glt::dist {

template <communicator Comm>
using requests = detail::routed_list<Comm>;

} // namespace glt::dist
