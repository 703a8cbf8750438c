// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include <cstddef>
#include <cstdint>

namespace glt::detail {

/// An edge as it travels to the owner of its destination: without gaps.
template <vertex_id Vertex>
class wire_edge {
public:
  wire_edge() = default;
  GLT_HOST_DEVICE wire_edge(local_id row, Vertex source) noexcept {
    copy_bytes(bytes_, &row, sizeof(row));
    copy_bytes(bytes_ + sizeof(row), &source, sizeof(source));
  }

  /// The number of the destination in its part.
  [[nodiscard]] GLT_HOST_DEVICE local_id row() const noexcept { return at<local_id>(0); }
  [[nodiscard]] GLT_HOST_DEVICE Vertex source() const noexcept { return at<Vertex>(sizeof(local_id)); }

private:
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T at(std::size_t offset) const noexcept {
    T value;
    copy_bytes(&value, bytes_ + offset, sizeof(T));
    return value;
  }

  std::byte bytes_[sizeof(local_id) + sizeof(Vertex)];
};

/// The edges of a list of sources, routed by their destinations.
template <memory_space Space, class Vertex>
struct make_wire_edge {
  array_view<Space, Vertex const> sources;
  GLT_HOST_DEVICE wire_edge<Vertex> operator()(std::int64_t i, local_id row) const { return {row, sources[i]}; }
};

} // namespace glt::detail
