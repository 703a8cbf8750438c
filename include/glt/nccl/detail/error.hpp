// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#if !__has_include(<nccl.h>)
#include <missing for glt::nccl: NCCL: install libnccl-dev and link glt::nccl> // an error that ends the compilation
#endif
#include <nccl.h>

#include <source_location>
#include <string>
#include <string_view>
#include <utility>

static_assert(NCCL_VERSION_CODE >= NCCL_VERSION(2, 14, 0), "NCCL 2.14 or newer is needed, for calls that do not block");

namespace glt::detail {

/// Throws if a call of NCCL neither succeeded nor is in progress.
///
/// @throws library_error  with NCCL's texts for the code and for the last error of `comm`
inline void check_nccl(ncclResult_t code, std::string_view call, ncclComm_t comm = nullptr,
                       std::source_location where = std::source_location::current()) {
  if (code == ncclSuccess || code == ncclInProgress) {
    return;
  }
  std::string text = ncclGetErrorString(code);
  if (char const* const last = ncclGetLastError(comm); last != nullptr && *last != '\0') {
    text += message(" (", last, ")");
  }
  throw library_error(std::string(call), static_cast<int>(code), text, where);
}

/// Ignores an error, for destructors: throws nothing.
inline void forget_nccl(ncclResult_t /*code*/) noexcept {}

} // namespace glt::detail
