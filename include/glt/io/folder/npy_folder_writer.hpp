// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/serial.hpp>
#include <glt/core/detail/atomic_file.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/folder/detail/npy_folder_tables.hpp>
#include <glt/io/folder/detail/npy_together.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>
#include <set>

namespace glt::io {

namespace detail {

// Checks a name that becomes part of a file name; names of features end at the first dot.
inline void check_file_name(std::string const& name, char const* what, std::string_view forbidden) {
  if (name.empty() || name.find_first_of(forbidden) != std::string::npos || name.find('\0') != std::string::npos) {
    throw precondition_error(glt::detail::message(what, " '", name, "', which makes no name of a file; rename it"));
  }
}

inline std::vector<std::string> feature_names(std::span<raw_data::named_array const> features) {
  std::vector<std::string> names;
  for (auto const& feature : features) {
    check_file_name(feature.name, "feature", "/.");
    if (feature.values.shape().empty()) {
      throw precondition_error("feature '" + feature.name + "' is a single number; give one row per vertex or edge");
    }
    names.push_back(feature.name);
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw precondition_error("two features '" + names.front() + "' or another of one name; rename one");
  }
  return names;
}

inline void check_splits(std::vector<link_split_view> const& links) {
  constexpr std::array<std::string_view, 3> known{"train", "valid", "test"};
  auto const* next = known.begin();
  for (auto const& split : links) {
    auto const* const found = std::find(next, known.end(), split.name);
    if (found == known.end()) {
      throw precondition_error("link split '" + split.name +
                               "'; a folder of arrays holds train, valid and test, each once and in this order");
    }
    next = found + 1;
  }
}

/// Returns the types of a data set and the names of their features.
///
/// @throws precondition_error  as `write_npy_folder`, for types, names and link splits
inline npy_folder_tables tables_of(raw_data_view const& data) {
  npy_folder_tables made;
  std::set<std::string> suffixes;
  for (auto const& nodes : data.nodes) {
    check_file_name(nodes.name, "vertices of the type", "/");
    made.nodes.push_back({.name = nodes.name, .features = feature_names(nodes.features)});
    if (!suffixes.insert(suffix_of(made.nodes.back())).second) {
      throw precondition_error("two types of vertices '" + nodes.name + "'; rename one");
    }
  }
  suffixes.clear();
  for (auto const& edges : data.edges) {
    made.edges.push_back({.source = edges.source,
                          .name = edges.name,
                          .destination = edges.destination,
                          .features = feature_names(edges.features)});
    for (auto const& name : {edges.source, edges.name, edges.destination}) {
      check_file_name(name, "edges of the type", "/");
    }
    if (!suffixes.insert(suffix_of(made.edges.back())).second) {
      throw precondition_error("two types of edges whose files are called '" + suffix_of(made.edges.back()) +
                               "'; rename one");
    }
    for (auto const& end : {edges.source, edges.destination}) {
      if (std::ranges::find(made.nodes, end, &npy_node_table::name) == made.nodes.end()) {
        throw precondition_error("edges of the vertex type '" + end + "', which is not in the data set; add it");
      }
    }
    check_splits(edges.links);
  }
  if (made.edges.empty()) {
    throw precondition_error("data set without edges; a folder of arrays has one type of edges or more");
  }
  return made;
}

// Returns the tables that a reader would derive from the names of the files alone.
inline npy_folder_tables tables_by_names(npy_folder_tables const& tables) {
  npy_folder_tables made;
  auto const usual = [](std::vector<std::string> const& features, char const* name) {
    return features.empty() ? features : std::vector<std::string>{name};
  };
  std::set<std::string> ends;
  for (auto const& table : tables.edges) {
    ends.insert({table.source, table.destination});
    made.edges.push_back(table);
    made.edges.back().features = usual(table.features, "edge_feat");
  }
  for (auto const& table : tables.nodes) {
    if (ends.contains(table.name)) {
      made.nodes.push_back({.name = table.name, .features = usual(table.features, "node_feat")});
    }
  }
  std::ranges::sort(made.nodes, {}, &npy_node_table::name);
  std::ranges::sort(made.edges, {}, [](npy_edge_table const& table) { return suffix_of(table); });
  return made;
}

/// True if the names of the files do not give these tables.
inline bool needs_tables(npy_folder_tables const& tables) {
  auto const cuts_otherwise = [](npy_edge_table const& table) {
    auto const joined = suffix_of(table).substr(1);
    auto const first = joined.find("__");
    auto const second = joined.find("__", first + 2);
    return first != table.source.size() || second != first + 2 + table.name.size() ||
           joined.find("__", second + 2) != std::string::npos || table.name.starts_with('_') ||
           table.destination.starts_with('_');
  };
  return tables != tables_by_names(tables) || std::ranges::any_of(tables.edges, cuts_otherwise);
}

/// Returns a fingerprint of types, features and link splits, which is equal on ranks that agree on them.
inline std::int64_t layout_fingerprint(raw_data_view const& data) {
  glt::detail::fingerprint contents;
  for (auto const& nodes : data.nodes) {
    contents.add(nodes.name).add(nodes.num_nodes).add(nodes.features.size());
  }
  for (auto const& edges : data.edges) {
    contents.add(edges.source).add(edges.name).add(edges.destination);
    contents.add(edges.features.size()).add(edges.links.size());
  }
  return contents.value();
}

// Writer of the arrays of a data set of which every rank holds some rows.
template <communicator Comm>
class npy_folder_writer {
public:
  npy_folder_writer(Comm& comm, std::filesystem::path const& folder, npy_folder_tables const& tables)
      : comm_(comm), folder_(folder), tables_(tables) {}

  void write(raw_data::node_table const& nodes, npy_node_table const& table) {
    auto const suffix = suffix_in(table);
    if (comm_.rank() == 0) {
      remember([&] { write_npy(path_of("num_nodes", suffix), std::vector{nodes.num_nodes}); });
    }
    write_features(nodes.features, "node_feat", suffix);
    if (any(nodes.labels.shape().empty() ? 0 : 1)) {
      write_npy_together(comm_, path_of("node_label", suffix), nodes.labels);
    }
    write_list("node_time", suffix, host_view<std::int64_t const>(nodes.times));
    write_list("train_idx", suffix, host_view<global_id const>(nodes.train));
    write_list("valid_idx", suffix, host_view<global_id const>(nodes.valid));
    write_list("test_idx", suffix, host_view<global_id const>(nodes.test));
  }

  void write(edge_table_view const& edges, npy_edge_table const& table) {
    auto const suffix = suffix_in(table);
    auto const& columns = edges.columns;
    write_pairs_together(comm_, path_of("edge_index", suffix), columns.sources, columns.destinations);
    write_features(edges.features, "edge_feat", suffix);
    write_list("edge_weight", suffix, columns.weights);
    write_list("edge_time", suffix, columns.times);
    for (auto const& split : edges.links) {
      // A split without pairs is still written.
      bool const negatives = any(split.negatives.sources.size());
      if (any(split.edges.sources.size()) || !negatives) {
        write_pairs_together(comm_, path_of(split.name + "_edge", suffix), split.edges.sources,
                             split.edges.destinations);
      }
      if (negatives) {
        write_pairs_together(comm_, path_of(split.name + "_edge_neg", suffix), split.negatives.sources,
                             split.negatives.destinations);
      }
    }
  }

  // Returns the first failure of writing the files of rank 0 alone; empty if there is none.
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }

private:
  template <class Table>
  [[nodiscard]] std::string suffix_in(Table const& table) const {
    return tables_.without_types() ? std::string() : suffix_of(table);
  }
  [[nodiscard]] std::filesystem::path path_of(std::string const& kind, std::string const& suffix) const {
    return folder_ / (kind + suffix + ".npy");
  }

  template <class Work>
  void remember(Work work) {
    if (failure_.empty()) {
      failure_ = glt::detail::failure_of(work);
    }
  }

  // True if the count is not 0 on at least one rank.
  bool any(std::int64_t count) { return reduce_over_ranks(comm_, count, reduction::max) > 0; }

  void write_features(std::span<raw_data::named_array const> features, char const* kind, std::string const& suffix) {
    for (auto const& [name, values] : features) {
      write_npy_together(comm_, path_of(feature_kind(kind, name), suffix), values);
    }
  }

  template <class T>
  void write_list(char const* kind, std::string const& suffix, host_view<T const> values) {
    if (any(values.size())) {
      write_npy_together(comm_, path_of(kind, suffix), values);
    }
  }

  Comm& comm_;
  std::filesystem::path const& folder_;
  npy_folder_tables const& tables_;
  std::string failure_;
};

/// Writes the files of `write_npy_folder` into an existing folder. Every rank holds some rows of the arrays, rank 0's
/// rows first.
///
/// @shape  piece: types, features and link splits equal on all ranks, `num_nodes` the total over all ranks; any number
///         of rows of every array and list
/// @comm   collective; some header exchanges for every array
/// @throws collective_error  on every rank, as `write_npy_folder`, except for wrong numbers of rows; incomplete files
///                           may remain
template <communicator Comm>
void write_npy_folder_together(Comm comm, std::filesystem::path const& folder, raw_data_view const& piece) {
  glt::detail::call_site const site{.what = glt::detail::operation::shuffle};
  auto const same = "has other types or features than rank 0; give the same to all ranks";
  detail::npy_folder_tables tables;
  auto failure = glt::detail::failure_of([&] {
    tables = detail::tables_of(piece);
    if (comm.rank() == 0 && detail::needs_tables(tables)) {
      glt::detail::write_file(folder / "meta.json", detail::tables_text(tables));
    }
  });
  glt::detail::agree(comm, site, failure, detail::layout_fingerprint(piece), same);
  detail::npy_folder_writer<Comm> writer(comm, folder, tables);
  for (std::size_t t = 0; t < piece.nodes.size(); ++t) {
    writer.write(piece.nodes[t], tables.nodes[t]);
  }
  for (std::size_t t = 0; t < piece.edges.size(); ++t) {
    writer.write(piece.edges[t], tables.edges[t]);
  }
  glt::detail::agree(comm, site, writer.failure(), 0, same);
}

// Writes the folder from all rows at once, after checks.
inline void write_checked_folder(std::filesystem::path const& folder, raw_data_view const& data) {
  static_cast<void>(tables_text(tables_of(data)));
  for (auto const& nodes : data.nodes) {
    if (nodes.num_nodes < 0) {
      throw precondition_error(
          glt::detail::message(nodes.num_nodes, " vertices of type '", nodes.name, "'; give 0 or more"));
    }
    check_rows_of(nodes);
  }
  for (auto const& edges : data.edges) {
    check_rows_of(edges);
  }
  try {
    write_npy_folder_together(serial_comm(), folder, data);
  } catch (collective_error const& fault) {
    throw io_error(folder.string(), 0, fault.cause());
  }
}

} // namespace detail

/// Writes a data set as a new folder of arrays. `read_npy_folder` reads and `mapped_raw_data` maps it as the same data
/// set, with the folder's name.
///
/// The files are listed at `read_npy_folder`. A meta.json states under "tables" the facts that file names cannot: an
/// order of types that is not alphabetical, and names of features unless there is a single `node_feat` or `edge_feat`.
/// The folder appears only when it is complete; a failed call leaves no folder.
///
/// @pre    ids of vertices exist; not checked here, but when the folder is read
/// @throws precondition_error  if there are no edges, the name of a type or feature cannot be part of a file name, an
///                             array does not have one row for every vertex or edge, or the link splits are not some of
///                             "train", "valid" and "test", each once and in this order
/// @throws io_error            if the folder exists and is not empty, or cannot be written
inline void write_npy_folder(std::filesystem::path const& folder, raw_data_view const& data) {
  detail::atomic_folder staged(folder);
  detail::write_checked_folder(staged.path(), data);
  staged.commit();
}

/// Writes a data set in memory in the same way.
inline void write_npy_folder(std::filesystem::path const& folder, raw_data const& data) {
  write_npy_folder(folder, data.view());
}

} // namespace glt::io
