// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/serial_guard.hpp>
#include <glt/mpi/error.hpp>

#include <mutex>
#include <new>

namespace glt::detail {

/// Keeps an object until the process ends.
inline void keep_for_ever(std::shared_ptr<void const> kept) noexcept {
  using keeper = std::shared_ptr<void const>;
  alignas(keeper) std::array<std::byte, sizeof(keeper)> never_destroyed;
  ::new (static_cast<void*>(never_destroyed.data())) keeper(std::move(kept));
}

/// Requests for which no call waits any more, with the memory that MPI reads or writes until they are complete.
///
/// Requests that are incomplete when this object is destroyed keep their memory until the process ends.
///
/// Concurrent calls: any.
class orphaned_requests {
public:
  orphaned_requests() = default;
  orphaned_requests(orphaned_requests const&) = delete;
  orphaned_requests& operator=(orphaned_requests const&) = delete;
  ~orphaned_requests() {
    if (!mpi_is_running()) {
      return;
    }
    serial_guard const turn;
    collect();
    for (auto& left : all_) {
      abandon(left.request, std::move(left.memory));
    }
  }

  /// Keeps memory for a request; frees the memory of requests that have become complete.
  ///
  /// @pre    MPI is running
  void keep(MPI_Request request, std::shared_ptr<void const> memory) noexcept {
    serial_guard const turn;
    std::scoped_lock const hold(lock_);
    collect();
    try {
      all_.push_back({request, memory});
    } catch (std::bad_alloc const&) {
      abandon(request, std::move(memory));
    }
    collect();
  }

  /// Returns the number of incomplete requests.
  [[nodiscard]] std::size_t size() {
    serial_guard const turn;
    std::scoped_lock const hold(lock_);
    collect();
    return all_.size();
  }

private:
  struct leftover {
    MPI_Request request;
    std::shared_ptr<void const> memory;
  };

  void collect() noexcept {
    std::erase_if(all_, [](auto& left) {
      int done = 0;
      return MPI_Test(&left.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
    });
  }

  static void abandon(MPI_Request& request, std::shared_ptr<void const> memory) noexcept {
    MPI_Request_free(&request);
    keep_for_ever(std::move(memory));
  }

  std::mutex lock_;
  std::vector<leftover> all_;
};

} // namespace glt::detail
