// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/metis/detail/api.hpp>

namespace glt {

/// Failure of METIS; holds the name of the call and the code that it returned.
class metis_error : public error {
public:
  metis_error(std::string call, int code, std::source_location where = std::source_location::current())
      : error(detail::message(call, " failed with code ", code, ": ", text_of(code)), where), call_(std::move(call)),
        code_(code) {}

  [[nodiscard]] std::string const& call() const noexcept { return call_; }
  [[nodiscard]] int code() const noexcept { return code_; }

private:
  static char const* text_of(int code) noexcept {
    switch (code) {
    case METIS_ERROR_INPUT:
      return "METIS refuses the graph or the options; see whether `validate` finds a fault in the graph";
    case METIS_ERROR_MEMORY:
      return "METIS does not have enough memory; partition by ldg_partitioner or fennel_partitioner, which need little";
    default:
      return "METIS gives no reason; partition by ldg_partitioner or fennel_partitioner";
    }
  }

  std::string call_;
  int code_;
};

namespace detail {

/// Throws if a METIS call did not return METIS_OK.
///
/// @throws metis_error  if `code` is not METIS_OK
inline void check_metis(int code, std::string_view call, std::source_location where = std::source_location::current()) {
  if (code != METIS_OK) {
    throw metis_error(std::string(call), code, where);
  }
}

} // namespace detail

} // namespace glt
