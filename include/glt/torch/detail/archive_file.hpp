// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/broadcast_text.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/detail/atomic_file.hpp>
#include <glt/torch/detail/archive_check.hpp>

#include <torch/serialize/archive.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>

namespace glt::detail {

/// Writes, on rank 0, an archive that `fill` fills there. Replaces a file of that name when the new one is complete.
///
/// @comm   collective
template <communicator Comm, std::invocable<::torch::serialize::OutputArchive&> Fill>
void write_archive(Comm& comm, std::string const& path, Fill fill) {
  run_together(comm, [&] {
    if (comm.rank() != 0) {
      return;
    }
    check_new_file(path);
    ::torch::serialize::OutputArchive archive;
    fill(archive);
    std::string bytes;
    bool is_whole = true;
    archive.save_to([&](void const* data, std::size_t size) {
      try {
        bytes.append(static_cast<char const*>(data), is_whole ? size : 0);
      } catch (std::bad_alloc const&) { // LibTorch would end the process: it writes again in a destructor
        is_whole = false;
      }
      return size;
    });
    if (!is_whole) {
      throw std::bad_alloc();
    }
    write_file(path, bytes);
  });
}

/// The bytes of a file.
///
/// @throws io_error  if it cannot be read, is no regular file, or is empty
[[nodiscard]] inline std::string read_file(std::string const& path) {
  std::error_code fault;
  auto const status = std::filesystem::status(path, fault);
  if (status.type() != std::filesystem::file_type::regular) {
    throw io_error(path, 0,
                   fault ? "cannot be read: " + fault.message() : "is not a regular file; give the path of one");
  }
  std::string bytes(std::filesystem::file_size(path), '\0');
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), std::ssize(bytes))) {
    throw io_error(path, static_cast<std::int64_t>(file.gcount()),
                   std::string("cannot be read: ") + (errno != 0 ? std::strerror(errno) : "it ends early"));
  }
  if (bytes.empty()) {
    throw io_error(path, 0, "is empty");
  }
  return bytes;
}

/// Reads an archive in rank 0, compares its bytes with its checksums, and gives it to all ranks: `read(archive)` on
/// each.
///
/// @comm   collective; two broadcasts
template <communicator Comm, std::invocable<::torch::serialize::InputArchive&> Read>
void read_archive(Comm& comm, std::string const& path, Read read) {
  std::string bytes;
  auto const of_torch = [&](auto work) {
    try {
      work();
    } catch (c10::Error const& fault) {
      std::string const text = fault.what_without_backtrace();
      throw io_error(path, 0, "is no archive of LibTorch, or damaged: " + text.substr(0, text.find('\n')));
    }
  };
  run_together(comm, [&] {
    if (comm.rank() == 0) {
      bytes = read_file(path);
      of_torch([&] { archive_check(bytes, path).run(); });
    }
  });
  broadcast_text(comm, bytes);
  run_together(comm, [&] {
    ::torch::serialize::InputArchive archive;
    of_torch([&] { archive.load_from(bytes.data(), bytes.size(), at::Device(at::kCPU)); });
    read(archive);
  });
}

} // namespace glt::detail
