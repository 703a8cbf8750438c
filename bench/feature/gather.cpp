// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/feature/gather.hpp>

#include "support/workloads.hpp"

#include <glt/core/detail/processor.hpp>
#include <glt/core/element_type.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <thread>
#include <vector>

using glt_bench::cpu;

namespace {

constexpr std::int64_t columns = 128;
constexpr std::size_t row_bytes = columns * sizeof(float);

// The distinct vertices of batches: R-MAT scale 20, 1024 seeds, fanout 15,10,5.
std::vector<std::vector<glt::local_id>> const& vertices_of_batches() {
  static auto const made = [] {
    auto const graph = glt_bench::rmat_graph().view();
    auto const connected = glt_bench::connected_vertices(graph);
    glt::neighbor_sampler<cpu> sampler(graph, {.fanouts = {15, 10, 5}});
    glt::sampled_subgraph<cpu> out;
    std::vector<std::vector<glt::local_id>> batches;
    for (std::int64_t step = 0; step < 16; ++step) {
      sampler.sample(glt_bench::batch_of(connected, 1024, step), {.seed = 1, .step = step}, out);
      batches.emplace_back(out.nodes().begin(), out.nodes().end());
    }
    return batches;
  }();
  return made;
}

// Pages that the loops below run over, whatever the library does for its own memory.
class pages {
public:
  pages(std::int64_t rows, bool huge) : data_(new(alignment) std::byte[static_cast<std::size_t>(rows) * row_bytes]) {
    if (huge) {
      glt::detail::advise_huge_pages(data_.get(), static_cast<std::size_t>(rows) * row_bytes);
    }
    std::memset(data_.get(), 1, static_cast<std::size_t>(rows) * row_bytes);
  }
  [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }

private:
  static constexpr std::align_val_t alignment{glt::detail::huge_page_bytes};
  struct release {
    void operator()(std::byte* data) const noexcept { ::operator delete[](data, alignment); }
  };
  std::unique_ptr<std::byte[], release> data_;
};

using ids = std::vector<glt::local_id>;

// The plain loop, without and with asking for a row eight rows ahead.
template <bool Ahead>
void copy_loop(std::byte const* in, ids const& rows, std::byte* out, std::size_t first, std::size_t last) {
  for (auto i = first; i < last; ++i) {
    if constexpr (Ahead) {
      auto const* const next = in + static_cast<std::size_t>(rows[std::min(i + 8, last - 1)]) * row_bytes;
      for (std::size_t byte = 0; byte < row_bytes; byte += 64) {
        glt::detail::prefetch(next + byte);
      }
    }
    std::memcpy(out + i * row_bytes, in + static_cast<std::size_t>(rows[i]) * row_bytes, row_bytes);
  }
}

// Work shared out over threads of this program, the calling one included.
template <class Work>
void divide(std::size_t count, std::size_t threads, Work work) {
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t) {
    others.emplace_back([=] { work(count * t / threads, count * (t + 1) / threads); });
  }
  work(0, count / threads);
}

// Rows of 128 floats out of a million by the vertices of a batch, and in the same run two loops that do nothing
// else: with prefetch over huge pages, which is the ceiling, and without over usual pages. They take turns; the
// rates are those of each one's best turn per batch.
void gather(benchmark::State& state, int threads) {
  auto const& batches = vertices_of_batches();
  auto const rows = glt_bench::rmat_graph().view().num_rows();
  auto const most = std::ranges::max(batches, {}, &ids::size).size();
  auto const values = glt_bench::feature_values(rows, columns);
  glt::buffer<cpu, float> out(static_cast<std::int64_t>(most) * columns);
  cpu const policy(threads);
  pages const huge_in(rows, true), huge_out(static_cast<std::int64_t>(most), true);
  pages const usual_in(rows, false), usual_out(static_cast<std::int64_t>(most), false);
  auto const loop = [&]<bool Ahead>(pages const& from, pages const& to, ids const& wanted) {
    divide(wanted.size(), static_cast<std::size_t>(threads),
           [&](std::size_t first, std::size_t last) { copy_loop<Ahead>(from.data(), wanted, to.data(), first, last); });
  };
  constexpr auto never = std::numeric_limits<double>::infinity();
  std::vector<std::array<double, 3>> best(batches.size(), {never, never, never});
  auto const timed = [&](double& seconds, auto work) {
    auto const start = std::chrono::steady_clock::now();
    work();
    double const spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    seconds = std::min(seconds, spent);
    return spent;
  };
  std::size_t step = 0;
  for (auto _ : state) {
    auto const batch = step++ % batches.size();
    auto const& wanted = batches[batch];
    auto const count = static_cast<std::int64_t>(wanted.size());
    timed(best[batch][0], [&] { loop.operator()<false>(usual_in, usual_out, wanted); });
    timed(best[batch][1], [&] { loop.operator()<true>(huge_in, huge_out, wanted); });
    state.SetIterationTime(timed(best[batch][2], [&] {
      glt::gather_rows(policy.executor(), glt::host_matrix<float const>(values.data(), rows, columns),
                       glt::host_view<glt::local_id const>(wanted),
                       glt::host_matrix<float>(out.data(), count, columns));
    }));
    benchmark::DoNotOptimize(out.data());
  }
  double bytes = 0;
  std::array<double, 3> seconds{};
  for (std::size_t batch = 0; batch < std::min(step, batches.size()); ++batch) {
    bytes += static_cast<double>(batches[batch].size() * row_bytes);
    for (std::size_t kind = 0; kind < seconds.size(); ++kind) {
      seconds[kind] += best[batch][kind];
    }
  }
  state.counters["rows/batch"] = bytes / static_cast<double>(row_bytes * std::min(step, batches.size()));
  state.counters["bytes/s"] = bytes / seconds[2];
  state.counters["rows/s"] = bytes / static_cast<double>(row_bytes) / seconds[2];
  state.counters["ceiling_bytes/s"] = bytes / seconds[1];
  state.counters["plain_bytes/s"] = bytes / seconds[0];
  state.counters["of_ceiling"] = seconds[1] / seconds[2];
  state.counters["over_plain"] = seconds[0] / seconds[2];
}

// Rows of 128 elements of fewer bytes that become floats on the way, and rows of floats that stay what they are, by the
// vertices of a batch; they take turns, and the rates are those of each one's best turn per batch.
template <class T>
void gather_converted(benchmark::State& state, T /*of the stored rows*/, int threads, bool scaled) {
  auto const& batches = vertices_of_batches();
  auto const rows = glt_bench::rmat_graph().view().num_rows();
  auto const most = std::ranges::max(batches, {}, &ids::size).size();
  auto const values = glt_bench::feature_values(rows, columns);
  glt::buffer<cpu, T> narrow(rows * columns);
  for (std::int64_t i = 0; i < narrow.size(); ++i) {
    narrow[i] = static_cast<T>(static_cast<float>(i % 101));
  }
  std::vector<float> const scales(scaled ? columns : 0, 0.5F);
  glt::feature_view<glt::memory_space::host, T> const stored{.features = {narrow.data(), rows, columns},
                                                             .scales = scales};
  glt::buffer<cpu, float> out(static_cast<std::int64_t>(most) * columns);
  cpu const policy(threads);
  constexpr auto never = std::numeric_limits<double>::infinity();
  std::vector<std::array<double, 2>> best(batches.size(), {never, never});
  std::size_t step = 0;
  for (auto _ : state) {
    auto const batch = step++ % batches.size();
    glt::host_view<glt::local_id const> const wanted(batches[batch]);
    glt::host_matrix<float> const result(out.data(), wanted.size(), columns);
    auto const timed = [&](std::size_t kind, auto work) {
      auto const start = std::chrono::steady_clock::now();
      work();
      double const spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      best[batch][kind] = std::min(best[batch][kind], spent);
      return spent;
    };
    timed(0, [&] {
      glt::gather_rows(policy.executor(), glt::host_matrix<float const>(values.data(), rows, columns), wanted, result);
    });
    state.SetIterationTime(timed(1, [&] { glt::gather_rows(policy.executor(), stored, wanted, result); }));
    benchmark::DoNotOptimize(out.data());
  }
  double gathered = 0;
  std::array<double, 2> seconds{};
  for (std::size_t batch = 0; batch < std::min(step, batches.size()); ++batch) {
    gathered += static_cast<double>(batches[batch].size());
    seconds[0] += best[batch][0];
    seconds[1] += best[batch][1];
  }
  state.counters["rows/s"] = gathered / seconds[1];
  state.counters["float32_rows/s"] = gathered / seconds[0];
  state.counters["over_float32"] = seconds[0] / seconds[1];
}

BENCHMARK_CAPTURE(gather_converted, float16, glt::float16{}, 1, false)
    ->Iterations(96)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gather_converted, bfloat16, glt::bfloat16{}, 1, false)
    ->Iterations(96)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gather_converted, int8_scaled, std::int8_t{}, 1, true)
    ->Iterations(96)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gather_converted, bfloat16_two_threads, glt::bfloat16{}, 2, false)
    ->Iterations(96)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(gather, one_thread, 1)->Iterations(160)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gather, two_threads, 2)->Iterations(160)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
