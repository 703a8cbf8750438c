// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/tier/detail/striped_rows.hpp>

namespace glt {

namespace detail {

inline void check_gather(std::int64_t ids, std::int64_t columns, std::int64_t out_rows, std::int64_t out_columns) {
  if (out_rows != ids || out_columns != columns) {
    throw precondition_error(message("gather of ", ids, " rows of ", columns, " columns into [", out_rows, ", ",
                                     out_columns, "]; the shapes must be equal"));
  }
}

} // namespace detail

/// Copies the rows `ids` of features, in that order; an id may occur more than once. Elements are converted to the type
/// of the result, with the scale of their column if there are scales.
///
/// The bits are the same on every executor, except the bits of NaN.
///
/// @shape  in [V, F] · ids [S] · out [S, F], written
/// @where  memory that the executor reaches, each view in any such space; enqueues on `ex` and does not synchronise
/// @pre    every id is in [0, V); not checked
/// @throws precondition_error  if out is not [S, F]
/// @cost   O(S · F)
template <executor Executor, memory_space Space, class In, memory_space IdSpace, class Id, memory_space OutSpace,
          bytes_copyable T>
  requires(reaches<Executor, Space> && reaches<Executor, IdSpace> && reaches<Executor, OutSpace> &&
           detail::gathers_as<In, T>)
void gather_rows(Executor const& ex, feature_view<Space, In> in, array_view<IdSpace, Id> ids,
                 matrix_view<OutSpace, T> out) {
  detail::check_gather(ids.size(), in.num_columns(), out.rows(), out.columns());
  detail::transfer_rows(ex, ids.size(), in, detail::rows_listed<std::remove_const_t<Id>>{ids.data()},
                        detail::rows_in_order{}, out.data());
}

/// Copies the rows `ids` of a matrix.
template <executor Executor, memory_space Space, class In, memory_space IdSpace, class Id, memory_space OutSpace,
          bytes_copyable T>
  requires(reaches<Executor, Space> && reaches<Executor, IdSpace> && reaches<Executor, OutSpace> &&
           detail::gathers_as<std::remove_const_t<In>, T>)
void gather_rows(Executor const& ex, matrix_view<Space, In> in, array_view<IdSpace, Id> ids,
                 matrix_view<OutSpace, T> out) {
  gather_rows(ex, feature_view<Space, std::remove_const_t<In>>{.features = in}, ids, out);
}

namespace detail {

/// Borrowed features of V vertices; the hot rows lie in a faster memory; see `tiered_store`.
///
/// @shape  hot [H, F] · cold [C, F] · slots [V] · labels [V] or empty · scales [F] or empty
template <memory_space HotSpace, memory_space ColdSpace, bytes_copyable T>
struct tiered_view {
  detail::striped_rows<HotSpace, T> hot;
  matrix_view<ColdSpace, T const> cold;
  array_view<HotSpace, detail::tier_slot const> slots;
  array_view<ColdSpace, detail::label_type const> labels{};
  array_view<HotSpace, float const> scales{};

  [[nodiscard]] constexpr std::int64_t num_vertices() const noexcept { return slots.size(); }
  [[nodiscard]] constexpr std::int64_t num_columns() const noexcept { return cold.columns(); }
  [[nodiscard]] detail::row_tier<HotSpace> tier() const noexcept { return {hot.bytes(), slots.data()}; }
};

/// Number of requested rows, and number of hot rows among them.
struct tier_hits {
  std::int64_t rows = 0;
  std::int64_t hot = 0;

  /// Returns the share of hot rows; 0 for no rows.
  [[nodiscard]] constexpr double ratio() const noexcept {
    return rows == 0 ? 0 : static_cast<double>(hot) / static_cast<double>(rows);
  }
  constexpr tier_hits& operator+=(tier_hits other) noexcept {
    rows += other.rows;
    hot += other.hot;
    return *this;
  }
};

template <class Id>
struct is_hot {
  tier_slot const* slots;
  Id const* ids;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return slots[ids[i]] >= 0 ? 1 : 0; }
};

struct sum_of_hits {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

} // namespace detail

/// Copies rows as for features of one memory, hot and cold rows in one pass.
///
/// @shape  in [V, F] · ids [S] · out [S, F], written
/// @where  memory that the executor reaches, on all devices of the hot rows; enqueues on `ex` and does not synchronise
/// @pre    every id is in [0, V); not checked
/// @throws precondition_error  if out is not [S, F]
/// @cost   O(S · F)
template <executor Executor, memory_space HotSpace, memory_space ColdSpace, class In, memory_space IdSpace, class Id,
          memory_space OutSpace, bytes_copyable T>
  requires(reaches<Executor, HotSpace> && reaches<Executor, ColdSpace> && reaches<Executor, IdSpace> &&
           reaches<Executor, OutSpace> && detail::gathers_as<In, T>)
void gather_rows(Executor const& ex, detail::tiered_view<HotSpace, ColdSpace, In> in, array_view<IdSpace, Id> ids,
                 matrix_view<OutSpace, T> out) {
  using id = std::remove_const_t<Id>;
  detail::check_gather(ids.size(), in.num_columns(), out.rows(), out.columns());
  auto const addresses = in.hot.addresses() | reinterpret_cast<std::uintptr_t>(in.cold.data());
  auto* const result = reinterpret_cast<std::byte*>(out.data());
  detail::transfer_located_rows<In, T>(
      ex, ids.size(), in.num_columns(), in.scales.empty() ? nullptr : in.scales.data(),
      detail::tiered_rows_at<HotSpace, detail::rows_listed<id>>{
          in.tier(), reinterpret_cast<std::byte const*>(in.cold.data()), {ids.data()}},
      detail::rows_at<std::byte, detail::rows_in_order>{
          result, in.num_columns() * static_cast<std::int64_t>(sizeof(T)), {}},
      addresses, reinterpret_cast<std::uintptr_t>(result),
      detail::rows_far_away<ColdSpace>(in.cold.rows(), in.num_columns() * static_cast<std::int64_t>(sizeof(In))));
}

namespace detail {

/// Counts how many of the rows of vertices are hot, as a gather would find them.
///
/// @shape  ids [S]
/// @where  memory that the executor reaches; synchronises
/// @pre    every id is in [0, V); not checked
/// @cost   O(S)
template <executor Executor, memory_space HotSpace, memory_space ColdSpace, class T, memory_space IdSpace, class Id>
  requires(reaches<Executor, HotSpace> && reaches<Executor, IdSpace>)
[[nodiscard]] tier_hits count_hits(Executor const& ex, tiered_view<HotSpace, ColdSpace, T> in,
                                   array_view<IdSpace, Id> ids) {
  return {.rows = ids.size(),
          .hot =
              ex.reduce(ids.size(), std::int64_t{0},
                        detail::is_hot<std::remove_const_t<Id>>{in.slots.data(), ids.data()}, detail::sum_of_hits{})};
}

} // namespace detail

} // namespace glt
