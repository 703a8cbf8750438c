// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/tier/detail/striped_rows.hpp>

namespace glt::detail {

/// Address of item i of a copy: the start of row index(i) of a matrix.
template <class Byte, class Index>
struct rows_at {
  Byte* rows;
  std::int64_t row_bytes;
  Index index;

  [[nodiscard]] GLT_HOST_DEVICE Byte* operator()(std::int64_t i) const { return at(key(i)); }
  /// Returns a number by which rows lie in order in memory.
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t key(std::int64_t i) const { return index(i); }
  [[nodiscard]] GLT_HOST_DEVICE Byte* at(std::int64_t key) const { return rows + key * row_bytes; }
};

/// Neighbouring elements that are read or written at once: with one instruction if they have up to 16 bytes.
template <class T, int Count>
struct alignas(Count == 1 ? alignof(T) : std::min<std::size_t>(16, Count * sizeof(T))) element_run {
  T elements[Count];
};

// Loads a value at an aligned address, or at any address. On a GPU, an access by the type is one instruction; a
// `memcpy` to memory takes one instruction for every byte.
template <bool Aligned, class Value>
[[nodiscard]] GLT_HOST_DEVICE Value load_run(std::byte const* from) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (Aligned) {
    return *reinterpret_cast<Value const*>(from);
  }
#endif
  Value value;
  std::memcpy(&value, from, sizeof(Value));
  return value;
}
template <bool Aligned, class Value>
GLT_HOST_DEVICE void store_run(std::byte* to, Value const& value) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (Aligned) {
    *reinterpret_cast<Value*>(to) = value;
    return;
  }
#endif
  std::memcpy(to, &value, sizeof(Value));
}

/// Number of rows per index: their reads overlap.
inline constexpr int rows_in_flight = 4;

/// Returns the number of indices that so many rows need.
[[nodiscard]] constexpr std::int64_t groups_of_rows(std::int64_t rows) noexcept {
  return rows / rows_in_flight + (rows % rows_in_flight != 0 ? 1 : 0);
}

// Returns the last row again if there are no more: its bytes are then written twice, which needs no condition.
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t row_of(std::int64_t first, int k, std::int64_t count) noexcept {
  return first + k < count ? first + k : count - 1;
}

/// Functor for `for_each_chunk` that copies a chunk of some rows.
///
/// @cost   one read and one write of every byte
template <class From, class To>
struct copy_chunks {
  From from; // i → std::byte const*
  To to;     // i → std::byte*
  std::int64_t count;
  int chunk_bytes; // 1, 2, 4, 8 or 16: divides the bytes of a row and every address

  GLT_HOST_DEVICE void operator()(std::int64_t group, std::int64_t chunk) const {
    switch (chunk_bytes) {
    case 16:
      copy<element_run<std::uint32_t, 4>>(group, chunk);
      break;
    case 8:
      copy<element_run<std::uint32_t, 2>>(group, chunk);
      break;
    case 4:
      copy<element_run<std::uint32_t, 1>>(group, chunk);
      break;
    case 2:
      copy<element_run<std::uint16_t, 1>>(group, chunk);
      break;
    default:
      copy<element_run<std::uint8_t, 1>>(group, chunk);
    }
  }

private:
  template <class Chunk>
  GLT_HOST_DEVICE void copy(std::int64_t group, std::int64_t chunk) const {
    auto const first = group * rows_in_flight;
    auto const byte = chunk * static_cast<std::int64_t>(sizeof(Chunk));
    Chunk held[rows_in_flight];
    for (int k = 0; k < rows_in_flight; ++k) {
      held[k] = load_run<true, Chunk>(from(row_of(first, k, count)) + byte);
    }
    for (int k = 0; k < rows_in_flight; ++k) {
      store_run<true>(to(row_of(first, k, count)) + byte, held[k]);
    }
  }
};

/// Access to the elements of rows.
enum class element_access {
  bytes,    ///< they may lie at any byte
  elements, ///< each is aligned as its type
  runs      ///< in runs of 4, which are aligned as a whole, or to 16 bytes
};

/// Functor for `for_each_chunk` that converts neighbouring elements of some rows.
///
/// @cost   one read and one write of every element
template <class In, class Out, class From, class To, class Convert>
struct convert_chunks {
  static constexpr int run_size = 4;

  From from; // i → std::byte const*
  To to;     // i → std::byte*
  std::int64_t count;
  element_access access; // a chunk is a run or an element
  Convert convert;

  GLT_HOST_DEVICE void operator()(std::int64_t group, std::int64_t chunk) const {
    switch (access) {
    case element_access::runs:
      convert_runs<run_size, true>(group, chunk);
      break;
    case element_access::elements:
      convert_runs<1, true>(group, chunk);
      break;
    default:
      convert_runs<1, false>(group, chunk);
    }
  }

  /// Returns the access that rows of these columns at these addresses allow.
  [[nodiscard]] static element_access access_of(std::int64_t columns, std::uintptr_t in, std::uintptr_t out) noexcept {
    if (columns % run_size == 0 && in % alignof(element_run<In, run_size>) == 0 &&
        out % alignof(element_run<Out, run_size>) == 0) {
      return element_access::runs;
    }
    return in % alignof(In) == 0 && out % alignof(Out) == 0 ? element_access::elements : element_access::bytes;
  }

private:
  template <int Count, bool Aligned>
  GLT_HOST_DEVICE void convert_runs(std::int64_t group, std::int64_t chunk) const {
    auto const first = group * rows_in_flight;
    auto const column = chunk * Count;
    element_run<In, Count> held[rows_in_flight];
    for (int k = 0; k < rows_in_flight; ++k) {
      auto const* const row = from(row_of(first, k, count));
      held[k] = load_run<Aligned, element_run<In, Count>>(row + column * static_cast<std::int64_t>(sizeof(In)));
    }
    for (int k = 0; k < rows_in_flight; ++k) {
      element_run<Out, Count> converted;
      for (int c = 0; c < Count; ++c) {
        converted.elements[c] = convert(held[k].elements[c], column + c);
      }
      auto* const row = to(row_of(first, k, count));
      store_run<Aligned>(row + column * static_cast<std::int64_t>(sizeof(Out)), converted);
    }
  }
};

/// Returns the largest power of two up to 16 that divides a number of bytes and or-ed addresses.
[[nodiscard]] constexpr int common_alignment(std::uintptr_t addresses, std::int64_t bytes) noexcept {
  auto const all = addresses | static_cast<std::uintptr_t>(bytes) | 16U;
  return 1 << std::countr_zero(all);
}

template <class From>
inline constexpr bool reads_in_order = false;
template <class Byte>
inline constexpr bool reads_in_order<rows_at<Byte, rows_in_order>> = true;

/// Functor for `for_ranges` of a host executor that puts the row at from(i) to to(first + i).
///
/// @cost   one read and one write of every byte
template <class From, class To, class Writes = cached_writes>
struct transfer_row_range {
  From from; // i → std::byte const*
  To to;     // i → std::byte*
  row_transfer transfer;
  std::int64_t first_written = 0;

  void operator()(std::int64_t first, std::int64_t last) const {
    auto const [read, written, row, shift] = *this; // writes of bytes might change members
    for (auto i = first; i < last; ++i) {
      if constexpr (!reads_in_order<From>) { // in order, the processor prefetches by itself
        prefetch_row(read(std::min(i + prefetched_rows, last - 1)), row.row_bytes);
      }
      if (row.convert == nullptr) {
        Writes::copy(written(shift + i), read(i), row.row_bytes);
      } else {
        row.convert(read(i), written(shift + i), row.columns, row.scales);
      }
    }
    Writes::finish();
  }
};

/// Rows from(i) in the order of their keys.
template <class From, class Key>
struct rows_by_key {
  From from;
  Key const* keys;
  [[nodiscard]] GLT_HOST_DEVICE auto* operator()(std::int64_t i) const { return from.at(keys[i]); }
};
template <class To>
struct rows_by_place {
  To to;
  std::int32_t const* places;
  [[nodiscard]] GLT_HOST_DEVICE auto* operator()(std::int64_t i) const { return to(places[i]); }
};
template <class From, class Key>
struct list_keys {
  From from;
  Key* keys;
  std::int32_t* places;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    keys[i] = static_cast<Key>(from.key(i));
    places[i] = static_cast<std::int32_t>(i);
  }
};

/// Calls transfer(from, to) for rows of a large table in pinned memory: in the order in which they lie there, if the
/// executor sorts beside the memory that it is given, and `From` has keys.
///
/// A GPU translates addresses of the host page by page, and knows few pages at a time. On an H100, 512-byte rows of
/// tables up to 0.5 GiB arrive with 0.93 of the speed of a copy in any order; of 2 GiB with 0.49 at random and 0.95 in
/// order, and of 8 GiB with 0.30 and 0.79.
///
/// @param  `num_rows`  of the table; 0 if the order does not matter
template <executor Executor, class From, class To, class Transfer>
void transfer_in_order(Executor const& ex, std::int64_t count, std::int64_t num_rows, From from, To to,
                       Transfer transfer) {
  if constexpr (requires {
                  ex.scratch(count);
                  from.key(count);
                }) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (num_rows > 0 && num_rows <= most && count > 1 && count <= most) {
      auto const memory = ex.scratch(2 * count * static_cast<std::int64_t>(sizeof(std::int32_t)));
      auto* const keys = static_cast<std::int32_t*>(memory.data());
      auto* const places = keys + count;
      constexpr auto space = memory_space::device;
      ex.for_each(count, list_keys<From, std::int32_t>{from, keys, places});
      ex.sort_by_key(array_view<space, std::int32_t>(keys, count), array_view<space, std::int32_t>(places, count));
      transfer(rows_by_key<From, std::int32_t>{from, keys}, rows_by_place<To>{to, places});
      return;
    }
  }
  transfer(from, to);
}

/// Returns the number of rows for `transfer_in_order`: 0 for tables that are small or near.
template <memory_space Space>
[[nodiscard]] constexpr std::int64_t rows_far_away(std::int64_t rows, std::int64_t row_bytes) noexcept {
  constexpr std::int64_t known_bytes = std::int64_t{512} << 20; // of which a GPU keeps all pages in mind
  return Space == memory_space::pinned && rows * row_bytes > known_bytes ? rows : 0;
}

/// As `transfer_rows`, for rows that begin at from(i) and to(i), which may lie in several memories.
///
/// @shape  scales [F], or null
/// @param  `far_rows`  as `rows_far_away`
/// @where  memory that the executor reaches; `in` and `out` are the addresses of all those memories, or-ed
/// @cost   O(count · F)
template <class In, class Out, executor Executor, class From, class To>
void transfer_located_rows(Executor const& ex, std::int64_t count, std::int64_t columns, float const* scales, From from,
                           To to, std::uintptr_t in, std::uintptr_t out, std::int64_t far_rows = 0) {
  if constexpr (host_executor<Executor>) {
    ex.for_ranges(count, copied_rows_per_range,
                  transfer_row_range<From, To>{from, to, row_transfer::of<In, Out, cached_writes>(columns, scales)});
  } else if constexpr (std::is_same_v<In, Out>) {
    auto const row_bytes = columns * static_cast<std::int64_t>(sizeof(In));
    auto const chunk_bytes = common_alignment(in | out, row_bytes);
    transfer_in_order(ex, count, far_rows, from, to, [&]<class F, class T>(F rows_from, T rows_to) {
      for_each_chunk(ex, groups_of_rows(count), row_bytes / chunk_bytes,
                     copy_chunks<F, T>{rows_from, rows_to, count, chunk_bytes});
    });
  } else {
    auto const convert = [&]<class Convert>(Convert element) {
      transfer_in_order(ex, count, far_rows, from, to, [&]<class F, class T>(F rows_from, T rows_to) {
        using chunks = convert_chunks<In, Out, F, T, Convert>;
        auto const access = chunks::access_of(columns, in, out);
        for_each_chunk(ex, groups_of_rows(count), access == element_access::runs ? columns / chunks::run_size : columns,
                       chunks{rows_from, rows_to, count, access, element});
      });
    };
    if constexpr (std::is_integral_v<In>) {
      if (scales != nullptr) {
        convert(scale_element<In, Out>{scales});
        return;
      }
    }
    convert(cast_element<In, Out>{});
  }
}

/// Puts rows from(i) of host memory, or of a storage if there is one, to the rows to(i).
template <class Writes, executor Executor, class From, class To>
void transfer_host_rows(Executor const& ex, std::int64_t count, std::byte const* in, row_storage const* storage,
                        From from, rows_at<std::byte, To> to, row_transfer const& transfer) {
  if (storage == nullptr) {
    ex.for_ranges(count, copied_rows_per_range,
                  transfer_row_range<rows_at<std::byte const, From>, rows_at<std::byte, To>, Writes>{
                      {in, transfer.row_bytes, from}, to, transfer});
    return;
  }
  auto const most = std::clamp<std::int64_t>((1 << 24) / std::max<std::int64_t>(transfer.row_bytes, 1), 1,
                                             std::max<std::int64_t>(count, 1));
  std::vector<std::int64_t> rows;
  buffer<device::cpu, std::byte> read(most * transfer.row_bytes);
  for (std::int64_t first = 0; first < count; first += most) {
    auto const size = std::min(most, count - first);
    rows.resize(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      rows[static_cast<std::size_t>(i)] = from(first + i);
    }
    storage->read(host_view<std::int64_t const>(rows), read.data());
    ex.for_ranges(size, copied_rows_per_range,
                  transfer_row_range<rows_at<std::byte const, rows_in_order>, rows_at<std::byte, To>, Writes>{
                      {read.data(), transfer.row_bytes, {}}, to, transfer, first});
  }
}

/// Puts rows from(i) of a feature view into rows to(i) of a result, for the i in [0, count). Elements of the same type
/// are copied byte by byte; others are converted, with the scale of their column if there are scales. View and result
/// have as many columns. The rows may lie at any byte.
///
/// @shape  out [V', F], V' > to(i)
/// @where  memory that the executor reaches; `out`, `from` and `to` may be of another space than `in`
/// @throws io_error  if the view has a storage, and it cannot read a row
/// @cost   O(count · F); with a storage also memory of up to 16 MiB, or of one row
template <class Writes = cached_writes, executor Executor, memory_space Space, class T, class From, class To, class Out>
  requires(reaches<Executor, Space> && gathers_as<T, Out>)
void transfer_rows(Executor const& ex, std::int64_t count, feature_view<Space, T> in, From from, To to, Out* out) {
  auto const columns = in.num_columns();
  auto const* const source = reinterpret_cast<std::byte const*>(in.features.data());
  auto const* const scales = in.scales.empty() ? nullptr : in.scales.data();
  rows_at<std::byte, To> const result{reinterpret_cast<std::byte*>(out),
                                      columns * static_cast<std::int64_t>(sizeof(Out)), to};
  if constexpr (host_executor<Executor>) {
    transfer_host_rows<Writes>(ex, count, source, in.storage, from, result,
                               row_transfer::of<T, Out, Writes>(columns, scales));
  } else {
    auto const in_row = columns * static_cast<std::int64_t>(sizeof(T));
    transfer_located_rows<T, Out>(
        ex, count, columns, scales, rows_at<std::byte const, From>{source, in_row, from}, result,
        reinterpret_cast<std::uintptr_t>(source), reinterpret_cast<std::uintptr_t>(out),
        std::is_same_v<From, rows_in_order> ? 0 : rows_far_away<Space>(in.features.rows(), in_row));
  }
}

} // namespace glt::detail
