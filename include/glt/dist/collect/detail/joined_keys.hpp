// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/bulk_list.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/collect/detail/row_targets.hpp>
#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/memory/memory.hpp>

#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// Keys of several lists, joined: the seeds of all lists, then the other keys of all lists. A single list is not
/// copied. Reusable; the memory is kept.
template <device_policy Policy>
class joined_keys {
  static constexpr memory_space space = Policy::space;
  using index_policy = typename row_sources<Policy>::index_policy;

public:
  joined_keys(Policy policy, index_policy const& index)
      : policy_(std::move(policy)), vertices_(0, index), edges_(0, index), bounds_(index) {}

  /// Joins lists; the result is valid until the next call.
  ///
  /// @where  enqueues only
  template <class Vertex, class Rows>
  row_keys<space, Vertex> join(std::span<dist::bulk_list<Policy, Vertex, Rows> const> lists) {
    num_seeds_ = 0;
    for (auto const& list : lists) {
      num_seeds_ += list.num_seeds;
    }
    num_lists_ = lists.size();
    if (num_lists_ == 1) {
      return {lists[0].vertices, lists[0].edges};
    }
    find_runs(lists);
    auto const vertices = joined(lists, vertices_, [](auto const& list) { return list.vertices; });
    return {vertices, joined(lists, edges_, [](auto const& list) { return list.edges; })};
  }
  /// Returns the number of seeds of all lists together.
  [[nodiscard]] std::int64_t num_seeds() const noexcept { return num_seeds_; }

  /// Finds the rows of each list, after the keys have been sorted by source.
  ///
  /// @where  waits for the result if there are several lists
  void find(row_sources<Policy> const& sources) {
    if (num_lists_ != 1) {
      runs_ = {sources.list(0).places, lists_, first_places_,
               bounds_.find(sources.list(0).places, sources.offsets(), begins_)};
    }
  }

  /// Returns the targets of the rows.
  ///
  /// @shape  targets [lists, tensors]
  [[nodiscard]] row_targets targets(std::span<row_target const> targets) const {
    return num_lists_ == 1 ? row_targets(targets)
                           : row_targets(targets, num_lists_ == 0 ? 0 : targets.size() / num_lists_, runs_);
  }

private:
  template <class Lists>
  void find_runs(Lists lists) {
    begins_.assign(1, 0);
    lists_.clear();
    first_places_.clear();
    for (bool const seeds : {true, false}) {
      for (std::size_t i = 0; i < lists.size(); ++i) {
        auto const begin = begins_.back();
        lists_.push_back(static_cast<std::int64_t>(i));
        first_places_.push_back(seeds ? begin : begin - lists[i].num_seeds);
        begins_.push_back(begin + (seeds ? lists[i].num_seeds : lists[i].vertices.size() - lists[i].num_seeds));
      }
    }
  }

  template <class Lists, class KeysOf>
  auto joined(Lists lists, buffer<index_policy, std::byte>& memory, KeysOf keys_of) {
    using keys_type = decltype(keys_of(lists[0]));
    using key = typename keys_type::value_type;
    constexpr auto key_bytes = static_cast<std::int64_t>(sizeof(key));
    std::int64_t size = 0;
    for (auto const& list : lists) {
      size += keys_of(list).size();
    }
    memory.clear();
    memory.resize(size * key_bytes);
    auto const copy = [&](std::size_t run, keys_type keys) {
      if (keys.size() > 0) {
        policy_.resource().copy(memory.data() + begins_[run] * key_bytes, keys.data(),
                                static_cast<std::size_t>(keys.size() * key_bytes));
      }
    };
    for (std::size_t i = 0; size > 0 && i < lists.size(); ++i) {
      auto const keys = keys_of(lists[i]);
      auto const seeds = lists[i].num_seeds;
      copy(i, keys.subview(0, seeds));
      copy(lists.size() + i, keys.subview(seeds, keys.size() - seeds));
    }
    return keys_type(reinterpret_cast<key const*>(memory.data()), size);
  }

  Policy policy_;
  buffer<index_policy, std::byte> vertices_;
  buffer<index_policy, std::byte> edges_;
  std::size_t num_lists_ = 1;
  std::int64_t num_seeds_ = 0;
  std::vector<std::int64_t> begins_;       // [runs + 1], among the joined keys
  std::vector<std::int64_t> lists_;        // [runs]
  std::vector<std::int64_t> first_places_; // [runs]: the place at which row 0 of the list would be
  slice_bounds<index_policy> bounds_;
  place_runs runs_;
};

} // namespace glt::detail
