// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_convert.hpp>

namespace glt::io::detail {

// Calls f with a view of the elements in their type; 16-bit floats are converted to float first.
template <class F>
decltype(auto) visit_values(array const& values, F f) {
  switch (values.type()) {
  case element_type::int8:
    return f(values.values<std::int8_t>());
  case element_type::uint8:
    return f(values.values<std::uint8_t>());
  case element_type::int16:
    return f(values.values<std::int16_t>());
  case element_type::int32:
    return f(values.values<std::int32_t>());
  case element_type::int64:
    return f(values.values<std::int64_t>());
  case element_type::float32:
    return f(values.values<float>());
  case element_type::float16: {
    auto const floats = convert_elements<float16, float>(values);
    return f(floats.view());
  }
  case element_type::bfloat16: {
    auto const floats = convert_elements<bfloat16, float>(values);
    return f(floats.view());
  }
  case element_type::float64:
    break;
  }
  return f(values.values<double>());
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

/// Returns weights of edges as `floats_of` does, if none rounds to 0 or to few digits: the edge would never be drawn, or
/// too often.
///
/// @throws io_error  as `floats_of`; also naming the first element that is not 0, but smaller than any normal float
[[nodiscard]] inline std::vector<float> weights_of(array const& values, std::string const& path) {
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

} // namespace glt::io::detail
