// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>

namespace glt::io::detail {

// Calls f with a view of the elements in their type; 16-bit floats are converted to float first.
template <class F>
auto visit_values(array const& values, F f) {
  return glt::detail::visit_element(values.type(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::same_as<T, float16> || std::same_as<T, bfloat16>) {
      auto const floats = convert_elements<T, float>(values);
      return f(floats.view());
    } else {
      return f(values.values<T>());
    }
  });
}

// Up to 2^53 every whole number is a double.
template <std::floating_point T>
bool is_integer(T value) {
  constexpr T limit = 9007199254740992;
  return std::abs(value) <= limit && std::trunc(value) == value;
}

template <class T>
std::vector<std::int64_t> to_integers(host_view<T const> elements, std::string const& path, std::int64_t begin,
                                      std::int64_t end) {
  std::vector<std::int64_t> made(static_cast<std::size_t>(end - begin));
  for (auto i = begin; i < end; ++i) {
    if constexpr (std::floating_point<T>) {
      if (!is_integer(elements[i])) {
        throw io_error(
            path, 0,
            glt::detail::message("element ", i, " is ", elements[i], ", no whole number; save the array as int64"));
      }
    }
    made[static_cast<std::size_t>(i - begin)] = static_cast<std::int64_t>(elements[i]);
  }
  return made;
}

// Calls see(i) for every element i that is NaN or infinite, until it returns false. A 16-bit element is NaN or infinite
// if all bits of its exponent are set.
template <class See>
void visit_not_finite(array const& values, See see) {
  if (values.type() == element_type::float16 || values.type() == element_type::bfloat16) {
    auto const exponent = values.type() == element_type::float16 ? 0x7C00U : 0x7F80U;
    for (std::int64_t i = 0; 2 * i + 1 < values.bytes().size(); ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, values.bytes().data() + 2 * i, 2);
      if ((bits & exponent) == exponent && !see(i)) {
        return;
      }
    }
    return;
  }
  visit_values(values, [&]<class T>(host_view<T const> elements) {
    if constexpr (std::floating_point<T>) {
      for (std::int64_t i = 0; i < elements.size(); ++i) {
        if (!std::isfinite(elements[i]) && !see(i)) {
          return;
        }
      }
    }
  });
}

// Throws for an array of bool where ids or other numbers belong.
inline void refuse_bool(array const& values, std::string const& path) {
  if (values.is_bool()) {
    throw io_error(path, 0, "holds elements of type bool, not numbers; if it is a mask, save the places that are true");
  }
}

/// Returns the elements as a flat list of 64-bit integers; floats must be whole numbers.
///
/// @throws io_error  naming `path` and the first element that is not a whole number, or if they are bool
[[nodiscard]] inline std::vector<std::int64_t> integers_of(array const& values, std::string const& path) {
  refuse_bool(values, path);
  return visit_values(values, [&](auto elements) { return to_integers(elements, path, 0, elements.size()); });
}

/// Returns one row of a matrix as 64-bit integers.
///
/// @pre    the array has such a row; not checked
/// @throws io_error  as `integers_of` of the whole array
[[nodiscard]] inline std::vector<std::int64_t> integers_of_row(array const& values, std::int64_t row,
                                                               std::string const& path) {
  refuse_bool(values, path);
  auto const begin = row * values.columns();
  return visit_values(values,
                      [&](auto elements) { return to_integers(elements, path, begin, begin + values.columns()); });
}

/// Converts a number, element i of `path`, to the nearest float.
///
/// @throws io_error  if the number is finite, but larger than any float
template <class T>
[[nodiscard]] float to_float(T value, std::int64_t i, std::string const& path) {
  if constexpr (std::same_as<T, double>) {
    if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) {
      throw io_error(path, 0,
                     glt::detail::message("element ", i, " is ", value,
                                          ", larger than any float32, as which it is kept; divide all by a number"));
    }
  }
  return static_cast<float>(value);
}

/// Returns the elements as a flat list of the nearest floats: whole numbers above 2^24 are rounded.
///
/// @throws io_error  naming `path` and the first element that is finite, but larger than any float
[[nodiscard]] inline std::vector<float> floats_of(array const& values, std::string const& path) {
  return visit_values(values, [&]<class T>(host_view<T const> elements) {
    std::vector<float> made(static_cast<std::size_t>(elements.size()));
    for (std::int64_t i = 0; i < elements.size(); ++i) {
      made[static_cast<std::size_t>(i)] = to_float(elements[i], i, path);
    }
    return made;
  });
}

/// Refuses weights of edges that round to 0 or to few digits as floats: the edge would never be drawn, or too often.
///
/// @throws io_error  naming the first element that is not 0, but smaller than any normal float
inline void check_weights(array const& values, std::string const& path) {
  if (values.type() == element_type::float64) {
    auto const elements = values.values<double>();
    for (std::int64_t i = 0; i < elements.size(); ++i) {
      if (elements[i] != 0 && std::abs(elements[i]) < static_cast<double>(std::numeric_limits<float>::min())) {
        throw io_error(path, 0,
                       glt::detail::message("element ", i, " is ", elements[i],
                                            ", too small for a float32, as which weights are kept; multiply all by a "
                                            "number, or make it 0"));
      }
    }
  }
}

/// Returns weights of edges as floats.
///
/// @throws io_error  as `floats_of` and `check_weights`
[[nodiscard]] inline std::vector<float> weights_of(array const& values, std::string const& path) {
  check_weights(values, path);
  return floats_of(values, path);
}

/// Counts the elements of an integer type whose value no float can represent.
[[nodiscard]] inline std::int64_t count_rounded(array const& values) {
  return visit_values(values, []<class T>(host_view<T const> elements) {
    std::int64_t count = 0;
    if constexpr (std::integral<T>) {
      for (auto const element : elements) {
        auto const wide = static_cast<std::int64_t>(element);
        auto const size = wide < 0 ? -static_cast<std::uint64_t>(wide) : static_cast<std::uint64_t>(wide);
        count += size != 0 && size >> std::countr_zero(size) >= std::uint64_t{1} << 24 ? 1 : 0;
      }
    }
    return count;
  });
}

/// Counts the elements that are NaN or infinite.
[[nodiscard]] inline std::int64_t count_not_finite(array const& values) {
  std::int64_t count = 0;
  visit_not_finite(values, [&](std::int64_t) {
    ++count;
    return true;
  });
  return count;
}

/// Returns the place of the first element that is NaN or infinite, if there is one.
[[nodiscard]] inline std::optional<std::int64_t> find_not_finite(array const& values) {
  std::optional<std::int64_t> found;
  visit_not_finite(values, [&](std::int64_t place) {
    found = place;
    return false;
  });
  return found;
}

/// Layout of pairs of vertices in a matrix; `either` reads [2, 2] as rows.
enum class pair_layout { rows /* [2, E] */, columns /* [E, 2] */, either };

/// Returns the pairs of vertices that a matrix holds.
///
/// @shape  pairs [2, E] or [E, 2] of any element type → sources [E] · destinations [E]
/// @throws io_error  naming `path` if the shape is different, or an element is not a whole number
[[nodiscard]] inline link_split::pairs to_pairs(array const& pairs, std::string const& path, pair_layout layout) {
  bool const matrix = pairs.shape().size() == 2;
  if (matrix && pairs.rows() == 2 && layout != pair_layout::columns) {
    return {integers_of_row(pairs, 0, path), integers_of_row(pairs, 1, path)};
  }
  if (!matrix || pairs.columns() != 2 || layout == pair_layout::rows) {
    throw io_error(path, 0,
                   glt::detail::message("has the shape ", shape_text(pairs.shape()), "; pairs of vertices are ",
                                        layout == pair_layout::rows      ? "[2, E] here, save the transpose"
                                        : layout == pair_layout::columns ? "[E, 2] here, save the transpose"
                                                                         : "[2, E] or [E, 2]"));
  }
  auto const all = integers_of(pairs, path);
  link_split::pairs made;
  made.sources.reserve(all.size() / 2);
  made.destinations.reserve(all.size() / 2);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    made.sources.push_back(all[i]);
    made.destinations.push_back(all[i + 1]);
  }
  return made;
}

// Throws if an array is not a list.
inline void check_list(std::filesystem::path const& file, array const& values) {
  if (values.shape().size() > 1) {
    throw io_error(file.string(), 0,
                   "has the shape " + shape_text(values.shape()) + "; a list of one dimension belongs here");
  }
}

/// Returns the ids of an array: those that it lists, or the places of a mask of type bool with one element per vertex.
///
/// @throws io_error  if it is not a list of whole numbers, or a mask of another length or type
inline std::vector<global_id> listed_ids(array const& values, std::filesystem::path const& file,
                                         std::int64_t num_vertices, std::string const& vertices) {
  check_list(file, values);
  if (!values.is_bool()) {
    auto ids = integers_of(values, file.string());
    bool const is_byte = values.type() == element_type::uint8 || values.type() == element_type::int8;
    bool const is_full = !ids.empty() && std::ssize(ids) == num_vertices;
    bool const repeats = find_duplicate(ids).has_value();
    if (are_bits(ids) && ((is_byte && (is_full || repeats)) || (is_full && repeats))) {
      throw io_error(file.string(), 0,
                     glt::detail::message("has ", ids.size(), " elements 0 or 1 of type ",
                                          glt::detail::name_of(values.type()), " for ", num_vertices,
                                          " vertices; save a mask as bool, one for each vertex, and ids as int64"));
    }
    return ids;
  }
  check_rows(file.string(), values.rows(), num_vertices, vertices);
  std::vector<global_id> chosen;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    if (values.values<std::uint8_t>()[v] != 0) {
      chosen.push_back(v);
    }
  }
  return chosen;
}

/// Returns the vertices of a split from the array of a file: ids, or a mask of type bool with one element per vertex.
///
/// @throws io_error  if it is not a list, a mask of another length or type, or has an id that is not a vertex or occurs
///                   twice
inline std::vector<global_id> split_of(array const& values, std::filesystem::path const& file,
                                       raw_data::node_table const& nodes) {
  auto ids = listed_ids(values, file, nodes.num_nodes, vertices_of_type(nodes));
  check_ids(file.string(), ids, nodes);
  check_unique(file.string(), ids);
  return ids;
}

} // namespace glt::io::detail
