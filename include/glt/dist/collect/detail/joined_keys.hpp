// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/detail/row_lists.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/feature/detail/id_table.hpp>

namespace glt::detail {

/// Keys of several lists, joined: the seeds of all lists, then the other keys of all lists. A single list is not
/// copied. On hosts, a key of a remote row is kept once; the rows of its repetitions are copied from its row. Reusable;
/// the memory is kept.
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
  /// @cost   one copy of the keys and, on hosts, a look-up for each of a remote row; nothing for a single list
  template <class Vertex, class Rows>
  row_keys<space, Vertex> join(std::span<bulk_list<Policy, Vertex, Rows> const> lists,
                               row_sources<Policy> const& sources) {
    num_seeds_ = 0;
    for (auto const& list : lists) {
      num_seeds_ += list.num_seeds;
    }
    num_lists_ = lists.size();
    kept_.clear();
    repeated_.clear();
    if (num_lists_ == 1) {
      return {lists[0].vertices, lists[0].edges};
    }
    find_runs(lists);
    auto const vertices = joined(lists, vertices_, [](auto const& list) { return list.vertices; });
    row_keys<space, Vertex> const keys{vertices, joined(lists, edges_, [](auto const& list) { return list.edges; })};
    if constexpr (host_policy<Policy>) {
      if (sources.any_remote()) {
        return keep_first(keys, sources);
      }
    }
    return keys;
  }
  /// Returns the number of kept seeds of all lists together.
  [[nodiscard]] std::int64_t num_seeds() const noexcept { return num_seeds_; }
  /// Returns the places of the kept keys among all joined keys; empty if all are kept.
  [[nodiscard]] std::span<std::int64_t const> kept() const noexcept { return kept_; }
  [[nodiscard]] std::int64_t num_repeated() const noexcept { return std::ssize(repeated_); }

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

  /// Copies the rows of repeated keys, after all others have arrived.
  ///
  /// @shape  targets [lists, tensors], as of `targets()` · plan [tensors], or fewer
  void copy_repeated(std::span<row_target const> targets, std::vector<planned_tensor<space>> const& plan) const {
    if constexpr (host_policy<Policy>) {
      auto const of_list = num_lists_ == 0 ? 0 : targets.size() / num_lists_; // targets of a list
      policy_.executor().for_each(std::ssize(repeated_), [&](std::int64_t i) {
        auto const& [place, first] = repeated_[static_cast<std::size_t>(i)];
        auto const to = row_of(place);
        auto const from = row_of(first);
        for (std::size_t t = 0; t < plan.size(); ++t) {
          if (to.is_seed || !plan[t].seeds_only) {
            auto const& target = targets[to.list * of_list + t];
            auto const bytes = plan[t].local.num_columns * size_of(target.type);
            copy_bytes(target.data + to.row * bytes, targets[from.list * of_list + t].data + from.row * bytes, bytes);
          }
        }
      });
    }
  }

private:
  // A key, and the first one that is equal; places among all joined keys.
  struct repetition {
    std::int64_t place;
    std::int64_t first;
  };
  struct row_of_list {
    std::size_t list;
    std::int64_t row;
    bool is_seed;
  };

  [[nodiscard]] row_of_list row_of(std::int64_t place) const {
    auto const run = static_cast<std::size_t>(std::ranges::upper_bound(begins_, place) - begins_.begin() - 1);
    return {static_cast<std::size_t>(lists_[run]), place - first_places_[run], run < num_lists_};
  }

  // Moves the keys that are kept to the front. Seeds come first, so a key that is a seed in some list is kept as one.
  template <class Vertex>
  row_keys<space, Vertex> keep_first(row_keys<space, Vertex> keys, row_sources<Policy> const& sources) {
    auto* const vertices = reinterpret_cast<Vertex*>(vertices_.data());
    auto* const edges = reinterpret_cast<edge_id*>(edges_.data());
    bool const by_edge = keys.edges.size() > 0;
    auto const size = keys.vertices.size();
    ids_.resize(static_cast<std::size_t>(size));
    slots_.assign(static_cast<std::size_t>(num_id_slots(size)), id_slot{});
    id_table_view<memory_space::host> const found{host_view<std::int64_t const>(ids_),
                                                  host_view<id_slot const>(slots_)};
    auto const all_seeds = std::exchange(num_seeds_, 0);
    for (std::int64_t i = 0; i < size; ++i) {
      if (sources.is_remote(vertices[i])) {
        auto const id = by_edge ? std::int64_t{edges[i]} : static_cast<std::int64_t>(vertices[i]);
        ids_[static_cast<std::size_t>(i)] = id;
        auto& slot = slots_[static_cast<std::size_t>(found.place_of(id))];
        if (slot.position >= 0) {
          repeated_.push_back({i, std::int64_t{slot.position}});
          continue;
        }
        slot = {static_cast<std::uint32_t>(id), static_cast<std::int32_t>(i)};
      }
      auto const to = std::ssize(kept_);
      vertices[to] = vertices[i];
      if (by_edge) {
        edges[to] = edges[i];
      }
      num_seeds_ += i < all_seeds ? 1 : 0;
      kept_.push_back(i);
    }
    return {keys.vertices.subview(0, std::ssize(kept_)), keys.edges.subview(0, by_edge ? std::ssize(kept_) : 0)};
  }

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
  std::vector<std::int64_t> kept_;
  std::vector<repetition> repeated_;
  std::vector<std::int64_t> ids_; // [keys], of the keys of remote rows; in the table of `slots_`
  std::vector<id_slot> slots_;
};

} // namespace glt::detail
