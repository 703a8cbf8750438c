// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <ranges>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
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

/// Error of a failed call of MPI, NCCL or METIS; carries the name of the call, the library's code and its text.
///
/// After a call of MPI, messages under way on the communicator are lost; other ranks may wait for them until the program
/// is aborted. After a call of NCCL, the communicator is not usable any more; `nccl_comm` gives it up on all ranks.
class library_error : public error {
public:
  library_error(std::string call, int code, std::string_view text,
                std::source_location where = std::source_location::current())
      : error(call + " failed with code " + std::to_string(code) + ": " + std::string(text), where),
        call_(std::move(call)), code_(code) {}

  [[nodiscard]] std::string const& call() const noexcept { return call_; }
  [[nodiscard]] int code() const noexcept { return code_; }

private:
  std::string call_;
  int code_;
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

/// Appends a text, a character or a number to a text.
template <class Part>
void append_part(std::string& text, Part const& part) {
  if constexpr (std::convertible_to<Part const&, std::string_view>) {
    text += std::string_view(part);
  } else if constexpr (std::same_as<Part, char>) {
    text += part;
  } else if constexpr (std::same_as<Part, bool>) {
    text += part ? '1' : '0';
  } else {
    static_assert(std::is_arithmetic_v<Part>, "message() joins texts, characters and numbers");
    std::array<char, 48> digits;
    auto const written = [&] {
      if constexpr (std::floating_point<Part>) {
        return std::to_chars(digits.begin(), digits.end(), part, std::chars_format::general, 6);
      } else {
        return std::to_chars(digits.begin(), digits.end(), part);
      }
    }();
    text.append(digits.data(), written.ptr);
  }
}

/// Joins its arguments into a text, whatever the locale; floating-point numbers have up to six digits.
///
/// @throws std::bad_alloc  instead of making a text that is cut short: some go to files
template <class... Parts>
[[nodiscard]] std::string message(Parts const&... parts) {
  std::string text;
  (append_part(text, parts), ...);
  return text;
}

/// Converts an integer to a narrower type and refuses to lose its value.
///
/// @throws precondition_error  if `value` does not fit `To`; `what` names it in the text
template <std::integral To, std::integral From>
[[nodiscard]] To narrow(From value, std::string_view what,
                        std::source_location where = std::source_location::current()) {
  if (!std::in_range<To>(value)) {
    throw precondition_error(
        message(what, " is ", value, ", which does not fit a ", sizeof(To) * 8, "-bit integer; use a wider id type"),
        where);
  }
  return static_cast<To>(value);
}

/// Returns the names of a range, for errors that list the existing names: `"a", "b"`, or `none`.
template <std::ranges::input_range Range, class Name = std::identity>
[[nodiscard]] std::string name_list(Range const& range, Name name = {}) {
  std::string names;
  for (auto const& each : range) {
    names += names.empty() ? "\"" : ", \"";
    names += std::invoke(name, each);
    names += '"';
  }
  return names.empty() ? "none" : names;
}

/// Returns the shape of a tensor for the text of an error: "[2, 3]".
[[nodiscard]] inline std::string shape_text(std::span<std::int64_t const> shape) {
  std::string text = "[";
  for (auto const size : shape) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + "]";
}

} // namespace detail

} // namespace glt
