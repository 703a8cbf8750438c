// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/parts/manifest.hpp>

#include <sstream>

namespace glt::io {

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

/// Describes a folder of parts in a few lines of text.
[[nodiscard]] inline std::string describe(manifest const& from) {
  std::ostringstream out;
  out << "data set '" << from.name << "' in " << from.num_parts() << " parts, " << from.num_bytes() << " bytes in "
      << from.files.size() << " files\n";
  out << "partitioned by " << from.partitioner.name << " (key " << from.partitioner.key;
  for (auto const& [name, value] : from.partitioner.options) {
    out << ", " << name << ' ' << value;
  }
  out << ")\n";
  for (auto const& type : from.nodes) {
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
  for (auto const& type : from.edges) {
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
