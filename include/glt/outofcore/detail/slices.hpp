// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Returns the number of rows of a slice, `row_bytes` each, that all ranks can exchange at a time; at least 1.
///
/// @comm   collective; one header exchange and one reduction of a number
template <communicator Comm>
[[nodiscard]] std::int64_t agree_on_rows_a_round(Comm& comm, memory_plan const& plan, std::int64_t row_bytes) {
  auto const rows = std::max<std::int64_t>(plan.for_edges / 4 / (row_bytes * comm.size()), 1);
  return reduce_over_ranks(comm, rows, reduction::min);
}

/// Rows of which every rank has a version and works on a slice: rank r on `slice_of(rows, ranks, r)`.
///
/// @where  rows_a_round rows of every other rank
template <communicator Comm, bytes_copyable T>
class row_slices {
public:
  /// @pre    the numbers are equal on all ranks, rows_a_round is above 0; not checked
  /// @comm   none
  row_slices(Comm comm, std::int64_t rows, std::int64_t most_columns, std::int64_t rows_a_round)
      : comm_(std::move(comm)), rows_(rows), own_(slice_of(rows, comm_.size(), comm_.rank())),
        most_(slice_of(rows, comm_.size(), 0).last),
        rows_a_round_(std::min(rows_a_round, std::max<std::int64_t>(most_, 1))),
        arrived_((comm_.size() - 1) * rows_a_round_ * most_columns), sent_(static_cast<std::size_t>(comm_.size())),
        received_(sent_) {}

  [[nodiscard]] item_range own() const noexcept { return own_; }

  /// Calls add(element, other) for every element of this rank's slice and the same element of every other rank.
  ///
  /// @shape  values [rows, columns], columns up to most_columns; rows of other slices are only read
  /// @comm   collective; a variable exchange per rows_a_round rows of a slice, none on one rank
  template <class Add>
  void add_up(host_view<T> values, std::int64_t columns, Add add) {
    each_round([&](std::int64_t done) {
      auto const [first, last] = piece_of(comm_.rank(), done);
      auto const count = (last - first) * columns;
      for (int rank = 0; rank < comm_.size(); ++rank) {
        auto const theirs = piece_of(rank, done);
        sent_.set(rank, theirs.first * columns, rank == comm_.rank() ? 0 : (theirs.last - theirs.first) * columns);
        received_.set(rank, place_of(rank) * count, rank == comm_.rank() ? 0 : count);
      }
      exchange(values.data(), arrived_.data());
      for (int other = 0; other + 1 < comm_.size(); ++other) {
        for (std::int64_t i = 0; i < count; ++i) {
          add(values[first * columns + i], arrived_[other * count + i]);
        }
      }
    });
  }

  /// Sends every rank the slices of all other ranks.
  ///
  /// @shape  values [rows, columns]; rows of this rank's slice are read, the others written
  /// @comm   collective; a variable exchange, none on one rank
  void hand_round(host_view<T> values, std::int64_t columns) {
    if (comm_.size() == 1) {
      return;
    }
    for (int rank = 0; rank < comm_.size(); ++rank) {
      auto const theirs = slice_of(rows_, comm_.size(), rank);
      bool const other = rank != comm_.rank();
      sent_.set(rank, own_.first * columns, other ? (own_.last - own_.first) * columns : 0);
      received_.set(rank, theirs.first * columns, other ? (theirs.last - theirs.first) * columns : 0);
    }
    exchange(values.data(), values.data());
  }

  /// Sends one column to a rank, which calls take(first row, values) for pieces of all slices.
  ///
  /// @shape  values [rows of this rank's slice]
  /// @pre    most_columns > 0; `take` does not throw; not checked
  /// @comm   collective; a variable exchange per rows_a_round rows of a slice, none on one rank
  template <class Take>
  void collect(host_view<T const> values, int root, Take take) {
    if (comm_.rank() == root && !values.empty()) {
      take(own_.first, values);
    }
    each_round([&](std::int64_t done) {
      auto const mine = piece_of(comm_.rank(), done);
      for (int rank = 0; rank < comm_.size(); ++rank) {
        auto const theirs = piece_of(rank, done);
        bool const other = rank != comm_.rank();
        sent_.set(rank, mine.first - own_.first, other && rank == root ? mine.last - mine.first : 0);
        received_.set(rank, place_of(rank) * rows_a_round_,
                      other && comm_.rank() == root ? theirs.last - theirs.first : 0);
      }
      exchange(values.data(), arrived_.data());
      for (int rank = 0; rank < comm_.size() && comm_.rank() == root; ++rank) {
        auto const [first, last] = piece_of(rank, done);
        if (rank != root && first < last) {
          take(first, arrived_.cview().subview(place_of(rank) * rows_a_round_, last - first));
        }
      }
    });
  }

private:
  struct extents {
    explicit extents(std::size_t ranks) : sizes(ranks), offsets(ranks) {}

    void set(int rank, std::int64_t first, std::int64_t count) {
      offsets[static_cast<std::size_t>(rank)] = first * static_cast<std::int64_t>(sizeof(T));
      sizes[static_cast<std::size_t>(rank)] = count * static_cast<std::int64_t>(sizeof(T));
    }

    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> offsets;
  };

  // All ranks make as many rounds as the rank with the longest slice.
  template <class Round>
  void each_round(Round round) {
    for (std::int64_t done = 0; comm_.size() > 1 && done < most_; done += rows_a_round_) {
      round(done);
    }
  }

  [[nodiscard]] item_range piece_of(int rank, std::int64_t done) const {
    auto const [first, last] = slice_of(rows_, comm_.size(), rank);
    auto const begin = std::min(first + done, last);
    return {begin, std::min(begin + rows_a_round_, last)};
  }

  // Returns the index of another rank's piece in `arrived_`.
  [[nodiscard]] std::int64_t place_of(int rank) const { return rank > comm_.rank() ? rank - 1 : rank; }

  void exchange(T const* from, T* to) {
    comm_.all_to_all_v({reinterpret_cast<std::byte const*>(from), sent_.sizes, sent_.offsets},
                       {reinterpret_cast<std::byte*>(to), received_.sizes, received_.offsets});
  }

  Comm comm_;
  std::int64_t rows_;
  item_range own_;
  std::int64_t most_; // rows of the longest slice
  std::int64_t rows_a_round_;
  buffer<device::cpu, T> arrived_;
  extents sent_;
  extents received_;
};

// Returns the beginning of the first line that does not begin before `place`, which is not 0.
inline std::int64_t find_line(input_file& file, std::int64_t place) {
  std::array<char, std::size_t{1} << 12> piece;
  file.seek(std::min(place - 1, file.size()));
  while (file.position() < file.size()) {
    auto const first = file.position();
    auto const size = std::min(std::ssize(piece), file.size() - first);
    file.read(piece.data(), size);
    auto const found = std::string_view(piece.data(), static_cast<std::size_t>(size)).find('\n');
    if (found != std::string_view::npos) {
      return first + static_cast<std::int64_t>(found) + 1;
    }
  }
  return file.size();
}

/// Returns the slice of the lines of a plain file that a rank reads. The bytes from `begin` on are divided evenly, and
/// a line belongs to the rank in whose share it begins.
///
/// @pre    a line begins at `begin`; not checked
/// @throws io_error  if the file cannot be read
/// @cost   the bytes of two lines
[[nodiscard]] inline text_slice slice_lines(std::filesystem::path const& path, std::int64_t begin, int ranks,
                                            int rank) {
  input_file file(path);
  auto const [first, last] = slice_of(std::max<std::int64_t>(file.size() - begin, 0), ranks, rank);
  auto const line_from = [&](std::int64_t place) { return place == 0 ? begin : find_line(file, begin + place); };
  return {line_from(first), line_from(last)};
}

/// Returns the lines that a rank reads, from the position of `source` on: its slice of a plain file. A packed file
/// cannot be cut; rank 0 reads all of it.
///
/// @pre    `source` reads a file; not checked
/// @throws io_error  as `slice_lines`
[[nodiscard]] inline text_source source_of_rank(text_source source, int ranks, int rank) {
  if (source.packed()) {
    return rank == 0 ? std::move(source) : text_source(source.path(), std::string_view());
  }
  auto const begin = source.place(source.unread().data()).offset;
  return text_source(std::filesystem::path(source.path()), slice_lines(source.path(), begin, ranks, rank));
}

/// Returns the rank whose source of `source_of_rank` ends at the end of the text.
[[nodiscard]] inline int rank_at_end(text_source const& source, int ranks) noexcept {
  return source.packed() ? 0 : ranks - 1;
}

} // namespace glt::io::detail
