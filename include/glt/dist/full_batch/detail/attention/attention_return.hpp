// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/pushed_edges.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/exec/detail/ordered_pieces.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Steps of an attention's backward pass.
///
/// The edges between two ranks are processed by the rank for which fewer bytes move. The owner of the destinations
/// fetches the sources again and returns their gradients. The owner of the sources receives rows of the destinations
/// and returns the gradients by their queries. All sums, local and returned, have the type of `Terms`.
template <communicator Comm, device_policy Policy, class T, class Terms>
class attention_return {
  static constexpr memory_space space = Policy::space;

public:
  using sum_type = typename Terms::template sum_type<T>;

  attention_return(dist::sharded_graph<Comm, Policy>& graph, attention_pass<Comm, Policy, T> const& pass,
                   attention_destinations<T> destinations, attention_sums<sum_type> out, attention_terms<Terms> terms,
                   dist::pushed_edges<Policy> const* pushed)
      : graph_(&graph), pass_(&pass), options_(pass.options()), pushed_options_(pass.options()),
        destinations_(destinations), out_(out), terms_(terms), pushed_(pushed), shape_(pass.shape()) {
    if (pushed != nullptr) {
      pushed_options_.edge_ids = pushed->ids();
    }
  }

  /// Returns the bytes that a step sends and receives.
  [[nodiscard]] step_bytes bytes(std::int64_t k) const {
    auto const next = own_edges(k);
    auto const previous = others_edges(k);
    auto const sources = shape_.source_columns();
    auto const destinations = shape_.destination_columns();
    return {.to_next = next.is_pushed ? pass_->bytes(next.destinations, destinations) : 0,
            .to_previous = previous.is_pushed ? 0 : pass_->bytes(previous.sources, sources),
            .from_previous = previous.is_pushed ? pass_->bytes(previous.destinations, destinations) : 0,
            .from_next = next.is_pushed ? 0 : pass_->bytes(next.sources, sources)};
  }

  [[nodiscard]] step_bytes reply_bytes(std::int64_t k) const {
    auto const next = own_edges(k);
    auto const previous = others_edges(k);
    auto const sources = shape_.source_columns();
    return {.to_next = next.is_pushed ? 0 : next.sources * sources * sum_bytes,
            .to_previous = previous.is_pushed ? previous.destinations * shape_.keys * sum_bytes : 0,
            .from_previous = previous.is_pushed ? 0 : previous.sources * sources * sum_bytes,
            .from_next = next.is_pushed ? next.destinations * shape_.keys * sum_bytes : 0};
  }

  void fill(std::int64_t k, std::byte* block) const {
    if (own_edges(k).is_pushed) {
      pack_destinations(graph_->shard(k).rows, reinterpret_cast<T*>(block));
    }
    if (!others_edges(k).is_pushed) {
      pass_->pack_sources(graph_->sent_rows(k), block + bytes(k).to_next);
    }
  }

  void serve(std::int64_t k, std::byte const* received, std::byte* reply) const {
    auto const replied = reply_bytes(k);
    if (replied.to_next > 0) {
      auto* const data = reinterpret_cast<sum_type*>(reply);
      auto const stride = shape_.source_columns();
      pass_->fill(data, graph_->num_received(k) * stride, 0);
      add(graph_->shard(k), graph_->transposed(k), pass_->sources_in(received + bytes(k).from_previous), destinations_,
          {{data, stride}, {data + shape_.values, stride}, out_.queries}, options_);
    }
    if (replied.to_previous > 0) {
      auto const own = graph_->sent_rows(k);
      auto const sources = pass_->sources();
      auto* const data = reinterpret_cast<sum_type*>(reply + replied.to_next);
      pass_->fill(data, pushed_->num_served(k) * shape_.keys, 0);
      add(pushed_->shard(k), pushed_->transposed(k),
          {pass_->listed(sources.values, own), pass_->listed(sources.keys, own)},
          destinations_in(reinterpret_cast<T const*>(received)),
          {pass_->listed(out_.values, own), pass_->listed(out_.keys, own), {data, shape_.keys}}, pushed_options_);
    }
  }

  void use(std::int64_t k, std::byte const* reply) const {
    auto const replied = reply_bytes(k);
    if (replied.from_previous > 0) {
      auto const own = graph_->sent_rows(k);
      auto const* const data = reinterpret_cast<sum_type const*>(reply);
      add_rows(own, {data, shape_.source_columns()}, out_.values, shape_.values);
      add_rows(own, {data + shape_.values, shape_.source_columns()}, out_.keys, shape_.keys);
    }
    if (replied.from_next > 0) {
      auto const* const data = reinterpret_cast<sum_type const*>(reply + replied.from_previous);
      add_rows(graph_->shard(k).rows, {data, shape_.keys}, out_.queries, shape_.keys);
    }
  }

  /// Adds the edges within this rank.
  void add_own() const {
    add(graph_->shard(0), graph_->transposed(0), pass_->sources(), destinations_, out_, options_);
  }

private:
  // Edges between two ranks, and the rank that processes them.
  struct edges_between {
    std::int64_t sources;
    std::int64_t destinations; // 0 if the owner of the sources does not know the edges
    bool is_pushed;
  };

  [[nodiscard]] edges_between own_edges(std::int64_t k) const {
    return between(graph_->num_received(k), pushed_ == nullptr ? 0 : pushed_->num_offered(k));
  }
  [[nodiscard]] edges_between others_edges(std::int64_t k) const {
    return between(graph_->sent_rows(k).size(), pushed_ == nullptr ? 0 : pushed_->num_served(k));
  }
  [[nodiscard]] edges_between between(std::int64_t sources, std::int64_t destinations) const {
    auto const pushed =
        pass_->bytes(destinations, shape_.destination_columns()) + destinations * shape_.keys * sum_bytes;
    bool const saves =
        pushed < pass_->bytes(sources, shape_.source_columns()) + sources * shape_.source_columns() * sum_bytes;
    return {sources, destinations, destinations > 0 && (saves || pushed_->choice() == push_choice::all)};
  }

  void add_rows(array_view<space, local_id const> own, strided_rows<sum_type const> sums, strided_rows<sum_type> out,
                std::int64_t columns) const {
    pass_->template move<true>(own.size(), sums, pass_->listed(out, own), columns);
  }

  // A row is gradients, queries, softmax and deltas.
  void pack_destinations(array_view<space, local_id const> rows, T* data) const {
    if (rows.empty()) {
      return;
    }
    auto const move = [&](strided_rows<T const> from, std::int64_t columns) {
      pass_->template move<false>(rows.size(), pass_->listed(from, rows), {data, shape_.destination_columns()},
                                  columns);
      data += columns;
    };
    move(destinations_.gradients, shape_.values);
    move(destinations_.queries, shape_.keys);
    move(destinations_.softmax, 2 * shape_.heads);
    move(destinations_.deltas, shape_.heads);
  }
  [[nodiscard]] attention_destinations<T> destinations_in(T const* data) const {
    if (data == nullptr) { // no rows
      return {};
    }
    auto const stride = shape_.destination_columns();
    auto const* const queries = data + shape_.values;
    auto const* const softmax = queries + shape_.keys;
    return {{data, stride}, {queries, stride}, {softmax, stride}, {softmax + 2 * shape_.heads, stride}, shape_.heads};
  }

  void add(shard_view<space> shard, shard_view<space> transposed, attention_sources<T> from,
           attention_destinations<T> to, attention_sums<sum_type> by, attention_options<space> const& options) const {
    auto const ex = graph_->policy().executor();
    auto const pieces = sliced_rows::of<Policy>(shape_.heads);
    auto const columns = shape_.of_head();
    visit_attention<T>(options, shape_, [&]<class Score, class Dropout>(Score score, Dropout dropout) {
      add_source_gradients<space, T, Score, Dropout, Terms> const by_source{transposed, from,  to,      by,    pieces,
                                                                            columns,    score, dropout, terms_};
      if constexpr (host_policy<Policy>) {
        add_together(by_source);
      } else {
        ex.for_each(pieces.count(transposed.rows.size()), wide_kernel{by_source});
        ex.for_each(pieces.count(shard.rows.size()),
                    add_query_gradients<space, T, Score, Dropout, Terms>{shard, from, to, by.queries, pieces, columns,
                                                                         score, dropout, terms_.queries});
      }
    });
  }

  // Adds gradients by queries in the order of the sources, while gradients of later sources are computed. Only the edge
  // gradients of some rows are in memory.
  template <class Kernel>
  void add_together(Kernel const& by_source) const {
    auto const& shard = by_source.shard;
    auto const& by_queries = by_source.by.queries;
    auto const heads = shape_.heads;
    auto const keys = shape_.of_head().keys;
    ordered_pieces<std::vector<T>> work;
    for (std::int64_t start = 0; start < shard.rows.size(); start += rows_at_a_time) {
      work.run(
          graph_->policy().executor(), std::min(rows_at_a_time, shard.rows.size() - start), rows_of_piece,
          [&](std::int64_t begin, std::int64_t end, std::vector<T>& gradients) {
            auto some = by_source;
            some.first_edge = shard.offsets[start + begin];
            gradients.resize(static_cast<std::size_t>((shard.offsets[start + end] - some.first_edge) * heads));
            some.gradients = gradients.data();
            wide_kernel const add{some};
            for (auto row = start + begin; row < start + end; ++row) {
              add(row);
            }
          },
          [&](std::int64_t begin, std::vector<T> const& gradients) {
            auto row = start + begin;
            auto e = shard.offsets[row];
            for (auto next = gradients.begin(); next != gradients.end(); ++e) {
              row += e == shard.offsets[row + 1] ? 1 : 0; // all rows have edges
              prefetch_ends(shard, e + 16, e + 17,
                            strided_rows<sum_type const>{by_queries.data, by_queries.stride, by_queries.places}, 1);
              for (std::int64_t head = 0; head < heads; ++head) {
                by_source.score.add_gradient(*next++, by_source.from.keys.row(shard.rows[row]) + head * keys,
                                             by_queries.row(shard.columns[e]) + head * keys,
                                             terms_.queries.from(head * keys));
              }
            }
          });
    }
  }

  static constexpr std::int64_t sum_bytes = sizeof(sum_type);
  static constexpr std::int64_t rows_of_piece = 32;
  static constexpr std::int64_t rows_at_a_time = 128 * rows_of_piece;

  dist::sharded_graph<Comm, Policy>* graph_;
  attention_pass<Comm, Policy, T> const* pass_;
  attention_options<space> options_;
  attention_options<space> pushed_options_;
  attention_destinations<T> destinations_;
  attention_sums<sum_type> out_;
  attention_terms<Terms> terms_;
  dist::pushed_edges<Policy> const* pushed_;
  attention_shape shape_;
};

} // namespace glt::detail
