// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

/// Folder for temporary data on disk, which is removed with all its content.
class scratch_folder {
public:
  /// @throws io_error  if the folder exists already, or cannot be created
  explicit scratch_folder(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code fault;
    bool const made = std::filesystem::create_directory(path_, fault);
    if (fault || !made) {
      throw io_error(path_.string(), 0,
                     fault ? "cannot be created: " + fault.message() + "; choose a folder that can be written"
                           : "is there already; remove it or choose another");
    }
  }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace glt::io::detail
