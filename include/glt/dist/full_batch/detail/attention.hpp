// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/attention/attention_return.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/detail/out_degrees.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/pushed_edges.hpp>
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

/// Returns the largest magnitudes on this rank of the factors in an attention's gradients, by column.
///
/// @shape  → [2 · values + 2 · keys + heads]: of gradients, values, keys and queries, which are 1 where scores are sums,
///         and gradients by logarithms
/// @throws precondition_error  if a magnitude is not finite, or is 1e150 or more
template <communicator Comm, device_policy Policy, class T>
[[nodiscard]] std::vector<double> magnitudes_of(attention_pass<Comm, Policy, T> const& pass, Policy const& policy,
                                                attention_rows<Policy::space, T const> rows,
                                                result_gradients<Policy::space, T> const& gradient) {
  auto const [heads, values, keys, score, bytes, exact] = pass.shape();
  std::vector<double> most(static_cast<std::size_t>(2 * (values + keys) + heads), 1.0);
  write_column_magnitudes(policy, gradient.output, most.data());
  write_column_magnitudes(policy, rows.values, most.data() + values);
  if (score != attention_score::additive) {
    write_column_magnitudes(policy, rows.keys, most.data() + 2 * values);
    write_column_magnitudes(policy, rows.queries, most.data() + 2 * values + keys);
  }
  std::fill_n(most.end() - heads, heads, 0.0);
  write_column_magnitudes(policy, gradient.log_sums, most.data() + 2 * (values + keys));
  check_summable(most);
  return most;
}

/// Agrees on the fixed-point numbers in which all ranks add up the gradients of an attention.
///
/// Gradients by values are scaled by column. Gradients by keys and queries are scaled by head, and by the factor of
/// each column.
///
/// @param  most    magnitudes of this rank, by `magnitudes_of`; overwritten
/// @param  scales  room for as many numbers, in memory of the graph's policy
/// @comm   collective; one reduction of 2(values + keys) + heads doubles
/// @throws collective_error  on every rank, if products of magnitudes may be 1e150 or more
template <communicator Comm, device_policy Policy, class T>
[[nodiscard]] attention_terms<fixed_columns> agree_on_attention_terms(dist::sharded_graph<Comm, Policy>& graph,
                                                                      attention_pass<Comm, Policy, T> const& pass,
                                                                      std::vector<double>& most, std::int64_t* scales) {
  auto const& options = pass.options();
  auto const& shape = pass.shape();
  graph.host().all_reduce(std::span<double>(most), reduction::max);
  auto const degrees = *graph.known_degrees();
  auto const kept = 1 / (1 - options.dropout);
  bool const is_additive = options.score == attention_score::additive;
  auto const slope = is_additive ? std::max(1.0, std::abs(options.slope)) : 1.0;
  auto const [of_values, of_keys] = shape.of_head();
  auto* const gradients = most.data();
  auto* const values = gradients + shape.values;
  auto* const keys = values + shape.values;
  auto* const queries = keys + shape.keys;
  auto const* const by_log_sums = queries + shape.keys;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    double products = by_log_sums[head]; // shares are at most 1, and outputs at most as large as values
    for (auto c = head * of_values; c < (head + 1) * of_values; ++c) {
      products += gradients[c] * values[c];
      gradients[c] = fixed_point::for_sums(gradients[c] * kept, degrees.out).scale;
    }
    auto const by_score = 4 * products * kept * slope; // 4: with values and with the output, doubled for rounding
    for (auto c = head * of_keys; c < (head + 1) * of_keys; ++c) {
      if (!(by_score * std::max(keys[c], queries[c]) < 1e150)) {
        throw agreed(graph.host(), 0,
                     "gradients by scores, which are products of gradients, values, keys and queries, may be 1e150 and "
                     "more; reproducible sums are of smaller ones");
      }
      auto const by_key = fixed_point::for_sums(by_score * queries[c], degrees.out).scale;
      queries[c] = fixed_point::for_sums(by_score * keys[c], degrees.in).scale;
      keys[c] = by_key;
    }
  }
  auto const numbers = place_scales(graph.policy(), most, scales);
  return {.values = numbers,
          .keys = numbers.from(2 * shape.values),
          .queries = numbers.from(2 * shape.values + shape.keys)};
}

/// Computes the gradients of `attend` from the gradients by its result. Nothing was stored per edge; coefficients are
/// computed again.
///
/// Each pair of ranks moves rows in one of two ways. Either the sources are fetched again and their gradients returned.
/// Or, with `pushed`, rows of destinations go to the owner of the sources and the gradients of queries come back. The
/// way with fewer bytes is taken.
///
/// @shape  rows as passed to `attend` · result as written by it · gradient by its result · out as rows, written
/// @where  as `attend`
/// @comm   collective, as `attend`, all ranks with pushed edges or none, with two header exchanges, as a rank may run
///         out of memory at its edges; the first call duplicates the communicator. With H sources, T destinations:
///         2H(heads · d + keys) or T(heads · d + 2 keys + 3 heads) elements, and at most 2(R − 1) messages a rank; if
///         reproducible, gradients are of 8 bytes an element, and there is one more reduction, of a double for every
///         column of values, gradients, keys and queries
/// @throws collective_error  as `attend`, or if a rank has no memory for the edges of some sources, or if there is
///                           dropout and the edges were pushed without ids
/// @cost   O(E · heads · d); beside the gradients, 4V · heads elements and the rows of 2 · depth + 4 shards; if
///         reproducible, 8 bytes more for every element of the gradients
/// @source Mostafa, MLSys 2022
template <communicator Comm, device_policy Policy, std::floating_point T>
void attend_backward(dist::sharded_graph<Comm, Policy>& graph,
                     std::type_identity_t<attention_rows<Policy::space, T const>> rows,
                     std::type_identity_t<attention_result<Policy::space, T const>> result,
                     std::type_identity_t<result_gradients<Policy::space, T>> gradient,
                     attention_rows<Policy::space, T> out,
                     std::type_identity_t<attention_options<Policy::space>> options = {},
                     dist::pushed_edges<Policy> const* pushed = nullptr) {
  if (options.reproducible && !graph.known_degrees()) {
    make_out_degrees(graph);
  }
  attention_pass<Comm, Policy, T> pass(graph, options, rows);
  auto const& shape = pass.shape();
  auto& passes = graph.passes();
  if (!passes.has_replies()) {
    // all ranks are here: they duplicate the communicator together
    pass.agree({}, attention_phase::backward);
  }
  static_cast<void>(passes.replies());
  auto const ex = graph.policy().executor();
  // the values of a destination beside the gradient lie together, except wide queries
  auto const num_queries = options.score == attention_score::additive ? shape.heads : 0;
  auto const stride = num_queries + 3 * shape.heads;
  auto const sizes = std::array{out.values.flat().size(), out.keys.flat().size(), out.queries.flat().size()};
  auto const phase = pushed == nullptr                         ? attention_phase::backward
                     : pushed->choice() == push_choice::useful ? attention_phase::pushed_backward
                                                               : attention_phase::all_pushed_backward;
  auto const run = [&]<class Terms>(Terms) {
    using steps_type = attention_return<Comm, Policy, T, Terms>;
    using sum_type = typename steps_type::sum_type;
    constexpr bool is_exact = std::is_same_v<Terms, fixed_columns>;
    T* packed = nullptr; // [V, stride]
    attention_sums<sum_type> sums;
    attention_terms<Terms> terms;
    std::vector<double> largest;    // magnitudes by column, if exact
    std::int64_t* scales = nullptr; // room for the scales of these columns
    auto const make_steps = [&] {
      attention_destinations<T> to{strided(gradient.output), strided(rows.queries), {}, {}, shape.heads};
      if (packed != nullptr) { // otherwise there are no rows, or no memory yet
        if (num_queries > 0) {
          to.queries = {packed, stride};
        }
        to.softmax = {packed + num_queries, stride};
        to.deltas = {packed + num_queries + 2 * shape.heads, stride};
      }
      return steps_type(graph, pass, to, sums, terms, pushed);
    };
    auto const failure = failure_of([&] {
      pass.check();
      pass.check_destinations("output", result.output, shape.values);
      pass.check_destinations("softmax", result.softmax, 2 * shape.heads);
      pass.check_destinations("gradient", gradient.output, shape.values);
      if (gradient.log_sums.data() != nullptr) {
        pass.check_destinations("gradient by logarithms", gradient.log_sums, shape.heads);
      }
      pass.check_sources("gradient by values", out.values, shape.values);
      pass.check_sources("gradient by keys", out.keys, shape.keys);
      pass.check_destinations("gradient by queries", out.queries, shape.keys);
      if (pushed != nullptr && options.dropout > 0 && !pushed->has_ids()) {
        throw precondition_error("dropout by edges that were pushed without ids; pass ids to pushed_edges");
      }
      auto const steps = make_steps();
      block_sizes sent;
      block_sizes returned;
      for (std::int64_t k = 1; k < graph.size(); ++k) {
        sent.include(steps.bytes(k));
        returned.include(steps.reply_bytes(k));
      }
      auto const vertices = graph.num_destinations();
      if constexpr (is_exact) {
        auto const num_sums = sizes[0] + sizes[1] + sizes[2];
        auto const num_columns = 2 * (shape.values + shape.keys) + shape.heads;
        auto* const first = passes.template scratch<std::int64_t>(num_sums + num_columns + vertices * stride);
        sums = {{first, shape.values}, {first + sizes[0], shape.keys}, {first + sizes[0] + sizes[1], shape.keys}};
        scales = first + num_sums;
        packed = reinterpret_cast<T*>(first + num_sums + num_columns);
        largest = magnitudes_of(pass, graph.policy(), rows, gradient);
      } else {
        sums = {strided(out.values), strided(out.keys), strided(out.queries)};
        packed = passes.template scratch<T>(vertices * stride);
      }
      reserve_round_trip(passes, sent, returned);
      if (packed != nullptr) {
        pass.template move<false>(vertices, strided(rows.queries), {packed, stride}, num_queries);
        pass.template move<false>(vertices, strided(result.softmax), {packed + num_queries, stride}, 2 * shape.heads);
        strided_rows<T> const deltas{packed + num_queries + 2 * shape.heads, stride};
        ex.for_each(vertices * shape.heads,
                    write_deltas<T>{strided(gradient.output), strided(gradient.log_sums), strided(result.output),
                                    deltas, shape.heads, shape.of_head().values});
      }
    });
    pass.agree(failure, phase);
    if constexpr (is_exact) {
      terms = agree_on_attention_terms(graph, pass, largest, scales);
    }
    auto const steps = make_steps();
    auto const failed_step = run_round_trip(
        passes, [&](std::int64_t k) { return steps.bytes(k); }, [&](std::int64_t k) { return steps.reply_bytes(k); },
        [&](std::int64_t k, std::byte* block) { steps.fill(k, block); },
        [&](std::int64_t k, std::byte const* received, std::byte* reply) { steps.serve(k, received, reply); },
        [&](std::int64_t k, std::byte const* reply) { steps.use(k, reply); },
        [&] {
          pass.fill(sums.values.data, sizes[0], 0);
          pass.fill(sums.keys.data, sizes[1], 0);
          pass.fill(sums.queries.data, sizes[2], 0);
          steps.add_own();
        });
    pass.agree(failed_step, phase); // steps need memory for the edges of some sources
    if constexpr (is_exact) {
      auto const write = [&](strided_rows<std::int64_t> exact, matrix_view<Policy::space, T> values,
                             fixed_columns numbers) {
        write_exact(graph.policy(), exact, strided(values), values.rows(), values.columns(), numbers);
      };
      write(sums.values, out.values, terms.values);
      write(sums.keys, out.keys, terms.keys);
      write(sums.queries, out.queries, terms.queries);
    }
  };
  options.reproducible ? run(fixed_columns{}) : run(plain_terms{});
}

} // namespace glt::detail
