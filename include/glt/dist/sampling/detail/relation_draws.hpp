// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/sampling/detail/typed_rows.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/neighbors.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace glt::dist {

/// One relation that a hop draws from: the rows that this rank owns, and how.
///
/// @shape  original [local.num_rows()] or empty
template <memory_space Space, vertex_id Vertex, class Rule = uniform_rule>
struct relation_request {
  int node_type = 0; ///< of its rows, the destinations
  csr_view<Space, Vertex> local;
  original_ids<Space> original;
  hop_options options;
  random_key key{0};
  Rule rule{};
};

/// The draws of all relations for the rows that several askers want, type by type; reusable.
template <device_policy Policy, vertex_id Vertex, class Rule>
class relation_draws {
  static constexpr memory_space space = Policy::space;
  using query_type = typename Rule::query_type;

public:
  /// Draws for the rows of all askers.
  ///
  /// @shape  rows [S], by asker and, for each, by ascending type · asker_offsets [askers + 1], into rows ·
  ///         queries [S], or empty if the rule has none
  /// @pre    rows are of `part`; not checked
  /// @throws precondition_error  as `sample_neighbors`
  /// @cost   O(S · fanouts); allocates only while there is more than ever before
  void draw(hop_drawer<Policy>& drawer, typed_rows const& typed, int part, std::span<local_id const> rows,
            std::span<std::int64_t const> asker_offsets, std::span<query_type const> queries,
            std::span<relation_request<space, Vertex, Rule> const> relations, bool edge_ids) {
    sort_by_type(typed, part, rows, asker_offsets, queries);
    drawn_.resize(std::max(drawn_.size(), relations.size())); // those that rest keep their memory
    for (std::size_t e = 0; e < relations.size(); ++e) {
      auto const& from = relations[e];
      auto const& of_type = types_[static_cast<std::size_t>(from.node_type)];
      hop_request<space, local_id, Rule> const request{
          .rows = {of_type.rows.data(), std::ssize(of_type.rows)},
          .original = from.original,
          .options = from.options,
          .key = from.key,
          .rule = from.rule,
          .queries = {of_type.queries.data(), std::ssize(of_type.queries)}};
      drawer.draw(from.local, request, edge_ids, drawn_[e]);
    }
  }

  /// What was drawn over a relation for all askers.
  ///
  /// @pre    relation is one of the last `draw`; not checked
  [[nodiscard]] hop_sample<Policy, Vertex> const& of_relation(std::size_t relation) const noexcept {
    return drawn_[relation];
  }

  /// The offsets of what was drawn for one asker's rows of a type, in the draws of one of its relations.
  ///
  /// @pre    relation and asker are of the last `draw`, and node_type is that of the relation; not checked
  [[nodiscard]] std::span<edge_offset const> offsets(std::size_t relation, int node_type, std::size_t asker) const {
    auto const& first = types_[static_cast<std::size_t>(node_type)].asker_offsets;
    auto const rows = static_cast<std::size_t>(first[asker + 1] - first[asker]);
    return {drawn_[relation].offsets.data() + first[asker], rows + 1};
  }

private:
  struct rows_of_type {
    std::vector<local_id> rows; // counted within the type
    std::vector<query_type> queries;
    std::vector<std::int64_t> asker_offsets;
  };

  void sort_by_type(typed_rows const& typed, int part, std::span<local_id const> rows,
                    std::span<std::int64_t const> asker_offsets, std::span<query_type const> queries) {
    types_.resize(static_cast<std::size_t>(typed.num_types()));
    for (auto& of_type : types_) {
      of_type.rows.clear();
      of_type.queries.clear();
      of_type.asker_offsets.assign(1, 0);
    }
    for (std::size_t asker = 0; asker + 1 < asker_offsets.size(); ++asker) {
      auto i = static_cast<std::size_t>(asker_offsets[asker]);
      auto const end = static_cast<std::size_t>(asker_offsets[asker + 1]);
      for (int t = 0; t < typed.num_types(); ++t) {
        auto& of_type = types_[static_cast<std::size_t>(t)];
        auto const first = typed.first_row(part, t);
        for (auto const last = typed.first_row(part, t + 1); i < end && rows[i] < last; ++i) {
          of_type.rows.push_back(static_cast<local_id>(rows[i] - first));
          if constexpr (has_query<Rule>) {
            of_type.queries.push_back(queries[i]);
          }
        }
        of_type.asker_offsets.push_back(std::ssize(of_type.rows));
      }
    }
  }

  std::vector<rows_of_type> types_;
  std::vector<hop_sample<Policy, Vertex>> drawn_; // by relation
};

} // namespace glt::dist
