// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/io/parts/detail/parts_files.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

// Writer of the files of one part, which lists them in a manifest.
class part_writer {
public:
  part_writer(std::filesystem::path folder, part_content const& content)
      : folder_(std::move(folder)), content_(content) {}

  [[nodiscard]] manifest write() {
    check();
    enter(part_folder(content_.graph.part));
    auto const part = path_;
    auto const& schema = content_.graph.schema;
    for (int t = 0; t < schema.num_node_types(); ++t) {
      enter(part + "/" + node_folder(schema.node_types()[static_cast<std::size_t>(t)].name));
      made_.nodes.push_back(write_nodes(t));
    }
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      enter(part + "/" + edge_folder(schema.edge_types()[static_cast<std::size_t>(e)]));
      made_.edges.push_back(write_edges(e));
    }
    return std::move(made_);
  }

private:
  void check() const {
    auto const& graph = content_.graph;
    auto const node_types = static_cast<std::size_t>(graph.schema.num_node_types());
    auto const edge_types = static_cast<std::size_t>(graph.schema.num_edge_types());
    if (node_types == 0 || graph.books.size() != node_types || graph.original.size() != node_types ||
        content_.nodes.size() != node_types || graph.relations.size() != edge_types ||
        content_.edges.size() != edge_types) {
      throw precondition_error(glt::detail::message(
          "part of ", node_types, " node types with ", graph.books.size(), " books, ", graph.original.size(),
          " lists of original ids and data of ", content_.nodes.size(), ", and ", edge_types, " edge types with ",
          graph.relations.size(), " relations and data of ", content_.edges.size(), "; give one of each per type"));
    }
  }

  void enter(std::string path) {
    make_folders(folder_, path);
    path_ = std::move(path);
  }

  void write(std::string const& name, element_type type, std::span<std::int64_t const> shape, void const* elements,
             std::int64_t bytes) {
    auto const path = path_ + "/" + name;
    auto const start = npy_start(npy_name_of(type), shape);
    if (!start) {
      throw precondition_error(glt::detail::message(path, ": a shape of ", shape.size(),
                                                    " dimensions does not fit an .npy header; give fewer"));
    }
    auto const length = static_cast<std::int64_t>(start->size());
    glt::detail::atomic_file file(folder_ / path);
    checksum sum;
    file.write(start->data(), length);
    sum.add(start->data(), length);
    for (std::int64_t at = 0; at < bytes; at += piece) { // checksum while the piece is in the cache
      auto const* const next = static_cast<std::byte const*>(elements) + at;
      file.write(next, std::min(piece, bytes - at));
      sum.add(next, std::min(piece, bytes - at));
    }
    file.commit();
    made_.files.push_back({path, length + bytes, sum.value()});
  }
  template <class T>
  void write(std::string const& name, host_view<T> values) {
    std::array const shape{values.size()};
    write(name, glt::detail::element_type_of<std::remove_const_t<T>>, shape, values.data(),
          values.size() * static_cast<std::int64_t>(sizeof(T)));
  }
  // An optional array without elements has no file.
  template <class Range>
  void write_if_any(std::string const& name, Range const& values) {
    host_view<typename Range::value_type const> const all(values);
    if (!all.empty()) {
      write(name, all);
    }
  }
  manifest_array write(std::string const& file, std::string const& name, array const& values, std::int64_t rows) {
    if (values.shape().empty() || values.rows() != rows) {
      throw precondition_error(glt::detail::message("part ", content_.graph.part, ": '", name, "' has ", values.rows(),
                                                    " rows for ", rows, " vertices or edges; give one each"));
    }
    write(file, values.type(), values.shape(), values.bytes().data(), values.bytes().size());
    return {name, values.type(), {values.shape().begin() + 1, values.shape().end()}};
  }
  std::vector<manifest_array> write(std::vector<raw_data::named_array> const& features, std::int64_t rows) {
    std::vector<manifest_array> noted;
    for (auto const& [name, values] : features) {
      if (std::ranges::count(noted, name, &manifest_array::name) > 0) {
        throw precondition_error("features '" + name + "' come twice; give every array a name of its own");
      }
      noted.push_back(write(feature_file(name), name, values, rows));
    }
    return noted;
  }
  void check_length(std::int64_t length, std::int64_t wanted, char const* what) const {
    if (length != 0 && length != wanted) {
      throw precondition_error(glt::detail::message("part ", content_.graph.part, " has ", length, " ", what, " for ",
                                                    wanted, " vertices or edges; give one each or none"));
    }
  }
  [[nodiscard]] std::vector<std::int64_t> by_part(std::int64_t count) const {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(content_.graph.books[0].num_parts()), 0);
    counts[static_cast<std::size_t>(content_.graph.part)] = count;
    return counts;
  }
  template <class Range>
  std::vector<std::int64_t> write_counted(std::string const& name, Range const& values) {
    write_if_any(name, values);
    return by_part(static_cast<std::int64_t>(values.size()));
  }

  manifest_nodes write_nodes(int type) {
    auto const& book = content_.graph.books[static_cast<std::size_t>(type)];
    auto const& nodes = content_.nodes[static_cast<std::size_t>(type)];
    auto const rows = book.size(content_.graph.part);
    auto const original = content_.graph.original[static_cast<std::size_t>(type)].view();
    manifest_nodes noted;
    noted.name = content_.graph.schema.node_types()[static_cast<std::size_t>(type)].name;
    noted.offsets.assign(book.offsets().begin(), book.offsets().end());
    check_length(nodes.times.size(), rows, "times");
    if (original.size() != rows) {
      throw precondition_error(glt::detail::message("part ", content_.graph.part, " has ", original.size(),
                                                    " original ids for ", rows, " vertices; give one each"));
    }
    write("original.npy", original);
    noted.features = write(nodes.features, rows);
    if (!nodes.labels.shape().empty()) {
      noted.labels = write("labels.npy", "labels", nodes.labels, rows);
      noted.labels->name.clear();
      noted.label_values = range_of(nodes.labels);
    }
    noted.times = !nodes.times.empty();
    write_if_any("times.npy", nodes.times);
    noted.train = write_counted("train.npy", nodes.train);
    noted.valid = write_counted("valid.npy", nodes.valid);
    noted.test = write_counted("test.npy", nodes.test);
    noted.hot = write_counted("hot_ids.npy", nodes.hot.ids);
    for (auto const& [name, values] : nodes.hot.features) {
      write(hot_feature_file(name), name, values, nodes.hot.ids.size());
      noted.hot_features.push_back(name);
    }
    return noted;
  }

  manifest_edges write_edges(int type) {
    auto const rows = content_.graph.relations[static_cast<std::size_t>(type)].view();
    auto const& edges = content_.edges[static_cast<std::size_t>(type)];
    manifest_edges noted;
    noted.type = content_.graph.schema.edge_types()[static_cast<std::size_t>(type)];
    noted.edges = by_part(rows.num_edges());
    check_length(edges.weights.size(), rows.num_edges(), "weights");
    check_length(edges.times.size(), rows.num_edges(), "times");
    check_length(rows.edge_ids().size(), rows.num_edges(), "edge ids");
    write("offsets.npy", rows.offsets());
    write("sources.npy", rows.sources());
    write("edge_ids.npy", rows.edge_ids());
    noted.features = write(edges.features, rows.num_edges());
    noted.weights = !edges.weights.empty();
    noted.times = !edges.times.empty();
    write_if_any("weights.npy", edges.weights);
    write_if_any("times.npy", edges.times);
    noted.halo = write_counted("halo.npy", edges.halo);
    for (auto const& split : edges.links) {
      noted.links.push_back({split.name, write_pairs(split, false), write_pairs(split, true)});
    }
    return noted;
  }

  // Writes the pairs as two rows, sources and destinations.
  std::vector<std::int64_t> write_pairs(link_split const& split, bool negatives) {
    auto const& pairs = negatives ? split.negatives : split.edges;
    if (pairs.sources.size() != pairs.destinations.size()) {
      throw precondition_error(glt::detail::message("link split '", split.name, "' has ", pairs.sources.size(),
                                                    " sources and ", pairs.destinations.size(),
                                                    " destinations; give one of each"));
    }
    std::vector<global_id> rows;
    for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
      rows.push_back(pairs.sources[i]);
      rows.push_back(pairs.destinations[i]);
    }
    if (auto const count = static_cast<std::int64_t>(pairs.sources.size()); count > 0) {
      std::array const shape{count, std::int64_t{2}};
      write(links_file(split.name, negatives), element_type::int64, shape, rows.data(), count * 16);
    }
    return by_part(static_cast<std::int64_t>(pairs.sources.size()));
  }

  static constexpr std::int64_t piece = 1 << 18;
  std::filesystem::path folder_;
  part_content const& content_;
  std::string path_; // of the folder inside of `folder_` that files go to
  manifest made_;
};

/// Writes the files of one part into an existing folder, and returns the manifest of this part alone.
///
/// @throws precondition_error  if the members do not match the types, or a list does not have one value per vertex or
///                             edge
/// @throws io_error            if a file cannot be written
/// @cost   O(part); beside the part, memory of its link splits
[[nodiscard]] inline manifest write_part(std::filesystem::path const& folder, part_content const& content) {
  return part_writer(folder, content).write();
}

} // namespace glt::io::detail
