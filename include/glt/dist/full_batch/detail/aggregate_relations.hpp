// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/aggregate_pass.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/hetero_sharded_graph.hpp>

namespace glt::detail {

/// Rows that a pass over one relation reads and writes.
///
/// @shape  from and to are [n, F], with the same F
template <memory_space Space, class T>
struct relation_rows {
  matrix_view<Space, T const> from;
  matrix_view<Space, T> to;
};

/// Pass over all relations of a typed graph at once. The block of a step has the rows of each relation, one after the
/// other.
template <communicator Comm, device_policy Policy, class T>
class relations_pass {
  static constexpr memory_space space = Policy::space;
  using rows_type = relation_rows<space, T>;
  using sums_type = row_sums<Policy, T>;

public:
  relations_pass(dist::hetero_sharded_graph<Comm, Policy>& graph, std::span<rows_type const> rows, row_flow flow,
                 dist::aggregator how)
      : graph_(&graph), rows_(rows), flow_(flow), how_(how) {}

  /// @comm   collective; one header exchange
  void begin() {
    auto& passes = graph_->relation(0).passes();
    auto const failure = failure_of([&] {
      check();
      std::int64_t most_sent = 0;
      std::int64_t most_received = 0;
      for (std::int64_t k = 1; k < passes.size(); ++k) {
        most_sent = std::max(most_sent, sent(k));
        most_received = std::max(most_received, received(k));
      }
      flow_ == row_flow::pull ? passes.reserve(most_sent, most_received) : passes.reserve(most_received, most_sent);
    });
    fingerprint widths;
    widths.add(static_cast<std::int64_t>(flow_)).add(static_cast<std::int64_t>(how_)).add(sizeof(T));
    for (auto const& rows : rows_) {
      widths.add(rows.from.columns());
    }
    agree(graph_->relation(0).host(), {.what = operation::aggregate, .step = passes.next_number()}, failure,
          widths.value(), [](std::int64_t, std::int64_t) {
            return message(
                "aggregates relations in other directions, widths or types than rank 0; make the same calls on "
                "all ranks");
          });
  }

  /// Computes to = A from, for each relation.
  void pull() {
    passes().run(
        flow_, [&](std::int64_t k) { return sent(k); }, [&](std::int64_t k) { return received(k); },
        [&](std::int64_t k, std::byte* block) {
          for_each_relation([&](auto& relation, rows_type const& rows, sums_type const& sums) {
            auto const list = relation.sent_rows(k);
            sums.template move<false>(list.size(), rows.from.data(), list.data(), reinterpret_cast<T*>(block), nullptr);
            block += sums.bytes(list.size());
          });
        },
        [&](std::int64_t k, std::byte const* block) {
          for_each_relation([&](auto& relation, rows_type const& rows, sums_type const& sums) {
            sums.add(relation.shard(k), reinterpret_cast<T const*>(block), rows.to.data(), false);
            block += sums.bytes(relation.num_received(k));
          });
        },
        [&] {
          for_each_relation([&](auto& relation, rows_type const& rows, sums_type const& sums) {
            sums.add(relation.shard(0), rows.from.data(), rows.to.data(), true);
          });
        });
    for_each_relation([&](auto& relation, rows_type const& rows, sums_type const& sums) {
      sums.divide(degrees_of(relation), rows.to.data());
    });
  }

  /// Computes to = Aᵀ from, for each relation; rows of a mean's gradient are divided by their degrees.
  void push() {
    passes().run(
        flow_, [&](std::int64_t k) { return received(k); }, [&](std::int64_t k) { return sent(k); },
        [&](std::int64_t k, std::byte* block) {
          for_each_relation([&](auto& relation, rows_type const& rows, sums_type const& sums) {
            sums.add(relation.transposed(k), rows.from.data(), reinterpret_cast<T*>(block), true, degrees_of(relation));
            block += sums.bytes(relation.num_received(k));
          });
        },
        [&](std::int64_t k, std::byte const* block) {
          for_each_relation([&](auto& relation, rows_type const& rows, sums_type const& sums) {
            auto const list = relation.sent_rows(k);
            sums.template move<true>(list.size(), reinterpret_cast<T const*>(block), nullptr, rows.to.data(),
                                     list.data());
            block += sums.bytes(list.size());
          });
        },
        [&] {
          for_each_relation([&](auto& relation, rows_type const& rows, sums_type const& sums) {
            sums.add(relation.transposed(0), rows.from.data(), rows.to.data(), true, degrees_of(relation));
          });
        });
  }

private:
  void check() {
    if (std::ssize(rows_) != graph_->schema().num_edge_types() || how_ == dist::aggregator::max ||
        how_ == dist::aggregator::min) {
      throw precondition_error(message("aggregation of ", rows_.size(), " relations by ", name_of(how_), " over ",
                                       graph_->schema().num_edge_types(), "; pass rows for each, for sums or means"));
    }
    for (int e = 0; e < graph_->schema().num_edge_types(); ++e) {
      auto const& [from, to] = rows_[static_cast<std::size_t>(e)];
      auto const& relation = graph_->relation(e);
      bool const pulls = flow_ == row_flow::pull;
      auto const read = pulls ? relation.num_sources() : relation.num_destinations();
      auto const written = pulls ? relation.num_destinations() : relation.num_sources();
      if (from.rows() != read || to.rows() != written || from.columns() != to.columns()) {
        throw precondition_error(message("rows [", from.rows(), ", ", from.columns(), "] to [", to.rows(), ", ",
                                         to.columns(), "] for relation ", e, "; pass [", read, ", F] and [", written,
                                         ", F]"));
      }
    }
  }

  template <class Use>
  void for_each_relation(Use const& use) {
    for (std::size_t e = 0; e < rows_.size(); ++e) {
      auto& relation = graph_->relation(static_cast<int>(e));
      use(relation, rows_[e], sums_type(relation.policy(), rows_[e].from.columns()));
    }
  }

  [[nodiscard]] auto& passes() { return graph_->relation(0).passes(); }
  [[nodiscard]] std::int64_t sent(std::int64_t k) {
    std::int64_t bytes = 0;
    for_each_relation([&](auto& relation, rows_type const&, sums_type const& sums) {
      bytes += sums.bytes(relation.sent_rows(k).size());
    });
    return bytes;
  }
  [[nodiscard]] std::int64_t received(std::int64_t k) {
    std::int64_t bytes = 0;
    for_each_relation([&](auto& relation, rows_type const&, sums_type const& sums) {
      bytes += sums.bytes(relation.num_received(k));
    });
    return bytes;
  }
  // Returns the degrees that divide sums; empty unless means are computed.
  template <class Relation>
  [[nodiscard]] array_view<space, local_id const> degrees_of(Relation const& relation) const {
    return how_ == dist::aggregator::mean ? relation.in_degrees() : array_view<space, local_id const>();
  }

  dist::hetero_sharded_graph<Comm, Policy>* graph_;
  std::span<rows_type const> rows_;
  row_flow flow_;
  dist::aggregator how_;
};

/// Computes sums or means over the in-edges of every relation in one rotation. At each step a rank gets the rows of all
/// relations in one message. A cover of the boundary is not used.
///
/// @shape  rows: one for each edge type, from [num_sources(), F] to [num_destinations(), F] of its relation, written;
///         relations may have different F
/// @where  memory of the graph's policy
/// @comm   collective; one header exchange and at most R − 1 messages a rank
/// @throws collective_error  on every rank, if rows of a rank have other shapes, `how` is `max` or `min`, or a rank
///                           passes other widths or another `how` than rank 0
/// @cost   as `aggregate` for each relation; the rows of 2 · depth + 2 shards of all relations
template <communicator Comm, device_policy Policy, class T>
void aggregate_relations(dist::hetero_sharded_graph<Comm, Policy>& graph,
                         std::span<relation_rows<Policy::space, T> const> rows,
                         dist::aggregator how = dist::aggregator::mean) {
  if (graph.schema().num_edge_types() > 0) {
    relations_pass<Comm, Policy, T> pass(graph, rows, row_flow::pull, how);
    pass.begin();
    pass.pull();
  }
}

/// Computes the gradients of `aggregate_relations` by the rows of sources.
///
/// @shape  rows: one for each edge type, from [num_destinations(), F], the gradients by the result, to [num_sources(),
///         F], written
/// @comm   as `aggregate_relations`
/// @throws collective_error  as `aggregate_relations`
template <communicator Comm, device_policy Policy, class T>
void aggregate_relations_backward(dist::hetero_sharded_graph<Comm, Policy>& graph,
                                  std::span<relation_rows<Policy::space, T> const> rows,
                                  dist::aggregator how = dist::aggregator::mean) {
  if (graph.schema().num_edge_types() > 0) {
    relations_pass<Comm, Policy, T> pass(graph, rows, row_flow::push, how);
    pass.begin();
    pass.push();
  }
}

} // namespace glt::detail
