// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/environment.hpp>

#include <mutex>
#include <new>

namespace glt::detail {

/// One side of MPI_Alltoallw for slices of any size: MPI's counts are 32-bit, so a larger slice becomes a datatype.
///
/// Displacements count from the first slice that is not empty. A slice whose size and displacement are at most
/// `block_bytes` is that many MPI_BYTE. A larger slice is a single element of an indexed type made of blocks of at most
/// `block_bytes`, with 64-bit displacements. Both sides choose independently: the bytes are the same. The arrays must
/// live until the exchange is complete. Reusable; the memory is kept.
class mpi_exchange_plan {
public:
  mpi_exchange_plan() noexcept = default;

  /// Sets other slices; the exchange of the slices before must be complete.
  ///
  /// @shape  sizes [R], offsets [R], in bytes
  void set(std::span<std::int64_t const> sizes, std::span<std::int64_t const> offsets, std::int64_t block_bytes) {
    free_types();
    empty_ = true;
    counts_.assign(sizes.size(), 0);
    displacements_.assign(sizes.size(), 0);
    types_.assign(sizes.size(), MPI_BYTE);
    for (std::size_t peer = 0; peer < sizes.size(); ++peer) {
      if (sizes[peer] == 0) {
        continue;
      }
      if (empty_) {
        empty_ = false;
        origin_ = offsets[peer];
      }
      auto const displacement = offsets[peer] - origin_;
      if (sizes[peer] <= block_bytes && displacement >= 0 && displacement <= block_bytes) {
        counts_[peer] = static_cast<int>(sizes[peer]);
        displacements_[peer] = static_cast<int>(displacement);
      } else {
        types_[peer] = make_type(displacement, sizes[peer], block_bytes);
        counts_[peer] = 1;
      }
    }
  }
  mpi_exchange_plan(mpi_exchange_plan const&) = delete;
  mpi_exchange_plan& operator=(mpi_exchange_plan const&) = delete;
  ~mpi_exchange_plan() { free_types(); }

  /// Returns the address from which displacements count. The slices to send and to receive may lie in one array. Their
  /// bases still differ, because Open MPI takes equal ones for MPI_IN_PLACE.
  template <class Byte>
  [[nodiscard]] Byte* base(Byte* data) const noexcept {
    return empty_ ? nullptr : data + origin_;
  }
  [[nodiscard]] int const* counts() const noexcept { return counts_.data(); }
  [[nodiscard]] int const* displacements() const noexcept { return displacements_.data(); }
  [[nodiscard]] MPI_Datatype const* types() const noexcept { return types_.data(); }

private:
  void free_types() noexcept {
    for (auto& type : types_) {
      if (type != MPI_BYTE && mpi_is_running()) {
        serial_guard const turn;
        MPI_Type_free(&type);
      }
    }
    types_.clear();
  }

  static MPI_Datatype make_type(std::int64_t displacement, std::int64_t size, std::int64_t block_bytes) {
    auto const num_blocks = (size + block_bytes - 1) / block_bytes;
    std::vector<int> lengths(static_cast<std::size_t>(num_blocks), static_cast<int>(block_bytes));
    lengths.back() = static_cast<int>(size - (num_blocks - 1) * block_bytes);
    std::vector<MPI_Aint> starts(lengths.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      starts[i] = static_cast<MPI_Aint>(displacement + static_cast<std::int64_t>(i) * block_bytes);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_create_hindexed(narrow<int>(num_blocks, "number of blocks of a message"), lengths.data(),
                                       starts.data(), MPI_BYTE, &type),
              "MPI_Type_create_hindexed");
    if (auto const code = MPI_Type_commit(&type); code != MPI_SUCCESS) {
      MPI_Type_free(&type);
      check_mpi(code, "MPI_Type_commit");
    }
    return type;
  }

  bool empty_ = true;
  std::int64_t origin_ = 0;
  std::vector<int> counts_;
  std::vector<int> displacements_;
  std::vector<MPI_Datatype> types_;
};

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

/// Keeps the contents of an owner until the process ends; takes no memory.
template <class Owner>
void keep_for_ever(Owner kept) noexcept {
  alignas(Owner) std::array<std::byte, sizeof(Owner)> never_destroyed;
  ::new (static_cast<void*>(never_destroyed.data())) Owner(std::move(kept));
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
