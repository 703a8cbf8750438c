// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/exchange.hpp>
#include <glt/mpi/detail/serial_guard.hpp>
#include <glt/mpi/detail/watch.hpp>
#include <glt/mpi/error.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::detail {

/// Owner of an MPI communicator and of memory for reuse by its calls; copies of an `mpi_comm` share one.
class mpi_handle {
public:
  /// Takes over a communicator that MPI has just made.
  mpi_handle(MPI_Comm comm, std::int64_t block_bytes, std::shared_ptr<mpi_family> family)
      : comm_(comm), block_bytes_(block_bytes), family_(std::move(family)) {
    serial_guard const turn;
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
      serial_guard const turn;
      MPI_Comm_free(&comm_);
    }
  }

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Returns the number of a rank in the communicator from which this one was split; `rank` if MPI does not tell.
  [[nodiscard]] int world_rank(int rank) const noexcept {
    serial_guard const turn;
    MPI_Group group = MPI_GROUP_NULL;
    int found = MPI_UNDEFINED;
    if (MPI_Comm_group(comm_, &group) == MPI_SUCCESS) {
      MPI_Group_translate_ranks(group, 1, &rank, family_->world, &found);
      MPI_Group_free(&group);
    }
    return found == MPI_UNDEFINED ? rank : found;
  }
  [[nodiscard]] std::int64_t block_bytes() const noexcept { return block_bytes_; }
  [[nodiscard]] std::shared_ptr<mpi_family> const& family() const noexcept { return family_; }
  [[nodiscard]] mpi_watch& watch() const noexcept { return family_->watch; }
  void mark_incomplete() noexcept { is_incomplete_ = true; }
  [[nodiscard]] bool is_incomplete() const noexcept { return is_incomplete_; }
  [[nodiscard]] mpi_exchange_pool& exchanges() noexcept { return exchanges_; }
  /// Returns scratch memory for the requests of one call.
  [[nodiscard]] std::vector<MPI_Request>& requests() noexcept { return requests_; }

  /// Waits for a request within the time limit; returns MPI's code.
  int wait(MPI_Request& request, std::string_view call) noexcept {
    if (!watch().tests()) {
      return MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int code = MPI_SUCCESS;
    watch().until(call, [&] {
      int done = 0;
      code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return code != MPI_SUCCESS || done != 0;
    });
    return code;
  }

private:
  MPI_Comm comm_;
  std::int64_t block_bytes_;
  std::shared_ptr<mpi_family> family_;
  int rank_ = 0;
  int size_ = 0;
  mpi_exchange_pool exchanges_;
  std::vector<MPI_Request> requests_;
  bool is_incomplete_ = false; // a rank has died
};

} // namespace glt::detail
