// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/checks.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/detail/turn.hpp>
#include <glt/mpi/detail/windows.hpp>
#include <glt/mpi/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace glt {

/// How an `mpi_node` shares.
struct mpi_node_options {
  /// Largest block that this rank shares; with a larger one, the ranks of its machine share nothing.
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
  /// Where MPI keeps its windows, as far as the library knows; a window larger than what is free there is not
  /// tried, since MPI libraries have been seen to wait for ever then.
  std::filesystem::path window_folder = "/dev/shm";
};

/// Node memory of ranks that are MPI processes: shared-memory windows of the ranks of a machine.
///
/// A handle. A block may be let go of at any time; its memory is given back by the next `share` or `reclaim` after
/// all ranks of the machine have let go, or by MPI_Finalize. Blocks must not be read after that.
///
/// Concurrent calls: none on one object; blocks are read by all ranks at once.
class mpi_node {
public:
  /// Finds out which ranks are on this machine.
  ///
  /// @comm   collective; one header exchange and two exchanges on the machine
  /// @throws collective_error  on every rank, if a rank is at another call
  /// @throws mpi_error  if MPI reports a failure
  explicit mpi_node(mpi_comm comm, mpi_node_options options = {})
      : comm_(std::move(comm)), options_(std::move(options)), windows_(detail::mpi_windows::make()) {
    agree({});
    comm_.without_start("mpi_node", [&] {
      MPI_Comm node = MPI_COMM_NULL;
      detail::check_mpi(
          MPI_Comm_split_type(comm_.native(), MPI_COMM_TYPE_SHARED, comm_.rank(), MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
      node_ = std::make_shared<detail::mpi_handle const>(node, comm_.options().block_bytes, comm_.family());
      ranks_.resize(static_cast<std::size_t>(node_->size()));
      int const own = comm_.rank();
      detail::check_mpi(MPI_Allgather(&own, 1, MPI_INT, ranks_.data(), 1, MPI_INT, node), "MPI_Allgather");
    });
  }

  [[nodiscard]] int rank() const noexcept { return comm_.rank(); }
  [[nodiscard]] int size() const noexcept { return comm_.size(); }
  /// The ranks of this machine, in ascending order.
  [[nodiscard]] std::span<int const> neighbors() const noexcept { return ranks_; }

  /// See `node_memory`.
  ///
  /// @comm   collective; besides making the window two header exchanges and a few exchanges on the machine
  /// @throws collective_error  on every rank, if bytes is negative or `fill` throws on one
  /// @throws mpi_error  if MPI reports a failure of anything but making a window
  template <class Fill>
  [[nodiscard]] node_blocks share(std::int64_t bytes, Fill fill) {
    agree(detail::failure_of([&] { detail::check_bytes("share", bytes); }));
    node_blocks made;
    MPI_Win window = MPI_WIN_NULL;
    comm_.without_start("share", [&] {
      windows_->reclaim(node_->comm());
      made.reason = ranks_.size() > 1 ? share_memory(bytes, made, window) : std::string();
    });
    auto const failure = detail::failure_of([&] {
      if (window == MPI_WIN_NULL) {
        keep_private(bytes, made);
      }
      fill(made.own);
    });
    synchronize(window);
    agree(failure); // no rank gets past this before all have written
    synchronize(window);
    if (made.reason.empty() && comm_.size() > node_->size()) {
      made.reason =
          detail::message(comm_.size() - node_->size(), " of ", comm_.size(), " ranks are on other machines");
    }
    return made;
  }

  /// Gives back the memory of the blocks that all ranks of the machine have let go of.
  ///
  /// @comm   collective; one header exchange and one exchange on the machine
  void reclaim() {
    agree({});
    comm_.without_start("reclaim", [&] { windows_->reclaim(node_->comm()); });
  }

  /// Windows that hold memory.
  [[nodiscard]] std::size_t num_windows() const noexcept { return windows_->size(); }

private:
  static constexpr std::int64_t page_bytes = std::int64_t{1}
                                             << 16; // MPI rounds blocks up, and adds some of its own

  // Makes a window and says why not, on all ranks of the machine alike.
  [[nodiscard]] std::string share_memory(std::int64_t bytes, node_blocks& made, MPI_Win& window) {
    if (auto const refusal = first_of(refusal_of(bytes)); !refusal.empty()) {
      return refusal;
    }
    std::string failure;
    detail::mpi_windows::window shared;
    made.of_rank.resize(static_cast<std::size_t>(comm_.size()));
    try {
      shared = windows_->allocate(node_->comm(), bytes);
    } catch (mpi_error const& thrown) {
      if (!says_no_shared_memory(thrown)) {
        throw; // the others may wait in a call of MPI
      }
      failure = thrown.what();
    }
    if (auto const refusal = first_of(failure); !refusal.empty()) {
      return refusal;
    }
    windows_->keep(shared);
    window = shared.native;
    made.own = shared.own;
    made.keeper = std::move(shared.keeper);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      made.of_rank[static_cast<std::size_t>(ranks_[i])] = shared.of_rank[i];
    }
    return {};
  }

  // MPI refuses a window on all ranks alike, for want of memory or of the means to share it.
  [[nodiscard]] static bool says_no_shared_memory(mpi_error const& failure) noexcept {
    int kind = MPI_ERR_OTHER;
    MPI_Error_class(failure.code(), &kind);
    return kind == MPI_ERR_RMA_SHARED || kind == MPI_ERR_NO_MEM;
  }

  // Why this rank cannot share a block of that size; empty if it may try.
  [[nodiscard]] std::string refusal_of(std::int64_t bytes) const {
    auto const limit =
        std::numeric_limits<std::int64_t>::max() / node_->size() - page_bytes; // keeps the sum in range
    auto wanted = std::min(bytes, limit) + page_bytes;
    detail::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &wanted, 1, MPI_INT64_T, MPI_SUM, node_->comm()),
                      "MPI_Allreduce");
    if (bytes > std::min(limit, options_.max_bytes)) {
      return detail::message("a block of ", bytes, " bytes is more than the ",
                             std::min(limit, options_.max_bytes), " that it may share");
    }
    std::error_code unknown;
    auto const free = std::filesystem::space(options_.window_folder, unknown).available;
    if (!unknown && static_cast<std::uintmax_t>(wanted) > free) {
      return detail::message("the blocks of its machine need ", wanted, " bytes, but ",
                             options_.window_folder.string(), " has ", free, " free");
    }
    return {};
  }

  // The text of the lowest rank of this machine that has one, with its number.
  [[nodiscard]] std::string first_of(std::string const& own) const {
    int const has_one = own.empty() ? 0 : 1;
    std::vector<int> all(ranks_.size());
    detail::check_mpi(MPI_Allgather(&has_one, 1, MPI_INT, all.data(), 1, MPI_INT, node_->comm()),
                      "MPI_Allgather");
    auto const first = static_cast<int>(std::ranges::find(all, 1) - all.begin());
    if (first == node_->size()) {
      return {};
    }
    std::array<char, detail::cause_bytes> text{};
    std::copy_n(own.begin(), std::min(own.size(), text.size() - 1), text.begin());
    detail::check_mpi(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, node_->comm()),
                      "MPI_Bcast");
    return detail::message("rank ", ranks_[static_cast<std::size_t>(first)],
                           " cannot share memory: ", text.data());
  }

  void keep_private(std::int64_t bytes, node_blocks& made) const {
    auto const block = detail::make_node_block(bytes);
    made.own = {block.get(), static_cast<std::size_t>(bytes)};
    made.of_rank.resize(static_cast<std::size_t>(comm_.size()));
    made.of_rank[static_cast<std::size_t>(comm_.rank())] = made.own;
    made.keeper = block;
  }

  void agree(std::string const& failure) {
    detail::exchange_values(comm_, {.what = detail::operation::share}, failure);
  }

  static void synchronize(MPI_Win window) {
    if (window != MPI_WIN_NULL) {
      detail::mpi_turn const turn;
      detail::check_mpi(MPI_Win_sync(window), "MPI_Win_sync");
    }
  }

  mpi_comm comm_;
  mpi_node_options options_;
  std::shared_ptr<detail::mpi_handle const> node_;
  std::vector<int> ranks_; // of this machine
  std::shared_ptr<detail::mpi_windows> windows_;
};

static_assert(node_memory<mpi_node>);

} // namespace glt
