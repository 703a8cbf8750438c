// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/libraries.hpp>
#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/detail/parts_files.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/partition/book.hpp>

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
  [[nodiscard]] json_cursor at(char const* key) const {
    auto found = find(key);
    if (!found) {
      fail(glt::detail::message("lacks \"", key, "\""));
    }
    return *std::move(found);
  }
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

// Parses the parts of a manifest from JSON.
class manifest_parser {
public:
  explicit manifest_parser(json_cursor root) : root_(std::move(root)) {}

  [[nodiscard]] manifest read() {
    manifest made;
    made.name = root_.at("name").text();
    auto const note = root_.at("partitioner");
    made.partitioner = {note.at("name").text(), note.at("options").texts(), note.at("key").whole()};
    parts_ = root_.at("num_parts").count();
    for (auto const& type : root_.at("node_types").elements()) {
      made.nodes.push_back(nodes(type));
    }
    if (made.nodes.empty()) {
      root_.at("node_types").fail("is empty; a graph has a type of vertices");
    }
    for (auto const& type : root_.at("edge_types").elements()) {
      made.edges.push_back(edges(type));
    }
    for (auto const& file : root_.at("files").elements()) {
      made.files.push_back(this->file(file));
    }
    try {
      static_cast<void>(made.schema());
    } catch (precondition_error const& fault) {
      root_.fail(glt::detail::message("is wrong about its types: ", fault.what()));
    }
    return made;
  }

private:
  // One number a part, whose sum can be told.
  [[nodiscard]] std::vector<std::int64_t> by_part(json_cursor const& list) const {
    auto counts = list.counts();
    if (static_cast<std::int64_t>(counts.size()) != parts_) {
      list.fail(glt::detail::message("has ", counts.size(), " numbers for ", parts_, " parts"));
    }
    std::int64_t left = std::int64_t{1} << 60;
    for (auto const count : counts) {
      if (count > left) {
        list.fail("has a sum beyond all graphs");
      }
      left -= count;
    }
    return counts;
  }

  [[nodiscard]] static manifest_array array(json_cursor const& value, std::string name) {
    auto const dtype = value.at("dtype");
    auto const type = glt::detail::find_element_type(dtype.text());
    if (!type) {
      dtype.fail("is '" + dtype.text() + "', which is no element type of glt");
    }
    auto const shape = value.at("row_shape");
    manifest_array made{std::move(name), *type, shape.counts()};
    if (auto const count = count_elements(made.row_shape); !count || *count > (std::int64_t{1} << 40)) {
      shape.fail("is larger than any row");
    }
    return made;
  }
  [[nodiscard]] static std::vector<manifest_array> arrays(json_cursor const& list) {
    std::vector<manifest_array> made;
    for (auto const& value : list.elements()) {
      made.push_back(array(value, value.at("name").text()));
      if (std::ranges::count(made, made.back().name, &manifest_array::name) > 1) {
        value.fail("comes twice");
      }
    }
    return made;
  }

  [[nodiscard]] manifest_nodes nodes(json_cursor const& type) const {
    manifest_nodes made;
    made.name = type.at("name").text();
    auto const offsets = type.at("offsets");
    made.offsets = offsets.counts();
    if (static_cast<std::int64_t>(made.offsets.size()) - 1 != parts_) {
      offsets.fail(glt::detail::message("has ", made.offsets.size(), " numbers for ", parts_,
                                        " parts; there is one a part and a last one"));
    }
    try {
      static_cast<void>(partition_book(made.offsets));
    } catch (precondition_error const& fault) {
      offsets.fail(glt::detail::message("is no partition book: ", fault.what()));
    }
    if (type.at("num_nodes").count() != made.num_vertices()) {
      type.at("num_nodes").fail(glt::detail::message("is not ", made.num_vertices(), ", where the last part ends"));
    }
    made.features = arrays(type.at("features"));
    if (auto const labels = type.find("labels")) {
      made.labels = array(*labels, {});
      if (auto const classes = labels->find("classes")) {
        made.label_values = {.lowest = labels->at("lowest").integer(), .classes = classes->whole()};
        if (made.label_values->lowest > 0) {
          labels->at("lowest").fail("is above 0");
        }
      }
    }
    made.times = type.at("times").boolean();
    made.train = by_part(type.at("train"));
    made.valid = by_part(type.at("valid"));
    made.test = by_part(type.at("test"));
    auto const hot = type.at("hot_rows");
    made.hot = by_part(hot.at("number"));
    for (auto const& name : hot.at("features").elements()) {
      made.hot_features.push_back(name.text());
      if (!std::ranges::count(made.features, made.hot_features.back(), &manifest_array::name)) {
        name.fail("is no feature of the type");
      }
    }
    return made;
  }

  [[nodiscard]] manifest_edges edges(json_cursor const& type) const {
    manifest_edges made;
    made.type = {type.at("source").text(), type.at("name").text(), type.at("destination").text()};
    made.edges = by_part(type.at("edges"));
    if (type.at("num_edges").count() != made.num_edges()) {
      type.at("num_edges").fail(glt::detail::message("is not ", made.num_edges(), ", the sum of the parts"));
    }
    made.weights = type.at("weights").boolean();
    made.times = type.at("times").boolean();
    made.features = arrays(type.at("features"));
    made.halo = by_part(type.at("halo"));
    for (auto const& split : type.at("links").elements()) {
      made.links.push_back({split.at("name").text(), by_part(split.at("edges")), by_part(split.at("negatives"))});
    }
    return made;
  }

  // A path that leads out of the folder could have any file of the machine read.
  [[nodiscard]] static manifest_file file(json_cursor const& value) {
    auto const path = value.at("path");
    std::filesystem::path const relative = path.text();
    bool const inside = !relative.empty() && relative.is_relative() && relative.has_filename() &&
                        relative.string().find('\0') == std::string::npos &&
                        std::ranges::none_of(relative, [](auto const& step) { return step == ".." || step == "."; });
    if (!inside) {
      path.fail("leads out of the folder");
    }
    auto const sum = value.at("xxh3");
    auto const parsed = parse_checksum(sum.text());
    if (!parsed) {
      sum.fail("is no checksum of 16 small hexadecimal digits");
    }
    return {path.text(), value.at("bytes").count(), *parsed};
  }

  json_cursor root_;
  std::int64_t parts_ = 0;
};

/// The manifest that a text holds; `path` names it in errors.
///
/// @throws io_error  if the text is not a manifest, is of another version, was changed after it was written, or
///                   contradicts itself
[[nodiscard]] inline manifest parse_manifest(std::string text, std::filesystem::path const& path) {
  auto const parsed = nlohmann::json::parse(text, nullptr, false);
  json_cursor const root(path, parsed);
  if (parsed.is_discarded()) {
    root.fail("is no JSON; give the folder of a partitioned data set");
  }
  auto const format = root.find("format");
  if (!format || format->text() != "glt-parts") {
    root.fail("does not say \"format\": \"glt-parts\"; give the folder of a partitioned data set");
  }
  auto const version = root.at("version").whole();
  if (version != parts_version) {
    root.fail(glt::detail::message("is of version ", version, "; this glt reads version ", parts_version,
                                   ": use the glt that wrote it, or partition the data set again"));
  }
  auto const written = root.at("xxh3").text();
  auto const place = text.rfind(written);
  checksum sum;
  if (parse_checksum(written) && place != std::string::npos) {
    text.replace(place, written.size(), no_sum);
    sum.add(text.data(), static_cast<std::int64_t>(text.size()));
  }
  if (checksum_text(sum.value()) != written) {
    root.fail("does not have the checksum that it names: it was changed after it was written; copy it again");
  }
  auto made = manifest_parser(root).read();
  made.xxh3 = sum.value();
  return made;
}

/// Reads the manifest of a folder.
///
/// @throws io_error  if there is none, saying so if the folder holds arrays, or as `parse_manifest`
[[nodiscard]] inline manifest read_manifest(std::filesystem::path const& folder) {
  auto const path = folder / manifest_file_name;
  std::error_code fault;
  if (!std::filesystem::exists(path, fault)) {
    for (auto const& file : std::filesystem::directory_iterator(folder, fault)) {
      if (file.path().filename().string().starts_with("edge_index")) {
        throw io_error(path.string(), 0,
                       "there is no such file; the folder holds arrays: run glt-partition on it first");
      }
    }
  }
  input_file file(path);
  if (file.size() > (std::int64_t{1} << 30)) {
    file.fail(0, "has more than 1 GiB, too long for a manifest; give the folder of a partitioned data set");
  }
  std::string text(static_cast<std::size_t>(file.size()), ' ');
  file.read(text.data(), file.size());
  return parse_manifest(std::move(text), file.path());
}

} // namespace glt::io::detail
