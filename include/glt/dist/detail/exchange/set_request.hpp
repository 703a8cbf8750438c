// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/narrow.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/owner_buckets.hpp>

#include <algorithm>
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
    static_cast<void>(narrow<local_id>(set.size(), "number of vertices of a set"));
    offsets_ = buckets_.sort(book, host_view<Vertex const>(set.data(), set.size()),
                             {.first = first, .last = set.size()});
    words_.clear();
    for (std::size_t part = 0; part + 1 < offsets_.size(); ++part) {
      words_.push_back(static_cast<wire_row>(offsets_[part + 1] - offsets_[part]));
    }
    words_.insert(words_.end(), buckets_.rows().begin(), buckets_.rows().end());
    places_.clear();
    for (auto const place : buckets_.places()) {
      places_.push_back(place - first);
    }
  }

  [[nodiscard]] std::span<wire_row const> words() const noexcept { return words_; }
  /// The place in the set of the vertex that travels as number `i`.
  [[nodiscard]] local_id place(local_id i) const noexcept {
    return static_cast<local_id>(buckets_.places()[i]);
  }
  /// Which of the vertices asked about a part owns, counted from `first`, in the order in which it replies: places
  /// ascend, so they end those of the part.
  [[nodiscard]] std::span<std::int64_t const> wanted_places(std::size_t part) const {
    auto const end = places_.begin() + offsets_[part + 1];
    return {std::lower_bound(places_.begin() + offsets_[part], end, 0), end};
  }

private:
  glt::detail::owner_buckets<device::cpu> buckets_;
  std::span<std::int64_t const> offsets_; // [P + 1], of `buckets_`
  std::vector<std::int64_t> places_;      // counted from the first vertex asked about
  std::vector<wire_row> words_;
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
