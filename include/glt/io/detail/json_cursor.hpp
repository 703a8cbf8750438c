// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/io/detail/libraries.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Value inside an untrusted JSON file; a value of a wrong kind is an `io_error` that names the file and the value.
class json_cursor {
public:
  json_cursor(std::filesystem::path const& path, nlohmann::json const& value, std::string name = {})
      : path_(&path), value_(&value), name_(std::move(name)) {}

  [[noreturn]] void fail(std::string const& what) const {
    throw io_error(path_->string(), 0, glt::detail::message(name_.empty() ? "the file" : name_, " ", what));
  }

  /// Returns the member of an object, if the object has it.
  [[nodiscard]] std::optional<json_cursor> find(char const* key) const {
    if (!value_->is_object()) {
      fail("is no object with names and values");
    }
    auto const found = value_->find(key);
    return found == value_->end()
               ? std::nullopt
               : std::optional(json_cursor(*path_, *found, (name_.empty() ? "" : name_ + ".") + key));
  }
  /// Returns the member of an object.
  [[nodiscard]] json_cursor at(char const* key) const {
    auto found = find(key);
    if (!found) {
      fail(glt::detail::message("lacks \"", key, "\""));
    }
    return *std::move(found);
  }
  /// Returns the elements of a list.
  [[nodiscard]] std::vector<json_cursor> elements() const {
    if (!value_->is_array()) {
      fail("is no list");
    }
    std::vector<json_cursor> all;
    for (std::size_t i = 0; i < value_->size(); ++i) {
      all.emplace_back(*path_, (*value_)[i], glt::detail::message(name_, "[", i, "]"));
    }
    return all;
  }
  /// Returns the names and values of an object whose values are all text.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> texts() const {
    if (!value_->is_object()) {
      fail("is no object with names and values");
    }
    std::vector<std::pair<std::string, std::string>> all;
    for (auto const& [key, value] : value_->items()) {
      all.emplace_back(key, json_cursor(*path_, value, name_ + "." + key).text());
    }
    return all;
  }

  [[nodiscard]] std::string text() const {
    if (!value_->is_string()) {
      fail("is no text");
    }
    return value_->get<std::string>();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_boolean()) {
      fail("is neither true nor false");
    }
    return value_->get<bool>();
  }
  /// Returns a number that counts something.
  [[nodiscard]] std::int64_t count() const {
    auto const number = whole();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(glt::detail::message("is ", number, ", which does not fit 63 bits"));
    }
    return static_cast<std::int64_t>(number);
  }
  [[nodiscard]] std::uint64_t whole() const {
    if (!value_->is_number_unsigned()) {
      fail("is no whole number of 0 or more");
    }
    return value_->get<std::uint64_t>();
  }
  [[nodiscard]] std::int64_t integer() const {
    return value_->is_number_unsigned() || !value_->is_number_integer() ? count() : value_->get<std::int64_t>();
  }
  [[nodiscard]] std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> all;
    for (auto const& element : elements()) {
      all.push_back(element.count());
    }
    return all;
  }

private:
  std::filesystem::path const* path_;
  nlohmann::json const* value_;
  std::string name_;
};

} // namespace glt::io::detail
