// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/io/npy.hpp>
#include <glt/io/npy_header.hpp>
#include <glt/io/staging.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/graph_part.hpp>
#include <glt/partition/relabel.hpp>
#include <glt/partition/split.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace glt::io {

/// What is known about the vertices of a whole graph, by original id.
///
/// @shape  features [V, F] · labels [V] or empty · train, valid, test: lists of vertices
struct vertex_data {
  host_matrix<float const> features;
  host_view<label_type const> labels;
  host_view<global_id const> train;
  host_view<global_id const> valid;
  host_view<global_id const> test;
};

/// One part of a graph with the data of its vertices.
struct loaded_part {
  graph_part<device::cpu> graph;
  feature_store<device::cpu, float> features; ///< with labels, if there are any
  std::vector<global_id> train; ///< global ids (after partitioning) of this part's training vertices
  std::vector<global_id> valid;
  std::vector<global_id> test;
};

namespace detail {

inline std::filesystem::path part_folder(std::filesystem::path const& dir, int part) {
  return dir / ("part-" + std::to_string(part));
}

// The vertices of a list that the part owns, in the order of the list, as global ids.
inline std::vector<global_id> own_vertices(host_view<global_id const> list, relabelling const& labels,
                                           int part) {
  std::vector<global_id> own;
  for (auto const vertex : list) {
    auto const id = labels.renumbered[vertex];
    if (id >= labels.book.begin(part) && id < labels.book.end(part)) {
      own.push_back(id);
    }
  }
  return own;
}

inline void check_list(host_view<global_id const> list, std::int64_t num_vertices, char const* name) {
  for (std::int64_t i = 0; i < list.size(); ++i) {
    if (list[i] < 0 || list[i] >= num_vertices) {
      throw precondition_error(glt::detail::message("vertex ", i, " of the list ", name, " is ", list[i],
                                                    ", outside [0, ", num_vertices,
                                                    "), the ids of the graph"));
    }
  }
}

// Reads a file of ids and checks every one of them against [first, last).
inline npy_array<std::int64_t> read_ids(std::filesystem::path const& path, std::int64_t first,
                                        std::int64_t last) {
  auto array = read_npy<std::int64_t>(path, 1);
  for (std::int64_t i = 0; i < array.data.size(); ++i) {
    if (array.data[i] < first || array.data[i] >= last) {
      throw io_error(path.string(), io::read_npy_header(path).data_offset + i * 8,
                     glt::detail::message("element ", i, " is ", array.data[i], ", outside [", first, ", ",
                                          last, "); partition the graph again"));
    }
  }
  return array;
}

inline void check_length(std::filesystem::path const& path, std::int64_t length, std::int64_t wanted,
                         char const* what) {
  if (length != wanted) {
    throw io_error(path.string(), 0,
                   glt::detail::message("has ", length, " ", what,
                                        ", but the other files of the partition ask for ", wanted,
                                        "; partition the graph again"));
  }
}

// Runs a check of the content of a file and says which file it was about.
template <class Check>
auto about_file(std::filesystem::path const& path, Check check) {
  try {
    return check();
  } catch (precondition_error const& fault) {
    throw io_error(path.string(), 0, glt::detail::message(fault.what(), "; partition the graph again"));
  }
}

} // namespace detail

/// Writes a partitioned graph to a new folder from which every rank can load its part alone.
///
/// The folder holds book.npy and, for every part K, part-K/ with the arrays offsets, sources, edge_ids,
/// original, features, labels, train, valid and test. It appears when it is complete; after a failure nothing
/// is there.
///
/// @throws precondition_error  if the graph, the features or the labels do not have a row for every vertex of
///                             the relabelling, or a list names a vertex that does not exist
/// @throws io_error            if the folder exists and is not empty, or cannot be written
/// @cost   memory of one part beside the input
template <vertex_id Vertex>
void write_parts(std::filesystem::path const& dir, relabelling const& labels,
                 csr_view<memory_space::host, Vertex> graph, vertex_data const& data) {
  auto const& book = labels.book;
  detail::check_list(data.train, book.num_vertices(), "train");
  detail::check_list(data.valid, book.num_vertices(), "valid");
  detail::check_list(data.test, book.num_vertices(), "test");
  staged_folder staged(dir);
  write_npy(staged.path() / "book.npy", book.offsets());
  for (int part = 0; part < book.num_parts(); ++part) {
    auto const folder = staged.make_folder(detail::part_folder({}, part));
    auto const own = split_graph(graph, labels, part);
    write_npy(folder / "offsets.npy", own.graph.view().offsets());
    write_npy(folder / "sources.npy", own.graph.view().sources());
    write_npy(folder / "edge_ids.npy", own.graph.view().edge_ids());
    write_npy(folder / "original.npy", own.original.view());
    auto const rows = split_rows(data.features, labels, part);
    write_npy(folder / "features.npy",
              host_matrix<float const>(rows.data(), book.size(part), data.features.columns()));
    auto const own_labels =
        data.labels.empty() ? buffer<device::cpu, label_type>() : split_rows(data.labels, labels, part);
    write_npy(folder / "labels.npy", own_labels.view());
    write_npy(folder / "train.npy", detail::own_vertices(data.train, labels, part));
    write_npy(folder / "valid.npy", detail::own_vertices(data.valid, labels, part));
    write_npy(folder / "test.npy", detail::own_vertices(data.test, labels, part));
  }
  staged.commit();
}

/// Reads the partition book of a folder that `write_parts` made.
///
/// @throws io_error  if the file is missing or its content is no partition book
[[nodiscard]] inline partition_book read_book(std::filesystem::path const& dir) {
  auto const path = dir / "book.npy";
  auto const offsets = read_npy<global_id>(path, 1);
  return detail::about_file(
      path, [&] { return partition_book(std::vector<global_id>(offsets.data.begin(), offsets.data.end())); });
}

/// Loads one part of a folder that `write_parts` made; checks every array against the others and the book.
///
/// @throws precondition_error  if there is no such part
/// @throws io_error            naming the file that is missing or contradicts the others
/// @cost   memory of the part and P + 1 offsets
[[nodiscard]] inline loaded_part read_part(std::filesystem::path const& dir, int part) {
  auto book = read_book(dir);
  if (part < 0 || part >= book.num_parts()) {
    throw precondition_error(glt::detail::message(dir.string(), " holds a partition into ", book.num_parts(),
                                                  " parts and no part ", part,
                                                  "; start one rank for each part"));
  }
  auto const folder = detail::part_folder(dir, part);
  auto const rows = book.size(part);
  auto const num_vertices = book.num_vertices();

  auto offsets = read_npy<edge_offset>(folder / "offsets.npy", 1);
  detail::check_length(folder / "offsets.npy", offsets.data.size(), rows + 1, "offsets");
  auto sources = detail::read_ids(folder / "sources.npy", 0, num_vertices);
  auto edge_ids = detail::read_ids(folder / "edge_ids.npy", 0, std::numeric_limits<edge_id>::max());
  detail::check_length(folder / "edge_ids.npy", edge_ids.data.size(), sources.data.size(), "edge ids");
  csr_graph<device::cpu, global_id> graph(num_vertices, std::move(offsets.data), std::move(sources.data),
                                          std::move(edge_ids.data));
  detail::about_file(folder / "offsets.npy", [&] { validate(graph.view()); });
  auto original = detail::read_ids(folder / "original.npy", 0, num_vertices);
  detail::check_length(folder / "original.npy", original.data.size(), rows, "ids");

  auto features = read_npy<float>(folder / "features.npy", 2);
  detail::check_length(folder / "features.npy", features.shape[0], rows, "rows");
  auto labels = read_npy<label_type>(folder / "labels.npy", 1);
  if (!labels.data.empty()) {
    detail::check_length(folder / "labels.npy", labels.data.size(), rows, "labels");
  }
  auto const list = [&](char const* name) {
    auto const ids = detail::read_ids(folder / name, book.begin(part), book.end(part));
    return std::vector<global_id>(ids.data.begin(), ids.data.end());
  };
  auto train = list("train.npy");
  auto valid = list("valid.npy");
  auto test = list("test.npy");
  return {{std::move(book), part, std::move(graph), std::move(original.data)},
          {rows, features.shape[1], std::move(features.data), std::move(labels.data)},
          std::move(train),
          std::move(valid),
          std::move(test)};
}

} // namespace glt::io
