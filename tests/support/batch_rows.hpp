// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/dist/full_batch/detail/batch_norm.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt_test {

/// A matrix whose rows are spread over ranks; of three ranks or more, rank 1 has none.
template <class T>
struct batch_rows {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<T> values;

  batch_rows(std::int64_t num_rows, std::int64_t num_columns, double shift, std::uint64_t seed = 1)
      : rows(num_rows), columns(num_columns) {
    glt::random_key const key(seed);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      auto const bits = key.fold(static_cast<std::uint64_t>(i)).bits() >> 44;
      auto const column = static_cast<double>(i % columns);
      values.push_back(static_cast<T>(shift * column + (column + 1) * (static_cast<double>(bits) / (1 << 19) - 1)));
    }
  }

  [[nodiscard]] std::int64_t begin(int rank, int ranks) const {
    if (ranks > 1 && rank >= 1) {
      return rank >= ranks ? rows : rank <= 2 ? rows / 2 : rows * (rank + 1) / (ranks + 1);
    }
    return rank == 0 ? 0 : rows;
  }
  [[nodiscard]] std::int64_t rows_of(int rank, int ranks) const { return begin(rank + 1, ranks) - begin(rank, ranks); }
  [[nodiscard]] std::vector<T> of_rank(int rank, int ranks) const {
    return {values.begin() + begin(rank, ranks) * columns, values.begin() + begin(rank + 1, ranks) * columns};
  }
  [[nodiscard]] double at(std::int64_t row, std::int64_t column) const {
    return static_cast<double>(values[static_cast<std::size_t>(row * columns + column)]);
  }

  /// By the definition.
  [[nodiscard]] glt::detail::batch_statistics statistics() const {
    glt::detail::batch_statistics found{.rows = rows, .mean = {}, .deviations = {}};
    for (std::int64_t column = 0; column < columns; ++column) {
      long double sum = 0;
      for (std::int64_t row = 0; row < rows; ++row) {
        sum += at(row, column);
      }
      auto const mean = sum / static_cast<long double>(rows);
      long double deviations = 0;
      for (std::int64_t row = 0; row < rows; ++row) {
        deviations += (at(row, column) - mean) * (at(row, column) - mean);
      }
      found.mean.push_back(static_cast<double>(mean));
      found.deviations.push_back(static_cast<double>(deviations));
    }
    return found;
  }
};

} // namespace glt_test
