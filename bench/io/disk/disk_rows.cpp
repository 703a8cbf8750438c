// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/disk/disk_rows.hpp>

#include <glt/core/random.hpp>
#include <glt/io/array/detail/mapped_file.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::int64_t row_bytes = 512; // 128 floats
constexpr std::int64_t rows_per_batch = 20'000;

// The file of rows that GLT_BENCH_FILE names, as bench/disk.sh does; or one that goes away with the program, of 2 GiB, and
// of 2 MiB where GLT_BENCH_SCALE asks for a small test.
struct rows_file {
  rows_file() {
    if (given != nullptr) {
      path = given;
      num_rows = static_cast<std::int64_t>(std::filesystem::file_size(path)) / row_bytes;
      return;
    }
    std::vector<char> const block(1 << 20, 'x');
    std::ofstream file(path, std::ios::binary);
    for (std::int64_t i = 0; i < num_rows * row_bytes / std::ssize(block); ++i) {
      file.write(block.data(), std::ssize(block));
    }
  }
  ~rows_file() {
    if (given == nullptr) {
      std::filesystem::remove(path);
    }
  }

  // Takes the file out of the page cache.
  void forget() const {
    auto const file = ::open(path.c_str(), O_RDONLY);
    ::fdatasync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }

  char const* given = std::getenv("GLT_BENCH_FILE");
  std::int64_t num_rows = std::getenv("GLT_BENCH_SCALE") == nullptr ? 1 << 22 : 1 << 12;
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("glt-bench-" + std::to_string(::getpid()));
};
rows_file const& file() {
  static rows_file const made;
  return made;
}

// Rows of a batch: each equally likely, or row r with a probability of about 1 / r, in an order that scatters them.
std::vector<std::int64_t> batch_of(std::int64_t step, bool skewed) {
  auto const rows = file().num_rows;
  glt::random_stream draws(glt::random_key(7), static_cast<std::uint64_t>(step));
  std::vector<std::int64_t> made;
  for (std::int64_t i = 0; i < rows_per_batch; ++i) {
    auto const drawn = static_cast<double>(draws.next()) / 4294967296.0;
    auto const rank =
        skewed ? std::exp(drawn * std::log(static_cast<double>(rows))) - 1 : drawn * static_cast<double>(rows);
    made.push_back(static_cast<std::int64_t>(rank) * 2654435761 % rows); // an odd factor: one to one
  }
  return made;
}

// How often rows are asked for before some of them may be in memory.
constexpr std::int64_t batches_before = 50;

void count(benchmark::State& state, std::int64_t rows = rows_per_batch) {
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * rows), benchmark::Counter::kIsRate);
}

// Rows of a mapped file: none in the page cache, or those that are left there by batches before. A system that reads ahead
// takes minutes for a batch, so that it gets fewer rows.
void mapped(benchmark::State& state, bool random, bool kept, bool skewed) {
  std::vector<std::byte> out(rows_per_batch * row_bytes);
  auto const rows = random ? rows_per_batch : rows_per_batch / 10;
  std::int64_t step = 0;
  auto const copy = [&](glt::io::detail::mapped_file const& from, std::vector<std::int64_t> const& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::memcpy(out.data() + i * row_bytes, from.data() + wanted[i] * row_bytes, row_bytes);
    }
    benchmark::DoNotOptimize(out.data());
  };
  file().forget();
  glt::io::detail::mapped_file const from(file().path, {.random = random});
  for (; kept && step < batches_before; ++step) {
    copy(from, batch_of(step, skewed));
  }
  for (auto _ : state) {
    state.PauseTiming();
    if (!kept) {
      ::madvise(const_cast<std::byte*>(from.data()), static_cast<std::size_t>(file().num_rows * row_bytes),
                MADV_DONTNEED); // mapped pages stay in the page cache
      file().forget();
    }
    auto wanted = batch_of(step++, skewed);
    wanted.resize(static_cast<std::size_t>(rows));
    state.ResumeTiming();
    copy(from, wanted);
  }
  count(state, rows);
}

// Rows past the page cache, with a cache of a share of the file.
void from_disk(benchmark::State& state, bool io_uring, double cached, bool skewed) {
  auto const bytes = static_cast<double>(file().num_rows * row_bytes);
  glt::io::disk_rows const disk(
      file().path, 0, file().num_rows, row_bytes,
      {.cache_bytes = static_cast<std::int64_t>(bytes * cached), .direct = true, .io_uring = io_uring});
  std::vector<std::byte> out(rows_per_batch * row_bytes);
  std::int64_t step = 0;
  auto const read = [&](std::vector<std::int64_t> const& wanted) {
    disk.read(glt::host_view<std::int64_t const>(wanted), out.data());
  };
  for (; cached > 0 && step < batches_before; ++step) {
    read(batch_of(step, skewed));
  }
  auto const before = disk.statistics();
  for (auto _ : state) {
    state.PauseTiming();
    auto const wanted = batch_of(step++, skewed);
    state.ResumeTiming();
    read(wanted);
  }
  auto const after = disk.statistics();
  count(state);
  state.counters["hit_ratio"] =
      static_cast<double>(after.cached - before.cached) / static_cast<double>(after.rows - before.rows);
  state.counters["reads/s"] =
      benchmark::Counter(static_cast<double>(after.reads - before.reads), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(mapped, read_ahead, false, false, false)->UseRealTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mapped, at_random, true, false, false)->UseRealTime()->Iterations(3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mapped, at_random_skewed_kept, true, true, true)
    ->UseRealTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_disk, threads, false, 0, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_disk, io_uring, true, 0, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_disk, io_uring_skewed, true, 0, true)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_disk, io_uring_skewed_cached, true, 0.05, true)
    ->UseRealTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);

} // namespace
