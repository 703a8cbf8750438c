// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#if defined(__unix__)
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace glt::io::detail {

/// Lock that marks a folder as in use by this process. The lock ends with the process, so that others can tell a folder
/// in use from an abandoned one.
class folder_lock {
public:
  enum class state : std::uint8_t {
    held,   // by this object
    taken,  // by another process, or the folder does not exist
    unknown // the file system cannot tell
  };

  folder_lock() = default;
  explicit folder_lock([[maybe_unused]] std::filesystem::path const& folder) noexcept {
#if defined(__unix__)
    descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) {
      state_ = errno == ENOENT ? state::taken : state::unknown;
    } else if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      state_ = errno == EWOULDBLOCK ? state::taken : state::unknown;
    } else {
      state_ = names_it(folder) ? state::held : state::taken;
    }
#endif
  }
  folder_lock(folder_lock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), state_(std::exchange(other.state_, state::unknown)) {}
  folder_lock& operator=(folder_lock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(state_, other.state_);
    return *this;
  }
  ~folder_lock() {
#if defined(__unix__)
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
#endif
  }

  [[nodiscard]] state outcome() const noexcept { return state_; }

  /// False if the folder was removed or replaced by another one; true if the system cannot tell.
  [[nodiscard]] bool names_it([[maybe_unused]] std::filesystem::path const& folder) const noexcept {
#if defined(__unix__)
    struct ::stat locked{};
    struct ::stat named{};
    return descriptor_ < 0 || (::fstat(descriptor_, &locked) == 0 && ::stat(folder.c_str(), &named) == 0 &&
                               locked.st_ino == named.st_ino && locked.st_dev == named.st_dev);
#else
    return true;
#endif
  }

private:
  int descriptor_ = -1;
  state state_ = state::unknown;
};

} // namespace glt::io::detail
