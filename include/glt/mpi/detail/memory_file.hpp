// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

#include <cerrno>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace glt::detail {

/// Name by which other processes of a machine find a memory file and check its identity.
struct memory_file_name {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
};

/// Memory that processes of one user map together. It is in no folder, so that it is freed with the last of them,
/// however that process ends.
///
/// Once mapped it need not stay open; other processes find it while its maker has it open.
class memory_file {
public:
  /// Makes a file of zero bytes.
  ///
  /// @throws error  if the system refuses, has no such memory, or limits the size of files to less
  [[nodiscard]] static memory_file create(std::int64_t bytes) {
#if defined(__linux__)
    memory_file made(::memfd_create("glt", MFD_CLOEXEC), bytes, "be made");
    struct ::rlimit limit{}; // ftruncate beyond it ends the process by SIGXFSZ
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && static_cast<::rlim_t>(bytes) > limit.rlim_cur) {
      errno = EFBIG;
      made.fail("be made, by the limit of file sizes (ulimit -f)");
    }
    if (::ftruncate(made.descriptor_, bytes) != 0) {
      made.fail("be made");
    }
    return made;
#else
    throw error(message("memory of ", bytes, " bytes for several processes cannot be made: this system is not Linux"));
#endif
  }

  /// Opens a memory file of another process, or of this one.
  ///
  /// @throws error  if the system refuses, or it is not open any more
  [[nodiscard]] static memory_file open([[maybe_unused]] memory_file_name const& name) {
#if defined(__linux__)
    auto const path = message("/proc/", name.process, "/fd/", name.descriptor);
    memory_file opened(::open(path.c_str(), O_RDWR | O_CLOEXEC), name.bytes, "be opened");
    auto const found = opened.name();
    if (found.device != name.device || found.inode != name.inode) { // of a process of another container
      errno = ESRCH;
      opened.fail("be opened");
    }
    return opened;
#else
    return create(name.bytes);
#endif
  }

  memory_file(memory_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(other.bytes_) {}
  memory_file& operator=(memory_file&&) = delete;
  ~memory_file() {
#if defined(__linux__)
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
#endif
  }

  [[nodiscard]] memory_file_name name() const {
    memory_file_name made{.descriptor = descriptor_, .bytes = bytes_};
#if defined(__linux__)
    struct ::stat status{};
    if (::fstat(descriptor_, &status) != 0) {
      fail("be found");
    }
    made.process = ::getpid();
    made.device = status.st_dev;
    made.inode = status.st_ino;
#endif
    return made;
  }

  /// Maps it at an address that allows huge pages.
  ///
  /// @throws error  if the system refuses
  [[nodiscard]] std::shared_ptr<std::byte> map() const {
#if defined(__linux__)
    if (bytes_ == 0) {
      return std::make_shared<std::byte>();
    }
    auto const bytes = static_cast<std::size_t>(bytes_);
    // Reserves only addresses, enough of them to begin at a huge page.
    auto const reserved = bytes + huge_page_bytes;
    void* const room = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
      fail("be mapped");
    }
    std::shared_ptr<void> const keeper(room, [reserved](void* addresses) { ::munmap(addresses, reserved); });
    auto const past = reinterpret_cast<std::uintptr_t>(room) % huge_page_bytes;
    auto* const first = static_cast<std::byte*>(room) + (past == 0 ? 0 : huge_page_bytes - past);
    if (::mmap(first, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_, 0) == MAP_FAILED) {
      fail("be mapped");
    }
    return {keeper, first};
#else
    fail("be mapped");
#endif
  }

private:
  memory_file(int descriptor, std::int64_t bytes, std::string_view what) : descriptor_(descriptor), bytes_(bytes) {
    if (descriptor_ < 0) {
      fail(what);
    }
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw error(
        message("memory of ", bytes_, " bytes for several processes cannot ", what, ": ", std::strerror(errno)));
  }

  int descriptor_;
  std::int64_t bytes_;
};

} // namespace glt::detail
