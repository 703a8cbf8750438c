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

namespace glt {

/// Error of a failed call of NCCL; carries the name of the call, NCCL's code and NCCL's text.
///
/// The communicator is not usable any more; `nccl_comm` gives it up on all ranks.
class nccl_error : public error {
public:
  nccl_error(std::string call, ncclResult_t code, std::string const& text,
             std::source_location where = std::source_location::current())
      : error(detail::message(call, " failed with code ", static_cast<int>(code), ": ", text), where),
        call_(std::move(call)), code_(code) {}

  [[nodiscard]] std::string const& call() const noexcept { return call_; }
  [[nodiscard]] ncclResult_t code() const noexcept { return code_; }

private:
  std::string call_;
  ncclResult_t code_;
};

namespace detail {

/// Throws if a call of NCCL neither succeeded nor is in progress.
///
/// @throws nccl_error  with NCCL's texts for the code and for the last error of `comm`
inline void check_nccl(ncclResult_t code, std::string_view call, ncclComm_t comm = nullptr,
                       std::source_location where = std::source_location::current()) {
  if (code == ncclSuccess || code == ncclInProgress) {
    return;
  }
  std::string text = ncclGetErrorString(code);
  if (char const* const last = ncclGetLastError(comm); last != nullptr && *last != '\0') {
    text += message(" (", last, ")");
  }
  throw nccl_error(std::string(call), code, text, where);
}

/// Ignores an error, for destructors: throws nothing.
inline void forget_nccl(ncclResult_t /*code*/) noexcept {}

} // namespace detail

} // namespace glt
