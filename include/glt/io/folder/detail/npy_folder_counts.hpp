// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/libraries.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <system_error>

namespace glt::io::detail {

/// Returns the content of a file meta.json; nothing if there is none.
///
/// @throws io_error  if the file is not JSON, or has more than a megabyte
inline nlohmann::json read_meta(std::filesystem::path const& path) {
  std::error_code fault;
  if (!std::filesystem::exists(path, fault)) {
    return {};
  }
  input_file file(path);
  if (file.size() > std::int64_t{1} << 20) {
    file.fail(0, "has more than a megabyte; a meta.json of a data set is short");
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(text.data(), file.size());
  auto meta = nlohmann::json::parse(text, nullptr, false);
  if (meta.is_discarded()) {
    file.fail(0, "is no JSON; repair or remove it");
  }
  return meta;
}

/// Reads the numbers of vertices by type from a file meta.json. `num_nodes` is a number, or an object of numbers by
/// type; `nodes` is a number. A graph without types has the type "node". Values that are not numbers are ignored.
///
/// @throws io_error  as `read_meta`, and for a number that no graph can have
inline std::map<std::string, std::int64_t> read_node_counts(std::filesystem::path const& path) {
  std::map<std::string, std::int64_t> counts;
  auto const meta = read_meta(path);
  auto const add = [&](std::string const& type, nlohmann::json const& count) {
    if (!count.is_number()) {
      return;
    }
    constexpr auto most = std::uint64_t{1} << 48;
    if (!count.is_number_unsigned() || count.get<std::uint64_t>() > most) {
      throw io_error(path.string(), 0,
                     glt::detail::message("says ", count.dump(), " vertices of type '", type,
                                          "'; give a whole number from 0 to ", most));
    }
    counts[type] = count.get<std::int64_t>();
  };
  if (meta.is_object() && meta.contains("num_nodes")) {
    auto const& all = meta["num_nodes"];
    add("node", all);
    if (all.is_object()) {
      for (auto const& [type, count] : all.items()) {
        add(type, count);
      }
    }
  } else if (meta.is_object() && meta.contains("nodes")) {
    add("node", meta["nodes"]);
  }
  return counts;
}

} // namespace glt::io::detail
