// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/alarm.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/detail/serial_guard.hpp>
#include <glt/mpi/error.hpp>

namespace glt::detail {

/// Alarm between MPI processes: an empty message to every other rank. See `failure_alarm`.
class mpi_alarm {
public:
  /// @comm   none
  explicit mpi_alarm(std::shared_ptr<mpi_handle const> handle) : handle_(std::move(handle)) {
    sent_.reserve(static_cast<std::size_t>(handle_->size()));
  }
  mpi_alarm(mpi_alarm&&) noexcept = default;
  mpi_alarm& operator=(mpi_alarm&& other) noexcept {
    forget();
    handle_ = std::move(other.handle_);
    sent_ = std::move(other.sent_);
    is_raised_ = other.is_raised_;
    return *this;
  }
  ~mpi_alarm() { forget(); }

  /// @throws mpi_error  if MPI reports a failure
  void raise() {
    serial_guard const turn;
    for (int peer = 0; peer < handle_->size() && !is_raised_; ++peer) {
      if (peer != handle_->rank()) {
        MPI_Request request = MPI_REQUEST_NULL;
        check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag, handle_->comm(), &request), "MPI_Isend");
        sent_.push_back(request);
      }
    }
    is_raised_ = true;
  }

  /// @throws mpi_error  if MPI reports a failure
  [[nodiscard]] bool raised() {
    serial_guard const turn;
    int found = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, handle_->comm(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
    return found != 0;
  }

  /// @throws mpi_error  if MPI reports a failure
  void settle(std::span<char const> raisers) {
    serial_guard const turn; // all messages have been sent: this waits for no rank
    for (int peer = 0; peer < handle_->size(); ++peer) {
      if (peer != handle_->rank() && raisers[static_cast<std::size_t>(peer)] != 0) {
        check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, peer, tag, handle_->comm(), MPI_STATUS_IGNORE), "MPI_Recv");
      }
    }
    for (auto& request : sent_) {
      check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
    sent_.clear();
    is_raised_ = false;
  }

private:
  static constexpr int tag = 2; // replies use tag 1

  void forget() noexcept {
    serial_guard const turn;
    for (auto& request : sent_) {
      if (request != MPI_REQUEST_NULL && mpi_is_running()) {
        MPI_Request_free(&request);
      }
    }
    sent_.clear();
  }

  std::shared_ptr<mpi_handle const> handle_;
  std::vector<MPI_Request> sent_; // by this rank
  bool is_raised_ = false;
};

static_assert(failure_alarm<mpi_alarm>);

} // namespace glt::detail
