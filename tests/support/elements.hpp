// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/core/random.hpp>
#include <glt/core/view.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/memory/buffer.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace glt_test {

template <class From, class To>
struct element_pair {
  using from = From;
  using to = To;
};

/// Calls f(element_pair<From, To>{}) for every pair that `gathers_as` allows.
template <class F>
void for_each_element_pair(F f) {
  auto const of = [&]<class From>(From) {
    f(element_pair<From, From>{});
    if constexpr (!std::is_same_v<From, float>) {
      f(element_pair<From, float>{});
    } else {
      f(element_pair<From, glt::float16>{});
      f(element_pair<From, glt::bfloat16>{});
    }
    if constexpr (!std::is_same_v<From, double>) {
      f(element_pair<From, double>{});
    }
  };
  of(std::int8_t{});
  of(std::uint8_t{});
  of(std::int16_t{});
  of(std::int32_t{});
  of(std::int64_t{});
  of(glt::float16{});
  of(glt::bfloat16{});
  of(float{});
  of(double{});
}

/// Any element but those that are no number: numbers of all sizes, rounded and not, infinities.
template <class T>
T any_number(glt::random_stream& draws) {
  auto const bits = draws.next64();
  if constexpr (std::is_same_v<T, glt::float16> || std::is_same_v<T, glt::bfloat16>) {
    auto const made = T::of_bits(static_cast<std::uint16_t>(bits));
    return std::isnan(static_cast<float>(made)) ? T(1.5F) : made;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (bits % 64 == 0) {
      return std::numeric_limits<T>::infinity();
    }
    auto const exponent = static_cast<int>(bits % 60) - 40;
    return std::ldexp(static_cast<T>(static_cast<std::int64_t>(bits)), exponent - 60);
  } else {
    return static_cast<T>(bits);
  }
}

template <class T>
std::vector<T> any_numbers(std::int64_t count, std::uint64_t seed) {
  std::vector<T> made;
  glt::random_stream draws(glt::random_key(seed), static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    made.push_back(any_number<T>(draws));
  }
  return made;
}

/// What an element is in the other type, by C++ alone.
template <class To, class From>
To element_as(From value) {
  if constexpr (std::is_same_v<From, To>) {
    return value;
  } else if constexpr (std::is_same_v<From, glt::float16> || std::is_same_v<From, glt::bfloat16>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return To(value);
  }
}

/// Values are compared as bytes; every NaN, which may have other bits on another processor (∞ · 0), counts as the same.
template <class T>
std::vector<std::byte> bytes_of(std::vector<T> values) {
  if constexpr (std::is_floating_point_v<T>) {
    for (auto& value : values) {
      value = std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
    }
  }
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

/// A matrix in memory of a policy that begins some bytes behind an aligned address.
template <class Policy, class T>
class shifted_matrix {
public:
  static constexpr auto space = Policy::space;

  shifted_matrix(std::vector<T> const& values, std::int64_t rows, std::int64_t columns, std::int64_t shift,
                 Policy policy)
      : rows_(rows), columns_(columns), shift_(shift), policy_(policy) {
    std::vector<std::byte> raw(static_cast<std::size_t>(shift));
    auto const content = bytes_of(values);
    raw.insert(raw.end(), content.begin(), content.end());
    bytes_ = glt::make_buffer<Policy>(raw, policy);
  }

  [[nodiscard]] glt::matrix_view<space, T> view() {
    return {reinterpret_cast<T*>(bytes_.data() + shift_), rows_, columns_};
  }

  /// All elements as bytes; waits.
  [[nodiscard]] std::vector<std::byte> bytes() const {
    auto raw = glt::to_vector(policy_, bytes_.view());
    raw.erase(raw.begin(), raw.begin() + shift_);
    return raw;
  }

private:
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t shift_;
  Policy policy_;
  glt::buffer<Policy, std::byte> bytes_;
};

} // namespace glt_test
