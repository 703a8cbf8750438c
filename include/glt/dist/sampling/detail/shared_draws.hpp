// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/hotness/detail/hot_edges.hpp>
#include <glt/dist/sampling/detail/hop_requests.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/shared/detail/rule_data.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

/// Node types of the sources and of the destinations of an edge type.
struct relation_ends {
  std::size_t source = 0;
  std::size_t destination = 0;
};

/// Checks that views of parts are of the parts of a graph.
///
/// @shape  books [node types] · ends [edge types]
/// @throws precondition_error  if not
template <memory_space Space, vertex_id Vertex>
void check_view(std::span<partition_book const> books, std::span<relation_ends const> ends, int part,
                part_view<Space, Vertex> const& view) {
  auto const& graphs = view.graphs;
  auto const& original = view.original;
  if (graphs.size() != ends.size() || original.size() != books.size()) {
    throw precondition_error(message("view of ", graphs.size(), " edge types and ", original.size(),
                                     " node types for a graph of ", ends.size(), " and ", books.size(),
                                     "; share the parts that the graphs were made of"));
  }
  for (std::size_t e = 0; e < graphs.size(); ++e) {
    auto const [source, destination] = ends[e];
    auto const rows = books[destination].size(part);
    auto const columns = books[source].num_vertices();
    auto const& graph = graphs[e];
    if (graph.num_rows() != rows || graph.num_columns() != columns || original[destination].size() != rows) {
      throw precondition_error(message("view of ", graph.num_rows(), " rows and ", graph.num_columns(),
                                       " columns with ", original[destination].size(), " original ids for edge type ",
                                       e, " of part ", part, ", with ", rows, " rows and sources among ", columns,
                                       " vertices; share the parts that the graphs were made of"));
    }
  }
}

template <memory_space Space, vertex_id Vertex>
void check_views(std::span<partition_book const> books, std::span<relation_ends const> ends,
                 node_views<part_view<Space, Vertex>> const& views) {
  for (std::size_t part = 0; part < views.of_rank.size(); ++part) {
    if (views.of_rank[part]) {
      check_view(books, ends, static_cast<int>(part), *views.of_rank[part]);
    }
  }
}

/// Parts of a graph that a rank samples in place, and the draws from each; reusable. Copies of hot edges are the part
/// behind the last one.
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace>
class shared_draws {
  static constexpr memory_space space = Policy::space;

public:
  explicit shared_draws(Policy policy) : policy_(std::move(policy)) {
    if constexpr (!host_policy<Policy>) {
      parts_ = shared_rows("rows of other ranks are sampled in place by policies of the host");
    }
  }

  /// Shares the parts with views from now on, of the data of the rules too.
  ///
  /// @shape  books [node types] · ends, rules [edge types]
  /// @param  `allowed`  whether every rank that reaches a row and its data may draw by the rules
  /// @param  `hot`  copies of hot edges, or null
  /// @throws precondition_error  if there is not one entry per rank, this rank included, or a view does not have the
  ///                             rows and columns of its part
  void set(std::span<partition_book const> books, std::span<relation_ends const> ends,
           node_views<part_view<GraphSpace, Vertex>> views, std::span<Rule const> rules, int rank, int ranks,
           bool allowed, std::shared_ptr<hot_edges<Vertex> const> hot) {
    shared_rows shared(views, rank, ranks);
    check_views(books, ends, views);
    auto const self = static_cast<std::size_t>(rank);
    bool const found = allowed && shared_data(rules, *views.of_rank[self]).found(views.everywhere);
    bool all = found;
    for (std::size_t part = 0; part < views.of_rank.size(); ++part) {
      if (part != self && views.of_rank[part] &&
          !(found && reaches(rules, *views.of_rank[self], *views.of_rank[part]))) {
        views.of_rank[part].reset();
        all = false;
      }
    }
    if (!all) {
      views.reason = no_data;
      views.everywhere = false;
    }
    shared = shared_rows(views, rank, ranks);
    hot_.reset();
    if (hot != nullptr && found && reaches(rules, *views.of_rank[self], hot->part)) {
      shared.add_copies();
      views.of_rank.push_back(hot->part);
      hot_ = std::move(hot);
    }
    views_ = std::move(views);
    self_ = self;
    relations_.resize(views_.of_rank.size());
    lacks_data_ = false;
    while (drawn_.size() < views_.of_rank.size()) {
      drawn_.emplace_back(policy_);
    }
    parts_ = std::move(shared);
  }

  [[nodiscard]] shared_rows const& parts() const noexcept { return parts_; }
  /// Returns the reason why some parts are not read in place; empty if all are.
  [[nodiscard]] std::string const& reason() const noexcept { return lacks_data_ ? no_data : parts_.reason(); }
  /// Returns the vertices whose edges are copied, by node type; none if the copies are not chosen.
  [[nodiscard]] std::span<id_table<device::cpu> const> copied_vertices() const noexcept {
    return hot_ != nullptr && has_chosen(place_of_copies()) ? hot_->vertices : std::span<id_table<device::cpu> const>();
  }

  /// Chooses the rules of the next draw in every shared part: rule_of(this rank, relation, part), or the rules of the
  /// relations. A part where a rule lacks data is left to messages until the next call.
  template <class RuleOf>
  void choose(std::span<relation_request<GraphSpace, Vertex, Rule> const> relations, RuleOf const& rule_of) {
    chosen_.assign(parts_.flags().begin(), parts_.flags().end());
    for (std::size_t part = 0; part < chosen_.size(); ++part) {
      if (chosen_[part] != 0 && !choose_in(part, relations, rule_of)) {
        chosen_[part] = 0;
        lacks_data_ = true;
      }
    }
  }
  /// @shape  [P], with copies [P + 1], or empty if no parts are shared
  [[nodiscard]] std::span<char const> chosen() const noexcept { return chosen_; }
  [[nodiscard]] bool has_chosen(std::size_t part) const noexcept { return part < chosen_.size() && chosen_[part] != 0; }

  /// Draws from every chosen part for requests_to(part). Rows of every type begin at first_rows_of(part).
  template <class FirstRowsOf, class RequestsTo>
  void draw(bool edge_ids, FirstRowsOf first_rows_of, RequestsTo requests_to) {
    for (std::size_t part = 0; part < chosen_.size(); ++part) {
      if (has_chosen(part)) {
        requested_rows<space, typename Rule::query_type> const asked = requests_to(part);
        std::array<std::int64_t, 2> const ends{0, asked.rows.size()};
        drawn_[part].draw(first_rows_of(part), asked.rows, ends, asked.queries, relations_[part], edge_ids);
      }
    }
  }
  /// Returns the draws over a relation from a shared part.
  [[nodiscard]] drawn_rows<Vertex> of(std::size_t part, std::size_t relation) const {
    return drawn_[part].of(relation, 0);
  }

private:
  static inline std::string const no_data =
      "the draw rule reads data that the ranks do not share, or differs by rank; see share_rule";

  [[nodiscard]] std::size_t place_of_copies() const noexcept { return views_.of_rank.size() - 1; }

  template <class RuleOf>
  bool choose_in(std::size_t part, std::span<relation_request<GraphSpace, Vertex, Rule> const> relations,
                 RuleOf const& rule_of) {
    auto const& view = *views_.of_rank[part];
    auto& moved = relations_[part];
    moved.assign(relations.begin(), relations.end());
    for (std::size_t r = 0; r < moved.size(); ++r) {
      auto& relation = moved[r];
      auto const e = static_cast<std::size_t>(relation.edge_type);
      std::optional<Rule> rule = relation.rule;
      if (rule_of) {
        rule = rule_of(static_cast<int>(self_), r, static_cast<int>(part));
      }
      if (rule) {
        rule = rule_at(*rule, views_.of_rank[self_]->data_of(e), view.data_of(e));
      }
      if (!rule) {
        return false;
      }
      relation.local = view.graphs[e];
      relation.original = view.original[static_cast<std::size_t>(relation.node_type) % view.original.size()];
      relation.rule = *rule;
    }
    return true;
  }

  // Returns true if a part has all data of the rules.
  static bool reaches(std::span<Rule const> rules, part_view<GraphSpace, Vertex> const& own,
                      part_view<GraphSpace, Vertex> const& other) {
    for (std::size_t e = 0; e < rules.size(); ++e) {
      if (!rule_at(rules[e], own.data_of(e), other.data_of(e))) {
        return false;
      }
    }
    return true;
  }

  Policy policy_;
  std::size_t self_ = 0; // this rank
  shared_rows parts_;
  node_views<part_view<GraphSpace, Vertex>> views_;
  std::shared_ptr<hot_edges<Vertex> const> hot_;                                   // of the part behind the last one
  std::vector<char> chosen_;                                                       // by part, for the next draw
  bool lacks_data_ = false;                                                        // a part was not chosen
  std::vector<std::vector<relation_request<GraphSpace, Vertex, Rule>>> relations_; // by part
  std::vector<relation_draws<Policy, Vertex, Rule, GraphSpace>> drawn_;            // [P], or [P + 1]
};

} // namespace glt::detail
