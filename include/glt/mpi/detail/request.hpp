// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/exchange.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/mpi/error.hpp>

namespace glt {

class mpi_comm;

namespace detail {

/// Exchange under way; move-only, and waits when it is destroyed.
class mpi_request {
public:
  mpi_request(mpi_request&&) noexcept = default;
  mpi_request& operator=(mpi_request&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(travelling_, other.travelling_);
    static_cast<void>(other.complete());
    return *this;
  }
  ~mpi_request() { static_cast<void>(complete()); }

  /// Blocks until all bytes have arrived; a second call does nothing.
  ///
  /// @throws mpi_error  if MPI reports a failure
  void wait() {
    if (auto const code = complete(); code != MPI_SUCCESS) {
      handle_->family()->lost = true;
      check_mpi(code, "MPI_Wait");
    }
  }

private:
  friend mpi_comm;

  mpi_request(std::shared_ptr<mpi_handle> handle, outgoing const& out, incoming const& in)
      : handle_(std::move(handle)), travelling_(handle_->exchanges().take()) {
    travelling_->start(handle_->comm(), handle_->block_bytes(), out, in);
  }

  int complete() noexcept {
    if (!travelling_) {
      return MPI_SUCCESS;
    }
    auto const code = mpi_is_running() ? handle_->wait(travelling_->request(), "all_to_all_v") : MPI_SUCCESS;
    handle_->exchanges().give_back(std::move(travelling_));
    return code;
  }

  std::shared_ptr<mpi_handle> handle_;
  std::unique_ptr<mpi_exchange> travelling_; // null once complete
};

} // namespace detail
} // namespace glt
