// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/bytes.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/io/array.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/parts_content.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/relabel.hpp>
#include <glt/partition/split.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::io {

namespace detail {

// Rows of an array, by number.
inline array cut_rows(array const& from, host_view<std::int64_t const> rows) {
  auto shape = from.shape();
  shape[0] = rows.size();
  auto const bytes = from.columns() * size_of(from.type());
  buffer<device::cpu, std::byte> made(rows.size() * bytes);
  for (std::int64_t r = 0; r < rows.size(); ++r) {
    glt::detail::copy_bytes(made.data() + r * bytes, from.bytes().data() + rows[r] * bytes, bytes);
  }
  return {from.type(), std::move(shape), std::move(made)};
}
inline std::vector<named_array> cut_rows(std::vector<named_array> const& from, host_view<std::int64_t const> rows) {
  std::vector<named_array> made;
  for (auto const& [name, values] : from) {
    made.push_back({name, cut_rows(values, rows)});
  }
  return made;
}
template <class T>
buffer<device::cpu, T> cut_values(std::vector<T> const& from, host_view<std::int64_t const> rows) {
  buffer<device::cpu, T> made(from.empty() ? 0 : rows.size());
  for (std::int64_t r = 0; r < made.size(); ++r) {
    made[r] = from[static_cast<std::size_t>(rows[r])];
  }
  return made;
}

// The vertices of a list that a part owns, in the order of the list, as global ids.
inline std::vector<global_id> own_ids(std::vector<global_id> const& list, relabelling const& labels, int part) {
  std::vector<global_id> ids;
  for (auto const vertex : list) {
    auto const id = labels.renumbered[vertex];
    if (id >= labels.book.begin(part) && id < labels.book.end(part)) {
      ids.push_back(id);
    }
  }
  return ids;
}

// Throws unless an optional array has a row for every vertex or edge; `what` says of what.
inline void check_rows(std::int64_t rows, std::int64_t wanted, std::string const& what) {
  if (rows != wanted) {
    throw precondition_error(
        glt::detail::message(what, " have ", rows, " rows for ", wanted, " vertices or edges; give one each"));
  }
}
inline void check_ids(std::vector<global_id> const& ids, std::int64_t bound, std::string const& what) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= bound) {
      throw precondition_error(glt::detail::message(what, ": element ", i, " is ", ids[i], ", outside [0, ", bound,
                                                    "), the ids of its type"));
    }
  }
}

// Throws unless everything that is said about the vertices of a type is said of its vertices, one row each.
inline void check_nodes(node_table const& table) {
  auto const name = "node type '" + table.name + "'";
  for (auto const& feature : table.features) {
    check_rows(feature.values.rows(), table.num_nodes, name + ": features '" + feature.name + "'");
  }
  if (!table.labels.shape().empty()) {
    check_rows(table.labels.rows(), table.num_nodes, name + ": labels");
  }
  if (!table.times.empty()) {
    check_rows(std::ssize(table.times), table.num_nodes, name + ": times");
  }
  check_ids(table.train, table.num_nodes, name + ": train");
  check_ids(table.valid, table.num_nodes, name + ": valid");
  check_ids(table.test, table.num_nodes, name + ": test");
}

// The edges of one type, cut part by part out of the list. Several parts at a time, as many as have an eighth of
// the edges together, so that the list is read a few times however many parts there are.
class edge_cutter {
public:
  edge_cutter(edge_table const& table, relabelling const& sources, relabelling const& destinations)
      : table_(table), sources_(sources), destinations_(destinations),
        num_edges_(static_cast<std::size_t>(destinations.book.num_parts()), 0) {
    auto const name = "edges '" + table.name + "'";
    check_rows(std::ssize(table.destinations), std::ssize(table.sources), name + ": destinations");
    check_ids(table.sources, sources.book.num_vertices(), name + ": sources");
    check_ids(table.destinations, destinations.book.num_vertices(), name + ": destinations");
    for (auto const destination : table.destinations) {
      ++num_edges_[static_cast<std::size_t>(destinations.book.owner(destinations.renumbered[destination]))];
    }
    most_ = std::max(std::ssize(table.sources) / 8, num_edges_.empty() ? 0 : std::ranges::max(num_edges_));
  }

  // The rows of a part; cheapest if parts are asked for in order.
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
    rows_.reset(); // before the next ones take memory
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
    made->offsets.resize(end - begin + 1);
    made->sources.resize(count);
    made->edge_ids.resize(count);
    auto& offsets = made->offsets;
    std::ranges::fill(offsets, 0);
    auto const each_own = [&](auto use) {
      for (std::size_t e = 0; e < table_.destinations.size(); ++e) {
        auto const id = destinations_.renumbered[table_.destinations[e]];
        if (id >= begin && id < end) {
          use(e, id - begin);
        }
      }
    };
    each_own([&](std::size_t, std::int64_t row) { ++offsets[row + 1]; });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    each_own([&](std::size_t e, std::int64_t row) { // moves the start of every row to its end
      auto const place = offsets[row]++;
      made->sources[place] = sources_.renumbered[table_.sources[e]];
      made->edge_ids[place] = static_cast<edge_id>(e);
    });
    std::shift_right(offsets.begin(), offsets.end(), 1);
    offsets[0] = 0;
    rows_ = std::move(made);
  }

  edge_table const& table_;
  relabelling const& sources_;
  relabelling const& destinations_;
  std::vector<std::int64_t> num_edges_; // by part
  std::int64_t most_ = 0;
  int first_ = 0; // parts in rows_
  int last_ = 0;
  std::shared_ptr<compressed_rows> rows_;
};

} // namespace detail

/// The distinct vertices of other parts at which a part's edges start, ascending.
///
/// @shape  rows of the part, columns global ids → [halo]
/// @cost   O(E log E), memory of E ids
[[nodiscard]] inline buffer<device::cpu, global_id> make_halo(csr_view<memory_space::host, global_id> rows,
                                                              partition_book const& sources, int part) {
  std::vector<global_id> remote;
  std::ranges::copy_if(rows.sources(), std::back_inserter(remote),
                       [&](global_id id) { return id < sources.begin(part) || id >= sources.end(part); });
  std::ranges::sort(remote);
  remote.erase(std::unique(remote.begin(), remote.end()), remote.end());
  return make_buffer<device::cpu>(remote);
}

} // namespace glt::io
