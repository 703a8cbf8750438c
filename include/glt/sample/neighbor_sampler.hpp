// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/hop_worker.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// Scratch memory that pieces of work borrow: as many as ever worked at the same time, kept for reuse.
///
/// Copies start empty: scratch memory has no value.
template <class Scratch>
class scratch_pool {
public:
  scratch_pool() = default;
  scratch_pool(scratch_pool const&) noexcept {}
  scratch_pool& operator=(scratch_pool const&) noexcept { return *this; }

  /// Calls work(scratch) with scratch memory that no other call uses.
  ///
  /// @cost   one lock before and one after; allocates only while more work runs at the same time than before
  template <class Work>
  void borrow(Work work) {
    std::unique_ptr<Scratch> scratch = take();
    work(*scratch);
    std::scoped_lock const lock(mutex_);
    spare_.push_back(std::move(scratch));
  }

private:
  [[nodiscard]] std::unique_ptr<Scratch> take() {
    {
      std::scoped_lock const lock(mutex_);
      if (!spare_.empty()) {
        auto scratch = std::move(spare_.back());
        spare_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<Scratch>();
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> spare_;
};

} // namespace glt::detail

namespace glt {

/// Sampler of the multi-hop in-neighbourhood of batches of seeds, on one process, by a draw rule.
///
/// The graph and the data of the rule may be in another memory space than seeds and results: in pinned memory, which a
/// GPU reads in place.
///
/// Concurrent calls: none on one object; several samplers may share a graph.
///
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 2
template <device_policy Policy, vertex_id Vertex = local_id, class Rule = uniform_rule,
          memory_space GraphSpace = Policy::space>
  requires draw_rule<Rule, csr_view<GraphSpace, Vertex>> &&
           reaches<decltype(std::declval<Policy const&>().executor()), GraphSpace>
class neighbor_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using graph_type = csr_view<GraphSpace, Vertex>;
  using subgraph_type = sampled_subgraph<Policy, Vertex>;
  using query_type = typename Rule::query_type;

  /// Borrows the graph and the data of the rule, which must outlive the sampler.
  ///
  /// `original` holds the ids of vertices before they were renumbered. Random numbers use them, so that renumbering
  /// does not change a sample.
  ///
  /// @shape  original [V] or empty
  /// @throws precondition_error  if the options are wrong or wrong for the rule, the graph is not square, or
  ///                             original has another length
  neighbor_sampler(graph_type graph, neighbor_options options, Rule rule, Policy policy = {},
                   array_view<GraphSpace, global_id const> original = {})
      : graph_(graph), options_(std::move(options)), rule_(rule), original_(original), policy_(std::move(policy)),
        worker_(policy_) {
    detail::validate(options_);
    detail::check_rule(graph_, options_, rule_);
    detail::check_edge_ids(graph_, options_.edge_ids);
    detail::check_all_rows(graph, original, "dist::neighbor_sampler");
  }

  /// Makes a sampler with a rule that needs no data, such as `uniform_rule`.
  neighbor_sampler(graph_type graph, neighbor_options options, Policy policy = {},
                   array_view<GraphSpace, global_id const> original = {})
    requires std::default_initializable<Rule>
      : neighbor_sampler(graph, std::move(options), Rule{}, std::move(policy), original) {}

  template <class Graph, class Options = neighbor_options, class... Others,
            class Reason = typename decltype(detail::reason_of_graph<Graph, graph_type>())::type>
    requires(!std::convertible_to<Graph const&, graph_type> || !std::convertible_to<Options const&, neighbor_options>)
  neighbor_sampler(Graph const&, Options const&, Others const&...) = delete;

  [[nodiscard]] neighbor_options const& options() const noexcept { return options_; }

  /// Changes the rule, because its data may differ from batch to batch.
  void set_rule(Rule rule) noexcept { rule_ = rule; }

  /// Samples one batch into `out`; a seed may come more than once, and no seeds give an empty subgraph.
  ///
  /// @shape  seeds [S]
  /// @throws precondition_error  if a seed is not in [0, V); `out` is then unchanged, or empty if the policy is not a
  ///                             host policy, because seeds are checked while the batch is drawn
  /// @cost   O(sampled edges); allocates only while the batch is larger than any before; waits as `hop_worker` if the
  ///         policy is not a host policy
  void sample(array_view<space, Vertex const> seeds, sample_key key, subgraph_type& out)
    requires(!detail::has_query<Rule>)
  {
    run(seeds, {}, key, out);
  }

  /// Samples with one query per seed, such as a time, which every vertex sampled for that seed inherits.
  ///
  /// @shape  seeds [S] · queries [S]
  /// @throws precondition_error  as without queries, or if there is not one query per seed; `out` is then unchanged
  void sample(array_view<space, Vertex const> seeds, array_view<space, query_type const> queries, sample_key key,
              subgraph_type& out)
    requires(detail::has_query<Rule>)
  {
    detail::check_queries(seeds.size(), queries.size());
    run(seeds, queries, key, out);
  }

  template <
      class Seeds, class Out,
      class Reason = typename decltype(detail::reason_of_seeds<Seeds, space, Vertex, detail::has_query<Rule>>())::type>
    requires(detail::has_query<Rule> || !detail::fitting_seeds<Seeds, Out, space, Vertex, subgraph_type>)
  void sample(Seeds const&, sample_key, Out&) = delete;

  /// Samples several batches; batch i equals the result of `sample` at step key.step + i. On host policies each batch
  /// is sampled by one thread, on others one after the other.
  ///
  /// @shape  seeds, out [B]
  /// @throws precondition_error  if a seed is not in [0, V), or seeds and out differ in length; every `out` is then
  ///                             unchanged
  /// @cost   as `sample`, divided by the threads of the policy, each of which has its scratch memory
  void sample_bulk(std::span<array_view<space, Vertex const> const> seeds, sample_key key, std::span<subgraph_type> out)
    requires(!detail::has_query<Rule>)
  {
    if (seeds.size() != out.size()) {
      throw precondition_error(detail::message(seeds.size(), " batches of seeds for ", out.size(),
                                               " subgraphs; give one subgraph per batch"));
    }
    for (auto const& batch : seeds) {
      detail::validate_vertices(policy_, "seed", batch, graph_.num_rows());
    }
    auto const key_of = [&](std::size_t batch) {
      return sample_key{.seed = key.seed, .epoch = key.epoch, .step = key.step + static_cast<std::int64_t>(batch)};
    };
    if constexpr (host_policy<Policy>) {
      policy_.executor().for_ranges(std::ssize(seeds), 1, [&](std::int64_t first, std::int64_t last) {
        bulk_workers_.borrow([&](worker& own) {
          for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
            own.sample(exec::sequential{}, graph_, options_, rule_, original_, seeds[i], {}, key_of(i), out[i]);
          }
        });
      });
    } else {
      for (std::size_t i = 0; i < seeds.size(); ++i) {
        run(seeds[i], {}, key_of(i), out[i]);
      }
    }
  }

private:
  using worker = detail::hop_worker<Policy, Vertex, Rule, GraphSpace>;

  void run(array_view<space, Vertex const> seeds, array_view<space, query_type const> queries, sample_key key,
           subgraph_type& out) {
    if constexpr (host_policy<Policy>) {
      detail::validate_vertices("seed", seeds, graph_.num_rows()); // so that `out` is unchanged
    }
    worker_.sample(policy_.executor(), graph_, options_, rule_, original_, seeds, queries, key, out);
  }

  graph_type graph_;
  neighbor_options options_;
  Rule rule_;
  array_view<GraphSpace, global_id const> original_;
  Policy policy_;
  worker worker_;
  detail::scratch_pool<worker> bulk_workers_;
};

} // namespace glt
