// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/named_message.hpp>
#include <glt/dist/collect/detail/row_exchange.hpp>
#include <glt/dist/collect/detail/row_requests.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/hotness/named_hot_rows.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/dist/shared/near_rows.hpp>
#include <glt/feature/any_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/named_rows.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Fetches rows of several tensors of the same vertices, wherever they live.
///
///     glt::dist::named_collector collector(comm, features, {{.name = "title", .type = glt::element_type::float32},
///                                                           {.name = "label", .seeds_only = true}});
///     auto const& rows = collector.collect(nodes, num_seeds, step);
///     auto const title = rows["title"].template as<float>();
///
/// @comm   per call one header exchange, one exchange of 4 bytes a remote vertex and one of rows for every
///         `default_round_bytes`, whatever the number of tensors; rows travel as they are stored
template <communicator Comm, host_policy Policy>
class named_collector {
  static constexpr memory_space space = Policy::space;
  using tables = std::vector<named_rows<space>>;

public:
  /// Borrows the features, which must outlive the collector; without wishes, all tensors are collected as they are
  /// stored.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if a rank wants a tensor that is not there, one twice, or one as what it
  ///                           cannot be converted to, if ranks want different ones (types may differ), or the features
  ///                           were not made for this rank of as many ranks
  named_collector(Comm comm, named_features<Policy> const& features, std::vector<wanted_tensor> const& wanted = {},
                  Policy policy = {})
      : features_(&features), message_(agree_on_tensors(comm, features, wanted), policy),
        exchange_(message_, std::move(policy), default_round_bytes(comm.size())), requests_(std::move(comm)) {
    for (auto const& each : message_.plan()) {
      local_.push_back(each.local);
    }
  }

  /// Borrows hot rows from now on: vertices among them are not asked for, and the results are the same. Ranks may
  /// have different ones, or none. Where they lack a tensor of the seeds alone, seeds are asked for.
  ///
  /// @comm   none
  /// @throws precondition_error  if they lack another tensor that is collected, or it has other elements or columns
  void use(named_hot_rows<Policy> const& hot) {
    hot_ = nullptr;
    if (hot.size() == 0) {
      return;
    }
    auto const tensors = hot.rows().tensors();
    hot_rows_ = find_planned(message_.plan(), tensors, "hot rows");
    seeds_are_hot_ = std::ranges::all_of(message_.plan(), [&](auto const& each) {
      return std::ranges::find(tensors, each.name, &named_rows<space>::name) != tensors.end();
    });
    hot_ = &hot.vertices();
  }

  /// Reads rows of other ranks in place from now on, where there are views of them; the results are the same, and
  /// ranks may read different ones. The memory is kept as long as the collector.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows
  ///                             of its part and all tensors that are collected
  void read_in_place(node_views<tables> const& neighborhood) {
    near_rows near(neighborhood, requests_.comm().rank(), requests_.comm().size());
    std::vector<std::vector<any_rows<space>>> rows(neighborhood.of_rank.size());
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
      if (auto const& view = neighborhood.of_rank[rank]) {
        rows[rank] = rows_of_part(*view, static_cast<int>(rank));
      }
    }
    near_ = std::move(rows);
    keeper_ = neighborhood.keeper;
    requests_.set_near(std::move(near));
  }

  /// Why rows of some ranks are not read in place; empty if those of all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return requests_.near().reason(); }
  /// Time that this collector has spent so far.
  [[nodiscard]] collector_seconds seconds() const noexcept { return seconds_; }
  /// Vertices whose rows this collector has collected so far.
  [[nodiscard]] collected_counts counts() const noexcept { return counts_; }

  /// Writes the rows of all vertices, of the tensors of the seeds alone those of the first `num_seeds` of them.
  ///
  /// @shape  vertices [N] global ids; distinct ones save bytes but need not be
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), or more seeds than vertices, or
  ///                           has no memory for the rows; the tensors of `out` are unchanged then
  /// @cost   O(N · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_seeds, std::int64_t step,
               collected_table<Policy>& out) {
    stopwatch watch;
    call_site const site{.what = operation::collect, .step = step};
    auto const failure = failure_of([&] {
      validate_vertices("vertex", vertices, features_->book().num_vertices());
      detail::check_num_first("seeds", num_seeds, vertices.size());
      requests_.route(features_->book(), vertices, num_seeds, hot_, seeds_are_hot_ ? 0 : num_seeds);
      exchange_.reserve(requests_.comm().size());
      message_.reserve(vertices.size(), num_seeds, out);
    });
    if (!failure.empty()) {
      requests_.refuse(site, failure);
    }
    requests_.start(site, 0, {});
    watch.lap(seconds_.requesting);
    message_.resize(vertices.size(), num_seeds, out);
    message_.put(local_, requests_.own(), requests_.own_places(), out);
    for (std::size_t part = 0; part < requests_.near().num_parts(); ++part) {
      if (requests_.near().is_near(part)) {
        message_.put(near_[part], requests_.near().rows_of(part), requests_.near().places_of(part), out);
      }
    }
    if (hot_ != nullptr) {
      message_.put(hot_rows_, requests_.cached(), requests_.cached_places(), out);
    }
    watch.lap(seconds_.own_rows);
    requests_.finish();
    watch.lap(seconds_.requesting);
    exchange_.run(requests_, out, seconds_);
    requests_.count(counts_);
  }

  /// The same into memory of the collector; valid until the next call.
  template <vertex_id Vertex>
  collected_table<Policy> const& collect(array_view<space, Vertex const> vertices, std::int64_t num_seeds,
                                         std::int64_t step) {
    collect(vertices, num_seeds, step, collected_);
    return collected_;
  }

  /// The same of all tensors for all vertices.
  template <vertex_id Vertex>
  collected_table<Policy> const& collect(array_view<space, Vertex const> vertices, std::int64_t step) {
    return collect(vertices, vertices.size(), step);
  }

private:
  static auto agree_on_tensors(Comm& comm, named_features<Policy> const& features,
                               std::vector<wanted_tensor> const& wanted) {
    auto const misfit = failure_of([&] {
      detail::check_collected(features.book(), features.local().num_vertices(), comm.rank(), comm.size());
    });
    return agree_on_plan(comm, misfit, features.local().tensors(), wanted);
  }

  [[nodiscard]] std::vector<any_rows<space>> rows_of_part(tables const& view, int rank) const {
    auto const what = detail::message("view of part ", rank);
    auto found = find_planned(message_.plan(), view, what);
    auto const num_rows = features_->book().size(rank);
    for (std::size_t t = 0; t < found.size(); ++t) {
      if (found[t].num_rows != num_rows) {
        throw precondition_error(detail::message(what, " of ", num_rows, " vertices with ", found[t].num_rows,
                                                 " rows of features \"", message_.plan()[t].name,
                                                 "\"; share the features that the ranks were given"));
      }
    }
    return found;
  }

  named_features<Policy> const* features_;
  named_message<Policy> message_;
  row_exchange<Comm, Policy, named_message<Policy>> exchange_;
  row_requests<Comm> requests_;
  std::vector<any_rows<space>> local_;             // by tensor, as those that follow
  std::vector<any_rows<space>> hot_rows_;
  std::vector<std::vector<any_rows<space>>> near_; // [R]
  std::shared_ptr<void const> keeper_;             // of the near ones
  detail::id_table<Policy> const* hot_ = nullptr;
  bool seeds_are_hot_ = false;
  collected_table<Policy> collected_;
  collector_seconds seconds_;
  collected_counts counts_;
};

template <communicator Comm, host_policy Policy>
named_collector(Comm, named_features<Policy> const&, std::vector<wanted_tensor> const& = {}, Policy = {})
    -> named_collector<Comm, Policy>;

} // namespace glt::dist
