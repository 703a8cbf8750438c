// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace example {

/// The options of a command line: what takes their values, by name. Variables that are named outlive it.
class arguments {
public:
  arguments& flag(std::string_view name, bool& value) {
    flags_[name] = &value;
    return *this;
  }
  /// A number of `lowest` or more.
  template <class T>
  arguments& number(std::string_view name, T& value, T lowest) {
    return add(name, [name, &value, lowest](std::string_view text) { value = parse_number(name, text, lowest); });
  }
  arguments& text(std::string_view name, std::string& value) {
    return add(name, [&value](std::string_view text) { value = text; });
  }
  /// Numbers between commas, −1 or more.
  arguments& list(std::string_view name, std::vector<std::int64_t>& values) {
    return add(name, [name, &values](std::string_view text) {
      values.clear();
      for (std::size_t first = 0; first <= text.size();) {
        auto const last = std::min(text.find(',', first), text.size());
        values.push_back(parse_number<std::int64_t>(name, text.substr(first, last - first), -1));
        first = last + 1;
      }
    });
  }
  /// One of the names of an enumeration's values, in their order.
  template <class Enum, std::size_t N>
  arguments& choice(std::string_view name, Enum& value, std::array<std::string_view, N> names) {
    return add(name, [name, &value, names](std::string_view text) {
      auto const found = std::ranges::find(names, text);
      if (found == names.end()) {
        std::string all;
        for (auto const one : names) {
          all += glt::detail::message(all.empty() ? "" : " or ", one);
        }
        throw glt::precondition_error(glt::detail::message(name, " ", text, ": give ", all));
      }
      value = static_cast<Enum>(found - names.begin());
    });
  }

  /// Reads a command line and returns the one argument that is no option, a folder.
  ///
  /// @throws glt::precondition_error  naming the first argument that makes no sense
  [[nodiscard]] std::string read(std::span<char const* const> line, std::string_view usage) const {
    std::string folder;
    for (std::size_t i = 0; i < line.size(); ++i) {
      std::string_view const name = line[i];
      if (auto const flag = flags_.find(name); flag != flags_.end()) {
        *flag->second = true;
      } else if (!name.starts_with("--")) {
        if (!folder.empty()) {
          throw glt::precondition_error(glt::detail::message("second folder ", name, "; give one"));
        }
        folder = name;
      } else if (i + 1 == line.size()) {
        throw glt::precondition_error(glt::detail::message(name, " without a value; give one after it"));
      } else if (auto const option = options_.find(name); option != options_.end()) {
        option->second(line[++i]);
      } else {
        throw glt::precondition_error(glt::detail::message("unknown option ", name, "; ", usage));
      }
    }
    if (folder.empty()) {
      throw glt::precondition_error(glt::detail::message("no folder with parts; ", usage));
    }
    return folder;
  }

private:
  template <class T>
  static T parse_number(std::string_view option, std::string_view text, T lowest) {
    T value{};
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size() || !(value >= lowest)) {
      throw glt::precondition_error(glt::detail::message(option, " ", text, ": give a number of ", lowest, " or more"));
    }
    return value;
  }

  arguments& add(std::string_view name, std::function<void(std::string_view)> take) {
    options_[name] = std::move(take);
    return *this;
  }

  std::map<std::string_view, bool*> flags_;
  std::map<std::string_view, std::function<void(std::string_view)>> options_;
};

} // namespace example
