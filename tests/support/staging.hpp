// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include "errors.hpp"
#include "gzip.hpp"
#include "ranks.hpp"
#include "raw_data.hpp"
#include "scratch.hpp"

#include <glt/core/error.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>
#include <string>

namespace glt_test {

/// Checks that `stage(comm, file, folder)` makes the folder of what `read(file)` reads, or fails as it does, of a text
/// as a plain and as a packed file, on any number of ranks.
template <class Read, class Stage>
void check_staging(std::string const& text, Read read, Stage stage) {
  CAPTURE(text);
  for (bool const packed : {false, true}) {
    scratch_folder const scratch;
    auto const file = scratch / (packed ? "set.txt.gz" : "set.txt");
    write_bytes(file, packed ? gzip(text) : text);
    std::string fault;
    try {
      glt::io::write_npy_folder(scratch / "expected", read(file));
    } catch (glt::error const& failure) {
      fault = failure.what();
    }
    on_ranks([&](auto comm) {
      auto const folder = scratch / ("staged" + std::to_string(comm.size()));
      if (fault.empty()) {
        stage(comm, file, folder);
        comm.barrier();
        if (comm.rank() == 0) {
          CHECK(files_of(folder) == files_of(scratch / "expected"));
        }
      } else {
        try {
          stage(comm, file, folder);
          FAIL_CHECK("reads what makes the reader fail: ", fault);
        } catch (glt::collective_error const& failure) {
          CHECK(failure.cause() == fault);
        }
      }
      comm.barrier();
    });
  }
}

} // namespace glt_test
