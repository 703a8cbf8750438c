// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Copies of in-edges of other parts that samplers of a graph draw from; null if there are none.
struct copied_edges {
  template <class Graph>
  [[nodiscard]] static auto of(Graph const& graph) noexcept -> decltype((graph.hot_edges_)) {
    return graph.hot_edges_;
  }
};

/// Lets policies of the host read the parts in `of.neighborhood()` in place, if there are any; else copies of edges.
template <device_policy Policy, class Reader, class Divided>
void read_neighborhood(Reader& reader, Divided const& of) {
  if constexpr (host_policy<Policy>) {
    if (!of.neighborhood().of_rank.empty()) {
      reader.read_in_place(of.neighborhood());
    } else if constexpr (requires { copied_edges::of(of); }) {
      if (copied_edges::of(of) != nullptr) {
        reader.read_in_place(copied_edges::of(of)->own);
      }
    }
  }
}

/// Set of the other parts whose rows this rank reads in place.
class shared_rows {
public:
  /// Makes an empty set, with a reason.
  explicit shared_rows(
      std::string reason =
          "the ranks share no memory: they are on several machines, or read by messages; see read_in_place")
      : reason_(std::move(reason)) {}

  /// Takes the parts that have views.
  ///
  /// @throws precondition_error  if there is not one entry per rank, or the local part has no view
  template <class View>
  shared_rows(node_views<View> const& views, int rank, int ranks)
      : reason_(views.reason), everywhere_(views.everywhere) {
    if (std::ssize(views.of_rank) != ranks || !views.of_rank[static_cast<std::size_t>(rank)]) {
      throw precondition_error(message("views of ", views.of_rank.size(), " ranks for ", ranks,
                                       " ranks; give one entry per rank, and the own rows among them"));
    }
    for (auto const& view : views.of_rank) {
      flags_.push_back(view && std::ssize(flags_) != rank ? 1 : 0);
    }
  }

  /// Adds copies as one more part, behind the last one.
  void add_copies() { flags_.push_back(1); }

  [[nodiscard]] bool any() const noexcept { return std::ranges::count(flags_, 1) > 0; }
  [[nodiscard]] bool has(std::size_t part) const noexcept { return part < flags_.size() && flags_[part] != 0; }
  /// Returns true if all ranks read all other parts in place, so that none asks another.
  [[nodiscard]] bool everywhere() const noexcept { return everywhere_; }
  /// @shape  [P], with copies [P + 1], or empty if no parts are shared
  [[nodiscard]] std::vector<char> const& flags() const noexcept { return flags_; }
  /// Returns the reason why some parts are not in the set; empty if all are.
  [[nodiscard]] std::string const& reason() const noexcept { return reason_; }

private:
  std::vector<char> flags_;
  std::string reason_;
  bool everywhere_ = false;
};

} // namespace glt::detail
