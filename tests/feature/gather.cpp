// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/executors.hpp"
#include "support/scratch.hpp"

#include <glt/core/element_type.hpp>
#include <glt/core/random.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace glt;
using namespace glt_test;

TEST_CASE_TEMPLATE("rows come in the order of the ids, again and again if asked", T, float, double, std::int64_t,
                   std::uint8_t) {
  for_each_executor([](std::string const& name, auto const& ex) {
    CAPTURE(name);
    for (std::int64_t const columns : {0, 1, 3, 65}) {
      constexpr std::int64_t rows = 37;
      std::vector<T> features(static_cast<std::size_t>(rows * columns));
      for (std::size_t i = 0; i < features.size(); ++i) {
        features[i] = static_cast<T>(i * 7 % 251);
      }
      for (std::int64_t const count : {0, 1, 36, 3001}) {
        std::vector<global_id> ids(static_cast<std::size_t>(count));
        random_stream draws(random_key(2), static_cast<std::uint64_t>(count));
        for (auto& id : ids) {
          id = static_cast<global_id>(draws.below(static_cast<std::uint64_t>(rows)));
        }
        std::vector<T> gathered(static_cast<std::size_t>(count * columns), T{});
        gather_rows(ex, host_matrix<T const>(features.data(), rows, columns), host_view<global_id const>(ids),
                    host_matrix<T>(gathered.data(), count, columns));
        std::vector<T> expected;
        for (auto const id : ids) {
          auto const first = features.begin() + id * columns;
          expected.insert(expected.end(), first, first + columns);
        }
        CHECK(gathered == expected);
      }
    }
  });
}

TEST_CASE("32-bit ids and pinned memory do as well") {
  std::vector<float> features{0, 1, 2, 3, 4, 5};
  std::vector<local_id> ids{2, 0, 2};
  std::vector<float> gathered(6, -1);
  gather_rows(minimal_executor{}, matrix_view<memory_space::pinned, float>(features.data(), 3, 2),
              array_view<memory_space::pinned, local_id>(ids.data(), 3),
              matrix_view<memory_space::pinned, float>(gathered.data(), 3, 2));
  CHECK(gathered == std::vector<float>{4, 5, 0, 1, 4, 5});
}

TEST_CASE("a result of another shape is refused, and nothing is written") {
  std::vector<float> const features{0, 1, 2, 3, 4, 5};
  std::vector<local_id> const ids{2, 0};
  std::vector<float> gathered(6, -1);
  auto const complaint = [&](std::int64_t rows, std::int64_t columns) {
    return thrown<precondition_error>([&] {
      gather_rows(exec::sequential{}, host_matrix<float const>(features.data(), 3, 2), host_view<local_id const>(ids),
                  host_matrix<float>(gathered.data(), rows, columns));
    });
  };
  CHECK(names(complaint(3, 2), "2 rows of 2 columns", "[3, 2]"));
  CHECK(names(complaint(2, 3), "2 rows of 2 columns", "[2, 3]"));
  CHECK(gathered == std::vector<float>(6, -1));
}

TEST_CASE("elements of another type are converted, with the scales of the features") {
  std::vector<std::int8_t> const stored{1, 2, -3, 4, 5, 127};
  std::vector<float> const scales{2, 0.5F};
  std::vector<local_id> const ids{2, 0};
  feature_view<memory_space::host, std::int8_t> const rows{.features = {stored.data(), 3, 2}, .scales = scales};
  std::vector<float> gathered(4, -1);
  host_matrix<float> const out(gathered.data(), 2, 2);
  gather_rows(exec::sequential{}, rows, host_view<local_id const>(ids), out);
  CHECK(gathered == std::vector<float>{10, 63.5F, 2, 1});
  gather_rows(exec::sequential{}, rows.features, host_view<local_id const>(ids), out);
  CHECK(gathered == std::vector<float>{5, 127, 1, 2});
  std::vector<std::int8_t> same(4);
  gather_rows(exec::sequential{}, rows, host_view<local_id const>(ids), host_matrix<std::int8_t>(same.data(), 2, 2));
  CHECK(same == std::vector<std::int8_t>{5, 127, 1, 2});
  CHECK(names(thrown<precondition_error>([&] {
                gather_rows(exec::sequential{}, rows, host_view<local_id const>(ids),
                            host_matrix<float>(nullptr, 2, 3));
              }),
              "2 rows of 2 columns", "[2, 3]"));
}

TEST_CASE("rows of a mapped file are gathered from where they lie, and the mapping lives as long as the store") {
  constexpr std::int64_t rows = 5000;
  constexpr std::int64_t columns = 3;
  constexpr auto bytes = static_cast<std::size_t>(rows * columns) * sizeof(bfloat16);
  scratch_folder const folder;
  auto const path = folder / "rows";
  std::string content(bytes, '\0');
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    bfloat16 const value(static_cast<float>(i % 250));
    std::memcpy(content.data() + static_cast<std::size_t>(i) * sizeof(value), &value, sizeof(value));
  }
  write_bytes(path, content);
  int const file = ::open(path.c_str(), O_RDONLY);
  REQUIRE(file >= 0);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  REQUIRE(mapped != MAP_FAILED);
  bool unmapped = false;
  {
    std::shared_ptr<void const> keeper(mapped, [&](void const*) {
      ::munmap(mapped, bytes);
      unmapped = true;
    });
    auto borrowed =
        buffer<device::cpu, bfloat16>::adopt(static_cast<bfloat16*>(mapped), rows * columns, std::move(keeper));
    feature_store<device::cpu, bfloat16> const store(rows, columns, std::move(borrowed));
    CHECK(store.view().features.data() == mapped);
    std::vector<global_id> const ids{4999, 0, 1234};
    std::vector<float> gathered(9);
    gather_rows(exec::sequential{}, store.view(), host_view<global_id const>(ids),
                host_matrix<float>(gathered.data(), 3, columns));
    std::vector<float> expected;
    for (auto const id : ids) {
      for (std::int64_t c = 0; c < columns; ++c) {
        expected.push_back(static_cast<float>((id * columns + c) % 250));
      }
    }
    CHECK(gathered == expected);
    CHECK(!unmapped);
  }
  CHECK(unmapped);
}
