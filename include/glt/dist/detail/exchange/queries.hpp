// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/request_reply.hpp>

namespace glt::dist {

template <communicator Comm, bytes_copyable Question, bytes_copyable Answer>
using queries = detail::request_reply<Comm, Question, Answer>;

} // namespace glt::dist
