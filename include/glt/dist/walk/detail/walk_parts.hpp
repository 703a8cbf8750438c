// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/sampling/detail/sampled_kind.hpp>
#include <glt/dist/sampling/detail/shared_draws.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_moves.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt::detail {

/// Rows of a graph in which the walkers of a rank walk: of its part, and of parts that are read in place.
template <device_policy Policy, class Graph>
class walk_parts {
  using vertex_type = typename Graph::vertex_type;
  static constexpr memory_space space = Policy::space;
  using kind = sampled_kind<Policy, uniform_rule, Graph>;

public:
  using views_type = node_views<part_view<space, vertex_type>>;

  /// Borrows the graph; parts in `graph.neighborhood()` are read in place.
  walk_parts(Graph const& graph, Policy policy)
      : policy_(policy), books_(kind::books(graph)), ends_(kind::ends(graph)), own_(kind::part_of(graph)),
        part_(graph.part()) {
    for (auto const& book : books_) {
      offsets_.push_back(make_buffer<Policy>(book.offsets(), policy));
    }
    read_neighborhood<Policy>(*this, graph);
  }

  /// Reads the parts with views in place from now on.
  ///
  /// @throws precondition_error  as `neighbor_sampler::read_in_place`
  void read_in_place(views_type const& views)
    requires host_policy<Policy>
  {
    shared_rows shared(views, part_, books_[0].num_parts());
    check_views(std::span(std::as_const(books_)), std::span(std::as_const(ends_)), views);
    graphs_.clear();
    original_.clear();
    std::vector<csr_view<space, vertex_type>> graphs(views.of_rank.size());
    for (std::size_t e = 0; e < ends_.size() && shared.any(); ++e) {
      for (std::size_t part = 0; part < graphs.size(); ++part) {
        graphs[part] = shared.has(part) ? views.of_rank[part]->graphs[e] : csr_view<space, vertex_type>();
      }
      graphs_.push_back(make_buffer<Policy>(graphs, policy_));
    }
    std::vector<original_ids<space>> original(views.of_rank.size());
    for (std::size_t t = 0; t < books_.size() && shared.any(); ++t) {
      for (std::size_t part = 0; part < original.size(); ++part) {
        original[part] = shared.has(part) ? views.of_rank[part]->original[t] : original_ids<space>();
      }
      original_.push_back(make_buffer<Policy>(original, policy_));
    }
    keeper_ = views.keeper;
    shared_ = std::move(shared);
  }

  [[nodiscard]] shared_rows const& shared() const noexcept { return shared_; }
  [[nodiscard]] partition_book const& book(std::size_t edge_type = 0) const noexcept {
    return books_[ends_[edge_type].destination];
  }

  [[nodiscard]] part_rows<space, vertex_type> rows(std::size_t edge_type = 0) const {
    auto const type = ends_[edge_type].destination;
    auto made = make_part_rows(own_.graphs[edge_type], part_, books_[type], offsets_[type]);
    if (!graphs_.empty()) {
      made.others = {graphs_[edge_type].view(), original_[type].view()};
    }
    return made;
  }
  /// Returns the namer of walkers that start in rows of an edge type; `walk_rounds` sets their keys.
  [[nodiscard]] name_walker<space, vertex_type> name(std::size_t edge_type = 0) const {
    return {rows(edge_type), {}, own_.original[ends_[edge_type].destination]};
  }

private:
  Policy policy_;
  std::vector<partition_book> books_; // by node type
  std::vector<relation_ends> ends_;   // by edge type
  part_view<space, vertex_type> own_;
  int part_;
  shared_rows shared_;
  std::shared_ptr<void const> keeper_;
  std::vector<buffer<Policy, global_id>> offsets_;                   // of the books, in memory of the executor
  std::vector<buffer<Policy, csr_view<space, vertex_type>>> graphs_; // [edge types], [P] each, or none
  std::vector<buffer<Policy, original_ids<space>>> original_;        // [node types], [P] each, or none
};

/// Base of the walkers across parts, which add `walk_bulk`.
template <class Walker, device_policy Policy, class Graph, class Options>
class walker_of_parts {
  using vertex_type = typename Graph::vertex_type;

public:
  static constexpr memory_space space = Policy::space;
  using bulk_item = walks_to_make<Policy, vertex_type>;

  [[nodiscard]] Options const& options() const noexcept { return options_; }

  /// Walks through rows of other ranks in place from now on, as `neighbor_sampler::read_in_place`; walks stay the same.
  ///
  /// @comm   none
  /// @throws precondition_error  as `neighbor_sampler::read_in_place`
  void read_in_place(node_views<part_view<space, vertex_type>> const& neighborhood)
    requires host_policy<Policy>
  {
    parts_.read_in_place(neighborhood);
  }
  /// Returns true if all ranks walk through all rows in place, as over a replicated topology. Then calls send nothing, do
  /// not wait for other ranks, and throw on the rank that failed alone.
  [[nodiscard]] bool sends_nothing() const noexcept { return parts_.shared().everywhere(); }
  /// Returns the reason why rows of some ranks are not read in place; empty if all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return parts_.shared().reason(); }

  /// Walks from this rank's starts into `out`; a rank without starts passes an empty list.
  ///
  /// @shape  starts [S] global ids, of any part; along edge types, of the destination type of the first → walks
  ///         [S · walks_per_start, length + 1] of global ids; along edge types, column s + 1 is of the source type of
  ///         step s
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  on every rank, if a start of a rank is not in [0, V) or the keys differ; `out` is then
  ///                           unspecified
  void walk(array_view<space, vertex_type const> starts, sample_key key, walks<Policy, vertex_type>& out) {
    bulk_item const batch{starts, key, &out};
    static_cast<Walker&>(*this).walk_bulk(std::span(&batch, 1));
  }

  template <class Starts, class Out,
            class Reason = typename decltype(reason_of_seeds<Starts, space, vertex_type>())::type>
    requires(!fitting_seeds<Starts, Out, space, vertex_type, walks<Policy, vertex_type>>)
  void walk(Starts const&, sample_key, Out&) = delete;

protected:
  /// Borrows the graph, which must outlive the walker.
  walker_of_parts(Graph const& graph, Options options, Policy policy) : options_(options), parts_(graph, policy) {}

  /// Checks options and graph with `check`, and that `print` is the same on all ranks; `options` names the options of
  /// which it is the fingerprint.
  template <communicator Comm, class Check>
  void agree(Comm& comm, Graph const& graph, Check check, std::int64_t print, std::string_view options) const {
    auto const failure = failure_of([&] {
      validate(options_);
      check();
      check_own_part(comm, graph.part(), parts_.book().num_parts(), "part", "walked by");
    });
    detail::agree(host_comm(comm), {.what = operation::make_sampler}, failure, print, [&](auto, auto) {
      return message("walks with other options than rank 0; pass the same ", options, " on all ranks");
    });
  }

  Options options_;
  walk_parts<Policy, Graph> parts_;
};

} // namespace glt::detail
