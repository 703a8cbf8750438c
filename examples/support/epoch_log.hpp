// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace example {

/// Figures of epochs for programs: a file of rank 0 with one JSON object a line, complete after every epoch.
class epoch_log {
public:
  /// Without a path nothing is written. What is in the file stays if `append`.
  ///
  /// @comm   collective
  /// @throws glt::collective_error  on every rank, if rank 0 cannot write the file
  template <glt::communicator Comm>
  epoch_log(Comm& comm, std::string path, bool append = false) : path_(std::move(path)) {
    glt::run_together(comm, [&] {
      if (comm.rank() == 0 && !path_.empty()) {
        errno = 0;
        file_.open(path_, append ? std::ios::app : std::ios::out);
        check();
      }
    });
  }

  void write(std::string_view run, std::int64_t epoch, int num_ranks, nlohmann::ordered_json const& figures) {
    if (file_.is_open()) {
      nlohmann::ordered_json line{{"run", run}, {"epoch", epoch}, {"ranks", num_ranks}};
      line.update(figures);
      file_ << line.dump() << std::endl;
      check();
    }
  }

private:
  void check() const {
    if (!file_) {
      throw glt::io_error(path_, 0,
                          std::string("cannot be written: ") + std::strerror(errno) +
                              "; give --log a file in a folder that exists and has room");
    }
  }

  std::string path_;
  std::ofstream file_;
};

} // namespace example
