// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace glt {

/// Root of all exceptions of glt; records the place of the throw.
///
/// `what()` is the message alone; `where()` is the place inside glt that noticed the error.
class error : public std::runtime_error {
public:
  explicit error(std::string const& message, std::source_location where = std::source_location::current())
      : std::runtime_error(message), where_(where) {}

  [[nodiscard]] std::source_location const& where() const noexcept { return where_; }

private:
  std::source_location where_;
};

/// Error of a caller that passed an argument which the entry point does not accept.
class precondition_error : public error {
public:
  explicit precondition_error(std::string const& message, std::source_location where = std::source_location::current())
      : error(message, where) {}
};

/// Error while a file was read or written; carries its path and the byte offset of the fault, 0 for the whole file.
class io_error : public error {
public:
  io_error(std::string path, std::int64_t offset, std::string const& message,
           std::source_location where = std::source_location::current())
      : error(place(path, offset) + message, where), path_(std::move(path)), offset_(offset) {}

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] std::int64_t offset() const noexcept { return offset_; }

  /// Returns the text without path and offset.
  [[nodiscard]] std::string cause() const { return std::string(what()).substr(place(path_, offset_).size()); }

private:
  static std::string place(std::string const& path, std::int64_t offset) {
    return offset == 0 ? path + ": " : path + " (at byte " + std::to_string(offset) + "): ";
  }

  std::string path_;
  std::int64_t offset_;
};

/// Error of a collective operation that was given up: every rank of the communicator throws the same one.
class collective_error : public error {
public:
  collective_error(int rank, std::string cause, std::source_location where = std::source_location::current())
      : error("rank " + std::to_string(rank) + ": " + cause, where), rank_(rank), cause_(std::move(cause)) {}

  /// Returns the rank on which the failure began (the lowest, if there are several).
  [[nodiscard]] int rank() const noexcept { return rank_; }

  /// Returns the text of the error on that rank.
  [[nodiscard]] std::string const& cause() const noexcept { return cause_; }

private:
  int rank_;
  std::string cause_;
};

namespace detail {

/// Error that the library throws on every rank of a communicator at once; if a program throws one, only its rank throws
/// it.
class agreed_error : public collective_error {
public:
  /// Makes an error that `num_ranks` ranks throw.
  agreed_error(int num_ranks, int rank, std::string cause, std::source_location where = std::source_location::current())
      : collective_error(rank, std::move(cause), where), num_ranks_(num_ranks) {}

  /// Returns the number of ranks that throw it: the size of the communicator that agreed, perhaps a part of a larger
  /// one.
  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

private:
  int num_ranks_;
};

} // namespace detail

} // namespace glt
