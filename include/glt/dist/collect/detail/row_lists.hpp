// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// One of several lists of vertices or edges whose rows a collector fetches together into `out`.
///
/// @shape  vertices [N] global ids, of edges their destinations · edges [N] global ids, or empty for rows of vertices ·
///         num_seeds ≤ N: `seeds_only` tensors, such as labels, are collected for the first num_seeds keys
template <device_policy Policy, vertex_id Vertex, class Rows>
struct bulk_list {
  array_view<Policy::space, Vertex const> vertices;
  array_view<Policy::space, edge_id const> edges{};
  std::int64_t num_seeds = 0;
  Rows* out = nullptr;
};

/// Rows of one source, and the places that they go to.
///
/// Places ascend. Rows of the first keys of a batch, for which more tensors are requested (such as labels), come first.
/// They are flagged: complemented, and thus negative.
///
/// @shape  rows, places [size]; the rows of a request have no places
struct row_list {
  local_id const* rows = nullptr;
  std::int64_t const* places = nullptr;
  std::int64_t size = 0;
  std::int64_t num_flagged = 0;

  [[nodiscard]] row_list part(std::int64_t begin, std::int64_t end) const noexcept {
    return {rows + begin, places + (places == nullptr ? 0 : begin), end - begin,
            std::clamp<std::int64_t>(num_flagged - begin, 0, end - begin)};
  }
};

/// Bound between flagged rows, which are below it, and other rows.
inline constexpr std::array<std::int64_t, 1> first_unflagged{0};

/// Returns the row of a number of a `row_list`.
[[nodiscard]] GLT_HOST_DEVICE constexpr local_id unflagged(local_id row) noexcept {
  return row < 0 ? ~row : row;
}

/// Source rows of a copy: item i is row unflagged(rows[i]).
struct rows_unflagged {
  local_id const* rows;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return unflagged(rows[i]); }
};

/// Target memory and element type of a tensor's rows.
struct row_target {
  element_type type;
  std::byte* data;
};

/// Target rows of a copy: item i goes to row places[i] − first.
struct rows_placed {
  std::int64_t const* places;
  std::int64_t first;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return places[i] - first; }
};

/// A run of rows that go to the tensors of one list.
///
/// @shape  targets [tensors]
struct row_run {
  row_list rows;
  std::span<row_target const> targets;
  std::int64_t first_place; // of the first row of the targets

  [[nodiscard]] rows_placed places() const noexcept { return {rows.places, first_place}; }
};

/// Runs of places of joined lists; each run goes to the tensors of one list.
///
/// @shape  lists, first_places [runs] · bounds [sources, runs + 1], into the places of all sources
struct place_runs {
  std::int64_t const* places = nullptr;
  std::span<std::int64_t const> lists;
  std::span<std::int64_t const> first_places;
  std::span<std::int64_t const> bounds;
};

/// Targets of the rows of a source: the tensors of one list, or of several lists whose keys were joined.
class row_targets {
public:
  /// @shape  targets [tensors]
  template <std::convertible_to<std::span<row_target const>> Targets>
  row_targets(Targets const& targets) : targets_(targets), num_tensors_(targets_.size()) {}

  /// @shape  targets [lists, tensors]
  row_targets(std::span<row_target const> targets, std::size_t num_tensors, place_runs const& runs)
      : targets_(targets), num_tensors_(num_tensors), runs_(&runs) {}

  /// Returns the targets for rows of another source.
  [[nodiscard]] row_targets of(int source) const noexcept {
    auto made = *this;
    made.source_ = static_cast<std::size_t>(source);
    return made;
  }

  /// Calls each(run) for all rows, in their order.
  template <class Each>
  void for_each_run(row_list const& rows, Each each) const {
    if (runs_ == nullptr) {
      each(row_run{rows, targets_, 0});
      return;
    }
    auto const num_runs = runs_->lists.size();
    auto const bounds = runs_->bounds.subspan(source_ * (num_runs + 1), num_runs + 1);
    auto const first = rows.size == 0 ? 0 : rows.places - runs_->places;
    for (std::size_t r = 0; r < num_runs; ++r) {
      auto const begin = std::max(bounds[r] - first, std::int64_t{0});
      auto const end = std::min(bounds[r + 1] - first, rows.size);
      if (begin < end) {
        auto const list = static_cast<std::size_t>(runs_->lists[r]);
        each(row_run{rows.part(begin, end), targets_.subspan(list * num_tensors_, num_tensors_),
                     runs_->first_places[r]});
      }
    }
  }

private:
  std::span<row_target const> targets_;
  std::size_t num_tensors_;
  place_runs const* runs_ = nullptr;
  std::size_t source_ = 0;
};

template <class Nodes, class Places>
struct gather_destinations {
  Nodes nodes;
  Places places;
  global_id* out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = static_cast<global_id>(nodes[places[i]]); }
};

/// Writes the destinations of edges, given by their places among the nodes of a sample; they tell the edges' owners.
template <device_policy Policy, vertex_id Vertex>
void sampled_destinations(Policy const& policy, array_view<Policy::space, Vertex const> nodes,
                          array_view<Policy::space, local_id const> places, buffer<Policy, global_id>& out) {
  out.clear();
  out.resize(places.size());
  policy.executor().for_each(places.size(),
                             gather_destinations<decltype(nodes), decltype(places)>{nodes, places, out.data()});
}

/// Writes the destinations of all edges of a sample, in its order.
template <device_policy Policy, vertex_id Vertex>
void sampled_destinations(Policy const& policy, sampled_subgraph<Policy, Vertex> const& sample,
                          buffer<Policy, global_id>& out) {
  sampled_destinations(policy, sample.nodes(), sample.col(), out);
}

} // namespace glt::detail
