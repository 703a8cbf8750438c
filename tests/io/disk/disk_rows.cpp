// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/disk/disk_rows.hpp>

#include <glt/core/random.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/feature/gather.hpp>
#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/disk/detail/read_queue.hpp>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using cpu = device::cpu;

namespace {

// Bytes without a pattern that a wrong row could share.
std::string random_bytes(std::int64_t size, std::uint64_t seed = 5) {
  random_stream draws(random_key(seed), 0);
  std::string made;
  for (std::int64_t i = 0; i < size; ++i) {
    made += static_cast<char>(draws.next());
  }
  return made;
}

// A file of rows behind some other bytes.
struct rows_file {
  rows_file(std::int64_t first, std::int64_t number, std::int64_t size)
      : bytes(random_bytes(first + number * size)), offset(first), rows(number), row_bytes(size) {
    write_bytes(path, bytes);
  }
  [[nodiscard]] io::disk_rows open(io::disk_rows::options const& options = {}) const {
    return {path, offset, rows, row_bytes, options};
  }
  // Whether a read gives the bytes of the file.
  [[nodiscard]] bool reads(io::disk_rows const& disk, std::vector<std::int64_t> const& wanted) const {
    std::string expected;
    for (auto const row : wanted) {
      expected += bytes.substr(static_cast<std::size_t>(offset + row * row_bytes), static_cast<std::size_t>(row_bytes));
    }
    std::string read(expected.size() + 1, '#'); // one byte behind the end, which stays
    disk.read(host_view<std::int64_t const>(wanted), reinterpret_cast<std::byte*>(read.data()));
    return read == expected + '#';
  }

  scratch_folder scratch;
  std::filesystem::path path = scratch / "rows";
  std::string bytes;
  std::int64_t offset;
  std::int64_t rows;
  std::int64_t row_bytes;
};

// Requests of none, one and all rows, of rows in any order and more than once.
std::vector<std::vector<std::int64_t>> requests(std::int64_t rows) {
  std::vector<std::vector<std::int64_t>> made{{}, {0}, {rows - 1}, {rows - 1, 0, rows - 1, rows - 1}};
  auto& all = made.emplace_back();
  for (std::int64_t row = 0; row < rows; ++row) {
    all.push_back(row);
  }
  made.emplace_back(all.rbegin(), all.rend());
  auto& drawn = made.emplace_back();
  random_stream draws(random_key(9), 0);
  for (int i = 0; i < 300; ++i) {
    drawn.push_back(static_cast<std::int64_t>(draws.next() % static_cast<std::uint64_t>(rows)));
  }
  return made;
}

// Every way of reading: by the kernel's queue or by threads, through or past the page cache.
std::vector<io::disk_rows::options> all_ways(std::int64_t cache_bytes = 0) {
  std::vector<io::disk_rows::options> made;
  for (bool const direct : {false, true}) {
    for (bool const io_uring : {false, true}) {
      for (int const depth : {1, 3, 64}) {
        made.push_back({.cache_bytes = cache_bytes, .queue_depth = depth, .direct = direct, .io_uring = io_uring});
      }
    }
  }
  return made;
}

// Rows, by a plain way of S3-FIFO that has no places of rows.
class naive_cache {
public:
  explicit naive_cache(std::int64_t capacity) : capacity_(capacity) {}

  // Whether a row is cached; counts the use.
  bool use(std::int64_t row) {
    for (auto* const queue : {&small_, &main_}) {
      auto const found = std::ranges::find(*queue, row, &entry::row);
      if (found != queue->end()) {
        found->uses = std::min(found->uses + 1, 3);
        return true;
      }
    }
    return false;
  }
  void insert(std::int64_t row) {
    if (std::ssize(small_) + std::ssize(main_) == capacity_) {
      evict();
    }
    auto const last = std::ranges::find(dropped_.rbegin(), dropped_.rend(), row) - dropped_.rbegin();
    bool const ghost = last < std::min(capacity_, std::ssize(dropped_));
    (ghost ? main_ : small_).push_back({row, 0});
  }

private:
  struct entry {
    std::int64_t row;
    int uses;
  };
  void evict() {
    while (std::ssize(small_) >= std::max<std::int64_t>(1, capacity_ / 10) || main_.empty()) {
      auto const [row, uses] = small_.front();
      small_.pop_front();
      if (uses <= 1) {
        dropped_.push_back(row);
        return;
      }
      main_.push_back({row, 0});
    }
    while (main_.front().uses > 0) {
      auto const [row, uses] = main_.front();
      main_.pop_front();
      main_.push_back({row, uses - 1});
    }
    std::ranges::replace(dropped_, main_.front().row, std::int64_t{-1}); // no ghost, but counts
    main_.pop_front();
  }

  std::int64_t capacity_;
  std::deque<entry> small_;
  std::deque<entry> main_;
  std::vector<std::int64_t> dropped_; // of the small queue
};

} // namespace

TEST_CASE("rows of any width come as they are in the file, in every way of reading") {
  for (std::int64_t const row_bytes : {1, 12, 400, 512, 1000, 4096, 5000, 70'000}) {
    rows_file const file(row_bytes % 128, 67, row_bytes);
    for (auto const& way : all_ways()) {
      auto const disk = file.open(way);
      for (auto const& wanted : requests(file.rows)) {
        CHECK(file.reads(disk, wanted));
      }
      CHECK(disk.statistics().cached == 0);
    }
  }
}

TEST_CASE("a cache of any size changes nothing but the number of reads") {
  rows_file const file(128, 67, 404);
  for (std::int64_t const cached : {0, 1, 2, 10, 66, 67, 1000}) {
    for (auto const& way : all_ways(cached * (404 + io::detail::row_cache::bytes_beside))) {
      auto const disk = file.open(way);
      CHECK(disk.cached_rows() == std::min<std::int64_t>(cached, 67));
      for (int round = 0; round < 3; ++round) {
        for (auto const& wanted : requests(file.rows)) {
          CHECK(file.reads(disk, wanted));
        }
      }
      CHECK((disk.statistics().cached > 0) == (cached > 0));
    }
  }
  auto const all = file.open({.cache_bytes = 1 << 20});
  CHECK(file.reads(all, requests(file.rows)[4]));
  auto const reads = all.statistics().reads;
  CHECK(file.reads(all, requests(file.rows)[5]));
  CHECK(all.statistics().reads == reads);
  CHECK(all.statistics().rows == 2 * file.rows);
  CHECK(all.statistics().cached == file.rows);
}

TEST_CASE("a row that is named several times is read once, and neighbours by one read") {
  rows_file const file(0, 100, 128);
  auto const disk = file.open();
  CHECK(file.reads(disk, {7, 50, 7, 7, 50}));
  CHECK(disk.statistics().reads == 2);
  CHECK(disk.statistics().bytes == 2 * 128);
  CHECK(file.reads(disk, {12, 11, 13}));
  CHECK(disk.statistics().reads == 3);
  auto const direct = file.open({.direct = true});
  CHECK(file.reads(direct, {0, 3, 1, 2})); // of one block of 512 bytes, or of 4096
  CHECK(direct.statistics().reads == 1);
}

TEST_CASE("no rows and rows without bytes need no read") {
  rows_file const none(64, 0, 400);
  CHECK(none.reads(none.open({.cache_bytes = 1 << 20}), {}));
  rows_file const empty(64, 9, 0);
  auto const disk = empty.open({.cache_bytes = 1 << 20});
  CHECK(empty.reads(disk, {3, 3, 8}));
  CHECK(disk.statistics().reads == 0);
}

TEST_CASE("several threads read at once") {
  rows_file const file(128, 500, 300);
  for (bool const io_uring : {false, true}) {
    auto const disk = file.open({.cache_bytes = 100 * 300, .queue_depth = 4, .io_uring = io_uring});
    std::vector<int> right(4, 0);
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([&, t] {
          for (int round = 0; round < 5; ++round) {
            for (auto const& wanted : requests(file.rows)) {
              right[t] += file.reads(disk, wanted) ? 1 : 0;
            }
          }
        });
      }
    }
    CHECK(right == std::vector<int>(4, 35));
  }
}

TEST_CASE_TEMPLATE("a gather gives the rows of the mapped file bit for bit", T, std::int8_t, std::int16_t, std::int64_t,
                   float16, bfloat16, float, double) {
  scratch_folder const scratch;
  constexpr std::int64_t rows = 301;
  constexpr std::int64_t columns = 37;
  std::vector<T> values;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    values.push_back(static_cast<T>(static_cast<float>(i % 97) - 30));
  }
  constexpr std::int64_t offset = 128;
  write_bytes(scratch / "x", std::string(offset, 'h') +
                                 std::string(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)));
  auto const map = [&] {
    auto file = std::make_shared<io::detail::mapped_file>(scratch / "x");
    auto* const first = reinterpret_cast<T*>(file->data() + offset);
    return buffer<cpu, T>::adopt(first, rows * columns, std::move(file));
  };
  std::vector<float> const scales(std::is_integral_v<T> ? columns : 0, 0.5F);
  cpu const policy(2);
  feature_store<cpu, T> const mapped(rows, columns, map(), {}, make_buffer<cpu>(scales));
  for (auto const& way : all_ways(20'000)) {
    auto disk = std::make_shared<io::disk_rows>(scratch / "x", offset, rows,
                                                columns * static_cast<std::int64_t>(sizeof(T)), way);
    feature_store<cpu, T> stored(rows, columns, map(), {}, make_buffer<cpu>(scales), disk);
    for (auto const& wanted : requests(rows)) {
      std::vector<local_id> const ids(wanted.begin(), wanted.end());
      auto const gathered = [&]<class Out>(Out, feature_view<memory_space::host, T> from) {
        std::vector<Out> out(ids.size() * columns);
        gather_rows(policy.executor(), from, host_view<local_id const>(ids),
                    host_matrix<Out>(out.data(), std::ssize(ids), columns));
        return std::string(reinterpret_cast<char const*>(out.data()), out.size() * sizeof(Out));
      };
      CHECK(gathered(T{}, stored.view()) == gathered(T{}, mapped.view()));
      CHECK(gathered(double{}, stored.view()) == gathered(double{}, mapped.view()));
    }
    CHECK(disk->statistics().rows > 0);
    auto const before = disk->statistics().rows;
    feature_table<cpu> table(rows);
    table.add("x", std::move(stored));
    std::vector<local_id> const ids{5, 300, 5};
    auto const from_table = table.template gather<double>("x", host_view<local_id const>(ids));
    CHECK(from_table.view().features.row(1)[3] ==
          static_cast<double>(static_cast<float>(values[300 * columns + 3])) * (scales.empty() ? 1 : 0.5));
    CHECK(disk->statistics().rows == before + 3);
  }
}

TEST_CASE("a cache smaller than the rows keeps those that S3-FIFO keeps, each once, in its budget") {
  rows_file const file(64, 211, 100);
  constexpr std::int64_t row_memory = 100 + io::detail::row_cache::bytes_beside;
  for (std::int64_t const capacity : {1, 2, 3, 9, 10, 25, 60, 210}) {
    CAPTURE(capacity);
    auto const budget = (capacity + 1) * row_memory - 1;
    {
      allocated_bytes const own; // of the cache alone: threads of a `disk_rows` allocate when they like
      io::detail::row_cache const cache(file.rows, 100, budget);
      auto const bytes = own.now();
      CHECK(bytes <= budget + 4 * file.rows + 6 * 48); // six arrays, each with what `malloc` leaves unused
      CHECK(cache.capacity() == capacity);
    }
    auto const disk = file.open({.cache_bytes = budget, .queue_depth = 2, .io_uring = false});
    CHECK(disk.cached_rows() == capacity);
    allocated_bytes const taken;
    naive_cache naive(capacity);
    random_stream draws(random_key(11), 0);
    std::int64_t asked = 0;
    std::int64_t hits = 0;
    for (int call = 0; call < 2'000; ++call) {
      std::vector<std::int64_t> wanted;
      for (auto i = draws.below(4); i < 4; ++i) { // low rows are wanted more often, and their share drifts
        auto const below = 1 + draws.below(static_cast<std::uint64_t>(file.rows));
        wanted.push_back((static_cast<std::int64_t>(draws.below(below)) + call / 500 * 50) % file.rows);
      }
      std::set<std::int64_t> missing;
      for (auto const row : wanted) {
        if (naive.use(row)) {
          ++hits;
        } else {
          missing.insert(row);
        }
      }
      for (auto const row : missing) {
        naive.insert(row);
      }
      asked += std::ssize(wanted);
      auto const memory = taken.now();
      REQUIRE(file.reads(disk, wanted));
      REQUIRE(disk.statistics().cached == hits);
      CHECK(disk.statistics().rows == asked);
      if (call > 10) {
        CHECK(taken.now() - memory < 10'000); // lists of a call
      }
    }
    CHECK(hits > 0);
    CHECK(hits < asked);
  }
}

#if defined(__linux__)

TEST_CASE("a read that the system refuses is an error with place and cause, and later reads work") {
  // The memory of this process as a file: a read where there is none is an input/output error.
  std::string const known = random_bytes(5'000);
  auto const begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(known.data()));
  for (bool const io_uring : {false, true}) {
    for (int const depth : {1, 4}) {
      std::vector<io::detail::readable_file> files;
      files.emplace_back("/proc/self/mem", false);
      io::detail::read_queue queue(std::move(files), depth, io_uring);
      std::vector<std::string> read(6);
      auto const read_pieces = [&](std::vector<io::detail::read_piece> const& pieces) {
        queue.read(pieces, 1'000, [&](std::size_t i, std::byte const* bytes) {
          read[i].assign(reinterpret_cast<char const*>(bytes), static_cast<std::size_t>(pieces[i].bytes));
        });
      };
      std::vector<io::detail::read_piece> pieces;
      for (std::int64_t i = 0; i < 5; ++i) {
        pieces.push_back({begin + 1'000 * i, 1'000, 1'000});
      }
      auto with_fault = pieces;
      with_fault.insert(with_fault.begin() + 2, {64, 100, 100});
      auto const error = thrown<io_error>([&] { read_pieces(with_fault); });
      CHECK(names(error, "/proc/self/mem (at byte 64): cannot be read: Input/output error", "check the disk"));
      read.assign(6, {});
      read_pieces(pieces);
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(read[i] == known.substr(1'000 * i, 1'000));
      }
    }
  }
}

#endif

TEST_CASE("a file that becomes shorter is an error with the place, and the rest is read on") {
  rows_file const file(128, 100, 1000);
  for (auto const& way : all_ways(10 * 1100)) {
    write_bytes(file.path, file.bytes);
    auto const disk = file.open(way);
    CHECK(file.reads(disk, {3, 60}));
    std::filesystem::resize_file(file.path, 50'500);
    std::string out(3000, ' ');
    for (std::vector<std::int64_t> const& wanted : {std::vector<std::int64_t>{1, 50, 2}, {99, 98, 10}}) {
      auto const error = thrown<io_error>(
          [&] { disk.read(host_view<std::int64_t const>(wanted), reinterpret_cast<std::byte*>(out.data())); });
      bool const in_row_50 = wanted[0] == 1; // past the page cache, the byte is the begin of a block
      CHECK(names(error, in_row_50 ? "rows (at byte 50500): row 50 of 100 " : "rows (at byte 9",
                  in_row_50 ? "row 50" : ": row 98 of 100 ", "cannot be read: the file became shorter",
                  "copy it again"));
    }
    CHECK(file.reads(disk, {3, 60, 49, 1, 2, 10})); // 60 from the cache
  }
}

TEST_CASE("rows of several files come in their order, and a read that fails names file and row of the file") {
  constexpr std::int64_t row_bytes = 1000;
  scratch_folder const scratch;
  std::vector<io::disk_rows::file_type> files;
  std::string all;
  for (std::int64_t const rows : {0, 40, 0, 1, 30, 0}) {
    auto const number = std::ssize(files);
    auto const path = scratch / std::to_string(number);
    auto const bytes = random_bytes(128 * number + rows * row_bytes + 50, static_cast<std::uint64_t>(number));
    write_bytes(path, bytes);
    files.push_back({path, 128 * number, rows});
    all += bytes.substr(static_cast<std::size_t>(128 * number), static_cast<std::size_t>(rows * row_bytes));
  }
  for (auto const& way : all_ways(20 * (row_bytes + 13))) {
    io::disk_rows const disk(files, row_bytes, way);
    CHECK(disk.num_rows() == 71);
    for (auto const& wanted : requests(71)) {
      std::string expected;
      for (auto const row : wanted) {
        expected += all.substr(static_cast<std::size_t>(row * row_bytes), static_cast<std::size_t>(row_bytes));
      }
      std::string read(expected.size(), '#');
      disk.read(host_view<std::int64_t const>(wanted), reinterpret_cast<std::byte*>(read.data()));
      CHECK(read == expected);
    }
  }
  for (auto const& way : all_ways(0)) {
    io::disk_rows const disk(files, row_bytes, way);
    auto const whole = read_bytes(files[4].path);
    std::filesystem::resize_file(files[4].path, 512 + 20 * row_bytes);
    std::string out(4 * row_bytes, ' ');
    std::vector<std::int64_t> const wanted{41 + 25, 39, 41 + 3, 40};
    auto const error = thrown<io_error>(
        [&] { disk.read(host_view<std::int64_t const>(wanted), reinterpret_cast<std::byte*>(out.data())); });
    CHECK(names(error, files[4].path.string() + " (at byte 2", "): row 25 of 30 cannot be read", "became shorter"));
    write_bytes(files[4].path, whole);
  }
  files[3].num_rows = 2;
  CHECK(names(thrown<io_error>([&] { io::disk_rows const disk(files, row_bytes); }), files[3].path.string(), "2 rows"));
}

TEST_CASE("wrong arguments and files that do not fit are refused") {
  rows_file const file(128, 100, 10);
  auto const refused = [&](std::int64_t rows, io::disk_rows::options const& options) {
    return thrown<precondition_error>([&] { io::disk_rows const disk(file.path, 128, rows, 10, options); });
  };
  CHECK(names(refused(-1, {}), "-1 rows of 10 bytes", "0 or more"));
  CHECK(names(refused(std::int64_t{1} << 31, {}), "2147483648 rows of 10 bytes", file.path.string(), "less than 2^31"));
  CHECK(names(refused(100, {.cache_bytes = -1}), "a cache of -1 bytes"));
  CHECK(names(refused(100, {.queue_depth = 0}), "0 reads at a time"));
  CHECK(names(refused(100, {.queue_depth = 1025}), "1025 reads at a time"));
  CHECK(
      names(thrown<io_error>([&] { io::disk_rows const disk(file.path, 128, 101, 10); }), "at byte 1128", "101 rows"));
  CHECK(names(thrown<io_error>([&] { io::disk_rows const disk(file.scratch / "no", 0, 0, 1); }), "no such file"));
  CHECK(names(thrown<io_error>([&] { io::disk_rows const disk(file.scratch.path(), 0, 0, 1); }), "not a regular file"));
}

TEST_CASE("the limit of open files is named with the file") {
  rows_file const file(0, 3, 4);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit const none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  std::vector<std::string> refused;
  for (bool const direct : {false, true}) {
    refused.push_back(thrown<io_error>([&] { io::detail::readable_file const opened(file.path, direct); }));
  }
  refused.push_back(thrown<io_error>([&] { io::detail::mapped_file const mapped(file.path); }));
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  for (auto const& text : refused) {
    CHECK(names(text, file.path.string(), "cannot be opened", "raise the limit of open files (ulimit -n)"));
    CHECK(!names(text, "leave `direct` out"));
  }
}
