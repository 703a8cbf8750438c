// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/detail/checked_pairs.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/relabel.hpp>

#include <unordered_set>

namespace glt::io::detail {

// Returns rows of an array, by number.
inline array cut_rows(array const& from, host_view<std::int64_t const> rows) {
  auto shape = from.shape();
  shape[0] = rows.size();
  auto const bytes = from.columns() * glt::detail::size_of(from.type());
  buffer<device::cpu, std::byte> made(rows.size() * bytes);
  for (std::int64_t r = 0; r < rows.size(); ++r) {
    glt::detail::copy_bytes(made.data() + r * bytes, from.bytes().data() + rows[r] * bytes, bytes);
  }
  return {from.type(), std::move(shape), std::move(made)};
}
inline std::vector<raw_data::named_array> cut_rows(std::span<raw_data::named_array const> from,
                                                   host_view<std::int64_t const> rows) {
  std::vector<raw_data::named_array> made;
  for (auto const& [name, values] : from) {
    made.push_back({name, cut_rows(values, rows)});
  }
  return made;
}

// Returns elements of a list, by number; none if the list is empty.
template <class T>
buffer<device::cpu, T> cut_values(host_view<T const> from, host_view<std::int64_t const> rows) {
  buffer<device::cpu, T> made(from.empty() ? 0 : rows.size());
  for (std::int64_t r = 0; r < made.size(); ++r) {
    made[r] = from[rows[r]];
  }
  return made;
}

inline bool owns(partition_book const& book, int part, global_id id) noexcept {
  return id >= book.begin(part) && id < book.end(part);
}

// Returns the vertices of a list that a part owns, in the order of the list, as global ids.
inline std::vector<global_id> own_ids(host_view<global_id const> list, relabelling const& labels, int part) {
  std::vector<global_id> ids;
  for (auto const vertex : list) {
    if (auto const id = labels.renumbered[vertex]; owns(labels.book, part, id)) {
      ids.push_back(id);
    }
  }
  return ids;
}

// Returns the pairs whose destination a part owns, in the order of the list, as global ids.
inline link_split::pairs own_pairs(vertex_pairs_view pairs, relabelling const& sources, relabelling const& destinations,
                                   int part) {
  link_split::pairs ids;
  checked_pairs const checked{.sources = pairs.sources,
                              .destinations = pairs.destinations,
                              .num_sources = sources.renumbered.size(),
                              .num_destinations = destinations.renumbered.size(),
                              .what = "pair of a link split"};
  checked.for_each(0, pairs.sources.size(), [&](std::int64_t, global_id source, global_id destination) {
    auto const id = destinations.renumbered[destination];
    if (owns(destinations.book, part, id)) {
      ids.sources.push_back(sources.renumbered[source]);
      ids.destinations.push_back(id);
    }
  });
  return ids;
}

// Remote vertices of a list, each once, in the order of the list; local vertices are left out.
struct remote_vertices {
  std::vector<global_id> original;
  std::vector<global_id> ids;
};
inline remote_vertices select_remote(host_view<global_id const> list, relabelling const& labels, int part) {
  remote_vertices taken;
  std::unordered_set<global_id> seen;
  for (auto const vertex : list) {
    auto const id = labels.renumbered[vertex];
    if (!owns(labels.book, part, id) && seen.insert(id).second) {
      taken.original.push_back(vertex);
      taken.ids.push_back(id);
    }
  }
  return taken;
}

/// Returns the distinct remote sources of a part's edges, ascending.
///
/// @shape  rows of the part, columns global ids → [halo]
/// @pre    columns are vertices of `sources`; not checked
/// @cost   O(E + V / 64), memory of a bit per vertex beside the result
[[nodiscard]] inline buffer<device::cpu, global_id> make_halo(csr_view<memory_space::host, global_id> rows,
                                                              partition_book const& sources, int part) {
  std::vector<std::uint64_t> touched(static_cast<std::size_t>(sources.num_vertices() / 64 + 1), 0);
  for (auto const id : rows.sources()) {
    if (!owns(sources, part, id)) {
      touched[static_cast<std::size_t>(id / 64)] |= std::uint64_t{1} << (id % 64);
    }
  }
  std::int64_t count = 0;
  for (auto const word : touched) {
    count += std::popcount(word);
  }
  buffer<device::cpu, global_id> halo(count);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    for (auto word = touched[i]; word != 0; word &= word - 1) {
      halo[next++] = static_cast<global_id>(i) * 64 + std::countr_zero(word);
    }
  }
  return halo;
}

} // namespace glt::io::detail
