// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/detail/row_lists.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/sample/detail/batch/batch_numbering.hpp>

namespace glt::detail {

// Joined keys as occurrences of `batch_numbering`, in one round; the first of equal keys are kept, in their order.
template <memory_space Space, class Vertex>
struct key_occurrences {
  row_keys<Space, Vertex> keys;
  std::int64_t const* ids; // by which keys are equal
  local_id* numbers;       // written, by key
  std::int64_t* kept;      // written, as the following, by number
  Vertex* vertices;
  edge_id* edges;

  GLT_HOST_DEVICE std::int64_t key(std::int64_t i) const { return ids[i]; }
  GLT_HOST_DEVICE std::int64_t known(std::int64_t number) const { return ids[kept[number]]; }
  GLT_HOST_DEVICE void set(std::int64_t i, local_id number) const { numbers[i] = number; }
  GLT_HOST_DEVICE void add(std::int64_t i, local_id number) const {
    kept[number] = i;
    vertices[number] = keys.vertices[i];
    if (!keys.edges.empty()) {
      edges[number] = keys.edges[i];
    }
  }
};

// Functor that returns the place of the first of the keys that are equal to a key.
struct place_of_first {
  std::int64_t const* kept;
  local_id const* numbers;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t place) const { return kept[numbers[place]]; }
};

struct is_repeated {
  place_of_first first;
  GLT_HOST_DEVICE bool operator()(std::int64_t place) const { return first(place) != place; }
};

// Address of the row of a repeated key, or of the first key that is equal, in a tensor that every list has.
template <class Byte, bool OfFirst>
struct repeated_rows {
  std::int64_t const* repeated;
  place_of_first first;
  std::int64_t const* begins; // [runs]
  std::int64_t const* bases;  // [runs], address at which row 0 would be if the joined keys had one tensor
  std::int64_t num_runs;
  std::int64_t row_bytes;

  [[nodiscard]] GLT_HOST_DEVICE Byte* operator()(std::int64_t i) const {
    auto const place = OfFirst ? first(repeated[i]) : repeated[i];
    auto const run = slice_holding(num_runs, place, [this](std::int64_t r) { return begins[r]; });
    return reinterpret_cast<Byte*>(static_cast<std::uintptr_t>(bases[run] + place * row_bytes));
  }
};

/// Keys of several lists, joined: the seeds of all lists, then the other keys of all lists. A single list is not
/// copied. A key of a remote row is kept once; the rows of its repetitions are copied from its row. Reusable; the
/// memory is kept.
template <device_policy Policy>
class joined_keys {
  static constexpr memory_space space = Policy::space;
  using index_policy = typename row_sources<Policy>::index_policy;

public:
  joined_keys(Policy policy, index_policy const& index)
      : policy_(std::move(policy)), index_(index), vertices_(0, index), edges_(0, index), bounds_(index),
        numbering_(index), num_keys_(make_buffer<index_policy>(std::array<std::int64_t, 2>{}, index)), ids_(0, index),
        numbers_(0, index), kept_(0, index), kept_vertices_(0, index), kept_edges_(0, index), repeated_(0, index),
        table_(0, index) {}

  /// Joins lists; the result is valid until the next call.
  ///
  /// @where  enqueues only; waits for two numbers if there are several lists and rows of other ranks
  /// @throws precondition_error  if there are rows of other ranks, and 2³¹ keys or more
  /// @cost   two copies of the keys and a look-up for each; nothing for a single list
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
    return sources.any_remote() ? keep_first(keys, sources) : keys;
  }
  /// Returns the number of kept seeds of all lists together.
  [[nodiscard]] std::int64_t num_seeds() const noexcept { return num_seeds_; }
  /// Returns the places of the kept keys among all joined keys; empty if all are kept.
  [[nodiscard]] array_view<index_policy::space, std::int64_t const> kept() const noexcept { return kept_.view(); }
  [[nodiscard]] std::int64_t num_repeated() const noexcept { return repeated_.size(); }

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
  /// @where  enqueues only
  void copy_repeated(std::span<row_target const> targets, std::vector<planned_tensor<space>> const& plan) {
    if (repeated_.empty()) {
      return;
    }
    auto const runs = std::ssize(lists_);
    auto const target = [&](std::int64_t run, std::size_t tensor) -> row_target const& {
      return targets[static_cast<std::size_t>(lists_[static_cast<std::size_t>(run)]) * (targets.size() / num_lists_) +
                     tensor];
    };
    auto const row_bytes = [&](std::size_t t) { return plan[t].local.num_columns * size_of(targets[t].type); };
    known_table_.assign(begins_.begin(), begins_.end() - 1);
    for (std::size_t t = 0; t < plan.size(); ++t) {
      for (std::int64_t run = 0; run < runs; ++run) {
        known_table_.push_back(reinterpret_cast<std::intptr_t>(target(run, t).data) -
                               first_places_[static_cast<std::size_t>(run)] * row_bytes(t));
      }
    }
    table_.resize(std::ssize(known_table_));
    copy_in(index_, host_view<std::int64_t const>(known_table_), table_.view());
    auto const* bases = table_.data();
    for (std::size_t t = 0; t < plan.size(); ++t) {
      bases += runs;
      std::uintptr_t all = 0; // addresses, or-ed
      for (std::int64_t run = 0; run < runs; ++run) {
        all |= reinterpret_cast<std::uintptr_t>(target(run, t).data);
      }
      transfer_located_rows<std::byte, std::byte>(
          policy_.executor(), plan[t].seeds_only ? num_repeated_seeds_ : repeated_.size(), row_bytes(t), nullptr,
          repeated_rows<std::byte const, true>{repeated_.data(), first(), table_.data(), bases, runs, row_bytes(t)},
          repeated_rows<std::byte, false>{repeated_.data(), first(), table_.data(), bases, runs, row_bytes(t)}, all,
          all);
    }
  }

private:
  [[nodiscard]] place_of_first first() const noexcept { return {kept_.data(), numbers_.data()}; }

  // Keeps the first of equal keys of remote rows, and all others. Seeds come first, so a key that is a seed in some list
  // is kept as one.
  template <class Vertex>
  row_keys<space, Vertex> keep_first(row_keys<space, Vertex> keys, row_sources<Policy> const& sources) {
    auto const size = keys.vertices.size();
    auto const resize = [](std::int64_t to, auto&... lists) { (..., (lists.clear(), lists.resize(to))); };
    resize(size, ids_, numbers_, kept_, repeated_);
    resize(size * static_cast<std::int64_t>(sizeof(Vertex)), kept_vertices_);
    resize(keys.edges.size() * static_cast<std::int64_t>(sizeof(edge_id)), kept_edges_);
    sources.list_remote(keys, ids_.data());
    auto* const vertices = reinterpret_cast<Vertex*>(kept_vertices_.data());
    auto* const edges = reinterpret_cast<edge_id*>(kept_edges_.data());
    numbering_.clear(size, size);
    numbering_.number_all(
        {size}, num_keys_.cview().subview(0, 1), num_keys_.view().subview(1, 1),
        key_occurrences<space, Vertex>{keys, ids_.data(), numbers_.data(), kept_.data(), vertices, edges});
    repeated_.resize(index_.executor().select_if(size, is_repeated{first()}, repeated_.view()));
    num_repeated_seeds_ =
        bounds_.find(repeated_.data(), std::array{std::int64_t{0}, repeated_.size()}, std::array{num_seeds_})[0];
    num_seeds_ -= num_repeated_seeds_;
    kept_.resize(size - repeated_.size());
    return {{vertices, kept_.size()}, {edges, keys.edges.empty() ? 0 : kept_.size()}};
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
  index_policy index_;
  buffer<index_policy, std::byte> vertices_;
  buffer<index_policy, std::byte> edges_;
  std::size_t num_lists_ = 1;
  std::int64_t num_seeds_ = 0;
  std::vector<std::int64_t> begins_;       // [runs + 1], among the joined keys
  std::vector<std::int64_t> lists_;        // [runs]
  std::vector<std::int64_t> first_places_; // [runs]: the place at which row 0 of the list would be
  slice_bounds<index_policy> bounds_;
  place_runs runs_;
  batch_numbering<index_policy, std::int64_t> numbering_;
  buffer<index_policy, std::int64_t> num_keys_; // before and after the numbering
  buffer<index_policy, std::int64_t> ids_;      // [keys]
  buffer<index_policy, local_id> numbers_;      // [keys]
  buffer<index_policy, std::int64_t> kept_;     // [kept keys]
  buffer<index_policy, std::byte> kept_vertices_;
  buffer<index_policy, std::byte> kept_edges_;
  buffer<index_policy, std::int64_t> repeated_; // places, ascending
  std::int64_t num_repeated_seeds_ = 0;
  std::vector<std::int64_t> known_table_; // of `repeated_rows`: begins of the runs, and bases for each tensor
  buffer<index_policy, std::int64_t> table_;
};

} // namespace glt::detail
