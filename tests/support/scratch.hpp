// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>

namespace glt_test {

/// An empty folder that goes away with everything in it.
class scratch_folder {
public:
  scratch_folder() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() / ("glt-test-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }

  /// Number of files and folders directly in it.
  [[nodiscard]] std::ptrdiff_t num_entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator());
  }

private:
  std::filesystem::path path_;
};

inline std::string read_bytes(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(std::filesystem::path const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The content of all files below a folder, by relative path.
inline std::map<std::string, std::string> files_of(std::filesystem::path const& folder) {
  std::map<std::string, std::string> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), folder).string()] = read_bytes(entry.path());
    }
  }
  return files;
}

} // namespace glt_test
