// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/mpi/api.hpp>
#include <glt/mpi/error.hpp>
#include <glt/mpi/exchange_plan.hpp>
#include <glt/mpi/handle.hpp>

#include <memory>
#include <utility>

namespace glt {

class mpi_comm;

/// An exchange under way; move-only, and waits when it is destroyed.
class mpi_request {
public:
  mpi_request(mpi_request&&) noexcept = default;
  mpi_request& operator=(mpi_request&&) noexcept = default;
  ~mpi_request() = default;

  /// Blocks until all bytes have arrived; a second call does nothing.
  ///
  /// @throws mpi_error  if MPI reports a failure
  void wait() {
    if (auto const travelling = std::move(travelling_)) {
      detail::check_mpi(MPI_Wait(&travelling->request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
  }

private:
  friend mpi_comm;

  // Everything that MPI reads until the exchange is complete; its address never changes.
  struct exchange {
    exchange(std::shared_ptr<detail::mpi_handle const> handle_in, outgoing const& out, incoming const& in)
        : handle(std::move(handle_in)), sent(out.sizes, out.offsets, handle->block_bytes()),
          received(in.sizes, in.offsets, handle->block_bytes()) {
      detail::check_mpi(MPI_Ialltoallw(sent.base(out.data), sent.counts(), sent.displacements(), sent.types(),
                                       received.base(in.data), received.counts(), received.displacements(),
                                       received.types(), handle->comm(), &request),
                        "MPI_Ialltoallw");
    }
    exchange(exchange const&) = delete;
    exchange& operator=(exchange const&) = delete;
    ~exchange() {
      if (request != MPI_REQUEST_NULL && detail::mpi_is_running()) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    }

    std::shared_ptr<detail::mpi_handle const> handle;
    detail::mpi_exchange_plan sent;
    detail::mpi_exchange_plan received;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  explicit mpi_request(std::unique_ptr<exchange> travelling) noexcept : travelling_(std::move(travelling)) {}

  std::unique_ptr<exchange> travelling_; // null once complete
};

} // namespace glt
