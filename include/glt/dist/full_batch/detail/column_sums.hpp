// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Number of neighbouring columns that one call of a functor processes.
inline constexpr std::int64_t panel_columns = 8;

/// Number of rows that one call of a functor sums up; fixed, so that sums do not depend on the executor.
inline constexpr std::int64_t rows_of_sum = 256;

template <class Action>
struct act_on_panel {
  Action action;
  std::int64_t columns;
  std::int64_t panels;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const line = i / panels;
    auto const first = i % panels * panel_columns;
    if (first + panel_columns <= columns) {
      action(line, first, std::integral_constant<std::int64_t, panel_columns>{});
      return;
    }
    for (auto column = first; column < columns; ++column) {
      action(line, column, std::integral_constant<std::int64_t, 1>{});
    }
  }
};

/// Calls action(line, first, width) so that the columns [first, first + width::value) cover every line.
template <executor Executor, class Action>
void for_each_panel(Executor const& ex, std::int64_t lines, std::int64_t columns, Action action) {
  auto const panels = (columns + panel_columns - 1) / panel_columns;
  ex.for_each(lines * panels, act_on_panel<Action>{action, columns, panels});
}

template <class Number>
struct pair_of_sums {
  Number first = 0;
  Number second = 0;
  GLT_HOST_DEVICE pair_of_sums& operator+=(pair_of_sums const& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};
using sum_pair = pair_of_sums<double>;

template <memory_space Space, class Sum, class Term>
struct sum_some_rows {
  Term term;
  std::int64_t rows;
  matrix_view<Space, Sum> partial;
  template <class Width>
  GLT_HOST_DEVICE void operator()(std::int64_t line, std::int64_t first, Width) const {
    Sum sums[Width::value] = {};
    auto const begin = line * rows_of_sum;
    auto const end = rows - begin < rows_of_sum ? rows : begin + rows_of_sum;
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t k = 0; k < Width::value; ++k) {
        sums[k] += term(row, first + k);
      }
    }
    for (std::int64_t k = 0; k < Width::value; ++k) {
      partial(line, first + k) = sums[k];
    }
  }
};

template <memory_space Space, class Sum>
struct add_up_lines {
  matrix_view<Space, Sum const> partial;
  array_view<Space, Sum> sums;
  GLT_HOST_DEVICE void operator()(std::int64_t column) const {
    Sum sum{};
    for (std::int64_t line = 0; line < partial.rows(); ++line) {
      sum += partial(line, column);
    }
    sums[column] = sum;
  }
};

/// Returns the sums of term(row, column) over all rows; the same bits on every executor.
///
/// @shape  → [columns], in ordinary memory
/// @where  `term` reads memory of `Policy`
/// @cost   O(rows · columns); waits for the sums; a 256th of the terms as extra elements
template <bytes_copyable Sum, device_policy Policy, class Term>
[[nodiscard]] std::vector<Sum> column_sums(Policy const& policy, std::int64_t rows, std::int64_t columns, Term term) {
  constexpr auto space = Policy::space;
  auto const lines = (rows + rows_of_sum - 1) / rows_of_sum;
  buffer<Policy, Sum> partial(lines * columns, policy);
  buffer<Policy, Sum> sums(columns, policy);
  matrix_view<space, Sum> const matrix(partial.data(), lines, columns);
  for_each_panel(policy.executor(), lines, columns, sum_some_rows<space, Sum, Term>{term, rows, matrix});
  policy.executor().for_each(columns, add_up_lines<space, Sum>{matrix, sums.view()});
  return to_vector(policy, sums.view());
}

// Call sites of the two halves of a batch norm.
inline constexpr call_site batch_norm_forward{.what = operation::normalize, .step = 0};
inline constexpr call_site batch_norm_backward{.what = operation::normalize, .step = 1};

[[nodiscard]] inline std::string other_columns(std::int64_t own, std::int64_t first) {
  return message("batch norm of ", own, " columns while rank 0 has ", first,
                 "; give rows of the same matrix on all ranks");
}

/// @throws collective_error  if all ranks together have fewer than two rows
template <communicator Comm>
void check_batch_rows(Comm const& comm, std::int64_t rows) {
  if (rows < 2) {
    throw agreed(comm, 0, message("batch norm over ", rows, " rows of all ranks together; give two or more"));
  }
}

/// Returns the values of every rank, by rank: two for a column and perhaps one more.
///
/// @comm   collective; one header exchange and one variable exchange; none on one rank
/// @throws collective_error  on every rank, if `failure` is not empty on one, or a rank has another number of
///                           columns than rank 0
template <communicator Comm>
[[nodiscard]] std::vector<std::vector<double>>
gather_batch_values(Comm& comm, call_site site, std::string const& failure, std::vector<double> const& own) {
  auto const lists = gather_lists(comm, site, failure, own);
  for (std::size_t rank = 1; rank < lists.size(); ++rank) {
    if (lists[rank].size() != lists[0].size()) {
      throw agreed(comm, static_cast<int>(rank), other_columns(std::ssize(lists[rank]) / 2, std::ssize(lists[0]) / 2));
    }
  }
  return lists;
}

} // namespace glt::detail
