// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/serial_guard.hpp>
#include <glt/mpi/error.hpp>

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

} // namespace glt::detail
