// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/exchange.hpp>
#include <glt/mpi/detail/process.hpp>

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

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
    } catch (library_error const& failure) {
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
  int file = -1;
  auto const beside = make_name_beside(path, ".partial", [&](std::filesystem::path const& scratch) {
    file = ::open(scratch.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) {
      fail();
    }
    return file >= 0;
  });
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

namespace glt {

/// Communicator over two MPI jobs, until one of them leaves: running servers, and clients of a separate `mpirun`.
///
///     glt::mpi_attachment clients = glt::mpi_attachment::accept(servers, "port");        // in one job
///     glt::mpi_attachment all = glt::mpi_attachment::connect(clients, "port");           // in another
///     glt::dist::role_context roles(all.world(), …);
///
/// The ranks of the job that accepts come first. Both jobs pass options with a time limit, or both without. Tested with
/// Open MPI 4.1: start both jobs with the same name server (`ompi-server -r uri`, `mpirun --ompi-server file:uri`).
/// MPICH 4.0 as Debian builds it (ch4:ucx) refuses to open a port.
///
/// Concurrent calls: none on one object.
class mpi_attachment {
public:
  /// Waits for one other job. Writes the port to a file that only its owner can read, and removes the file afterwards.
  ///
  /// @comm   collective over `comm`, with `connect` of the other job
  /// @throws collective_error  on every rank of this job, if the file cannot be written or MPI opens no port
  /// @throws precondition_error  on every rank of both jobs, if one job has a time limit and the other has none
  /// @throws library_error  if MPI reports a failure after that
  [[nodiscard]] static mpi_attachment accept(mpi_comm comm, std::filesystem::path const& port_file,
                                             mpi_comm::options_type options = {}) {
    detail::mpi_port port;
    agree(comm, detail::failure_of([&] {
            if (comm.rank() == 0) {
              port.open();
              detail::write_port_file(port_file, port.name());
            }
          }));
    MPI_Comm inter = MPI_COMM_NULL;
    check("MPI_Comm_accept", MPI_Comm_accept(port.name().data(), MPI_INFO_NULL, 0, comm.native(), &inter));
    if (comm.rank() == 0) {
      detail::remove_port_file(port_file);
    }
    return {inter, 0, options};
  }

  /// Joins a job that accepts; waits until its port file exists.
  ///
  /// The other job may have died and left the file. If it does not answer within `patience` and 5 s, this rank says so
  /// in a last line and ends its job: MPI cannot cancel the call.
  ///
  /// @comm   collective over `comm`, with `accept` of the other job
  /// @throws collective_error  on every rank of this job, if there is no file after `patience`, or it is no port
  /// @throws precondition_error  on every rank of both jobs, if one job has a time limit and the other has none
  /// @throws library_error  if MPI reports a failure after that
  [[nodiscard]] static mpi_attachment connect(mpi_comm comm, std::filesystem::path const& port_file,
                                              std::chrono::duration<double> patience = std::chrono::seconds(60),
                                              mpi_comm::options_type options = {}) {
    auto const limit = patience + std::chrono::seconds(5);
    auto waited = detail::waited_in("MPI_Comm_connect", limit, comm.rank(), comm.size());
    waited << " at port file " << port_file.string() << "; has the job that wrote it ended?";
    detail::mpi_deadline const deadline(limit, comm.rank(), comm.size(), waited);
    std::array<char, MPI_MAX_PORT_NAME> port{};
    agree(comm, detail::failure_of([&] {
            if (comm.rank() == 0) {
              detail::read_port_file(port_file, patience, port);
            }
          }));
    MPI_Comm inter = MPI_COMM_NULL;
    auto const joined = MPI_Comm_connect(port.data(), MPI_INFO_NULL, 0, comm.native(), &inter);
#ifdef OPEN_MPI
    if (joined != MPI_SUCCESS) {
      throw library_error("MPI_Comm_connect", joined,
                          detail::mpi_error_text(joined) +
                              "; start both jobs with --ompi-server file:URI of one running ompi-server");
    }
#endif
    check("MPI_Comm_connect", joined);
    return {inter, 1, options};
  }

  mpi_attachment(mpi_attachment&& other) noexcept
      : inter_(std::exchange(other.inter_, MPI_COMM_NULL)), world_(std::move(other.world_)) {
    other.world_.reset();
  }
  mpi_attachment& operator=(mpi_attachment&&) = delete;
  /// Leaves the other job, together with it. Does not if an exception is under way, or a rank of the other job has
  /// died. Objects made from `world()` must be destroyed before.
  ~mpi_attachment() {
    bool const is_whole = world_ && !world_->is_incomplete();
    if (world_ && !is_whole) {
      detail::keep_for_ever(std::move(*world_)); // MPI would wait for the dead rank
    }
    world_.reset();
    if (is_whole && inter_ != MPI_COMM_NULL && detail::mpi_is_running() && std::uncaught_exceptions() == 0) {
      MPI_Comm_disconnect(&inter_);
    }
  }

  /// Returns the communicator of the ranks of both jobs.
  [[nodiscard]] mpi_comm& world() noexcept { return *world_; }

private:
  mpi_attachment(MPI_Comm inter, int high, mpi_comm::options_type options) : inter_(inter) {
    MPI_Comm all = MPI_COMM_NULL;
    check("MPI_Intercomm_merge", MPI_Intercomm_merge(inter, high, &all));
    std::array<int, 2> some{options.time_limit.count() > 0 ? 1 : 0, options.time_limit.count() > 0 ? 0 : 1};
    check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, some.data(), 2, MPI_INT, MPI_MAX, all));
    if (some[0] + some[1] == 2) { // calls with a limit are other calls of MPI
      throw precondition_error("mpi_attachment: one job has a time limit and the other has none; give "
                               "time_limit to both calls, accept and connect, or to neither");
    }
    world_.emplace(mpi_comm::duplicate_of(all, options));
    MPI_Comm_free(&all);
  }

  static void agree(mpi_comm& comm, std::string const& failure) {
    detail::exchange_values(comm, {.what = detail::operation::join_roles, .step = 2}, failure);
  }
  static void check(char const* call, int code) { detail::check_mpi(code, call); }

  MPI_Comm inter_;
  std::optional<mpi_comm> world_;
};

} // namespace glt
