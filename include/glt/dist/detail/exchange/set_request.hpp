// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/core/detail/narrow.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/partition/book.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt::dist {

/// A set of vertices as it travels whole to each rank that is asked about some of them; reusable.
///
/// @shape  words() [P + N]: how many vertices each part owns, then the vertices by owner, numbered as their
///         owner does, those asked about marked
class set_request {
public:
  /// Asks about the vertices from place `first` on.
  ///
  /// @shape  set [N], distinct
  /// @throws precondition_error  if a vertex is not in [0, V), or there are 2³¹ of them or more
  /// @cost   O(N log P)
  template <memory_space Space, class Vertex>
    requires(host_accessible(Space))
  void fill(partition_book const& book, array_view<Space, Vertex const> set, std::int64_t first) {
    static_cast<void>(detail::narrow<local_id>(set.size(), "number of vertices of a set"));
    auto const parts = static_cast<std::size_t>(book.num_parts());
    auto const vertices = static_cast<std::size_t>(set.size());
    owner_.resize(vertices);
    counts_.assign(parts, 0);
    wanted_counts_.assign(parts, 0);
    for (std::size_t i = 0; i < vertices; ++i) {
      owner_[i] = book.owner(set[static_cast<std::int64_t>(i)]);
      ++counts_[static_cast<std::size_t>(owner_[i])];
      wanted_counts_[static_cast<std::size_t>(owner_[i])] += static_cast<std::int64_t>(i) >= first ? 1 : 0;
    }
    detail::prefix_sums(counts_, offsets_);
    detail::prefix_sums(wanted_counts_, wanted_offsets_);
    words_.resize(parts + vertices);
    places_.resize(vertices);
    wanted_places_.resize(static_cast<std::size_t>(wanted_offsets_.back()));
    for (std::size_t part = 0; part < parts; ++part) {
      words_[part] = static_cast<wire_row>(counts_[part]);
    }
    next_ = offsets_;
    next_wanted_ = wanted_offsets_;
    for (std::size_t i = 0; i < vertices; ++i) {
      auto const owner = static_cast<std::size_t>(owner_[i]);
      auto const place = static_cast<std::int64_t>(i);
      auto const row = static_cast<wire_row>(set[place] - book.begin(owner_[i]));
      auto const at = static_cast<std::size_t>(next_[owner]++);
      words_[parts + at] = place < first ? row : ~row;
      places_[at] = static_cast<local_id>(place);
      if (place >= first) {
        wanted_places_[static_cast<std::size_t>(next_wanted_[owner]++)] = place - first;
      }
    }
  }

  [[nodiscard]] std::span<wire_row const> words() const noexcept { return words_; }
  /// The place in the set of the vertex that travels as number `i`.
  [[nodiscard]] local_id place(local_id i) const noexcept { return places_[static_cast<std::size_t>(i)]; }
  /// Which of the vertices asked about a part owns, counted from `first`, in the order in which it answers.
  [[nodiscard]] std::span<std::int64_t const> wanted_places(std::size_t part) const {
    return std::span(wanted_places_)
        .subspan(static_cast<std::size_t>(wanted_offsets_[part]), static_cast<std::size_t>(wanted_counts_[part]));
  }

private:
  std::vector<int> owner_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> next_;
  std::vector<std::int64_t> wanted_counts_;
  std::vector<std::int64_t> wanted_offsets_;
  std::vector<std::int64_t> next_wanted_;
  std::vector<wire_row> words_;
  std::vector<local_id> places_;
  std::vector<std::int64_t> wanted_places_;
};

/// Calls f(vertex, asked about here) for every vertex of a set that arrived, in the order of its travel.
///
/// @shape  words [P + N] of a `set_request`
template <class F>
void read_set_request(std::span<wire_row const> words, partition_book const& book, int part, F f) {
  auto rows = words.subspan(static_cast<std::size_t>(book.num_parts()));
  for (int owner = 0; owner < book.num_parts(); ++owner) {
    auto const count = static_cast<std::size_t>(words[static_cast<std::size_t>(owner)]);
    for (auto const row : rows.first(count)) {
      f(book.begin(owner) + row_of(row), owner == part && is_marked(row));
    }
    rows = rows.subspan(count);
  }
}

} // namespace glt::dist
