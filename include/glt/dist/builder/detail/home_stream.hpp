// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/add_reverses.hpp>
#include <glt/dist/builder/detail/rows_to_first.hpp>
#include <glt/dist/builder/detail/typed_graph.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/partition/multilevel/detail/both_directions.hpp>

namespace glt::detail {

/// Rows of the vertices of all types at their homes, sent to rank 0 in the numbering of all types.
template <communicator Comm>
class home_stream {
public:
  /// Makes a stream of rounds of about `round_bytes`.
  home_stream(Comm& comm, std::span<home_rows const> types, std::int64_t round_bytes)
      : comm_(comm), types_(types), most_(items_of_bytes(round_bytes, sizeof(std::int64_t))) {
    for (auto const& [homes, rows] : types_) {
      first_.push_back(num_vertices_);
      first_rows_.push_back(first_rows_.back() + homes->size());
      num_vertices_ += homes->num_keys();
      num_local_edges_ += rows.columns.size();
    }
  }

  [[nodiscard]] std::int64_t num_vertices() const noexcept { return num_vertices_; }
  [[nodiscard]] std::int64_t num_local_edges() const noexcept { return num_local_edges_; }

  /// Calls take(first, rows) on rank 0 with the in-edges of all vertices, some rows at a time.
  ///
  /// @comm   collective; for each type as `rows_to_first`
  template <class Take>
  void each_row(std::string& failure, Take take) const {
    for (std::size_t t = 0; t < types_.size(); ++t) {
      auto const& rows = types_[t].rows;
      send(failure, t, rows.offsets.cview(), rows.columns.cview(), take);
    }
  }

  /// Calls take(first, rows) on rank 0 with both directions of every edge. If an edge lacks its reverse, the first call
  /// makes rows of both directions at the homes.
  ///
  /// @pre    there are no more vertices than `local_id` can number; not checked
  /// @comm   collective; as `each_row`; the first call makes a header exchange, and the rounds of `add_reverses`
  /// @cost   memory 8 bytes an edge of this rank if an edge lacks its reverse
  template <class Take>
  void each_row_of_both_directions(std::string& failure, Take take) {
    if (!std::exchange(knows_directions_, true)) {
      add_missing_reverses(failure);
    }
    if (!both_) {
      each_row(failure, take);
      return;
    }
    for (std::size_t t = 0; t < types_.size(); ++t) {
      auto const offsets = both_->offsets.cview().subview(first_rows_[t], types_[t].homes->size() + 1);
      send(failure, t, offsets, host_view<local_id const>(both_->neighbors), take);
    }
  }

private:
  template <class Vertex, class Take>
  void send(std::string& failure, std::size_t type, host_view<edge_offset const> offsets,
            host_view<Vertex const> columns, Take take) const {
    std::vector<std::int64_t> bounds; // of the rounds of rows
    attempt(failure, [&] {
      bounds.push_back(0);
      for (std::int64_t row = 1; row + 1 < offsets.size(); ++row) {
        if (offsets[row + 1] - offsets[bounds.back()] + row - bounds.back() >= most_) {
          bounds.push_back(row);
        }
      }
      bounds.push_back(offsets.size() - 1);
    });
    rows_to_first(
        comm_, num_vertices_, std::ssize(bounds) - 1, failure,
        [&](std::int64_t round) {
          auto const begin = bounds[static_cast<std::size_t>(round)];
          auto const end = bounds[static_cast<std::size_t>(round) + 1];
          return csr_view<memory_space::host, Vertex>(num_vertices_, offsets.subview(begin, end - begin + 1), columns);
        },
        [&](global_id first, csr_view<memory_space::host, global_id> some) { take(first_[type] + first, some); });
  }

  void add_missing_reverses(std::string const& failure) {
    std::int64_t sum = 0;
    std::vector<row_range> ranges;
    std::vector<std::vector<std::int64_t>> rows_before; // rows of earlier types, by type and home
    auto const failed = failure.empty() ? failure_of([&] {
      rows_before.emplace_back(static_cast<std::size_t>(comm_.size()), 0);
      for (std::size_t t = 0; t < types_.size(); ++t) {
        auto const& [homes, rows] = types_[t];
        ranges.push_back({first_[t] + homes->first(), {num_vertices_, rows.offsets.cview(), rows.columns.cview()}});
        sum += direction_sum(ranges.back().first, ranges.back().rows);
        rows_before.push_back(rows_before.back());
        for (std::size_t home = 0; home < rows_before[t].size(); ++home) {
          rows_before.back()[home] += homes->first_numbers()[home + 1] - homes->first_numbers()[home];
        }
      }
    })
                                        : failure;
    if (total_value(exchange_values(comm_, {.what = operation::shuffle, .hop = 63}, failed, sum)) != 0) {
      both_ = add_reverses<local_id>(comm_, {}, ranges, [&](global_id vertex) {
        auto const type = static_cast<std::size_t>(std::ranges::upper_bound(first_, vertex) - first_.begin() - 1);
        auto const number = vertex - first_[type];
        auto const numbers = types_[type].homes->first_numbers();
        auto const home = static_cast<std::size_t>(std::ranges::upper_bound(numbers, number) - numbers.begin() - 1);
        return row_place{static_cast<int>(home), rows_before[type][home] + number - numbers[home]};
      });
    }
  }

  Comm& comm_;
  std::span<home_rows const> types_;
  std::int64_t most_;                       // numbers in a round
  std::vector<global_id> first_;            // vertex of every type
  std::vector<std::int64_t> first_rows_{0}; // of this rank, by type
  std::int64_t num_vertices_ = 0;
  std::int64_t num_local_edges_ = 0;
  bool knows_directions_ = false;
  std::optional<both_rows<local_id>> both_; // rows of this rank, type after type, if edges lack their reverses
};

} // namespace glt::detail
