// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

template <memory_space Space>
struct write_row_lengths {
  shard_view<Space> shard;
  std::int64_t* lengths;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    lengths[shard.rows[i]] = shard.offsets[i + 1] - shard.offsets[i];
  }
};

/// Returns the number of edges of each local source on all ranks together; the graph remembers the largest degrees.
///
/// @shape  returns [num_sources()]
/// @comm   collective; one header exchange, at most R − 1 messages of 8 bytes a remote source, and one reduction
/// @throws collective_error  on every rank, if a rank is at another call
/// @cost   O(V + H)
template <communicator Comm, device_policy Policy>
buffer<Policy, std::int64_t> make_out_degrees(dist::sharded_graph<Comm, Policy>& graph) {
  constexpr auto space = Policy::space;
  constexpr std::int64_t bytes = sizeof(std::int64_t);
  auto& passes = graph.passes();
  auto const ex = graph.policy().executor();
  buffer<Policy, std::int64_t> degrees(0, graph.policy());
  auto const failure = failure_of([&] {
    degrees.resize(graph.num_sources());
    passes.reserve(graph.most_received() * bytes, graph.most_sent() * bytes);
  });
  exchange_values(graph.host(), {.what = operation::count_degrees, .step = passes.next_number()}, failure);
  auto const count = [&](shard_view<space> shard, std::int64_t* lengths) {
    ex.for_each(shard.num_rows, fill_value<std::int64_t>{lengths, 0});
    ex.for_each(shard.rows.size(), write_row_lengths<space>{shard, lengths});
  };
  passes.run(
      row_flow::push, [&](std::int64_t k) { return graph.num_received(k) * bytes; },
      [&](std::int64_t k) { return graph.sent_rows(k).size() * bytes; },
      [&](std::int64_t k, std::byte* block) { count(graph.transposed(k), reinterpret_cast<std::int64_t*>(block)); },
      [&](std::int64_t k, std::byte const* block) {
        auto const rows = graph.sent_rows(k);
        ex.for_each(rows.size(), move_rows<true, std::int64_t>{{reinterpret_cast<std::int64_t const*>(block), 1},
                                                               {degrees.data(), 1, rows.data()},
                                                               {1, 1},
                                                               rows.size()});
      },
      [&] { count(graph.transposed(0), degrees.data()); });
  auto const largest = [&](auto const* values, std::int64_t size) {
    using value_type = std::remove_cvref_t<decltype(*values)>;
    return ex.reduce(size, 0.0, magnitude_of<value_type>{values}, larger_magnitude{});
  };
  std::array<double, 2> most{};
  committed(graph.host(), [&] {
    most = {largest(graph.in_degrees().data(), graph.in_degrees().size()),
            largest(std::as_const(degrees).data(), degrees.size())};
    graph.host().all_reduce(std::span<double>(most), reduction::max);
  });
  graph.set_known_degrees({most[0], most[1]});
  return degrees;
}

} // namespace glt::detail
