// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/broadcast_text.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>

#include <torch/serialize/archive.h>

#include <cerrno>
#include <concepts>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
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
    ::torch::serialize::OutputArchive archive;
    fill(archive);
    std::ostringstream bytes; // an archive that cannot write its file ends the process
    archive.save_to(bytes);
    if (!bytes) { // a stream does not report exhausted memory, and would write an archive cut short
      throw std::bad_alloc();
    }
    auto const partial = path + ".partial";
    errno = 0;
    std::ofstream file(partial, std::ios::binary);
    file << bytes.view();
    file.close();
    if (!file) {
      auto const why = errno;
      std::error_code ignored;
      std::filesystem::remove(partial, ignored);
      throw io_error(path, 0,
                     std::string("cannot be written") + (why != 0 ? std::string(": ") + std::strerror(why) : "") +
                         "; choose a folder that exists and has room");
    }
    std::filesystem::rename(partial, path);
  });
}

/// Reads an archive on rank 0 and gives it to all ranks: `read(archive)` on each.
///
/// @comm   collective; two broadcasts
template <communicator Comm, std::invocable<::torch::serialize::InputArchive&> Read>
void read_archive(Comm& comm, std::string const& path, Read read) {
  std::string bytes;
  run_together(comm, [&] {
    if (comm.rank() == 0) {
      errno = 0;
      std::ifstream file(path, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(file), {});
      if (bytes.empty()) {
        throw io_error(path, 0, errno != 0 ? std::string("cannot be read: ") + std::strerror(errno) : "is empty");
      }
    }
  });
  broadcast_text(comm, bytes);
  run_together(comm, [&] {
    ::torch::serialize::InputArchive archive;
    try {
      archive.load_from(bytes.data(), bytes.size(), at::Device(at::kCPU));
    } catch (c10::Error const& fault) {
      std::string const text = fault.what_without_backtrace();
      throw io_error(path, 0, "is no archive of LibTorch, or damaged: " + text.substr(0, text.find('\n')));
    }
    read(archive);
  });
}

} // namespace glt::detail
