// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/view.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Sizes of a batch during sampling, by number, in memory of the policy. Each is written once, so that work that is
/// enqueued early finds it, and all are read in one copy.
template <device_policy Policy>
class known_sizes {
  static constexpr memory_space space = Policy::space;

public:
  explicit known_sizes(Policy policy = {}) : policy_(policy), sizes_(0, policy) {}

  /// Forgets all sizes and makes room for `most`; size number 0 and sizes that are not written are 0.
  ///
  /// @where  enqueues only
  void clear(std::int64_t most) {
    sizes_.resize(std::max(sizes_.size(), most + 1));
    next_ = 1;
    set_to_zero_from(0);
  }

  /// Makes room for `more` further sizes; invalidates places and sizes that were returned.
  ///
  /// @where  enqueues only
  void reserve(std::int64_t more) {
    if (auto const before = sizes_.size(); next_ + more > before) {
      sizes_.resize(2 * (next_ + more));
      set_to_zero_from(before);
    }
  }

  /// Returns the number of a size that will be written.
  ///
  /// @pre    there is room; not checked
  [[nodiscard]] std::int64_t add() noexcept { return next_++; }

  /// Returns a size for work that is enqueued now; on hosts its present value.
  [[nodiscard]] bounded_size<space> operator[](std::int64_t number) const noexcept {
    if constexpr (host_policy<Policy>) {
      return {.bound = sizes_[number]};
    } else {
      return {.exact = place(number)};
    }
  }
  [[nodiscard]] array_view<space, std::int64_t const> place(std::int64_t number) const noexcept {
    return sizes_.view().subview(number, 1);
  }
  [[nodiscard]] array_view<space, std::int64_t> place(std::int64_t number) noexcept {
    return sizes_.view().subview(number, 1);
  }

  /// Copies all sizes to the host.
  ///
  /// @cost   waits for work that was enqueued before
  void read() {
    read_.resize(static_cast<std::size_t>(next_));
    copy_out(policy_, std::as_const(sizes_).view().subview(0, next_), host_view<std::int64_t>(read_));
  }
  /// Returns the value that a size had at the last `read`.
  ///
  /// @pre    the number was added before; not checked
  [[nodiscard]] std::int64_t value(std::int64_t number) const noexcept {
    return read_[static_cast<std::size_t>(number)];
  }

private:
  void set_to_zero_from(std::int64_t first) {
    auto const rest = sizes_.view().subview(first, sizes_.size() - first);
    policy_.executor().for_each(rest.size(), fill_elements<space, std::int64_t>{rest, 0});
  }

  Policy policy_;
  buffer<Policy, std::int64_t> sizes_;
  std::int64_t next_ = 1;
  std::vector<std::int64_t> read_;
};

/// Sizes of a batch in memory of the policy, with upper bounds on the host. The bounds are exact once the sizes were
/// read.
///
/// A size is named by its number among all sizes that the batch writes.
template <device_policy Policy>
class batch_sizes {
  static constexpr memory_space space = Policy::space;

public:
  struct vertex_sizes {
    std::int64_t bad_seed = 0; ///< see `seed_occurrences`
    std::int64_t begin = 0;    ///< of the frontier in nodes
    std::int64_t end = 0;
    std::int64_t now = 0; ///< vertices so far
    std::int64_t frontier_bound = 0;
    std::int64_t arrived_bound = 0; ///< vertices that may be new in this hop
  };
  struct edge_sizes {
    std::size_t source = 0; ///< types
    std::size_t destination = 0;
    std::int64_t edges = 0;
    std::int64_t expanded = 0;
    std::int64_t edges_after = -1; ///< after the hop, if it counted edges
    std::int64_t expanded_after = -1;
    std::int64_t edges_bound = 0;
    std::int64_t expanded_bound = 0;
    std::int64_t hop_bound = 0;
    array_view<space, edge_offset const> drawn; ///< offsets of the hop
  };

  explicit batch_sizes(Policy policy = {}) : policy_(policy), sizes_(policy) {}

  /// Starts a batch.
  ///
  /// @where  enqueues only
  void begin(frontier expand, std::size_t num_types, std::size_t num_relations) {
    fresh_ = expand == frontier::fresh;
    exact_ = false;
    types_.assign(num_types, {});
    relations_.assign(num_relations, {});
    nodes_after_.clear();
    edges_after_.clear();
    sizes_.clear(2 * static_cast<std::int64_t>(num_types) + sizes_of_hop());
  }

  [[nodiscard]] vertex_sizes& type(std::size_t t) noexcept { return types_[t]; }
  [[nodiscard]] vertex_sizes const& type(std::size_t t) const noexcept { return types_[t]; }
  [[nodiscard]] edge_sizes& relation(std::size_t e) noexcept { return relations_[e]; }
  [[nodiscard]] edge_sizes const& relation(std::size_t e) const noexcept { return relations_[e]; }
  [[nodiscard]] std::size_t num_types() const noexcept { return types_.size(); }
  [[nodiscard]] std::size_t num_relations() const noexcept { return relations_.size(); }
  [[nodiscard]] known_sizes<Policy>& sizes() noexcept { return sizes_; }
  /// True if the bounds before this hop are exact.
  [[nodiscard]] bool exact() const noexcept { return exact_; }

  [[nodiscard]] known_frontier<space> frontier_of(std::size_t t) const noexcept {
    return {sizes_[types_[t].begin], sizes_[types_[t].end]};
  }
  /// Returns the place in the batch of this hop's edges.
  [[nodiscard]] hop_place<space> place_of(std::size_t e) const noexcept {
    auto const& relation = relations_[e];
    return {frontier_of(relation.destination), sizes_[relation.edges], sizes_[relation.expanded]};
  }

  /// Returns the same for some vertices of the frontier, after the edges of the vertices before them; on hosts.
  [[nodiscard]] hop_place<space> place_of_rows(std::size_t e, std::int64_t first, std::int64_t count) const noexcept {
    auto const& relation = relations_[e];
    auto const begin = sizes_[types_[relation.destination].begin].bound + first;
    return {{{.bound = begin}, {.bound = begin + count}},
            {.bound = relation.edges_bound + relation.hop_bound},
            {.bound = relation.expanded_bound + first}};
  }

  /// Adds the sizes of the seeds of a type, in ascending order of types.
  void add_seeds(std::size_t t) {
    auto& type = types_[t];
    type.bad_seed = sizes_.add();
    type.end = type.now = sizes_.add();
    nodes_after_.push_back(type.end);
  }

  /// Takes the offsets of a hop's draws over an edge type.
  ///
  /// @where  enqueues only
  void count(std::size_t e, array_view<space, edge_offset const> drawn) {
    auto& relation = relations_[e];
    relation.drawn = drawn;
    relation.edges_after = sizes_.add();
    relation.expanded_after = sizes_.add();
    policy_.executor().for_each(1, end_of_draws<space>{place_of(e), drawn, sizes_.place(relation.edges_after),
                                                       sizes_.place(relation.expanded_after)});
  }

  /// Takes the edges that a hop drew over an edge type row by row; on hosts.
  void count_rows(std::size_t e) {
    count(e, {});
    sizes_.place(relations_[e].edges_after)[0] += relations_[e].hop_bound;
  }

  /// Reads all sizes: the bounds before this hop are then exact.
  ///
  /// @cost   waits for work that was enqueued before
  void read() {
    sizes_.read();
    exact_ = true;
    for (auto& type : types_) {
      type.frontier_bound = sizes_.value(type.end) - sizes_.value(type.begin);
    }
    for (auto& relation : relations_) {
      relation.edges_bound = sizes_.value(relation.edges);
      relation.expanded_bound = sizes_.value(relation.expanded);
    }
  }

  /// Ends a hop, after which there are at most nodes_bound(t) vertices of type t.
  template <class NodesBound>
  void end_hop(NodesBound const& nodes_bound) {
    for (auto& relation : relations_) {
      if (relation.edges_after >= 0) {
        relation.edges = relation.edges_after;
        relation.expanded = relation.expanded_after;
        relation.expanded_bound += types_[relation.destination].frontier_bound;
        relation.edges_bound += relation.hop_bound;
      }
      relation.edges_after = -1;
      relation.hop_bound = 0;
      edges_after_.push_back(relation.edges);
    }
    for (std::size_t t = 0; t < types_.size(); ++t) {
      auto& type = types_[t];
      type.begin = fresh_ ? type.end : 0;
      type.end = type.now;
      type.frontier_bound = fresh_ ? std::min(type.arrived_bound, nodes_bound(t)) : nodes_bound(t);
      type.arrived_bound = 0;
      nodes_after_.push_back(type.end);
    }
    exact_ = false;
    sizes_.reserve(sizes_of_hop());
  }

  /// Returns, as `read` found them, the new vertices of a type per hop, seeds first; `num_sampled_edges`, the edges of
  /// a type per hop.
  void num_sampled_nodes(std::size_t t, std::vector<std::int64_t>& out) const {
    differences(nodes_after_, t, types_.size(), out);
  }
  void num_sampled_edges(std::size_t e, std::vector<std::int64_t>& out) const {
    differences(edges_after_, e, relations_.size(), out);
  }

private:
  [[nodiscard]] std::int64_t sizes_of_hop() const noexcept { return 3 * static_cast<std::int64_t>(relations_.size()); }

  void differences(std::vector<std::int64_t> const& numbers, std::size_t first, std::size_t stride,
                   std::vector<std::int64_t>& out) const {
    out.clear();
    std::int64_t before = 0;
    for (auto i = first; i < numbers.size(); i += stride) {
      out.push_back(sizes_.value(numbers[i]) - before);
      before += out.back();
    }
  }

  Policy policy_;
  bool fresh_ = true;
  bool exact_ = false;
  known_sizes<Policy> sizes_;
  std::vector<vertex_sizes> types_;
  std::vector<edge_sizes> relations_;
  std::vector<std::int64_t> nodes_after_; // numbers of sizes: of seeds and every hop, of all types
  std::vector<std::int64_t> edges_after_; // every hop, of all types
};

} // namespace glt::detail
