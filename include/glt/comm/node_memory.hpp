// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt {

/// Views of the memory of every rank, this one included, that a rank reads in place: shared memory or mapped files.
///
/// @shape  of_rank [R]
template <class View>
struct node_views {
  std::vector<std::optional<View>> of_rank; ///< nothing where messages are needed
  std::string reason;                       ///< why some ranks are not read in place; empty if all are
  std::shared_ptr<void const> keeper;       ///< owner of the memory: views are valid while it lives
  bool everywhere = false;                  ///< all ranks read all ranks in place and know it: none asks another

  /// Data of this rank, inside the shared memory, and views of the data of all ranks, as `dist::share` returns them.
  template <class Own>
  struct shared {
    Own own;
    node_views neighborhood;
  };
};

/// Blocks of bytes that ranks contributed, as one rank sees them; 64-byte aligned.
struct node_blocks : node_views<std::span<std::byte const>> {
  std::span<std::byte> own; ///< this rank's block, which the others see too
};

/// Memory that the ranks of one machine share.
///
/// Models: `threads_node` (ranks that are threads, or a single one), `mpi_node`.
///
/// - `m.rank()`, `m.size()`: as the communicator that it was made with
/// - `m.share(bytes, fill)`: makes a block of `bytes` bytes on every rank, lets `fill(std::span<std::byte>)` write it,
///   and returns the blocks when all are written. Collective. If the ranks of a machine cannot share memory, each of
///   them gets only its local block, in ordinary memory, and `reason` says why. If a size is negative or `fill` throws
///   on a rank, all ranks throw the same `collective_error`.
template <class M>
concept node_memory =
    std::copyable<M> && requires(M& m, M const& view, std::int64_t bytes, void (*fill)(std::span<std::byte>)) {
      { view.rank() } -> std::same_as<int>;
      { view.size() } -> std::same_as<int>;
      { m.share(bytes, fill) } -> std::same_as<node_blocks>;
    };

namespace detail {

/// Communicator whose ranks find the memory of their machine: `node_memory_of(comm)`, declared beside the type of the
/// memory, returns it.
///
/// Models: `threads_comm`, `mpi_comm`, and communicators derived from them.
template <class Comm>
concept finds_node_memory = requires(Comm& comm) {
  { node_memory_of(comm) } -> node_memory;
};

/// Lets views keep more memory.
template <class View>
void keep_also(node_views<View>& views, std::shared_ptr<void const> more) {
  using both = std::pair<std::shared_ptr<void const>, std::shared_ptr<void const>>;
  views.keeper = std::make_shared<both const>(std::move(views.keeper), std::move(more));
}

inline constexpr std::align_val_t node_block_alignment{64};

/// Allocates a block of ordinary memory.
[[nodiscard]] inline std::shared_ptr<std::byte> make_node_block(std::int64_t bytes) {
  auto* const data = static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), node_block_alignment));
  return {data, [](std::byte* block) { ::operator delete(block, node_block_alignment); }};
}

} // namespace detail

} // namespace glt
