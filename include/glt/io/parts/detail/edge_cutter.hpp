// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/detail/row_places.hpp>
#include <glt/io/parts/detail/parts_checks.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/relabel.hpp>

namespace glt::io::detail {

// Cutter of the edges of one type into the rows of parts. It cuts several parts at a time, which have together about an
// eighth of the edges, so that a few passes over the list suffice for any number of parts.
class edge_cutter {
public:
  edge_cutter(edge_table_view table, relabelling const& sources, relabelling const& destinations)
      : table_(std::move(table)), sources_(sources), destinations_(destinations),
        num_edges_(static_cast<std::size_t>(destinations.book.num_parts()), 0) {
    auto const name = "edges '" + table_.name + "'";
    auto const& columns = table_.columns;
    check_rows(columns.destinations.size(), columns.sources.size(), name + ": destinations");
    check_ids(columns.sources, sources.book.num_vertices(), name + ": sources");
    check_ids(columns.destinations, destinations.book.num_vertices(), name + ": destinations");
    for (auto const destination : columns.destinations) {
      ++num_edges_[static_cast<std::size_t>(destinations.book.owner(destinations.renumbered[destination]))];
    }
    most_ = std::max(columns.sources.size() / 8, num_edges_.empty() ? 0 : std::ranges::max(num_edges_));
  }

  // Returns the rows of a part; cheapest for parts in ascending order.
  [[nodiscard]] csr_graph<device::cpu, global_id> cut(int part) {
    if (part < first_ || part >= last_) {
      compress(part);
    }
    auto const& book = destinations_.book;
    auto const row = book.begin(part) - book.begin(first_);
    auto const begin = rows_->offsets[row];
    auto const count = rows_->offsets[row + book.size(part)] - begin;
    buffer<device::cpu, edge_offset> offsets(book.size(part) + 1);
    for (std::int64_t r = 0; r < offsets.size(); ++r) {
      offsets[r] = rows_->offsets[row + r] - begin;
    }
    return {sources_.book.num_vertices(), std::move(offsets),
            buffer<device::cpu, global_id>::adopt(rows_->sources.data() + begin, count, rows_),
            buffer<device::cpu, edge_id>::adopt(rows_->edge_ids.data() + begin, count, rows_)};
  }

private:
  struct compressed_rows {
    buffer<device::cpu, edge_offset> offsets;
    buffer<device::cpu, global_id> sources;
    buffer<device::cpu, edge_id> edge_ids;
  };

  void compress(int part) {
    rows_.reset(); // before the next rows take memory
    auto const& book = destinations_.book;
    auto count = num_edges_[static_cast<std::size_t>(part)];
    first_ = part;
    last_ = part + 1;
    while (last_ < book.num_parts() && count + num_edges_[static_cast<std::size_t>(last_)] <= most_) {
      count += num_edges_[static_cast<std::size_t>(last_++)];
    }
    auto const begin = book.begin(first_);
    auto const end = book.end(last_ - 1);
    auto made = std::make_shared<compressed_rows>();
    made->sources.resize(count);
    made->edge_ids.resize(count);
    glt::detail::row_places rows(end - begin);
    auto const each_own = [&](auto use) {
      auto const targets = table_.columns.destinations;
      for (std::int64_t e = 0; e < targets.size(); ++e) {
        auto const id = destinations_.renumbered[targets[e]];
        if (id >= begin && id < end) {
          use(e, id - begin);
        }
      }
    };
    each_own([&](std::int64_t, std::int64_t row) { rows.count(row); });
    rows.finish_counting();
    each_own([&](edge_id e, std::int64_t row) {
      auto const place = rows.place(row);
      made->sources[place] = sources_.renumbered[table_.columns.sources[e]];
      made->edge_ids[place] = e;
    });
    made->offsets = std::move(rows).offsets();
    rows_ = std::move(made);
  }

  edge_table_view table_;
  relabelling const& sources_;
  relabelling const& destinations_;
  std::vector<std::int64_t> num_edges_; // by part
  std::int64_t most_ = 0;
  int first_ = 0; // parts in rows_
  int last_ = 0;
  std::shared_ptr<compressed_rows> rows_;
};

} // namespace glt::io::detail
