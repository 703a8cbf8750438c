// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../support/errors.hpp"
#include "../support/executors.hpp"

#include <glt/core/random.hpp>
#include <glt/feature/gather.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE_TEMPLATE("rows come in the order of the ids, again and again if asked", T, float, double,
                   std::int64_t, std::uint8_t) {
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
      gather_rows(exec::sequential{}, host_matrix<float const>(features.data(), 3, 2),
                  host_view<local_id const>(ids), host_matrix<float>(gathered.data(), rows, columns));
    });
  };
  CHECK(names(complaint(3, 2), "2 rows of 2 columns", "[3, 2]"));
  CHECK(names(complaint(2, 3), "2 rows of 2 columns", "[2, 3]"));
  CHECK(gathered == std::vector<float>(6, -1));
}
