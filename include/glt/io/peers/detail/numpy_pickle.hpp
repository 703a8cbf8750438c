// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/element_type.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::io::detail {

/// NumPy's names in a pickle of an array: its constructor, its element type, and its bytes. Arrays are tensors whose
/// storage has no key, because its bytes are inside the pickle.
///
/// @source numpy/numpy, numpy/core/src/multiarray/methods.c, array_reduce and array_setstate
class numpy_pickle_objects {
public:
  [[nodiscard]] static bool knows(pickle_name const& name) noexcept {
    return is_reconstruct(name) || (name.module == "numpy" && (name.name == "ndarray" || name.name == "dtype")) ||
           is_encode(name);
  }

  /// Returns an array or element type that `build` completes, or bytes.
  ///
  /// @throws precondition_error  if the arguments differ from NumPy's
  [[nodiscard]] pickle_value call(pickle_values& values, pickle_name const& name,
                                  std::span<pickle_value const* const> args) {
    if (is_reconstruct(name)) {
      return {pickle_tensor()};
    }
    auto const* const text = args.empty() ? nullptr : args[0]->get_if<std::string_view>();
    if (text == nullptr || name.name == "ndarray") {
      throw precondition_error(glt::detail::message("calls ", name.module, ".", name.name,
                                                    " with other arguments than NumPy; save the array again"));
    }
    if (name.name == "dtype") {
      return {pickle_name{dtype_module, *text}};
    }
    auto const [place, added] = decoded_.try_emplace(text->data());
    if (added) { // of one text once, so that no more memory is taken than the file has
      place->second = values.keep(decode(*text));
    }
    return {pickle_bytes{place->second}};
  }

  /// True if the object needs `build` to complete it.
  [[nodiscard]] static bool builds(pickle_value const& object) noexcept {
    auto const* const tensor = object.get_if<pickle_tensor>();
    auto const* const type = object.get_if<pickle_name>();
    return (tensor != nullptr && tensor->storage == nullptr) || (type != nullptr && type->module == dtype_module);
  }

  /// Completes an array or element type with the state that Python would set.
  ///
  /// @pre    `builds(object)`
  /// @throws precondition_error  if the state differs from NumPy's, or its elements are not numbers that glt supports
  static void build(pickle_values& values, pickle_value& object, pickle_value const& state) {
    auto const* const parts = state.get_if<pickle_tuple>();
    auto const* const type = object.get_if<pickle_name>();
    if (parts == nullptr || parts->items.size() < (type != nullptr ? 2 : 5)) {
      refuse();
    }
    auto const& items = parts->items;
    if (type != nullptr) {
      auto const* const order = items[1]->get_if<std::string_view>();
      if (order == nullptr) {
        refuse();
      }
      if (*order == ">") {
        throw precondition_error("has a NumPy array whose bytes are big-endian; save it with dtype.newbyteorder('<')");
      }
      return;
    }
    set(values, *object.get_if<pickle_tensor>(), items);
  }

private:
  static constexpr std::string_view dtype_module = "numpy.dtype";

  [[noreturn]] static void refuse() {
    throw precondition_error("has a NumPy array of a form that is not known; save it again with numpy.save");
  }

  static bool is_reconstruct(pickle_name const& name) noexcept {
    return (name.module == "numpy.core.multiarray" || name.module == "numpy._core.multiarray") &&
           name.name == "_reconstruct";
  }
  static bool is_encode(pickle_name const& name) noexcept { return name.module == "_codecs" && name.name == "encode"; }

  // Decodes bytes that protocol 2 writes as text with one character per byte.
  static std::string decode(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      auto const first = static_cast<unsigned char>(text[i]);
      if (first < 0x80) {
        bytes += text[i];
        continue;
      }
      auto const second = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
      if ((first != 0xC2 && first != 0xC3) || (second & 0xC0U) != 0x80U) {
        throw precondition_error("has bytes that are no text of Latin-1; save the array again");
      }
      bytes += static_cast<char>((first & 0x03U) << 6U | (second & 0x3FU));
      ++i;
    }
    return bytes;
  }

  static std::optional<element_type> type_of(std::string_view name) noexcept {
    static constexpr std::array<std::pair<std::string_view, element_type>, 9> known{{{"b1", element_type::uint8},
                                                                                     {"u1", element_type::uint8},
                                                                                     {"i1", element_type::int8},
                                                                                     {"i2", element_type::int16},
                                                                                     {"i4", element_type::int32},
                                                                                     {"i8", element_type::int64},
                                                                                     {"f2", element_type::float16},
                                                                                     {"f4", element_type::float32},
                                                                                     {"f8", element_type::float64}}};
    for (auto const& [text, type] : known) {
      if (text == name) {
        return type;
      }
    }
    return std::nullopt;
  }

  // Sets the state: version, shape, element type, whether columns are contiguous, bytes.
  static void set(pickle_values& values, pickle_tensor& array, std::vector<pickle_value const*> const& items) {
    auto const* const shape = items[1]->get_if<pickle_tuple>();
    auto const* const dtype = items[2]->get_if<pickle_name>();
    auto const* const columns_first = items[3]->get_if<bool>();
    auto const* const bytes = items[4]->get_if<pickle_bytes>();
    if (shape == nullptr || dtype == nullptr || dtype->module != dtype_module) {
      refuse();
    }
    auto const type = type_of(dtype->name);
    if (!type) {
      throw precondition_error(
          glt::detail::message("has a NumPy array of elements '", dtype->name,
                               "'; signed whole numbers and floats can be read, save it with astype"));
    }
    if (columns_first == nullptr || bytes == nullptr) {
      refuse();
    }
    pickle_tensor made{
        .type = *type, .storage = nullptr, .offset = 0, .sizes = {}, .strides = {}, .is_bool = dtype->name == "b1"};
    for (auto const* const side : shape->items) {
      auto const* const size = side->get_if<std::int64_t>();
      if (size == nullptr) {
        refuse();
      }
      made.sizes.push_back(*size);
    }
    auto const count = count_elements(made.sizes);
    auto const stored = std::ssize(bytes->content) / glt::detail::size_of(*type);
    if (!count || *count != stored || std::ssize(bytes->content) % glt::detail::size_of(*type) != 0) {
      throw precondition_error(glt::detail::message("has a NumPy array of shape ", shape_text(made.sizes), " in ",
                                                    bytes->content.size(), " bytes; save it again"));
    }
    made.strides.resize(made.sizes.size());
    std::int64_t step = 1;
    for (std::size_t i = 0; i < made.sizes.size(); ++i) {
      auto const side = *columns_first ? i : made.sizes.size() - 1 - i;
      made.strides[side] = step;
      step *= *count == 0 ? 1 : made.sizes[side];
    }
    made.storage = values
                       .add({pickle_storage{.type = *type,
                                            .key = {},
                                            .count = stored,
                                            .bytes = {reinterpret_cast<std::byte const*>(bytes->content.data()),
                                                      std::ssize(bytes->content)}}})
                       .get_if<pickle_storage>();
    array = std::move(made);
  }

  std::map<char const*, std::string_view> decoded_;
};

} // namespace glt::io::detail
