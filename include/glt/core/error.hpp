// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace glt {

/// Root of everything glt throws; says where it was thrown.
///
/// `what()` is the message alone; `where()` is the place inside glt that noticed.
class error : public std::runtime_error {
public:
  explicit error(std::string const& message, std::source_location where = std::source_location::current())
      : std::runtime_error(message), where_(where) {}

  [[nodiscard]] std::source_location const& where() const noexcept { return where_; }

private:
  std::source_location where_;
};

/// The caller passed something that the entry point does not accept.
class precondition_error : public error {
public:
  explicit precondition_error(std::string const& message, std::source_location where = std::source_location::current())
      : error(message, where) {}
};

/// A file could not be read or written; carries its path and the byte offset of the fault.
class io_error : public error {
public:
  io_error(std::string path, std::int64_t offset, std::string const& message,
           std::source_location where = std::source_location::current())
      : error(path + " (at byte " + std::to_string(offset) + "): " + message, where), path_(std::move(path)),
        offset_(offset) {}

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] std::int64_t offset() const noexcept { return offset_; }

private:
  std::string path_;
  std::int64_t offset_;
};

/// A collective operation was given up: every rank of the communicator throws the same one.
class collective_error : public error {
public:
  collective_error(int rank, std::string cause, std::source_location where = std::source_location::current())
      : error("rank " + std::to_string(rank) + ": " + cause, where), rank_(rank), cause_(std::move(cause)) {}

  /// The rank on which the failure began (the lowest, if there are several).
  [[nodiscard]] int rank() const noexcept { return rank_; }

  /// The text of the error on that rank.
  [[nodiscard]] std::string const& cause() const noexcept { return cause_; }

private:
  int rank_;
  std::string cause_;
};

namespace detail {

/// What the library throws on every rank of a communicator at once; one that a program throws is its own rank's affair.
class agreed_error : public collective_error {
public:
  /// An error that `num_ranks` ranks throw.
  agreed_error(int num_ranks, int rank, std::string cause, std::source_location where = std::source_location::current())
      : collective_error(rank, std::move(cause), where), num_ranks_(num_ranks) {}

  /// How many ranks throw it: those of the communicator that agreed, which may be a group of a larger one.
  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

private:
  int num_ranks_;
};

} // namespace detail

} // namespace glt
