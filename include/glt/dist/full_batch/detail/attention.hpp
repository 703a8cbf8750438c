// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/detail/out_degrees.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/shard.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Averages the values of the in-neighbours of every vertex of this rank's part, weighted by a softmax of scores.
///
/// A score is computed from the key of the source and the query of the destination, one for each head. Values and keys
/// travel together, one peer after the other. The softmax is updated after each peer, so nothing is stored per edge.
///
/// @shape  output, softmax as in `attention_result`, written
/// @where  memory of the graph's policy; returns when they are written or, on GPUs, enqueued
/// @comm   collective, every rank with the same shapes and options; one header exchange and at most R − 1 messages a
///         rank: num_sent() rows of a value and a key; if reproducible, one exchange, as many messages of keys and one
///         reduction more, and in the first call the communication of `make_out_degrees`
/// @throws collective_error  on every rank, if a view of a rank has another shape, or a rank attends in another way
///                           than rank 0; if reproducible, also if values or scores of a rank are infinite or not a
///                           number
/// @cost   O(E · heads · d); beside the result, V · heads elements and the rows of 2 · depth + 2 shards; if
///         reproducible, scores are computed twice, and 8 bytes more for every element of the result
/// @source Veličković et al., "Graph attention networks", ICLR 2018; Mostafa, MLSys 2022
template <communicator Comm, device_policy Policy, std::floating_point T>
void attend(dist::sharded_graph<Comm, Policy>& graph, std::type_identity_t<attention_rows<Policy::space, T const>> rows,
            matrix_view<Policy::space, T> output, std::type_identity_t<matrix_view<Policy::space, T>> softmax,
            std::type_identity_t<attention_options<Policy::space>> options = {}) {
  constexpr auto space = Policy::space;
  if (options.reproducible && !graph.known_degrees()) {
    make_out_degrees(graph);
  }
  attention_pass<Comm, Policy, T> pass(graph, options, rows);
  auto const& shape = pass.shape();
  auto& passes = graph.passes();
  std::int64_t* exact_sums = nullptr; // of output and powers; the scales of their columns follow in memory
  std::vector<double> largest;        // magnitude of each column
  auto const num_sums = graph.num_destinations() * shape.heads;
  auto const num_values = graph.num_destinations() * shape.values;
  auto const failure = failure_of([&] {
    pass.check();
    pass.check_destinations("output", output, shape.values);
    pass.check_destinations("softmax", softmax, 2 * shape.heads);
    if (options.reproducible) {
      exact_sums = passes.template scratch<std::int64_t>(num_values + num_sums + shape.values + shape.heads);
      largest.assign(static_cast<std::size_t>(shape.values + shape.heads), 1.0); // of powers
      write_column_magnitudes(graph.policy(), rows.values, largest.data());
      check_summable(largest);
      check_summable(std::array{pass.largest(rows.keys), pass.largest(rows.queries)});
    }
    auto const row_bytes = pass.bytes(1, shape.source_columns());
    passes.reserve(graph.most_sent() * row_bytes, graph.most_received() * row_bytes);
  });
  pass.agree(failure, attention_phase::forward);
  auto const ex = graph.policy().executor();
  auto const pieces = sliced_rows::of<Policy>(shape.heads);
  softmax_rows<T> const parts(softmax.data(), shape.heads);
  // adds all edges to sums with as many columns of values as `over` has; `start()` initialises them
  auto const visit = [&]<class Sum, class Terms>(auto const& over, strided_rows<Sum> values, strided_rows<Sum> weights,
                                                 Terms of_values, Terms of_weights, auto start) {
    auto const row_bytes = over.bytes(1, over.shape().source_columns());
    auto const combine = [&](shard_view<space> shard, attention_sources<T> sources) {
      visit_attention<T>(over.options(), shape, [&]<class Score, class Dropout>(Score score, Dropout dropout) {
        ex.for_each(pieces.count(shard.rows.size()),
                    wide_kernel{attend_rows<space, T, Score, Dropout, Terms>{
                        shard, sources, strided(rows.queries), values, parts.maxima, weights, pieces,
                        over.shape().of_head(), score, dropout, of_values, of_weights}});
      });
    };
    passes.run(
        row_flow::pull, [&](std::int64_t k) { return graph.sent_rows(k).size() * row_bytes; },
        [&](std::int64_t k) { return graph.num_received(k) * row_bytes; },
        [&](std::int64_t k, std::byte* block) { over.pack_sources(graph.sent_rows(k), block); },
        [&](std::int64_t k, std::byte const* block) { combine(graph.shard(k), over.sources_in(block)); },
        [&] {
          start();
          combine(graph.shard(0), over.sources());
        });
  };
  auto const start_softmax = [&] {
    auto const columns = sliced_rows::of<Policy>(2 * shape.heads);
    ex.for_each(columns.count(softmax.rows()), detail::start_softmax<T>{softmax.data(), columns});
  };
  constexpr plain_terms plain;
  if (options.reproducible) {
    auto of_keys = options;
    of_keys.dropout = 0;
    attention_pass<Comm, Policy, T> const keys(graph, of_keys,
                                               {{rows.values.data(), rows.values.rows(), 0}, rows.keys, rows.queries});
    auto const failed = failure_of([&] {
      visit(keys, strided_rows<T>{}, parts.shares, plain, plain, start_softmax);
      std::vector<double> sums(static_cast<std::size_t>(2 * shape.heads)); // not numbers if scores are not
      write_column_magnitudes<Policy, T>(graph.policy(), softmax, sums.data());
      check_summable(std::span(sums).subspan(static_cast<std::size_t>(shape.heads)));
    });
    pass.agree(failed, attention_phase::forward);
    graph.host().all_reduce(std::span<double>(largest), reduction::max);
    auto const width = static_cast<std::size_t>(shape.values);
    for (std::size_t c = 0; c < largest.size(); ++c) {
      largest[c] =
          fixed_point::for_sums(c < width ? largest[c] / (1 - options.dropout) : 1.0, graph.known_degrees()->in).scale;
    }
    auto const of_values = place_scales(graph.policy(), largest, exact_sums + num_values + num_sums);
    auto const of_weights = of_values.from(shape.values);
    strided_rows<std::int64_t> const values{exact_sums, shape.values};
    strided_rows<std::int64_t> const weights{exact_sums + num_values, shape.heads};
    visit(pass, values, weights, of_values, of_weights, [&] { pass.fill(exact_sums, num_values + num_sums, 0); });
    write_exact(graph.policy(), values, strided(output), output.rows(), shape.values, of_values);
    write_exact(graph.policy(), weights, parts.shares, output.rows(), shape.heads, of_weights);
  } else {
    visit(pass, strided(output), parts.shares, plain, plain, [&] {
      pass.fill(output.data(), num_values, 0);
      start_softmax();
    });
  }
  ex.for_each(num_sums, finish_attention<T>{strided(output), parts.shares, shape.heads, shape.of_head().values});
}

} // namespace glt::detail
