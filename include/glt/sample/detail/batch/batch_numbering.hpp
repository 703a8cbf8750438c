// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/bounded_size.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/numbering.hpp>
#include <glt/sample/detail/batch/parallel_numbering.hpp>
#include <glt/sample/detail/batch/position_table.hpp>

#include <limits>
#include <type_traits>

namespace glt::detail {

/// Functor that returns the position of a numbered vertex, `numbering.position_of(vertex)`.
template <class Numbering>
struct position_in {
  Numbering const* numbering;
  template <class Vertex>
  std::int64_t operator()(Vertex vertex) const noexcept {
    return numbering->position_of(vertex);
  }
};

/// Counterpart of `parallel_numbering` for one host thread; keys are vertices or vertices of trees.
template <device_policy Policy, vertex_id Vertex>
class host_numbering {
  static constexpr memory_space space = Policy::space;

public:
  explicit host_numbering(Policy const& = {}) {}

  /// @param num_vertices  all vertices are below it; 0 if unknown
  void clear(std::int64_t = 0, std::int64_t = 0, std::int64_t num_vertices = 0) {
    vertices_.clear(num_vertices);
    trees_.clear();
  }
  void enter(array_view<space, Vertex const> vertices) {
    clear();
    vertices_.number_all(
        vertices.size(), [vertices](std::int64_t i) { return vertices[i]; }, [](std::int64_t, local_id, local_id) {});
  }
  [[nodiscard]] std::int64_t bound() const noexcept { return std::int64_t{vertices_.size()} + trees_.size(); }
  [[nodiscard]] std::int64_t bound_after(std::int64_t count) const noexcept { return bound() + count; }
  void tighten(std::int64_t) noexcept {}

  /// @pre    the batch has no trees; not checked
  [[nodiscard]] auto look_up(array_view<space, Vertex const>) const noexcept {
    return position_in<first_seen_numbering<Vertex>>{&vertices_};
  }

  template <occurrences Occurrences>
  void number_all(bounded_size<space> count, array_view<space, std::int64_t const>,
                  array_view<space, std::int64_t> after, Occurrences const& of) {
    auto const number_in = [&](auto& numbering) {
      numbering.number_all(
          count(), [of](std::int64_t e) { return of.key(e); },
          [of](std::int64_t e, local_id number, local_id next) {
            of.set(e, number);
            of.add(e, next); // kept if it was new
          });
      after[0] = numbering.size();
    };
    if constexpr (std::is_same_v<decltype(of.key(0)), Vertex>) {
      number_in(vertices_);
    } else {
      number_in(trees_);
    }
  }

private:
  first_seen_numbering<Vertex> vertices_;
  first_seen_numbering<tree_vertex<Vertex>> trees_;
};

/// Numbering of the vertices of a batch in first-seen order. Hosts use a table for one thread, which is several times
/// faster.
template <device_policy Policy, vertex_id Vertex>
using batch_numbering =
    std::conditional_t<host_policy<Policy>, host_numbering<Policy, Vertex>, parallel_numbering<Policy>>;

} // namespace glt::detail
