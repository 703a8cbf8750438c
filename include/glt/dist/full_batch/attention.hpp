// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/core/detail/wide_registers.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/attention_options.hpp>
#include <glt/dist/full_batch/detail/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention_pass.hpp>
#include <glt/dist/full_batch/shard.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace glt::dist {

/// Averages the values of the in-neighbours of every vertex of this rank's part, weighed by a softmax of scores.
///
/// A score is made of the key of the source and the query of the destination, one for each head. Values and keys travel
/// together, one peer after the other; the softmax is updated with each, so that nothing is kept by edge.
///
/// @shape  output, log_sums: those of `attention_result`, written
/// @where  memory of the graph's policy; returns when they are written or, on GPUs, enqueued
/// @comm   collective, every rank with the same shapes and options; one header exchange and at most R − 1 messages a
///         rank: num_sent() rows of a value and a key
/// @throws collective_error  on every rank, if a view of a rank has another shape, or a rank attends otherwise than
///                           rank 0
/// @cost   O(E · heads · d); beside the result, V · heads elements and the rows of 2 · depth + 2 shards
/// @source Veličković et al., "Graph attention networks", ICLR 2018; Mostafa, MLSys 2022
template <communicator Comm, device_policy Policy, std::floating_point T>
void attend(sharded_graph<Comm, Policy>& graph,
            std::type_identity_t<attention_rows<Policy::space, T const>> rows,
            matrix_view<Policy::space, T> output,
            std::type_identity_t<matrix_view<Policy::space, T>> log_sums,
            std::type_identity_t<attention_options<Policy::space>> options = {}) {
  constexpr auto space = Policy::space;
  glt::detail::attention_pass<Comm, Policy, T> pass(graph, options, rows);
  auto const& shape = pass.shape();
  T* sums = nullptr;
  auto const num_sums = graph.num_destinations() * shape.heads;
  auto const row_bytes = pass.bytes(1, shape.source_columns());
  auto const failure = glt::detail::failure_of([&] {
    pass.check();
    pass.check_destinations("output", output, shape.values);
    pass.check_destinations("log_sums", log_sums, shape.heads);
    sums = graph.passes().template scratch<T>(num_sums);
    graph.passes().reserve(graph.most_sent() * row_bytes, graph.most_received() * row_bytes);
  });
  pass.agree(failure, glt::detail::attention_phase::forward);
  auto const ex = graph.policy().executor();
  auto const pieces = glt::detail::sliced_rows::of<Policy>(shape.heads);
  glt::detail::strided_rows<T> const sum_rows{sums, shape.heads};
  auto const combine = [&](shard_view<space> shard, glt::detail::attention_sources<T> sources) {
    glt::detail::visit_attention<T>(
        options, shape, [&]<class Score, class Dropout>(Score score, Dropout dropout) {
          ex.for_each(
              pieces.count(shard.rows.size()),
              glt::detail::wide_kernel{glt::detail::attend_rows<space, T, Score, Dropout>{
                  shard, sources, glt::detail::strided(rows.queries), glt::detail::strided(output),
                  glt::detail::strided(log_sums), sum_rows, pieces, shape.of_head(), score, dropout}});
        });
  };
  graph.passes().run(
      glt::detail::row_flow::pull, [&](std::int64_t k) { return graph.sent_rows(k).size() * row_bytes; },
      [&](std::int64_t k) { return graph.num_received(k) * row_bytes; },
      [&](std::int64_t k, std::byte* block) { pass.pack_sources(graph.sent_rows(k), block); },
      [&](std::int64_t k, std::byte const* block) { combine(graph.shard(k), pass.sources_in(block)); },
      [&] {
        pass.fill(output.data(), output.flat().size(), T(0));
        pass.fill(sums, num_sums, T(0));
        pass.fill(log_sums.data(), log_sums.flat().size(), -std::numeric_limits<T>::infinity());
        combine(graph.shard(0), pass.sources());
      });
  ex.for_each(num_sums, glt::detail::finish_attention<T>{glt::detail::strided(output),
                                                         glt::detail::strided(log_sums),
                                                         {sums, shape.heads},
                                                         shape.heads,
                                                         shape.of_head().values});
}

} // namespace glt::dist
