// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace glt_fault {

/// A program with its arguments and what is added to its environment.
struct command {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment{};
  std::function<void()> before{}; ///< called in the new process
};

/// The words of a text, parted by spaces.
inline std::vector<std::string> words_of(std::string const& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

inline std::string text_of(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A running program; what it prints goes to a file. Whoever it started ends with it.
class child {
public:
  child(command const& what, std::filesystem::path output) : output_(std::move(output)) {
    prctl(PR_SET_CHILD_SUBREAPER, 1); // the ranks of a launcher that is gone come to this process
    int const file = open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
    id_ = fork();
    if (id_ < 0 || file < 0) {
      throw std::runtime_error("cannot start " + what.words[0]);
    }
    if (id_ == 0) {
      setpgid(0, 0);
      dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
      dup2(file, 1);
      dup2(file, 2);
      for (auto const& [name, value] : what.environment) {
        setenv(name.c_str(), value.c_str(), 1);
      }
      std::vector<char*> arguments;
      for (auto const& word : what.words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
      }
      arguments.push_back(nullptr);
      if (what.before) {
        what.before();
      }
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    close(file);
  }
  child(child const&) = delete;
  child& operator=(child const&) = delete;
  ~child() {
    if (!has_ended_) {
      end();
    }
  }

  /// Waits until it ends, or for so many seconds.
  bool wait(double seconds) {
    auto const until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!poll() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return has_ended_;
  }

  void send(int signal) const { kill(id_, signal); }

  /// Ends it and all that it has started.
  void end() {
    for (int const process : descendants(getpid())) {
      if (process != id_) {
        kill(process, SIGKILL);
      }
    }
    kill(id_, SIGKILL);
    int ignored = 0;
    if (!has_ended_) {
      waitpid(id_, &status_, 0);
      has_ended_ = true;
    }
    for (int rest = 0; rest < 200 && waitpid(-1, &ignored, WNOHANG) >= 0; ++rest) { // orphans
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  /// What it and those whom it started have printed so far.
  [[nodiscard]] std::string text() const { return text_of(output_); }
  /// -1 unless it ended by itself.
  [[nodiscard]] int status() const { return has_ended_ && WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
  /// 0 unless a signal ended it.
  [[nodiscard]] int signal() const { return has_ended_ && WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  [[nodiscard]] int id() const { return id_; }

  /// The processes that one has started, directly or not.
  static std::vector<int> descendants(int of) {
    std::vector<int> found;
    std::ifstream list("/proc/" + std::to_string(of) + "/task/" + std::to_string(of) + "/children");
    for (int process = 0; list >> process;) {
      found.push_back(process);
      auto const more = descendants(process);
      found.insert(found.end(), more.begin(), more.end());
    }
    return found;
  }

private:
  bool poll() {
    if (!has_ended_) {
      has_ended_ = waitpid(id_, &status_, WNOHANG) == id_;
    }
    return has_ended_;
  }

  std::filesystem::path output_;
  int id_ = -1;
  int status_ = 0;
  bool has_ended_ = false;
};

/// The processes of a job that run a program: the ranks, but for what a launcher starts beside them.
inline std::vector<int> ranks_of(child const& job, std::string const& program) {
  auto found = child::descendants(job.id());
  std::erase_if(found, [&](int process) {
    std::error_code fault;
    return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", fault).filename() !=
           std::filesystem::path(program).filename();
  });
  return found;
}

/// Whether all ranks of a job have ended, and only its launcher is left. No code of glt runs then: after 15 seconds of it
/// the launcher itself hangs, as that of Open MPI 4.1 does after some deaths in MPI_Init.
inline bool has_only_launcher(child const& job, std::string const& program) {
  return ranks_of(job, program).empty();
}

/// The stacks of the ranks of a job that hangs, as far as they are calls of glt; empty without gdb.
inline std::string stacks_of(child const& job, std::string const& program) {
  std::string found;
  for (int const process : ranks_of(job, program)) {
    auto const shell = "timeout 60 gdb -p " + std::to_string(process) +
                       " -batch -ex 'set print frame-arguments none' -ex bt 2> /dev/null | grep '^#' | "
                       "grep -E 'glt::|MPI_|glt_' | cut -c 1-160 | head -n 9";
    std::FILE* const pipe = popen(shell.c_str(), "r");
    found += "  process " + std::to_string(process) + "\n";
    char line[512];
    while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) {
      found += std::string("    ") + line;
    }
    if (pipe != nullptr) {
      pclose(pipe);
    }
  }
  return found;
}

} // namespace glt_fault
