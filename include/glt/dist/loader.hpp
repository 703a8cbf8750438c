// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/detail/seed_order.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::dist {

/// What a loader does with its seeds.
struct loader_options {
  std::int64_t batch_size = 1024; ///< seeds of one rank and step
  neighbor_options neighbors;     ///< what is sampled around them
  bool shuffle = false;           ///< a new order in every epoch
  bool drop_last = false;         ///< leave out a rank's last batch if it is not full
  std::uint64_t seed = 0;         ///< of shuffling and sampling
};

/// Batches of seeds with their sampled neighbourhoods, features and labels: a range per epoch.
///
/// All ranks take the same number of steps, agreed once; a rank that runs out of seeds joins with empty
/// batches, and no seed is repeated. A batch is a pure function of (options, epoch, step), so an epoch can be
/// repeated or resumed.
///
///     for (auto const& batch : loader.epoch(3)) { … }
///
/// Concurrent calls: none on one object, nor on what communicates by the same communicator.
///
/// @where  batches are in memory of `Policy`, seeds in ordinary memory. Graph and features may be in other spaces that
///         the policy's executor reaches, if it is not of the host; what a batch has may still be enqueued on it then
/// @comm   collective, every step; see `neighbor_sampler` and `feature_collector`
template <communicator Comm, device_policy Policy, vertex_id Vertex, bytes_copyable T,
          device_policy GraphPolicy = Policy, device_policy StorePolicy = Policy>
class loader {
public:
  static constexpr memory_space space = Policy::space;
  using batch_type = batch<Policy, Vertex, T>;

  /// Borrows graph and features, which must outlive the loader, and copies this rank's seeds.
  ///
  /// @shape  seeds [S] global ids, of any part, though own ones cost no message in the first hop
  /// @comm   collective; two header exchanges
  /// @throws collective_error  on every rank, if the options of a rank are wrong, a seed is not in [0, V), or
  ///                           features and graph are of different partitions
  loader(Comm comm, graph<GraphPolicy, Vertex> const& graph, feature_store<StorePolicy, T> const& features,
         std::type_identity_t<host_view<Vertex const>> seeds, loader_options options, Policy policy = {})
      : options_(std::move(options)), features_(&features), seeds_(seeds.begin(), seeds.end()),
        policy_(policy), batch_seeds_(0, policy), sampler_(comm, graph, options_.neighbors, policy),
        num_steps_(agree_on_steps(comm, graph, seeds)), collector_(comm, features, std::move(policy)) {}

  /// Steps of an epoch, the same on all ranks.
  [[nodiscard]] std::int64_t num_steps() const noexcept { return num_steps_; }
  [[nodiscard]] loader_options const& options() const noexcept { return options_; }
  /// Time that this loader has spent so far.
  [[nodiscard]] detail::loader_seconds seconds() const noexcept { return seconds_; }

  /// What this loader has read in place, from hot rows and by messages so far, and why.
  [[nodiscard]] loader_report report() const {
    return {sampler_.counts(), collector_.counts(), sampler_.why_not_in_place(), collector_.why_not_in_place()};
  }

  /// Reads rows of other ranks in place from now on, where there are views of them; see `neighbor_sampler` and
  /// `feature_collector`. Batches are the same.
  ///
  /// @comm   none
  /// @throws precondition_error  if the views are not of the graph's parts, or not of the features'
  void read_in_place(node_views<detail::part_view<space, Vertex>> parts) requires host_policy<Policy> {
    sampler_.read_in_place(std::move(parts));
  }
  void read_in_place(node_views<feature_view<StorePolicy::space, T>> const& rows) { collector_.read_in_place(rows); }

  /// Borrows hot rows from now on, which must outlive the loader; see `feature_collector`. Batches are the same, and
  /// the report tells the hit ratio.
  ///
  /// @comm   none; ranks may have different ones, or none
  /// @throws precondition_error  if the hot rows have other columns than the features
  void use(hot_rows<Policy, T> const& hot) { collector_.use(hot); }

  class iterator;
  struct range {
    loader* source;
    std::int64_t number;
    std::int64_t first_step;
    [[nodiscard]] iterator begin() const {
      source->start(number, first_step);
      return iterator(*source);
    }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
  };

  /// The batches of an epoch from a step on; a batch is valid until the next one is asked for.
  ///
  /// @throws precondition_error  if first_step is not in [0, num_steps()]
  [[nodiscard]] range epoch(std::int64_t number, std::int64_t first_step = 0) {
    if (first_step < 0 || first_step > num_steps_) {
      throw precondition_error(
          detail::message("epoch from step ", first_step, " on; steps are in [0, ", num_steps_, "]"));
    }
    return {this, number, first_step};
  }

private:
  [[nodiscard]] std::int64_t own_steps() const noexcept {
    auto const seeds = static_cast<std::int64_t>(seeds_.size());
    bool const last_is_partial = seeds % options_.batch_size != 0 && !options_.drop_last;
    return seeds / options_.batch_size + (last_is_partial ? 1 : 0);
  }

  std::int64_t agree_on_steps(Comm& comm, graph<GraphPolicy, Vertex> const& graph,
                              host_view<Vertex const> seeds) const {
    auto const failure = detail::failure_of([&] { check(graph, seeds); });
    auto const headers = detail::exchange_values(detail::host_comm(comm), {.what = detail::operation::plan_epoch}, failure,
                                         failure.empty() ? own_steps() : 0);
    return std::ranges::max(headers, {}, &detail::call_header::value).value;
  }

  void check(graph<GraphPolicy, Vertex> const& graph, host_view<Vertex const> seeds) const {
    if (options_.batch_size < 1) {
      throw precondition_error(detail::message("batch size ", options_.batch_size, "; give 1 or more seeds a batch"));
    }
    if (!(features_->book() == graph.book())) {
      throw precondition_error("features and graph have different partition books; load both from one partition");
    }
    if (features_->local().num_vertices() != features_->book().size(graph.part())) {
      throw precondition_error("features and graph are of different parts; make both with the same communicator");
    }
    detail::validate_vertices("seed", seeds, graph.num_vertices());
  }

  void start(std::int64_t number, std::int64_t first_step) {
    order_ = detail::seed_order(seeds_, options_.shuffle, options_.seed, number);
    batch_.epoch = number;
    batch_.step = first_step;
  }

  void load() {
    auto const total = static_cast<std::int64_t>(order_.size());
    auto const begin = batch_.step < own_steps() ? batch_.step * options_.batch_size : total;
    auto const seeds = host_view<Vertex const>(order_).subview(begin, std::min(options_.batch_size, total - begin));
    batch_.num_seeds = seeds.size();
    detail::stopwatch watch;
    sample_key const key{.seed = options_.seed, .epoch = batch_.epoch, .step = batch_.step};
    sampler_.sample(in_memory_of_policy(seeds), key, batch_.subgraph);
    watch.lap(seconds_.sampling);
    auto const distinct = batch_.subgraph.num_sampled_nodes()[0];
    collector_.collect(batch_.subgraph.nodes(), features_->has_labels() ? distinct : 0, batch_.step, batch_.rows);
    batch_.num_columns = features_->num_columns();
    watch.lap(seconds_.features);
    seconds_.collecting = collector_.seconds();
  }

  [[nodiscard]] array_view<space, Vertex const> in_memory_of_policy(host_view<Vertex const> seeds) {
    if constexpr (space == memory_space::host) {
      return seeds;
    } else {
      batch_seeds_.resize(seeds.size());
      detail::copy_in(policy_, seeds, batch_seeds_.view());
      return batch_seeds_.view();
    }
  }

  loader_options options_;
  feature_store<StorePolicy, T> const* features_;
  std::vector<Vertex> seeds_;
  std::vector<Vertex> order_;
  Policy policy_;
  buffer<Policy, Vertex> batch_seeds_; // of one batch, if the policy's memory is not that of `seeds_`
  neighbor_sampler<Comm, Policy, Vertex, uniform_rule, GraphPolicy> sampler_;
  std::int64_t num_steps_; // before the collector, which tells no other rank what is wrong with the features
  feature_collector<Comm, Policy, T, StorePolicy> collector_;
  batch_type batch_;
  detail::loader_seconds seconds_;
};

template <communicator Comm, device_policy Policy, vertex_id Vertex, bytes_copyable T>
loader(Comm, graph<Policy, Vertex> const&, feature_store<Policy, T> const&,
       std::type_identity_t<host_view<Vertex const>>, loader_options) -> loader<Comm, Policy, Vertex, T>;
template <communicator Comm, device_policy GraphPolicy, vertex_id Vertex, device_policy StorePolicy, bytes_copyable T,
          device_policy Policy>
loader(Comm, graph<GraphPolicy, Vertex> const&, feature_store<StorePolicy, T> const&,
       std::type_identity_t<host_view<Vertex const>>, loader_options, Policy)
    -> loader<Comm, Policy, Vertex, T, GraphPolicy, StorePolicy>;

/// Input iterator over the batches of an epoch; loading happens when it is made and advanced.
template <communicator Comm, device_policy Policy, vertex_id Vertex, bytes_copyable T, device_policy GraphPolicy,
          device_policy StorePolicy>
class loader<Comm, Policy, Vertex, T, GraphPolicy, StorePolicy>::iterator {
public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = batch_type;
  using difference_type = std::ptrdiff_t;

  explicit iterator(loader& source) : source_(&source) { load(); }
  [[nodiscard]] batch_type const& operator*() const noexcept { return source_->batch_; }
  iterator& operator++() {
    ++source_->batch_.step;
    load();
    return *this;
  }
  void operator++(int) { ++*this; }
  [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return at_end(); }

private:
  [[nodiscard]] bool at_end() const noexcept { return source_->batch_.step >= source_->num_steps_; }
  void load() {
    if (!at_end()) {
      source_->load();
    }
  }

  loader* source_;
};

} // namespace glt::dist
