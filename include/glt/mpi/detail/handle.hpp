// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/exchange.hpp>
#include <glt/mpi/error.hpp>

#include <cstdint>
#include <vector>

namespace glt::detail {

/// Owns an MPI communicator, and memory that its calls use again; copies of an `mpi_comm` share one.
class mpi_handle {
public:
  /// Takes over a communicator that MPI has just made.
  mpi_handle(MPI_Comm comm, std::int64_t block_bytes) : comm_(comm), block_bytes_(block_bytes) {
    try {
      check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
      check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
      check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    } catch (...) {
      MPI_Comm_free(&comm_);
      throw;
    }
  }
  mpi_handle(mpi_handle const&) = delete;
  mpi_handle& operator=(mpi_handle const&) = delete;
  ~mpi_handle() {
    if (mpi_is_running()) {
      MPI_Comm_free(&comm_);
    }
  }

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t block_bytes() const noexcept { return block_bytes_; }
  [[nodiscard]] mpi_exchange_pool& exchanges() noexcept { return exchanges_; }
  /// Scratch memory for the requests of one call.
  [[nodiscard]] std::vector<MPI_Request>& requests() noexcept { return requests_; }

private:
  MPI_Comm comm_;
  std::int64_t block_bytes_;
  int rank_ = 0;
  int size_ = 0;
  mpi_exchange_pool exchanges_;
  std::vector<MPI_Request> requests_;
};

} // namespace glt::detail
