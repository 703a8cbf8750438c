// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/bucket_sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace glt::detail {

/// Divides lists of vertices into those whose rows this rank reads in place, its own and those in memory that ranks
/// share, by part, and the rest, which it asks for; reusable.
class shared_rows {
public:
  /// No part is shared: `divide` must not be called.
  shared_rows() = default;

  /// The parts of which there are views are shared.
  ///
  /// @throws precondition_error  if there is not one entry per rank, or the own part cannot be read in place
  template <class View>
  shared_rows(node_views<View> const& views, int rank, int ranks) : reason_(views.reason) {
    if (std::ssize(views.of_rank) != ranks || !views.of_rank[static_cast<std::size_t>(rank)]) {
      throw precondition_error(message("views of ", views.of_rank.size(), " ranks for rank ", rank, " of ", ranks,
                                       "; give one entry per rank, and the own rows among them"));
    }
    for (auto const& view : views.of_rank) {
      is_shared_.push_back(view ? 1 : 0);
    }
    if (std::ranges::count(is_shared_, 1) < 2) {
      is_shared_.clear();
    }
  }

  /// True if another part than the own one is shared.
  [[nodiscard]] bool any() const noexcept { return !is_shared_.empty(); }
  /// Why some parts are not shared; empty if all are.
  [[nodiscard]] std::string const& reason() const noexcept { return reason_; }

  /// Divides a list.
  ///
  /// @throws precondition_error  if a vertex is not in [0, book.num_vertices())
  /// @cost   O(S log P)
  template <class Vertex>
  void divide(partition_book const& book, host_view<Vertex const> vertices) {
    auto const rest = static_cast<int>(is_shared_.size());
    rows_.resize(static_cast<std::size_t>(vertices.size()));
    offsets_ = sort_.sort(
        vertices.size(), rest + 1,
        [&](std::int64_t i) {
          auto const part = book.owner(vertices[i]);
          return is_shared(static_cast<std::size_t>(part)) ? part : rest;
        },
        [&](std::int64_t at, std::int64_t i, int part) {
          auto const first = part < rest ? book.begin(part) : vertices[i];
          rows_[static_cast<std::size_t>(at)] = static_cast<local_id>(vertices[i] - first);
        });
    rest_.clear();
    for (auto const place : rest_places()) {
      rest_.push_back(vertices[place]);
    }
  }

  [[nodiscard]] std::size_t num_parts() const noexcept { return is_shared_.size(); }
  [[nodiscard]] bool is_shared(std::size_t part) const noexcept { return is_shared_[part] != 0; }
  /// Rows of a shared part, in list order, and their places; none if the part is not shared.
  [[nodiscard]] std::span<local_id const> rows_of(std::size_t part) const {
    return slice(std::span<local_id const>(rows_), part);
  }
  [[nodiscard]] std::span<std::int64_t const> places_of(std::size_t part) const {
    return slice(std::span<std::int64_t const>(sort_.places()), part);
  }
  /// All other vertices, in list order, and their places.
  [[nodiscard]] std::span<global_id const> rest() const noexcept { return rest_; }
  [[nodiscard]] std::span<std::int64_t const> rest_places() const noexcept {
    return slice(std::span<std::int64_t const>(sort_.places()), is_shared_.size());
  }

private:
  template <class T>
  [[nodiscard]] std::span<T const> slice(std::span<T const> all, std::size_t part) const {
    return offsets_.empty() ? all.first(0)
                            : all.subspan(static_cast<std::size_t>(offsets_[part]),
                                          static_cast<std::size_t>(offsets_[part + 1] - offsets_[part]));
  }

  std::vector<char> is_shared_; // [P], or empty if nothing is
  std::string reason_ = "no memory that ranks share was given; call read_in_place with it";
  bucket_sort<device::cpu> sort_;         // by shared part, the rest last
  std::span<std::int64_t const> offsets_; // [P + 2], of `sort_`
  std::vector<local_id> rows_;            // sorted; those of the rest mean nothing
  std::vector<global_id> rest_;
};

} // namespace glt::detail
