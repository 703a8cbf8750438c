// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/exchange_plan.hpp>
#include <glt/mpi/detail/serial_guard.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/mpi/error.hpp>

namespace glt::detail {

/// All arrays that MPI reads until a variable exchange is complete; its address never changes. Reusable.
class mpi_exchange {
public:
  mpi_exchange() = default;
  mpi_exchange(mpi_exchange const&) = delete;
  mpi_exchange& operator=(mpi_exchange const&) = delete;
  ~mpi_exchange() {
    if (request_ != MPI_REQUEST_NULL && mpi_is_running()) {
      serial_guard const turn;
      MPI_Wait(&request_, MPI_STATUS_IGNORE);
    }
  }

  void start(MPI_Comm comm, std::int64_t block_bytes, outgoing const& out, incoming const& in) {
    serial_guard const turn;
    sent_.set(out.sizes, out.offsets, block_bytes);
    received_.set(in.sizes, in.offsets, block_bytes);
    check_mpi(MPI_Ialltoallw(sent_.base(out.data), sent_.counts(), sent_.displacements(), sent_.types(),
                             received_.base(in.data), received_.counts(), received_.displacements(), received_.types(),
                             comm, &request_),
              "MPI_Ialltoallw");
  }

  void run(MPI_Comm comm, std::int64_t block_bytes, outgoing const& out, incoming const& in) {
    sent_.set(out.sizes, out.offsets, block_bytes);
    received_.set(in.sizes, in.offsets, block_bytes);
    check_mpi(MPI_Alltoallw(sent_.base(out.data), sent_.counts(), sent_.displacements(), sent_.types(),
                            received_.base(in.data), received_.counts(), received_.displacements(), received_.types(),
                            comm),
              "MPI_Alltoallw");
  }

  /// Returns the started request; MPI_REQUEST_NULL if none is under way.
  [[nodiscard]] MPI_Request& request() noexcept { return request_; }

private:
  mpi_exchange_plan sent_;
  mpi_exchange_plan received_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Pool of exchanges that are not under way, for reuse: after the first exchanges, a communicator allocates no more.
class mpi_exchange_pool {
public:
  [[nodiscard]] std::unique_ptr<mpi_exchange> take() {
    if (idle_.empty()) {
      idle_.reserve(++made_);
      return std::make_unique<mpi_exchange>();
    }
    auto exchange = std::move(idle_.back());
    idle_.pop_back();
    return exchange;
  }
  /// Takes back a complete exchange from `take`.
  void give_back(std::unique_ptr<mpi_exchange> exchange) noexcept { idle_.push_back(std::move(exchange)); }

private:
  std::vector<std::unique_ptr<mpi_exchange>> idle_; // has room for all that were made
  std::size_t made_ = 0;
};

} // namespace glt::detail
