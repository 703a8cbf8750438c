// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::io::detail {

/// The hottest of the offered vertices, at most `most`; of two equally hot ones the lower id wins.
///
/// @where  16 bytes a vertex that is kept
class hottest_so_far {
public:
  explicit hottest_so_far(std::int64_t most) : most_(most) { kept_.reserve(static_cast<std::size_t>(most)); }

  void offer(global_id vertex, double heat) {
    entry const offered{heat, vertex};
    if (std::ssize(kept_) < most_) {
      kept_.push_back(offered);
    } else if (most_ > 0 && hotter(offered, kept_.front())) {
      std::ranges::pop_heap(kept_, hotter);
      kept_.back() = offered;
    } else {
      return;
    }
    std::ranges::push_heap(kept_, hotter);
  }

  /// Returns the vertices, the hottest first.
  [[nodiscard]] std::vector<global_id> take() && {
    std::ranges::sort_heap(kept_, hotter);
    std::vector<global_id> vertices;
    vertices.reserve(kept_.size());
    for (auto const& [heat, vertex] : kept_) {
      vertices.push_back(vertex);
    }
    return vertices;
  }

private:
  struct entry {
    double heat;
    global_id vertex;
  };
  static bool hotter(entry const& a, entry const& b) {
    return a.heat != b.heat ? a.heat > b.heat : a.vertex < b.vertex;
  }

  std::int64_t most_;
  std::vector<entry> kept_{}; // a heap, the coldest first
};

} // namespace glt::io::detail
