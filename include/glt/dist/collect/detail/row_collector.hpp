// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/joined_keys.hpp>
#include <glt/dist/collect/detail/row_exchange.hpp>
#include <glt/dist/collect/detail/row_requests.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/tier/detail/striped_rows.hpp>
#include <glt/sample/detail/arguments.hpp>

namespace glt::detail {

/// Rows of a source in all collected tensors, and the table that finds them by key.
///
/// @shape  tensors in the order of the plan · table of edge ids, or of the keys of hot rows; otherwise empty
template <memory_space Space>
struct source_rows {
  std::vector<any_rows<Space>> tensors;
  id_table_view<Space> table{};
};

/// Base of all collectors: fetches rows of the plan's tensors by vertex or edge key, wherever they are stored.
///
/// Concurrent calls: none on one object, nor on collectors of one communicator.
template <communicator Comm, device_policy Policy>
class row_collector {
  static constexpr memory_space space = Policy::space;

public:
  /// Returns why rows of some ranks are not read in place; empty if all ranks' rows are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return shared_.reason(); }
  /// Returns the time that the calling thread has spent so far. It does not wait for enqueued work.
  [[nodiscard]] collector_seconds seconds() const noexcept { return seconds_; }
  /// Returns the numbers of vertices or edges whose rows were collected so far, by source.
  [[nodiscard]] collected_counts counts() const noexcept { return counts_; }

  /// Reports a failure in place of the next collection; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(std::int64_t step, std::string const& failure) {
    requests_.refuse({.what = operation::collect, .step = step}, failure);
  }

protected:
  /// Borrows this rank's rows of the plan; rows of edges come with the table that finds them.
  ///
  /// @comm   none, or one reduction; see `device_comm`
  row_collector(Comm comm, partition_book const& book, std::vector<planned_tensor<space>> tensors,
                std::optional<id_table_view<space>> const& edges, Policy policy)
      : policy_(policy), num_vertices_(book.num_vertices()),
        exchange_({std::move(tensors), policy}, policy, default_round_bytes<Policy>(comm.size())),
        requests_(std::move(comm), book, edges.has_value(), exchange_.message().flags(), policy),
        keys_(policy, requests_.sources().index()),
        sources_(static_cast<std::size_t>(requests_.sources().num_sources())) {
    source_rows<space> own{.tensors = {}, .table = edges.value_or(id_table_view<space>())};
    for (auto const& each : plan()) {
      own.tensors.push_back(each.local);
    }
    set_source(requests_.rank(), std::move(own));
  }

  [[nodiscard]] std::vector<planned_tensor<space>> const& plan() const noexcept { return exchange_.message().plan(); }
  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }

  /// Reads this rank's rows of a tensor from tiers from now on, both for this rank and for other ranks.
  void set_tier(std::size_t tensor, std::byte const* cold, row_tier<space> tier) {
    exchange_.message().set_tier(tensor, cold, tier);
    sources_[static_cast<std::size_t>(requests_.rank())].tensors[tensor] = plan()[tensor].local;
  }

  /// Borrows hot rows; none if the table is empty. `has_all` is false if they lack a `seeds_only` tensor.
  void set_hot(source_rows<space> hot, bool has_all) {
    hot_has_all_ = has_all;
    set_source(requests_.sources().hot(), std::move(hot));
  }

  /// Reads rows of other ranks in place from `rows_of(view, rank)`, where there are views of them.
  ///
  /// @throws precondition_error  if there is not one entry per rank, or this rank's is missing; or by `rows_of`
  template <class View, class RowsOf>
  void set_shared(node_views<View> const& views, RowsOf rows_of) {
    shared_rows shared(views, requests_.rank(), requests_.size());
    std::vector<source_rows<space>> found(views.of_rank.size());
    std::vector<char> is_local(views.of_rank.size(), 0);
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
      if (views.of_rank[rank]) {
        found[rank] = rows_of(*views.of_rank[rank], static_cast<int>(rank));
        is_local[rank] = 1;
      }
    }
    for (int rank = 0; rank < requests_.size(); ++rank) {
      if (rank != requests_.rank()) {
        set_source(rank, std::move(found[static_cast<std::size_t>(rank)]));
      }
    }
    requests_.sources().set_local(std::move(is_local));
    shared_ = std::move(shared);
    keeper_ = views.keeper;
  }

  /// Collects the rows of lists of keys. A `seeds_only` tensor gets the rows of each list's seeds. A row of another rank
  /// that several lists need is requested once. `prepare()` checks the lists and reserves memory for the rows,
  /// or throws; `resize()` then returns the targets of the rows.
  ///
  /// @shape  resize() returns [lists, tensors]
  /// @comm   collective; one header exchange, one exchange of keys, and one exchange of rows per round; for edges, and
  ///         for rows that are read from storage, one more header exchange before the rows
  /// @throws collective_error  on every rank, if on one of them `prepare` throws, a vertex is not in [0, V), or a
  ///                           requested edge is not stored, or a row cannot be read from storage
  template <class Conversions, class Vertex, class Rows, class Prepare, class Resize>
  void collect_rows(std::span<bulk_list<Policy, Vertex, Rows> const> lists, std::int64_t step, Prepare prepare,
                    Resize resize) {
    stopwatch watch;
    call_site const site{.what = operation::collect, .step = step};
    auto& sources = requests_.sources();
    // All steps that can fail come before the header exchange: after it, other ranks wait for this rank's rows.
    auto const failure = failure_of([&] {
      for (auto const& list : lists) {
        if (sources.by_edge() || !list.edges.empty()) {
          check_edges(list.edges.size(), list.vertices.size(), sources.by_edge());
        }
        validate_vertices(policy_, sources.by_edge() ? "destination" : "vertex", list.vertices, num_vertices_);
        check_is_wanted(list.out != nullptr);
      }
      prepare();
      auto const keys = keys_.join(lists, sources);
      sources.sort(keys, exchange_.message().flags() ? keys_.num_seeds() : 0, hot_has_all_ ? 0 : keys_.num_seeds(),
                   keys_.kept());
      keys_.find(sources);
      exchange_.reserve(requests_.size());
      if (exchange_.message().reads()) {
        auto const own = sources.list(requests_.rank());
        exchange_.message().read({&own, 1}, counts_);
      }
    });
    if (!failure.empty()) {
      requests_.refuse(site, failure);
    }
    requests_.start(site);
    watch.lap(seconds_.requesting);
    auto const targets = resize();
    auto const out = keys_.targets(targets);
    for (int source = 0; source < sources.num_sources(); ++source) {
      if (sources.is_local(source) && sources.list(source).size > 0) {
        exchange_.message().template scatter<Conversions>(sources_[static_cast<std::size_t>(source)].tensors,
                                                          sources.list(source), out.of(source));
      }
      count(source);
    }
    watch.lap(seconds_.own_rows);
    finish_requests(site);
    watch.lap(seconds_.requesting);
    read_requested(site);
    watch.lap(seconds_.packing);
    exchange_.template run<Conversions>(requests_, site, out, seconds_);
    stopwatch copying;
    keys_.copy_repeated(targets, plan());
    copying.lap(seconds_.unpacking);
    counts_.repeated += keys_.num_repeated();
  }

private:
  void set_source(int source, source_rows<space> rows) {
    for (auto& each : rows.tensors) {
      each.storage = source == requests_.rank() ? each.storage : nullptr; // `row_message` reads rows of this rank only
    }
    requests_.sources().set_table(source, rows.table);
    sources_[static_cast<std::size_t>(source)] = std::move(rows);
  }

  void finish_requests(call_site site) {
    if (!requests_.sources().by_edge()) {
      committed(requests_.host(), [&] { requests_.finish(); });
      return;
    }
    auto const unknown = failure_of([&] { requests_.finish(); });
    if (requests_.anything()) {
      agree(requests_.host(), site, unknown);
    }
  }

  // Reads the rows that other ranks request before any rank waits for them, as it may fail.
  void read_requested(call_site site) {
    if (!exchange_.message().reads() || !requests_.anything()) {
      return;
    }
    auto const failure = failure_of([&] {
      std::vector<row_list> lists;
      for (int rank = 0; rank < requests_.size(); ++rank) {
        lists.push_back(requests_.received(rank));
      }
      exchange_.message().read(lists, counts_);
    });
    agree(requests_.host(), site, failure);
  }

  void count(int source) {
    auto const rows = requests_.sources().list(source).size;
    (source == requests_.rank()             ? counts_.own
     : source == requests_.sources().hot()  ? counts_.cached
     : requests_.sources().is_local(source) ? counts_.in_place
                                            : counts_.remote) += rows;
  }

  Policy policy_;
  std::int64_t num_vertices_;
  row_exchange<Comm, Policy> exchange_;
  row_requests<Comm, Policy> requests_;
  joined_keys<Policy> keys_;
  std::vector<source_rows<space>> sources_; // [P + 1]
  bool hot_has_all_ = true;
  shared_rows shared_;
  std::shared_ptr<void const> keeper_; // owner of the rows that are read in place
  collector_seconds seconds_;
  collected_counts counts_;
};

} // namespace glt::detail
