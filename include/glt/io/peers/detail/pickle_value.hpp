// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/element_type.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace glt::io::detail {

class pickle_value;

struct pickle_none {};

struct pickle_bytes {
  std::string_view content;
};

/// Name of a Python object; it is never looked up or called.
struct pickle_name {
  std::string_view module;
  std::string_view name;
};

struct pickle_list {
  std::vector<pickle_value const*> items{};
};

struct pickle_tuple {
  std::vector<pickle_value const*> items{};
};

/// Keys and values in the order of the file.
struct pickle_dict {
  std::vector<std::pair<pickle_value const*, pickle_value const*>> entries{};

  /// Returns the value of a text key, as in Python the last one of equal keys. Null if there is none.
  [[nodiscard]] inline pickle_value const* find(std::string_view key) const noexcept;
};

/// Elements that tensors share.
struct pickle_storage {
  element_type type = element_type::uint8;
  std::string_view key{};             ///< names the file in the archive that holds the elements
  std::int64_t count = 0;             ///< elements
  host_view<std::byte const> bytes{}; ///< the elements, if they stand beside the pickle and not in an archive
  bool is_bool = false;               ///< of type uint8
};

/// Tensor as a view of a storage; its members are not checked yet.
///
/// @units  offset and strides count elements
struct pickle_tensor {
  element_type type = element_type::uint8;
  pickle_storage const* storage = nullptr;
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes{};
  std::vector<std::int64_t> strides{};
  bool is_bool = false;
};

/// One value of a pickle: plain data, never code.
///
/// Text and bytes are views of the file: keep the file's bytes as long as the values.
class pickle_value {
public:
  using variant = std::variant<pickle_none, bool, std::int64_t, double, std::string_view, pickle_bytes, pickle_name,
                               pickle_list, pickle_tuple, pickle_dict, pickle_storage, pickle_tensor>;

  pickle_value(variant content) : content_(std::move(content)) {}

  /// Returns the content if it is a T, else null.
  template <class T>
  [[nodiscard]] T const* get_if() const noexcept {
    return std::get_if<T>(&content_);
  }
  template <class T>
  [[nodiscard]] T* get_if() noexcept {
    return std::get_if<T>(&content_);
  }

  /// Returns the kind of the value for error texts, such as "a tuple".
  [[nodiscard]] std::string_view kind() const noexcept {
    static constexpr std::string_view kinds[] = {"None",   "a bool", "an integer", "a float", "text",      "bytes",
                                                 "a name", "a list", "a tuple",    "a dict",  "a storage", "a tensor"};
    return kinds[content_.index()];
  }

private:
  variant content_;
};

inline pickle_value const* pickle_dict::find(std::string_view key) const noexcept {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    auto const* text = entry->first->get_if<std::string_view>();
    if (text != nullptr && *text == key) {
      return entry->second;
    }
  }
  return nullptr;
}

/// Owner of the values of pickles, which may refer to each other in any way, also in circles; all are freed at once.
class pickle_values {
public:
  /// @throws precondition_error  if there are more values than `limit`
  pickle_value& add(pickle_value value) {
    if (std::ssize(values_) == limit) {
      throw precondition_error(glt::detail::message("holds more than ", limit,
                                                    " values, which no partition needs; save tensors, not numbers"));
    }
    return values_.emplace_back(std::move(value));
  }

  /// Keeps decoded bytes, which are not in the file in this form, as long as the values.
  std::string_view keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }

  static constexpr std::int64_t limit = std::int64_t{1} << 20;

private:
  std::deque<pickle_value> values_; // addresses stay valid while more values are added
  std::deque<std::string> kept_;
};

} // namespace glt::io::detail
