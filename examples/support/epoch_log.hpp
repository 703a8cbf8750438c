// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/detail/atomic_file.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
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
        glt::detail::check_new_file(path_);
        if (append && std::filesystem::exists(path_)) {
          std::ifstream before(path_, std::ios::binary);
          lines_.assign(std::istreambuf_iterator<char>(before), {});
        }
        glt::detail::write_file(path_, lines_);
      }
    });
  }

  /// On rank 0.
  void write(std::string_view run, std::int64_t epoch, int num_ranks, nlohmann::ordered_json const& figures) {
    if (!path_.empty()) {
      nlohmann::ordered_json line{{"run", run}, {"epoch", epoch}, {"ranks", num_ranks}};
      line.update(figures);
      lines_ += line.dump() + '\n';
      glt::detail::write_file(path_, lines_);
    }
  }

private:
  std::string path_;
  std::string lines_; // all of the file
};

} // namespace example
