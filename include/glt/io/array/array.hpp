// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Rows of a matrix that follow each other in a file, from byte `offset` on.
struct file_rows {
  std::filesystem::path path;
  std::int64_t offset = 0;
  std::int64_t num_rows = 0;
};

} // namespace glt::io::detail

namespace glt::io {

/// Array whose element type and shape are known only at run time; move-only, rows contiguous.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  bytes [product of shape · size_of(type)], or empty if all rows stay in files
class array {
public:
  /// Array whose element type is known; see `read_npy`.
  ///
  /// @shape  data [product of shape]
  template <class T>
  struct typed {
    std::vector<std::int64_t> shape;
    buffer<device::cpu, T> data;

    /// @pre    the array has two dimensions; not checked
    [[nodiscard]] host_matrix<T const> matrix() const { return {data.data(), shape[0], shape[1]}; }
  };

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

  /// Returns an array whose rows stay in files; it has no bytes.
  ///
  /// @shape  files [1 or more], together with as many rows as the shape says; not checked
  [[nodiscard]] static array of_files(element_type type, std::vector<std::int64_t> shape,
                                      std::vector<detail::file_rows> files) {
    array made;
    made.type_ = type;
    made.shape_ = std::move(shape);
    made.files_ = std::move(files);
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

  /// Returns the files that gathers read the rows from, instead of from the bytes; empty if they do not.
  [[nodiscard]] std::vector<detail::file_rows> const& files() const noexcept { return files_; }
  /// Reads the rows from a file from now on, which has the same rows.
  void read_from(detail::file_rows file) { files_.assign(1, std::move(file)); }

  /// Keeps the rows [first, first + count) only, without a copy; the memory of the others stays as long as theirs.
  ///
  /// @throws precondition_error  if there are no such rows
  void keep_rows(std::int64_t first, std::int64_t count) {
    if (first < 0 || count < 0 || count > rows() - first) {
      throw precondition_error(glt::detail::message("rows [", first, ", ", first, " + ", count, ") of an array of ",
                                                    rows(), "; keep some of those that it has"));
    }
    if (count < rows()) {
      auto const row = bytes_.size() / rows();
      auto keeper = std::make_shared<buffer<device::cpu, std::byte>>(std::move(bytes_));
      auto* const data = keeper->data() + first * row;
      bytes_ = buffer<device::cpu, std::byte>::adopt(data, count * row, std::move(keeper));
      shape_.front() = count;
      files_.clear(); // of all rows
    }
  }

private:
  element_type type_ = element_type::float32;
  bool is_bool_ = false;
  std::vector<std::int64_t> shape_;
  buffer<device::cpu, std::byte> bytes_;
  std::vector<detail::file_rows> files_;
};

} // namespace glt::io

namespace glt::io::detail {

template <class From, class T>
buffer<device::cpu, T> convert_elements(array const& from) {
  auto const elements = from.values<From>();
  buffer<device::cpu, T> made(elements.size());
  for (std::int64_t i = 0; i < made.size(); ++i) {
    if constexpr (std::same_as<From, float16> || std::same_as<From, bfloat16>) {
      made[i] = static_cast<T>(static_cast<float>(elements[i]));
    } else {
      made[i] = static_cast<T>(elements[i]);
    }
  }
  return made;
}

/// Converts the elements of an array as C++ does; without a copy if they have type T already.
///
/// @pre    values fit T; not checked
template <class T>
[[nodiscard]] buffer<device::cpu, T> convert(array from) {
  if (from.shape().empty() && from.empty()) {
    return {};
  }
  if (from.type() == glt::detail::element_type_of<T>) {
    return std::move(from).template take<T>();
  }
  return glt::detail::visit_element(
      from.type(), [&]<class From>(std::type_identity<From>) { return convert_elements<From, T>(from); });
}

} // namespace glt::io::detail
