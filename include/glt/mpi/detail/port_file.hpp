// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/atomic_file.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace glt::detail {

/// Port of MPI, to which another job can connect.
class mpi_port {
public:
  mpi_port() = default;
  mpi_port(mpi_port const&) = delete;
  mpi_port& operator=(mpi_port const&) = delete;
  ~mpi_port() {
    if (is_open_ && mpi_is_running()) {
      MPI_Close_port(name_.data());
    }
  }

  /// @throws error  if MPI has no ports, as in some builds of MPI libraries
  void open() {
    try {
      check_mpi(MPI_Open_port(MPI_INFO_NULL, name_.data()), "MPI_Open_port");
    } catch (mpi_error const& failure) {
      throw error(message(failure.what(), "; this MPI cannot let other jobs in: start servers and clients as one job, "
                                          "mpirun -np S server : -np C client"));
    }
    is_open_ = true;
  }
  [[nodiscard]] std::span<char, MPI_MAX_PORT_NAME> name() noexcept { return name_; }

private:
  std::array<char, MPI_MAX_PORT_NAME> name_{};
  bool is_open_ = false;
};

/// Text before the name of the port in a port file; a line break ends the file.
inline constexpr std::string_view port_file_head = "glt port: ";

/// Writes the name of a port to a file that only its owner can read; the file appears when it is complete.
///
/// @throws error  if the file cannot be written, or if a folder, link or other entry that is no regular file has its
///                name
inline void write_port_file(std::filesystem::path const& path, std::span<char const> name) {
  check_new_file(path);
  auto const fail = [&] {
    throw error(message("port file ", path.string(), ": cannot be written: ", std::strerror(errno)));
  };
  auto const beside = path.string() + "." + std::to_string(::getpid());
  ::unlink(beside.c_str());
  int const file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    fail();
  }
  auto const text = message(port_file_head, name.data(), '\n');
  bool const is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  if (!is_written || ::rename(beside.c_str(), path.c_str()) != 0) {
    ::unlink(beside.c_str());
    fail();
  }
}

inline void remove_port_file(std::filesystem::path const& path) noexcept {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

/// Reads the name of a port, as soon as its file exists.
///
/// @throws error  if there is no file after `patience`, or if it was not written by `write_port_file`
inline void read_port_file(std::filesystem::path const& path, std::chrono::duration<double> patience,
                           std::span<char> name) {
  auto const begun = std::chrono::steady_clock::now();
  int file = -1;
  while ((file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0) { // a named pipe does not block
    if (std::chrono::steady_clock::now() - begun > patience) {
      throw error(message("port file ", path.string(), " is not there after ", patience.count(),
                          " s: ", std::strerror(errno), "; start the servers first, and name the same file"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::string text(port_file_head.size() + name.size() + 1, '\0');
  struct ::stat found{};
  bool const is_regular = ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
  auto const size = is_regular ? ::read(file, text.data(), text.size()) : ssize_t{0};
  ::close(file);
  text.resize(static_cast<std::size_t>(std::max(size, ssize_t{0})));
  auto const end = text.find('\n');
  if (!text.starts_with(port_file_head) || end + 1 != text.size() || end - port_file_head.size() >= name.size()) {
    throw error(message("port file ", path.string(), " does not hold the name of a port",
                        is_regular ? "" : ": it is no regular file",
                        "; name the file that the servers pass to mpi_attachment::accept"));
  }
  text.copy(name.data(), end - port_file_head.size(), port_file_head.size());
  name[end - port_file_head.size()] = '\0';
}

} // namespace glt::detail
