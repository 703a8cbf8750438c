// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {
struct member_access;
} // namespace detail

/// Random walks, one a row; walks of one start follow each other, and starts keep their order.
///
/// A walk ends at a vertex without neighbours: the rest of its row is −1.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  vertices() [W, length + 1], the start first · edge_ids() [W, length], −1 if a step took no edge, or
///         [0, length] without edge ids
template <device_policy Policy, vertex_id Vertex = local_id>
class walks {
public:
  static constexpr memory_space space = Policy::space;

  walks() = default;
  explicit walks(Policy policy) : vertices_(0, policy), edge_ids_(0, std::move(policy)) {}

  [[nodiscard]] std::int64_t num_walks() const noexcept { return num_walks_; }
  [[nodiscard]] std::int64_t length() const noexcept { return length_; }

  [[nodiscard]] matrix_view<space, Vertex const> vertices() const noexcept {
    return {vertices_.data(), num_walks_, length_ + 1};
  }
  [[nodiscard]] matrix_view<space, edge_id const> edge_ids() const noexcept {
    return {edge_ids_.data(), edge_ids_.empty() ? 0 : num_walks_, length_};
  }
  [[nodiscard]] matrix_view<space, Vertex> vertices() noexcept { return {vertices_.data(), num_walks_, length_ + 1}; }
  [[nodiscard]] matrix_view<space, edge_id> edge_ids() noexcept {
    return {edge_ids_.data(), edge_ids_.empty() ? 0 : num_walks_, length_};
  }

  /// Makes room for walks; memory comes from `policy`.
  ///
  /// @throws precondition_error  as below
  void resize(Policy const& policy, std::int64_t num_starts, std::int64_t walks_per_start, std::int64_t length,
              bool edge_ids) {
    detail::adopt_policy(policy, vertices_, edge_ids_);
    resize(num_starts, walks_per_start, length, edge_ids);
  }

  /// Makes room for walks, whose content is undefined. Memory is reused.
  ///
  /// @throws precondition_error  if the walks have more vertices than 64 bits can count
  void resize(std::int64_t num_starts, std::int64_t walks_per_start, std::int64_t length, bool edge_ids) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (num_starts > 0 && walks_per_start > most / (length + 1) / num_starts) {
      throw precondition_error(detail::message(walks_per_start, " walks of ", length, " steps from each of ",
                                               num_starts, " starts; that is more vertices than memory can hold"));
    }
    auto const num_walks = num_starts * walks_per_start;
    vertices_.resize(num_walks * (length + 1));
    edge_ids_.resize(edge_ids ? num_walks * length : 0);
    num_walks_ = num_walks;
    length_ = length;
  }

private:
  friend struct detail::member_access;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.num_walks_, self.length_, self.vertices_, self.edge_ids_);
  }

  std::int64_t num_walks_ = 0;
  std::int64_t length_ = 0;
  buffer<Policy, Vertex> vertices_;
  buffer<Policy, edge_id> edge_ids_;
};

} // namespace glt
