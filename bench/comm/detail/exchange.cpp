// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/comm/detail/exchange.hpp>

#include <glt/comm/detail/agreement.hpp>
#include <glt/memory/buffer.hpp>

#include "support/ranks.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using glt::device::cpu;

namespace {

// The agreement that begins every collective call of the library.
void exchange_headers(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), 0);
  std::vector<glt::detail::call_header> headers(counts.size());
  glt_bench::measure_together(state, comm, [&] { glt::detail::exchange_headers(comm, {}, counts, 0, {}, headers); });
}

// A variable exchange of the given number of bytes from every rank to every other one.
void exchange_bytes(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  auto const bytes = state.range(0);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), bytes);
  counts[static_cast<std::size_t>(comm.rank())] = 0;
  glt::detail::byte_counts slices;
  slices.set(counts, 1);
  glt::buffer<cpu, std::byte> send(slices.total());
  glt::buffer<cpu, std::byte> receive(slices.total());
  std::ranges::fill(send, std::byte{1});
  std::ranges::fill(receive, std::byte{2});
  glt_bench::measure_together(state, comm,
                              [&] { comm.all_to_all_v(slices.out(send.data()), slices.in(receive.data())); });
  state.counters["bytes/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * slices.total()), benchmark::Counter::kIsRate);
}

BENCHMARK(exchange_headers)->Iterations(2000)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(exchange_bytes)->Arg(8)->Arg(1 << 10)->Iterations(2000)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(exchange_bytes)->Arg(1 << 20)->Arg(1 << 25)->Iterations(30)->UseManualTime()->Unit(benchmark::kMicrosecond);

} // namespace
