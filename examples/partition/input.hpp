// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "added_edges.hpp"
#include "console.hpp"
#include "options.hpp"
#include "wordnet/wordnet.hpp"

#include <glt/core/element_type.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/datasets/detail/ogb.hpp>
#include <glt/io/datasets/detail/ogb_files.hpp>
#include <glt/io/datasets/detail/planetoid.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/matrix_market.hpp>
#include <glt/io/text/detail/metis_graph.hpp>
#include <glt/io/text/edge_list.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt_partition {

/// The format that a path looks like.
inline std::string guess_format(std::filesystem::path const& path) {
  namespace fs = std::filesystem;
  if (fs::is_directory(path)) {
    if (fs::exists(path / "data.noun")) {
      return "wordnet";
    }
    bool const pyg = fs::exists(path / "META.json");
    if (pyg || fs::exists(path / "META")) {
      throw glt::precondition_error(glt::detail::message(
          path.string(), " is a partition of ", pyg ? "PyTorch Geometric" : "GraphLearn", "; run python3 ",
          "examples/convert.py ", path.string(), " OUT, and give OUT to glt-partition"));
    }
    if (fs::exists(path / "raw" / "edge.csv.gz") || fs::exists(path / "raw" / "triplet-type-list.csv.gz") ||
        fs::exists(path / "edge.csv.gz")) {
      return "ogb";
    }
    for (auto const& entry : fs::directory_iterator(path)) {
      auto const name = entry.path().filename().string();
      bool const table = std::ranges::any_of(std::array{".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet"},
                                             [&](char const* end) { return name.ends_with(end); });
      if (table && (name.starts_with("edges.") || name.find("___") != std::string::npos)) {
        throw glt::precondition_error(entry.path().string() + " is a table; run python3 examples/convert.py " +
                                      path.string() + " OUT, and give OUT to glt-partition");
      }
    }
    return "npy";
  }
  auto const file = path.extension() == ".gz" ? path.stem() : path.filename();
  auto const kind = file.extension();
  return kind == ".mtx" ? "mtx" : kind == ".graph" ? "metis" : kind == ".npz" ? "planetoid" : "snap";
}

/// The format of the input; refuses options of another one.
inline std::string format_of(options const& chosen) {
  auto format = chosen.format == "auto" ? guess_format(chosen.input) : chosen.format;
  auto const& lines = chosen.lines;
  if (format != "snap" && (lines.header_lines > 0 || !lines.columns.empty() || lines.delimiter != 0)) {
    throw glt::precondition_error("--header, --columns and --delimiter are for lists of edges, and " +
                                  chosen.input.string() + " has the format " + format +
                                  "; leave them out, or give --format snap");
  }
  if (format != "ogb" && !chosen.split.empty()) {
    throw glt::precondition_error("--split is for sets of the Open Graph Benchmark, and " + chosen.input.string() +
                                  " has the format " + format + "; leave it out, or give --format ogb");
  }
  return format;
}

/// How a set of the Open Graph Benchmark is read; says which sets have half of their edges.
inline glt::io::detail::ogb_options reading_of_ogb(options const& chosen, console& out) {
  glt::io::detail::ogb_options made{.split = chosen.split,
                                    .reading = {.threads = chosen.threads, .on_progress = out.progress()}};
  if (glt::io::detail::ogb_files const files(chosen.input, made);
      files.one_way() && !chosen.symmetrize && !chosen.add_reverse) {
    out.say("note: " + files.name() +
            " is undirected, and its file has every edge in one direction (add_inverse_edge of "
            "OGB's master file); --add-reverse adds the other");
  }
  return made;
}

/// Says which weights of edges in a folder of arrays are rounded when they become float32.
inline void note_rounded_weights(glt::io::detail::npy_folder_files const& files, console& out) {
  for (auto const& type : files.edge_types()) {
    if (auto const file = files.find("edge_weight", type.suffix)) {
      glt::io::detail::npy_pieces pieces(*file);
      if (pieces.type() != glt::element_type::int32 && pieces.type() != glt::element_type::int64) {
        continue;
      }
      std::int64_t rounded = 0;
      pieces.for_each(
          [&](glt::io::array const& piece, std::int64_t) { rounded += glt::io::detail::count_rounded(piece); });
      if (rounded > 0) {
        out.say(glt::detail::message("note: ", rounded, " of ", pieces.num_elements(), " weights in ", file->string(),
                                     " are rounded: they are kept as float32, which has whole numbers up to 2^24"));
      }
    }
  }
}

/// Says that the elements of a file are kept in another type.
inline void note_other_type(std::filesystem::path const& file, console& out) {
  if (file.extension() != ".npy") {
    return;
  }
  auto const header = glt::io::detail::read_npy_header(file);
  auto const type = glt::io::detail::native_type(header);
  auto const* const name = type == "|b1"   ? "bool"
                           : type == "<u2" ? "uint16"
                           : type == "<u4" ? "uint32"
                           : type == "<u8" ? "uint64"
                                           : nullptr;
  if (name != nullptr) {
    auto const* const known =
        std::ranges::find(glt::io::detail::npy_conversions, type, &glt::io::detail::npy_conversion::stored);
    out.say(glt::detail::message("note: ", file.string(), " holds ", name, ", which is kept as ",
                                 glt::detail::name_of(known->type)));
  }
}

/// Says what of a folder of arrays is not read although its name is nearly right, and what is kept in another type.
inline void note_arrays(std::filesystem::path const& folder, console& out) {
  glt::io::detail::npy_folder_files const files(folder);
  for (auto const& [file, meant] : files.nearly_known()) {
    out.say("note: " + file.string() + " is not read; did you mean " + meant + "?");
  }
  for (auto const& type : files.node_types()) {
    if (auto const labels = files.find("node_label", type.suffix)) {
      note_other_type(*labels, out);
    }
    for (auto const& feature : type.features) {
      note_other_type(feature.path, out);
    }
  }
  for (auto const& type : files.edge_types()) {
    for (auto const& feature : type.features) {
      note_other_type(feature.path, out);
    }
  }
  note_rounded_weights(files, out);
}

/// Reads the data set.
inline glt::io::raw_data read_input(options const& chosen, std::string const& format, console& out) {
  namespace io = glt::io;
  io::read_options const reading{.threads = chosen.threads, .on_progress = out.progress()};
  auto const& path = chosen.input;
  if (format == "ogb") {
    return io::detail::read_ogb(path, reading_of_ogb(chosen, out));
  }
  if (format == "npy") {
    auto made = io::detail::read_npy_folder(path, {.reading = reading});
    note_arrays(path, out);
    return made;
  }
  if (format == "snap") {
    return io::read_edge_list(path, chosen.lines, reading);
  }
  if (format == "mtx") {
    return io::detail::read_matrix_market(path, reading);
  }
  if (format == "metis") {
    return io::detail::read_metis_graph(path, reading);
  }
  return format == "planetoid" ? io::detail::read_planetoid_npz(path) : read_wordnet(path);
}

/// Calls f with a value of the C++ type of float elements; does nothing for integers.
template <class F>
void visit_float_type(glt::element_type type, F f) {
  glt::detail::visit_element(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::integral<T>) {
      f(T());
    }
  });
}

/// Divides row `r` of the features `what` by its sum; one of sum 0 stays.
///
/// @throws precondition_error  if a result is too large for its type
template <class T>
void normalize_row(glt::host_view<T> row, std::int64_t r, std::string const& what) {
  using wide = std::conditional_t<std::same_as<T, double>, long double, double>; // in which no sum is infinite
  using narrow = std::conditional_t<std::same_as<T, double>, double, float>;
  wide sum = 0;
  for (auto const value : row) {
    sum += static_cast<narrow>(value);
  }
  for (auto& value : row) {
    value = sum != 0 ? T(static_cast<narrow>(static_cast<narrow>(value) / sum)) : value;
    if (!std::isfinite(static_cast<narrow>(value))) {
      throw glt::precondition_error(
          glt::detail::message("--normalize of ", what, ": row ", r, " has the sum ", static_cast<double>(sum),
                               ", by which a value cannot be divided; change the row, or normalise the input"));
    }
  }
}

/// The features of a type of vertices, in the text of an error.
inline std::string features_of(std::string const& name, glt::io::raw_data::node_table const& nodes) {
  return "features '" + name + "' of vertices '" + nodes.name + "'";
}

/// Divides every row of float features by its sum; a row of sum 0 stays.
inline void normalize(glt::io::raw_data& data) {
  for (auto& nodes : data.nodes) {
    for (auto& [name, values] : nodes.features) {
      visit_float_type(values.type(), [&]<class T>(T) {
        auto const shape = values.shape();
        auto const columns = values.columns();
        auto const what = features_of(name, nodes);
        auto rows = std::move(values).template take<T>();
        for (std::int64_t r = 0; columns > 0 && r < rows.size() / columns; ++r) {
          normalize_row(rows.view().subview(r * columns, columns), r, what);
        }
        values = glt::io::array::of<T>(rows.cview(), shape);
      });
    }
  }
}

/// Refuses weights of edges that are not finite, or negative.
inline void check_weights(glt::io::detail::edge_table_view const& edges, options const& chosen) {
  auto const weights = edges.columns.weights;
  auto const bad = std::ranges::find_if(weights, [](float weight) { return !(weight >= 0) || std::isinf(weight); });
  if (bad != weights.end()) {
    throw glt::precondition_error(glt::detail::message(chosen.input.string(), ": weight ", bad - weights.begin(),
                                                       " of edges '", edges.name, "' is ", *bad,
                                                       "; weights are finite numbers of 0 or more"));
  }
}

/// Refuses features that are not finite; `of` names what they describe.
inline void check_finite(std::span<glt::io::raw_data::named_array const> features, std::string const& of,
                         options const& chosen) {
  for (auto const& [name, values] : features) {
    if (auto const odd = glt::io::detail::find_not_finite(values)) {
      auto const columns = values.columns();
      throw glt::precondition_error(glt::detail::message(chosen.input.string(), ": features '", name, "' of ", of,
                                                         ": row ", *odd / columns, ", column ", *odd % columns,
                                                         " is not finite; mend the value, as with numpy.nan_to_num"));
    }
  }
}

/// Refuses features that are not finite. Labels may be, which means that a vertex has none: they are counted, and
/// refused if asked.
inline void check_finite(glt::io::raw_data_view const& data, options const& chosen, console& out) {
  std::int64_t odd = 0;
  for (auto const& nodes : data.nodes) {
    check_finite(nodes.features, "vertices '" + nodes.name + "'", chosen);
    odd += glt::io::detail::count_not_finite(nodes.labels);
  }
  for (auto const& edges : data.edges) {
    check_finite(edges.features, "edges '" + edges.name + "'", chosen);
    check_weights(edges, chosen);
  }
  if (odd > 0 && chosen.strict) {
    throw glt::precondition_error(glt::detail::message(odd, " labels of ", chosen.input.string(),
                                                       " are not finite; mend them, or leave out --strict"));
  }
  if (odd > 0) {
    out.say(glt::detail::message("note: ", odd, " labels are not finite (--strict refuses them)"));
  }
}

/// Checks values, and changes what the options say.
inline void prepare(glt::io::raw_data& data, options const& chosen, console& out) {
  check_finite(data.view(), chosen, out);
  if (adds_edges(chosen)) {
    add_edges(data, chosen);
  }
  if (chosen.normalize) {
    normalize(data);
  }
}

} // namespace glt_partition
