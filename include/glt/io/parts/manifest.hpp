// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/partition/book.hpp>

#include <sstream>

namespace glt::io {

namespace detail {

/// Range of the labels of a type, if they are whole numbers. `lowest` is 0 unless some labels are negative, such as -1
/// for "unlabelled"; the highest label is `classes` - 1.
struct label_range {
  std::int64_t lowest = 0;
  std::uint64_t classes = 0; ///< unsigned, so that the highest label of all has a count as well

  [[nodiscard]] bool contains(std::int64_t label) const noexcept {
    return label < 0 ? label >= lowest : static_cast<std::uint64_t>(label) < classes;
  }
  /// Extends this range to contain the other one.
  void add(label_range const& more) noexcept {
    lowest = std::min(lowest, more.lowest);
    classes = std::max(classes, more.classes);
  }

  friend bool operator==(label_range const&, label_range const&) = default;
};

/// Returns the range of labels; nothing if they are not whole numbers.
[[nodiscard]] inline std::optional<label_range> range_of(array const& labels) {
  return visit_values(labels, []<class T>(host_view<T const> elements) -> std::optional<label_range> {
    if constexpr (std::integral<T>) {
      label_range made;
      for (auto const label : elements) {
        made.lowest = std::min(made.lowest, static_cast<std::int64_t>(label));
        made.classes = std::max(made.classes, label < 0 ? 0 : static_cast<std::uint64_t>(label) + 1);
      }
      return made;
    } else {
      return std::nullopt;
    }
  });
}

struct stray_label {
  std::int64_t place;
  std::int64_t value;
};

/// Finds the first label out of range, if there is one; labels that are not whole numbers are in every range.
[[nodiscard]] inline std::optional<stray_label> find_outside(array const& labels, label_range const& range) {
  return visit_values(labels, [&]<class T>(host_view<T const> elements) -> std::optional<stray_label> {
    if constexpr (std::integral<T>) {
      for (std::int64_t i = 0; i < elements.size(); ++i) {
        if (!range.contains(elements[i])) {
          return stray_label{i, elements[i]};
        }
      }
    }
    return std::nullopt;
  });
}

/// Name, element type and shape of one row of an array that every part has.
struct manifest_array {
  std::string name;
  element_type type = element_type::float32;
  std::vector<std::int64_t> row_shape; ///< [] if one number per vertex or edge, [F] if a row of features

  friend bool operator==(manifest_array const&, manifest_array const&) = default;
};

/// Arrays and lists of the vertices of one type in a folder; numbers are by part.
struct manifest_nodes {
  std::string name;
  std::vector<global_id> offsets; ///< [P + 1] offsets of the partition book
  std::vector<manifest_array> features;
  std::optional<manifest_array> labels;
  std::optional<label_range> label_values{}; ///< of labels that are whole numbers; folders of older versions lack it
  bool times = false;
  std::vector<std::int64_t> train; ///< [P] vertices of the split; likewise `valid` and `test`
  std::vector<std::int64_t> valid;
  std::vector<std::int64_t> test;
  std::vector<std::int64_t> hot; ///< [P] hot rows of other parts
  std::vector<std::string> hot_features;

  [[nodiscard]] std::int64_t num_vertices() const noexcept { return offsets.back(); }
  friend bool operator==(manifest_nodes const&, manifest_nodes const&) = default;
};

/// Pairs of one link split in a folder; numbers are by part.
struct manifest_links {
  std::string name;
  std::vector<std::int64_t> edges;
  std::vector<std::int64_t> negatives;

  friend bool operator==(manifest_links const&, manifest_links const&) = default;
};

/// Arrays of the edges of one type in a folder; numbers are by part.
struct manifest_edges {
  hetero_schema::edge_type type;
  std::vector<std::int64_t> edges; ///< [P]
  bool weights = false;
  bool times = false;
  std::vector<manifest_array> features;
  std::vector<std::int64_t> halo; ///< [P] distinct remote sources of edges; all 0 if no halo is stored
  std::vector<manifest_links> links;

  [[nodiscard]] std::int64_t num_edges() const noexcept {
    return std::accumulate(edges.begin(), edges.end(), std::int64_t{0});
  }
  friend bool operator==(manifest_edges const&, manifest_edges const&) = default;
};

struct manifest_file {
  std::string path; ///< relative to the folder, with slashes
  std::int64_t bytes = 0;
  std::uint64_t xxh3 = 0;

  friend bool operator==(manifest_file const&, manifest_file const&) = default;
};

} // namespace detail

/// Manifest of the folder of a partitioned data set.
struct manifest {
  /// Partitioner, options and key of a folder, to read and to repeat the partition.
  struct partitioner_note {
    std::string name = "unknown";
    std::vector<std::pair<std::string, std::string>> options{};
    std::uint64_t key = 0; ///< of the random numbers

    friend bool operator==(partitioner_note const&, partitioner_note const&) = default;
  };

  std::string name;
  partitioner_note partitioner{};
  std::vector<detail::manifest_nodes> nodes{};
  std::vector<detail::manifest_edges> edges{};
  std::vector<detail::manifest_file> files{};
  std::uint64_t xxh3 = 0; ///< of the text that it was read from, by which ranks tell that all read the same; else 0

  /// @pre    there is a node type; not checked (likewise `book`)
  [[nodiscard]] int num_parts() const noexcept { return static_cast<int>(nodes.front().offsets.size()) - 1; }
  /// Returns the bytes of all files but the manifest.
  [[nodiscard]] std::int64_t num_bytes() const noexcept {
    return std::accumulate(files.begin(), files.end(), std::int64_t{0},
                           [](std::int64_t sum, detail::manifest_file const& file) { return sum + file.bytes; });
  }
  /// Describes the folder in a few lines of text.
  [[nodiscard]] std::string describe() const;
  /// True if there is one type of vertices and one of edges.
  [[nodiscard]] bool is_homogeneous() const noexcept { return nodes.size() == 1 && edges.size() == 1; }
  [[nodiscard]] hetero_schema schema() const {
    std::vector<hetero_schema::node_type> node_types;
    std::vector<hetero_schema::edge_type> edge_types;
    for (auto const& type : nodes) {
      node_types.push_back({type.name, type.num_vertices()});
    }
    for (auto const& type : edges) {
      edge_types.push_back(type.type);
    }
    return {std::move(node_types), std::move(edge_types)};
  }
  [[nodiscard]] partition_book book(int node_type) const {
    return partition_book(nodes[static_cast<std::size_t>(node_type)].offsets, static_cast<std::int64_t>(xxh3));
  }

  friend bool operator==(manifest const&, manifest const&) = default;
};

namespace detail {

inline void add_counts(std::vector<std::int64_t>& all, std::vector<std::int64_t> const& more) {
  all.resize(std::max(all.size(), more.size()));
  std::transform(more.begin(), more.end(), all.begin(), all.begin(), std::plus<>());
}

/// Merges the manifest of another part of the same folder into `all`, which may be empty at first.
///
/// @throws precondition_error  if the two contradict each other in types, books, arrays or split names
inline void add(manifest& all, manifest const& more) {
  if (all.nodes.empty()) {
    all.nodes = more.nodes;
    all.edges = more.edges;
    all.files.insert(all.files.end(), more.files.begin(), more.files.end());
    return;
  }
  if (all.nodes.size() != more.nodes.size() || all.edges.size() != more.edges.size()) {
    throw precondition_error(glt::detail::message("parts of ", all.nodes.size(), " and ", more.nodes.size(),
                                                  " node types, ", all.edges.size(), " and ", more.edges.size(),
                                                  " edge types; make all parts of one graph"));
  }
  auto const same = [](bool equal, std::string const& name, char const* what) {
    if (!equal) {
      throw precondition_error(
          glt::detail::message("parts whose type '", name, "' differs in ", what, "; make all parts of one graph"));
    }
  };
  for (std::size_t t = 0; t < all.nodes.size(); ++t) {
    auto& a = all.nodes[t];
    auto const& b = more.nodes[t];
    same(a.name == b.name && a.offsets == b.offsets, a.name, "name or book");
    same(a.features == b.features && a.labels == b.labels, a.name, "features or labels");
    same(a.hot_features == b.hot_features, a.name, "the features of hot rows");
    if (a.label_values && b.label_values) {
      a.label_values->add(*b.label_values);
    }
    a.times = a.times || b.times;
    for (auto const member :
         {&manifest_nodes::train, &manifest_nodes::valid, &manifest_nodes::test, &manifest_nodes::hot}) {
      detail::add_counts(a.*member, b.*member);
    }
  }
  for (std::size_t t = 0; t < all.edges.size(); ++t) {
    auto& a = all.edges[t];
    auto const& b = more.edges[t];
    same(a.type == b.type, a.type.name, "name or ends");
    same(a.features == b.features, a.type.name, "features");
    same(a.links.size() == b.links.size(), a.type.name, "link splits");
    a.weights = a.weights || b.weights;
    a.times = a.times || b.times;
    detail::add_counts(a.edges, b.edges);
    detail::add_counts(a.halo, b.halo);
    for (std::size_t i = 0; i < a.links.size(); ++i) {
      same(a.links[i].name == b.links[i].name, a.type.name, "link splits");
      detail::add_counts(a.links[i].edges, b.links[i].edges);
      detail::add_counts(a.links[i].negatives, b.links[i].negatives);
    }
  }
  all.files.insert(all.files.end(), more.files.begin(), more.files.end());
}

} // namespace detail

/// Options of `write_parts`: data beside the data set.
struct write_options {
  /// Remote vertices whose rows the parts keep, by part and hottest first; original ids.
  struct hot_vertices {
    int node_type = 0;
    std::vector<std::vector<global_id>> by_part;
    std::vector<std::string> features{}; ///< the features to keep; all if empty
  };

  manifest::partitioner_note partitioner{};
  std::vector<hot_vertices> hot{};
  bool halo = false; ///< store the remote vertices that a part's edges touch
  task_progress::callback on_progress{};
};

namespace detail {

// Writes, for example, "120 (10 to 31 a part)".
inline void tell_counts(std::ostream& out, std::vector<std::int64_t> const& by_part) {
  out << std::accumulate(by_part.begin(), by_part.end(), std::int64_t{0});
  auto const [least, most] = std::ranges::minmax_element(by_part);
  if (least != by_part.end() && by_part.size() > 1) {
    out << " (" << *least << " to " << *most << " a part)";
  }
}

inline void tell_if_any(std::ostream& out, char const* what, std::vector<std::int64_t> const& by_part) {
  if (std::ranges::any_of(by_part, [](auto count) { return count > 0; })) {
    out << "; " << what << ' ';
    tell_counts(out, by_part);
  }
}

inline void tell_arrays(std::ostream& out, std::vector<manifest_array> const& arrays) {
  for (auto const& array : arrays) {
    out << "; features '" << array.name << "' " << glt::detail::name_of(array.type) << ' '
        << shape_text(array.row_shape);
  }
}

} // namespace detail

inline std::string manifest::describe() const {
  std::ostringstream out;
  out << "data set '" << name << "' in " << num_parts() << " parts, " << num_bytes() << " bytes in " << files.size()
      << " files\n";
  out << "partitioned by " << partitioner.name << " (key " << partitioner.key;
  for (auto const& [option, value] : partitioner.options) {
    out << ", " << option << ' ' << value;
  }
  out << ")\n";
  for (auto const& type : nodes) {
    std::vector<std::int64_t> counts(type.offsets.size());
    std::adjacent_difference(type.offsets.begin(), type.offsets.end(), counts.begin());
    counts.erase(counts.begin());
    out << "vertices '" << type.name << "': ";
    detail::tell_counts(out, counts);
    detail::tell_arrays(out, type.features);
    if (type.labels) {
      out << "; labels " << glt::detail::name_of(type.labels->type) << ' '
          << detail::shape_text(type.labels->row_shape);
    }
    out << (type.times ? "; times" : "");
    detail::tell_if_any(out, "train", type.train);
    detail::tell_if_any(out, "valid", type.valid);
    detail::tell_if_any(out, "test", type.test);
    detail::tell_if_any(out, "hot rows", type.hot);
    out << '\n';
  }
  for (auto const& type : edges) {
    out << "edges (" << type.type.source << ", " << type.type.name << ", " << type.type.destination << "): ";
    detail::tell_counts(out, type.edges);
    out << (type.weights ? "; weights" : "") << (type.times ? "; times" : "");
    detail::tell_arrays(out, type.features);
    detail::tell_if_any(out, "halo", type.halo);
    for (auto const& split : type.links) {
      detail::tell_if_any(out, ("pairs '" + split.name + "'").c_str(), split.edges);
      detail::tell_if_any(out, ("pairs '" + split.name + "' that are no edges").c_str(), split.negatives);
    }
    out << '\n';
  }
  return std::move(out).str();
}

} // namespace glt::io
