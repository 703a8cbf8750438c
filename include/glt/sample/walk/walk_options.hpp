// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/options.hpp>

namespace glt {

/// Options of uniform random walks, with or without returns to the start.
struct walk_options {
  std::int64_t length = 0;                 ///< steps of a walk
  std::int64_t walks_per_start = 1;        ///< different walks from every start
  double restart = 0;                      ///< probability that a step is a return to the start
  detail::edge_id_choice edge_ids = false; ///< return the id of every edge that was taken, which the graph must have

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.length, self.walks_per_start, self.restart, self.edge_ids);
  }
};

/// Options of walks along a cycle of relations.
struct metapath_options {
  std::int64_t length = 0;                 ///< steps of a walk; after its last relation the path starts again
  std::int64_t walks_per_start = 1;        ///< different walks from every start
  detail::edge_id_choice edge_ids = false; ///< return the id of every edge that was taken, which the graph must have

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.length, self.walks_per_start, self.edge_ids);
  }
};

/// Options of walks that prefer, or avoid, the previous vertex.
struct node2vec_options {
  std::int64_t length = 0;                 ///< steps of a walk
  std::int64_t walks_per_start = 1;        ///< different walks from every start
  double p = 1;                            ///< return parameter: low values lead back to the previous vertex
  double q = 1;                            ///< in-out parameter: low values lead away from its neighbours
  detail::edge_id_choice edge_ids = false; ///< return the id of every edge that was taken, which the graph must have

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.length, self.walks_per_start, self.p, self.q, self.edge_ids);
  }
};

namespace detail {

inline void check_walk(std::int64_t length, std::int64_t walks_per_start) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (length < 1 || length > most) {
    throw precondition_error(message("walks of ", length, " steps; give a length from 1 to ", most));
  }
  if (walks_per_start < 1 || walks_per_start > most) {
    throw precondition_error(message(walks_per_start, " walks per start; give a number from 1 to ", most));
  }
}

inline void check_preference(std::string_view name, double value) {
  if (!(value > 0 && value <= std::numeric_limits<double>::max())) {
    throw precondition_error(message("node2vec with ", name, " = ", value, "; give a finite number above 0"));
  }
}

/// @throws precondition_error  if the length or the walks per start are not in [1, 2³¹), or restart is not in
///                             [0, 1)
inline void validate(walk_options const& options) {
  check_walk(options.length, options.walks_per_start);
  if (!(options.restart >= 0 && options.restart < 1)) {
    throw precondition_error(
        message("walks that restart with probability ", options.restart, "; give a number in [0, 1)"));
  }
}

/// @throws precondition_error  if the length or the walks per start are not in [1, 2³¹)
inline void validate(metapath_options const& options) {
  check_walk(options.length, options.walks_per_start);
}

/// @throws precondition_error  if the length or the walks per start are not in [1, 2³¹), p or q is not a finite
///                             number above 0, or one of 1, 1/p and 1/q is more than 2²⁰ times another
inline void validate(node2vec_options const& options) {
  check_walk(options.length, options.walks_per_start);
  check_preference("p", options.p);
  check_preference("q", options.q);
  auto const [least, most] = std::minmax({1.0, options.p, options.q});
  if (most / least > 0x1p20) {
    throw precondition_error(message("node2vec with p = ", options.p, " and q = ", options.q,
                                     "; give numbers that are at most 2^20 times 1 and each other"));
  }
}

} // namespace detail

} // namespace glt
