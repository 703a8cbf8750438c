// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::io {

/// Array whose element type and shape are known only at run time; move-only, rows contiguous.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  bytes [product of shape · size_of(type)]
class array {
public:
  array() = default;

  /// @throws precondition_error  if a size is negative, or the bytes do not match type and shape
  array(element_type type, std::vector<std::int64_t> shape, buffer<device::cpu, std::byte> bytes)
      : type_(type), shape_(std::move(shape)), bytes_(std::move(bytes)) {
    std::int64_t count = 1;
    for (auto const size : shape_) {
      if (size < 0) {
        throw precondition_error(glt::detail::message("array with a side of ", size, "; sides are 0 or more"));
      }
      count *= size;
    }
    if (count * glt::detail::size_of(type) != bytes_.size()) {
      throw precondition_error(glt::detail::message("array of ", count, " elements of ", glt::detail::name_of(type),
                                                    " in ", bytes_.size(), " bytes; give ",
                                                    count * glt::detail::size_of(type)));
    }
  }

  /// Copies values into a new array.
  template <class T>
  [[nodiscard]] static array of(host_view<T const> values, std::vector<std::int64_t> shape) {
    buffer<device::cpu, std::byte> bytes(values.size() * static_cast<std::int64_t>(sizeof(T)));
    if (!values.empty()) {
      std::memcpy(bytes.data(), values.data(), static_cast<std::size_t>(bytes.size()));
    }
    return {glt::detail::element_type_of<T>, std::move(shape), std::move(bytes)};
  }
  template <class T>
  [[nodiscard]] static array of(host_view<T const> values) {
    return of(values, {values.size()});
  }

  /// Returns an array of bytes 0 and 1 as an array of bool.
  ///
  /// @throws precondition_error  as the constructor
  [[nodiscard]] static array of_bool(std::vector<std::int64_t> shape, buffer<device::cpu, std::byte> bytes) {
    array made(element_type::uint8, std::move(shape), std::move(bytes));
    made.is_bool_ = true;
    return made;
  }

  [[nodiscard]] element_type type() const noexcept { return type_; }
  /// True if the array was made by `of_bool`; its elements are then 0 and 1 of type uint8.
  [[nodiscard]] bool is_bool() const noexcept { return is_bool_; }
  [[nodiscard]] std::vector<std::int64_t> const& shape() const noexcept { return shape_; }
  [[nodiscard]] host_view<std::byte const> bytes() const noexcept { return bytes_.view(); }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }

  /// Returns the first side of the shape; 0 if the array was never given a value.
  [[nodiscard]] std::int64_t rows() const noexcept { return shape_.empty() ? 0 : shape_.front(); }
  /// Returns the number of elements of a row.
  [[nodiscard]] std::int64_t columns() const noexcept {
    std::int64_t count = 1;
    for (std::size_t i = 1; i < shape_.size(); ++i) {
      count *= shape_[i];
    }
    return count;
  }

  /// Returns all elements as one flat view.
  ///
  /// @throws precondition_error  if T is not the type of the elements
  template <class T>
  [[nodiscard]] host_view<T const> values() const {
    if (glt::detail::element_type_of<T> != type_) {
      throw precondition_error(glt::detail::message("array of ", glt::detail::name_of(type_), " read as ",
                                                    glt::detail::name_of(glt::detail::element_type_of<T>),
                                                    "; convert it first"));
    }
    return {reinterpret_cast<T const*>(bytes_.data()), bytes_.size() / static_cast<std::int64_t>(sizeof(T))};
  }

  /// Returns the elements as a matrix.
  ///
  /// @throws precondition_error  as `values`
  template <class T>
  [[nodiscard]] host_matrix<T const> matrix() const {
    return {values<T>().data(), rows(), columns()};
  }

  /// Hands the elements over as a buffer, without a copy.
  ///
  /// @throws precondition_error  as `values`; the array is then as it was
  template <class T>
  [[nodiscard]] buffer<device::cpu, T> take() && {
    auto const count = values<T>().size();
    auto keeper = std::make_shared<buffer<device::cpu, std::byte>>(std::move(bytes_));
    shape_.clear();
    auto* const first = reinterpret_cast<T*>(keeper->data());
    return buffer<device::cpu, T>::adopt(first, count, std::move(keeper));
  }

private:
  element_type type_ = element_type::float32;
  bool is_bool_ = false;
  std::vector<std::int64_t> shape_;
  buffer<device::cpu, std::byte> bytes_;
};

} // namespace glt::io
