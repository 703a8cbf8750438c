// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
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

/// Writes the name of a port to a file that only its owner can read; the file appears when it is complete.
///
/// @throws error  if the file cannot be written
inline void write_port_file(std::filesystem::path const& path, std::span<char const> name) {
  auto const fail = [&] {
    throw error(message("port file ", path.string(), ": cannot be written: ", std::strerror(errno)));
  };
  auto const beside = path.string() + "." + std::to_string(::getpid());
  ::unlink(beside.c_str());
  int const file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    fail();
  }
  auto const size = std::strlen(name.data());
  bool const is_written = ::write(file, name.data(), size) == static_cast<ssize_t>(size);
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
/// @throws error  if there is no file after `patience`, or its text is longer than the name of a port
inline void read_port_file(std::filesystem::path const& path, std::chrono::duration<double> patience,
                           std::span<char> name) {
  auto const begun = std::chrono::steady_clock::now();
  int file = -1;
  while ((file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) < 0) {
    if (std::chrono::steady_clock::now() - begun > patience) {
      throw error(message("port file ", path.string(), " is not there after ", patience.count(),
                          " s: ", std::strerror(errno), "; start the servers first, and name the same file"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  auto const size = ::read(file, name.data(), name.size());
  ::close(file);
  if (size <= 0 || size == static_cast<ssize_t>(name.size())) {
    throw error(message("port file ", path.string(), " does not hold the name of a port"));
  }
  name[static_cast<std::size_t>(size)] = '\0';
}

} // namespace glt::detail
