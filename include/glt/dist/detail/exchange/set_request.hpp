// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/owner_buckets.hpp>

namespace glt::detail {

/// Set of vertices that travels whole to each rank that gets a request about some of them; reusable.
///
/// @shape  words() [P + N]: the number of vertices of each part, then the vertices by owner, in their owners'
///         numbering; vertices without a request are flagged (the complement)
template <device_policy Policy>
class set_request {
  static constexpr memory_space space = Policy::space;

public:
  explicit set_request(Policy policy = {}) : policy_(policy), words_(0, policy), bounds_(policy) {}

  /// Requests the vertices from place `first` on.
  ///
  /// @shape  set [N], distinct
  /// @where  waits for the sizes
  /// @throws precondition_error  if a vertex is not in [0, V), or there are 2³¹ vertices or more
  /// @cost   O(N log P)
  template <class Vertex>
  void fill(partition_book const& book, array_view<space, Vertex const> set, std::int64_t first) {
    static_cast<void>(narrow<local_id>(set.size(), "number of vertices of a set"));
    if (!buckets_ || !(buckets_->book() == book)) {
      buckets_.emplace(book, policy_);
    }
    offsets_ = buckets_->sort(set, first);
    auto const parts = std::int64_t{book.num_parts()};
    std::vector<local_id> counts;
    for (std::size_t part = 0; part + 1 < offsets_.size(); ++part) {
      counts.push_back(static_cast<local_id>(offsets_[part + 1] - offsets_[part]));
    }
    words_.clear(); // nothing to keep
    words_.resize(parts + set.size());
    copy_in(policy_, host_view<local_id const>(counts), words_.view().subview(0, parts));
    if (!set.empty()) {
      policy_.resource().copy(words_.data() + parts, buckets_->rows().data(),
                              static_cast<std::size_t>(set.size()) * sizeof(local_id));
    }
    first_wanted_ = bounds_.find(places().data(), offsets_, std::span(&first, 1));
  }

  [[nodiscard]] array_view<space, local_id const> words() const noexcept { return words_.view(); }
  /// Returns the places in the set of the vertices, in their order in the message.
  ///
  /// @shape  [N]
  [[nodiscard]] array_view<space, std::int64_t const> places() const noexcept { return buckets_->places(); }
  /// Returns the places of the vertices requested from a part, in the order of its replies.
  [[nodiscard]] array_view<space, std::int64_t const> wanted_places(std::size_t part) const {
    return places().subview(first_wanted_[part], offsets_[part + 1] - first_wanted_[part]);
  }

private:
  Policy policy_;
  std::optional<owner_buckets<Policy>> buckets_; // of the book of the last set
  std::span<std::int64_t const> offsets_;        // [P + 1], of the buckets
  buffer<Policy, local_id> words_;
  slice_bounds<Policy> bounds_;
  std::span<std::int64_t const> first_wanted_; // [P], start of the requested vertices in a bucket
};

template <memory_space Space, class Vertex>
struct read_member {
  book_view<Space> book;
  book_view<Space> buckets; // of the set
  array_view<Space, local_id const> rows;
  array_view<Space, Vertex> members;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = rows[i] < 0 ? ~rows[i] : rows[i];
    members[i] = static_cast<Vertex>(book.begin(buckets.owner(i)) + row);
  }
};

template <memory_space Space>
struct is_asked_about {
  array_view<Space, local_id const> rows;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return rows[i] < 0 ? 0 : 1; }
};

struct added_up {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

/// Set that arrived at a part, and the requested vertices in it; reusable.
template <device_policy Policy, vertex_id Vertex>
class received_set {
  static constexpr memory_space space = Policy::space;

public:
  explicit received_set(Policy policy = {})
      : policy_(policy), begins_(0, policy), offsets_(0, policy), members_(0, policy) {}

  /// Reads the words of a `set_request` and returns their number; other words may follow. The words must stay until the
  /// next call.
  ///
  /// @shape  words [P + N] or more
  /// @where  waits for the sizes
  std::int64_t read(array_view<space, local_id const> words, partition_book const& book, int part) {
    auto const parts = std::int64_t{book.num_parts()};
    known_offsets_.assign(1, 0);
    for (auto const count : to_vector(policy_, words.subview(0, parts))) {
      known_offsets_.push_back(known_offsets_.back() + count);
    }
    auto const rows = words.subview(parts, known_offsets_.back());
    offsets_.resize(parts + 1);
    begins_.resize(parts + 1);
    copy_in(policy_, host_view<global_id const>(known_offsets_), offsets_.view());
    copy_in(policy_, host_view<global_id const>(book.offsets().data(), parts + 1), begins_.view());
    members_.clear();
    members_.resize(rows.size());
    auto const ex = policy_.executor();
    ex.for_each(rows.size(),
                read_member<space, Vertex>{book_view<space>(std::as_const(begins_).view()),
                                           book_view<space>(std::as_const(offsets_).view()), rows, members_.view()});
    auto const first = known_offsets_[static_cast<std::size_t>(part)];
    auto const own = rows.subview(first, known_offsets_[static_cast<std::size_t>(part) + 1] - first);
    auto const count = ex.reduce(own.size(), std::int64_t{0}, is_asked_about<space>{own}, added_up{});
    wanted_ = own.subview(own.size() - count, count); // places ascend in a bucket
    return parts + rows.size();
  }

  /// Returns all vertices, in their order in the message.
  [[nodiscard]] array_view<space, Vertex const> members() const noexcept { return members_.view(); }
  /// Returns the requested rows of this part.
  [[nodiscard]] array_view<space, local_id const> wanted() const noexcept { return wanted_; }

private:
  Policy policy_;
  buffer<Policy, global_id> begins_;  // [P + 1] of the parts
  buffer<Policy, global_id> offsets_; // [P + 1] of the buckets
  std::vector<global_id> known_offsets_;
  buffer<Policy, Vertex> members_;
  array_view<space, local_id const> wanted_;
};

} // namespace glt::detail
