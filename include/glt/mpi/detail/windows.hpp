// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/abort.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/turn.hpp>
#include <glt/mpi/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// The shared-memory windows of the ranks of one machine.
///
/// Freeing a window is a collective that waits, which a destructor must not do: a rank that failed would wait for
/// the others, and they for it. So whoever used a window only lets go of it, and `reclaim` frees it when all ranks
/// have; MPI_Finalize frees what is left.
class mpi_windows : public std::enable_shared_from_this<mpi_windows> {
public:
  /// @comm   none; call it on all ranks, as MPI_Finalize will free windows of several of these in turn
  [[nodiscard]] static std::shared_ptr<mpi_windows> make() {
    mpi_turn const turn;
    auto const made = std::make_shared<mpi_windows>();
    int key = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &key, nullptr), "MPI_Comm_create_keyval");
    auto held = std::make_unique<std::shared_ptr<mpi_windows>>(made);
    auto const code = MPI_Comm_set_attr(MPI_COMM_SELF, key, held.get());
    MPI_Comm_free_keyval(&key); // goes with the attribute
    check_mpi(code, "MPI_Comm_set_attr");
    static_cast<void>(held.release());
    return made;
  }

  /// A window to which every rank of `node` contributes a block, apart from the others'.
  struct window {
    std::span<std::byte> own;
    std::vector<std::span<std::byte>> of_rank; ///< [ranks of the machine]
    std::shared_ptr<void const> keeper;        ///< its end lets go of the window
    MPI_Win native = MPI_WIN_NULL;
    std::weak_ptr<char> user; ///< ends with the keeper
  };

  /// Makes a window that is to be kept if all ranks of `node` have made it; else it is never freed, as that takes
  /// all of them.
  ///
  /// @comm   collective over `node`
  /// @throws mpi_error  if MPI reports a failure, on the ranks that notice it
  [[nodiscard]] window allocate(MPI_Comm node, std::int64_t bytes) {
    int ranks = 0;
    check_mpi(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(ranks)); // MPI may tell sizes in whole pages
    check_mpi(MPI_Allgather(&bytes, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, node), "MPI_Allgather");
    windows_.reserve(windows_.size() + 1);
    auto const user = std::make_shared<char>();
    void* base = nullptr;
    MPI_Info info = MPI_INFO_NULL;
    check_mpi(MPI_Info_create(&info), "MPI_Info_create");
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    window made;
    auto const code =
        MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + alignment), 1, info, node, &base, &made.native);
    MPI_Info_free(&info);
    check_mpi(code, "MPI_Win_allocate_shared");
    made.user = user;
    made.keeper = std::shared_ptr<void const>(user.get(), [user, self = shared_from_this()](void const*) {});
    check_mpi(MPI_Win_set_errhandler(made.native, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, made.native), "MPI_Win_lock_all");
    made.own = {aligned(base), static_cast<std::size_t>(bytes)};
    for (int rank = 0; rank < ranks; ++rank) {
      MPI_Aint size = 0;
      int unit = 0;
      check_mpi(MPI_Win_shared_query(made.native, rank, &size, &unit, &base), "MPI_Win_shared_query");
      made.of_rank.emplace_back(aligned(base), static_cast<std::size_t>(sizes[static_cast<std::size_t>(rank)]));
    }
    return made;
  }

  /// Takes over a window that has just been made on all ranks.
  void keep(window const& made) noexcept { windows_.push_back({made.native, made.user}); }

  /// Frees the windows of which all ranks have let go.
  ///
  /// @comm   collective over the communicator that all of them were made with; one reduction
  void reclaim(MPI_Comm node) {
    std::vector<int> idle;
    for (auto const& each : windows_) {
      idle.push_back(each.user.expired() ? 1 : 0);
    }
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, idle.data(), static_cast<int>(idle.size()), MPI_INT, MPI_MIN, node),
              "MPI_Allreduce");
    std::vector<kept_window> kept;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (idle[i] == 0) {
        kept.push_back(windows_[i]);
      }
    }
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (idle[i] != 0) {
        check_mpi(free(windows_[i]), "MPI_Win_free");
      }
    }
    windows_ = std::move(kept);
  }

  /// Windows that are not freed yet.
  [[nodiscard]] std::size_t size() const noexcept { return windows_.size(); }

private:
  static constexpr std::int64_t alignment = 64;

  struct kept_window {
    MPI_Win native;
    std::weak_ptr<char> user;
  };

  // The same place in all processes, since they map whole pages.
  static std::byte* aligned(void* base) noexcept {
    auto const past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base) % alignment);
    return static_cast<std::byte*>(base) + (past == 0 ? 0 : alignment - past);
  }

  static int free(kept_window& old) noexcept {
    auto const code = MPI_Win_unlock_all(old.native);
    return code == MPI_SUCCESS ? MPI_Win_free(&old.native) : code;
  }

  // Called by MPI_Finalize, while MPI still runs: on all ranks, in the order of their windows. A rank that fails here has
  // nobody to tell, and the others wait for it.
  static int free_all(MPI_Comm, int, void* attribute, void*) {
    std::unique_ptr<std::shared_ptr<mpi_windows>> const held(static_cast<std::shared_ptr<mpi_windows>*>(attribute));
    for (auto& old : (*held)->windows_) {
      if (free(old) != MPI_SUCCESS) {
        abort_job(MPI_COMM_WORLD, "memory shared on a node cannot be freed: MPI_Win_free failed");
      }
    }
    (*held)->windows_.clear();
    return MPI_SUCCESS;
  }

  std::vector<kept_window> windows_;
};

} // namespace glt::detail
