// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/raw_data.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

/// Options of reading a folder of the Open Graph Benchmark.
struct ogb_options {
  std::string split{}; ///< folder below split/; may be empty if there is at most one
  read_options reading{};
};

// Paths in the folder of an Open Graph Benchmark data set: tables in raw/, splits in split/NAME/.
class ogb_files {
public:
  using path = std::filesystem::path;

  ogb_files(path const& folder, ogb_options const& options) {
    auto whole = folder.lexically_normal();
    whole = whole.has_filename() ? whole : whole.parent_path();
    if (is_raw(whole / "raw")) {
      root_ = whole;
      raw_ = whole / "raw";
    } else if (is_raw(whole)) {
      raw_ = whole;
      root_ = whole.filename() == "raw" ? whole.parent_path() : whole;
    } else {
      throw io_error(folder.string(), 0,
                     "holds neither num-node-list.csv.gz nor num-node-dict.csv.gz, nor does raw/ in it; give the "
                     "folder that the data set was unpacked to");
    }
    choose_split(options.split);
  }

  [[nodiscard]] path const& raw() const { return raw_; }
  [[nodiscard]] path const& folder() const { return root_; }
  [[nodiscard]] std::string name() const { return root_.filename().string(); }
  /// True for the sets that OGB's master files mark with `add_inverse_edge`. Their edges are stored in one direction
  /// and count for both.
  ///
  /// @source snap-stanford/ogb, ogb/nodeproppred/master.csv and ogb/linkproppred/master.csv
  [[nodiscard]] bool one_way() const {
    static constexpr std::array<std::string_view, 8> known{"proteins", "proteinfunc", "products", "ppa",
                                                           "ppassoc",  "collab",      "ddi",      "reviews"};
    std::string name = this->name();
    if (name.starts_with("ogbn") || name.starts_with("ogbl")) {
      name = name.substr(std::min<std::size_t>(5, name.size())); // and the next character, _ or -
    }
    return std::ranges::find(known, name) != known.end();
  }
  /// Returns the folder of the split; nothing if there is none.
  [[nodiscard]] std::optional<path> const& split() const { return split_; }

  /// Returns the path of the table of this name, packed or not.
  [[nodiscard]] static std::optional<path> find(path const& folder, std::string const& name) {
    for (char const* const ending : {".csv.gz", ".csv"}) {
      std::error_code ignored;
      if (auto const file = folder / (name + ending); std::filesystem::exists(file, ignored)) {
        return file;
      }
    }
    return std::nullopt;
  }

  /// @throws io_error  if there is no such table
  [[nodiscard]] static path require(path const& folder, std::string const& name) {
    auto const found = find(folder, name);
    if (!found) {
      throw io_error((folder / (name + ".csv.gz")).string(), 0, "there is no such file; unpack the data set again");
    }
    return *found;
  }

  /// Returns the names of the tables that have this prefix, in alphabetical order.
  [[nodiscard]] static std::vector<std::string> list(path const& folder, std::string_view beginning) {
    std::vector<std::string> found;
    std::error_code fault;
    for (auto const& entry : std::filesystem::directory_iterator(folder, fault)) {
      auto const name = entry.path().filename().string();
      auto const end = std::min(name.find(".csv"), name.size());
      if (name.starts_with(beginning) && end < name.size()) {
        found.push_back(name.substr(0, end));
      }
    }
    std::ranges::sort(found);
    auto const [first, last] = std::ranges::unique(found);
    found.erase(first, last);
    return found;
  }

private:
  static bool is_raw(path const& folder) {
    return find(folder, "num-node-list").has_value() || find(folder, "num-node-dict").has_value();
  }

  void choose_split(std::string const& wanted) {
    auto const folder = root_ / "split";
    std::vector<std::string> names;
    std::error_code fault;
    for (auto const& entry : std::filesystem::directory_iterator(folder, fault)) {
      if (entry.is_directory(fault)) {
        names.push_back(entry.path().filename().string());
      }
    }
    std::ranges::sort(names);
    auto const listed = glt::detail::name_list(names);
    if (!wanted.empty() && std::ranges::find(names, wanted) == names.end()) {
      throw io_error(folder.string(), 0, "holds no split '" + wanted + "' but " + listed);
    }
    if (wanted.empty() && names.size() > 1) {
      throw io_error(folder.string(), 0,
                     "holds several splits: " + listed + "; choose one by --split of glt-partition");
    }
    if (!names.empty()) {
      split_ = folder / (wanted.empty() ? names.front() : wanted);
    }
  }

  path root_;
  path raw_;
  std::optional<path> split_;
};

} // namespace glt::io::detail
