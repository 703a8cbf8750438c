// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/detail/owner_buckets.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Request of a hop to draw over one relation: rows of this rank, options, key and rule.
///
/// @shape  original [local.num_rows()] or empty
template <memory_space Space, vertex_id Vertex, class Rule = uniform_rule>
struct relation_request {
  int node_type = 0; ///< of its rows, the destinations
  int edge_type = 0; ///< of the graph
  csr_view<Space, Vertex> local;
  original_ids<Space> original;
  hop_options options;
  random_key key{0};
  Rule rule{};
};

/// Draws over a relation for consecutive rows.
///
/// @shape  offsets [num_rows + 1], into sources and edge_ids, starting at first_edge
template <vertex_id Vertex>
struct drawn_rows {
  std::int64_t num_rows = 0;
  std::int64_t first_edge = 0;
  std::int64_t num_edges = 0;
  edge_offset const* offsets = nullptr;
  Vertex const* sources = nullptr;
  edge_id const* edge_ids = nullptr; ///< null if not requested
};

// Rows of several types and requesters, to be sorted by type first.
template <class Query>
struct typed_row_list {
  local_id const* rows;
  Query const* queries; // null if there are none
  std::int64_t const* first_rows;
  std::int64_t num_types;
  std::int64_t const* requesters;
  std::int64_t num_requesters;
  local_id* rows_of_type; // written
  Query* queries_of_type; // written

  GLT_HOST_DEVICE int operator()(std::int64_t i) const {
    auto const type = slice_holding(num_types, rows[i], [this](std::int64_t t) { return first_rows[t]; });
    auto const requester = slice_holding(num_requesters, i, [this](std::int64_t r) { return requesters[r]; });
    return static_cast<int>(type * num_requesters + requester);
  }
  GLT_HOST_DEVICE void operator()(std::int64_t at, std::int64_t i, int bucket) const {
    rows_of_type[at] = static_cast<local_id>(rows[i] - first_rows[bucket / num_requesters]);
    if (queries != nullptr) {
      queries_of_type[at] = queries[i];
    }
  }
};

// Offset that the host reads back from the device.
struct wanted_offset {
  edge_offset const* from = nullptr;
  edge_offset value = 0;
};

template <memory_space Space>
struct read_offsets {
  array_view<Space, wanted_offset> wanted;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { wanted[i].value = *wanted[i].from; }
};

/// Draws of all relations of a hop for the rows of several requesters, type by type; reusable.
///
/// @where  memory of `Policy`, whose executor does all work
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace = Policy::space>
class relation_draws {
  static constexpr memory_space space = Policy::space;
  using query_type = typename Rule::query_type;

public:
  explicit relation_draws(Policy policy = {})
      : policy_(policy), sort_(policy), rows_(0, policy), queries_(0, policy), numbers_(0, policy), counts_(0, policy),
        wanted_(0, policy) {}

  /// Draws for the rows of all requesters.
  ///
  /// @shape  first_rows [T + 1], of every type · rows [S], by requester, then by ascending type · requesters
  ///         [requesters + 1], into rows, from 0 · queries [S], or empty if the rule has none
  /// @where  waits for the numbers of edges and, if there are several types, for the numbers of rows
  /// @pre    rows are of this rank; not checked
  /// @throws precondition_error  as `sample_neighbors`
  /// @cost   O(S · fanouts); allocates only when there is more than in every earlier call
  void draw(std::span<std::int64_t const> first_rows, array_view<space, local_id const> rows,
            std::span<std::int64_t const> requesters, array_view<space, query_type const> queries,
            std::span<relation_request<GraphSpace, Vertex, Rule> const> relations, bool edge_ids) {
    auto const ex = policy_.executor();
    has_edge_ids_ = edge_ids;
    num_requesters_ = requesters.size() - 1;
    sort_by_type(first_rows, rows, requesters, queries);
    while (drawn_.size() < relations.size()) { // unused elements keep their memory
      drawn_.push_back({buffer<Policy, edge_offset>(0, policy_), buffer<Policy, Vertex>(0, policy_),
                        buffer<Policy, edge_id>(0, policy_)});
    }
    ends_.clear();
    types_.clear();
    for (std::size_t e = 0; e < relations.size(); ++e) {
      types_.push_back(static_cast<std::size_t>(relations[e].node_type));
      auto const request = request_of(relations[e]);
      auto& offsets = drawn_[e].offsets;
      counts_.resize(request.rows.size());
      offsets.resize(request.rows.size() + 1);
      count_neighbors(ex, relations[e].local, request, counts_.view(), offsets.view());
      for (std::size_t requester = 0; requester <= num_requesters_; ++requester) {
        ends_.push_back({offsets.data() + first_row(types_[e], requester)});
      }
    }
    wanted_.resize(static_cast<std::int64_t>(ends_.size()));
    copy_in(policy_, host_view<wanted_offset const>(ends_), wanted_.view());
    ex.for_each(wanted_.size(), read_offsets<space>{wanted_.view()});
    copy_out(policy_, wanted_.view(), host_view<wanted_offset>(ends_));
    for (std::size_t e = 0; e < relations.size(); ++e) {
      auto& drawn = drawn_[e];
      drawn.sources.resize(end_of(e, num_requesters_));
      drawn.edge_ids.resize(edge_ids ? drawn.sources.size() : 0);
      sample_neighbors(ex, relations[e].local, request_of(relations[e]), std::as_const(drawn.offsets).view(),
                       drawn.sources.view(), drawn.edge_ids.view());
    }
  }

  [[nodiscard]] std::span<hop_sample<Policy, Vertex> const> drawn() const noexcept {
    return std::span(drawn_).first(types_.size());
  }

  /// Returns the draws over a relation for one requester.
  ///
  /// @pre    the last `draw` had this relation and requester; not checked
  [[nodiscard]] drawn_rows<Vertex> of(std::size_t relation, std::size_t requester) const {
    auto const& drawn = drawn_[relation];
    auto const first = first_row(types_[relation], requester);
    return {.num_rows = first_row(types_[relation], requester + 1) - first,
            .first_edge = end_of(relation, requester),
            .num_edges = end_of(relation, requester + 1) - end_of(relation, requester),
            .offsets = drawn.offsets.data() + first,
            .sources = drawn.sources.data(),
            .edge_ids = has_edge_ids_ ? drawn.edge_ids.data() : nullptr};
  }

private:
  [[nodiscard]] std::int64_t first_row(std::size_t type, std::size_t requester) const {
    auto const first = type * num_requesters_;
    return offsets_[first + requester] - offsets_[first];
  }
  [[nodiscard]] std::int64_t end_of(std::size_t relation, std::size_t requester) const {
    return ends_[relation * (num_requesters_ + 1) + requester].value;
  }

  [[nodiscard]] hop_request<space, local_id, Rule, GraphSpace>
  request_of(relation_request<GraphSpace, Vertex, Rule> const& relation) const {
    auto const first = offsets_[static_cast<std::size_t>(relation.node_type) * num_requesters_];
    auto const end = offsets_[static_cast<std::size_t>(relation.node_type + 1) * num_requesters_];
    return {.rows = typed_.subview(first, end - first),
            .original = relation.original,
            .options = relation.options,
            .key = relation.key,
            .rule = relation.rule,
            .queries = has_query<Rule> ? typed_queries_.subview(first, end - first) : typed_queries_};
  }

  void sort_by_type(std::span<std::int64_t const> first_rows, array_view<space, local_id const> rows,
                    std::span<std::int64_t const> requesters, array_view<space, query_type const> queries) {
    auto const num_types = first_rows.size() - 1;
    if (num_types == 1) {
      offsets_.assign(requesters.begin(), requesters.end());
      typed_ = rows;
      typed_queries_ = queries;
      return;
    }
    numbers_.resize(static_cast<std::int64_t>(first_rows.size() + requesters.size()));
    copy_in(policy_, host_view<std::int64_t const>(first_rows), numbers_.view().subview(0, std::ssize(first_rows)));
    copy_in(policy_, host_view<std::int64_t const>(requesters),
            numbers_.view().subview(std::ssize(first_rows), std::ssize(requesters)));
    rows_.resize(rows.size());
    queries_.resize(queries.size());
    typed_row_list<query_type> const list{.rows = rows.data(),
                                          .queries = queries.data(),
                                          .first_rows = numbers_.data(),
                                          .num_types = static_cast<std::int64_t>(num_types),
                                          .requesters = numbers_.data() + first_rows.size(),
                                          .num_requesters = static_cast<std::int64_t>(num_requesters_),
                                          .rows_of_type = rows_.data(),
                                          .queries_of_type = queries_.data()};
    auto const offsets = sort_.sort(rows.size(), static_cast<int>(num_types * num_requesters_), list, list);
    offsets_.assign(offsets.begin(), offsets.end());
    typed_ = std::as_const(rows_).view();
    typed_queries_ = std::as_const(queries_).view();
  }

  Policy policy_;
  bucket_sort<Policy> sort_;
  buffer<Policy, local_id> rows_; // counted within their types
  buffer<Policy, query_type> queries_;
  buffer<Policy, std::int64_t> numbers_; // that the sort reads
  buffer<Policy, edge_offset> counts_;
  array_view<space, local_id const> typed_;
  array_view<space, query_type const> typed_queries_;
  std::vector<hop_sample<Policy, Vertex>> drawn_; // by relation
  std::vector<std::size_t> types_;                // of the relations
  std::size_t num_requesters_ = 0;
  std::vector<std::int64_t> offsets_; // [T · requesters + 1]
  std::vector<wanted_offset> ends_;   // [relations, requesters + 1]
  buffer<Policy, wanted_offset> wanted_;
  bool has_edge_ids_ = false;
};

} // namespace glt::detail
