// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/dist/embedding/sparse_embedding.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/parts/detail/parts_files.hpp>

#include <charconv>
#include <filesystem>
#include <system_error>

namespace glt::io {

namespace detail {

inline constexpr std::string_view checkpoint_magic = "glt-checkpoint ";
inline constexpr std::string_view checkpoint_version = "2\n";

// Returns a line per member; the first line names the format and its version, the last one is the checksum.
inline std::string checkpoint_text(dist::loader_checkpoint const& checkpoint) {
  std::string text(checkpoint_magic);
  text += checkpoint_version;
  glt::detail::visit_checkpoint<dist::loader_checkpoint>(
      [&](char const* name, auto member) { text += glt::detail::message(name, ' ', checkpoint.*member, '\n'); });
  return text;
}

inline std::string checksum_line(std::string_view text) {
  checksum sum;
  sum.add(text.data(), std::ssize(text));
  return "checksum " + checksum_text(sum.value()) + '\n';
}

// Reads the lines of `checkpoint_text` after the version; at a fault moves `at` to its place and returns false.
inline bool parse_members(std::string_view text, std::size_t& at, dist::loader_checkpoint& checkpoint) {
  bool is_right = true;
  glt::detail::visit_checkpoint<dist::loader_checkpoint>([&](std::string_view name, auto member) {
    using number = std::remove_reference_t<decltype(checkpoint.*member)>;
    std::conditional_t<std::is_same_v<number, bool>, std::uint8_t, number> value{};
    auto const begin = at + name.size() + 1;
    is_right = is_right && text.substr(at, name.size()) == name && begin < text.size() && text[begin - 1] == ' ';
    if (is_right) {
      auto const* const end = text.data() + text.size();
      auto const [stop, fault] = std::from_chars(text.data() + begin, end, value);
      is_right = fault == std::errc() && stop != end && *stop == '\n' && (!std::is_same_v<number, bool> || value <= 1);
      if (is_right) {
        checkpoint.*member = static_cast<number>(value);
        at = static_cast<std::size_t>(stop - text.data()) + 1;
      }
    }
  });
  return is_right;
}

} // namespace detail

/// Writes a checkpoint as lines of text with a checksum. A file of the same name is replaced only when the new one is
/// complete; a failed call leaves the old file.
///
/// @throws io_error  if the checkpoint cannot be written
inline void save_checkpoint(std::filesystem::path const& path, dist::loader_checkpoint const& checkpoint) {
  auto text = detail::checkpoint_text(checkpoint);
  text += detail::checksum_line(text);
  glt::detail::write_file(path, text);
}

/// Reads a checkpoint that `save_checkpoint` wrote.
///
/// @throws io_error  if there is no such file, it is not a checkpoint, it has another version, or it is damaged
[[nodiscard]] inline dist::loader_checkpoint load_checkpoint(std::filesystem::path const& path) {
  constexpr std::int64_t most_bytes = 4096;
  detail::input_file file(path);
  std::string text(static_cast<std::size_t>(file.size() > most_bytes ? 0 : file.size()), '\0');
  file.read(text.data(), std::ssize(text));
  if (!text.starts_with(detail::checkpoint_magic)) {
    file.fail(0, "is no checkpoint of a loader; give the path of one that save_checkpoint has written");
  }
  auto at = detail::checkpoint_magic.size();
  if (std::string_view(text).substr(at, detail::checkpoint_version.size()) != detail::checkpoint_version) {
    file.fail(std::ssize(detail::checkpoint_magic),
              "is a checkpoint of another version than 2; begin anew, or resume with "
              "the glt that has written it");
  }
  at += detail::checkpoint_version.size();
  dist::loader_checkpoint checkpoint;
  bool const is_right = detail::parse_members(text, at, checkpoint);
  std::string_view const rest(text.data() + at, text.size() - at);
  if (!is_right || rest != detail::checksum_line(std::string_view(text).substr(0, at))) {
    file.fail(static_cast<std::int64_t>(at), "is damaged; resume from an older checkpoint");
  }
  return checkpoint;
}

namespace detail {

inline constexpr std::string_view embedding_magic = "glt-embedding 3\n";

/// Header before the arrays, in the byte order of the machine.
struct embedding_header {
  glt::detail::embedding_layout layout;
  std::int64_t num_updates = 0;
  std::int64_t learning_rate = 0; ///< its bits
  std::int64_t history = 0;
};

/// Calls `visit(data, bytes)` for the rows and the moments of a state.
template <class State, class Visit>
void visit_arrays(State const& state, Visit visit) {
  for (auto const& array : {state.arrays.rows, state.arrays.first, state.arrays.second}) {
    visit(array.data(), array.size() * static_cast<std::int64_t>(sizeof(array[0])));
  }
}

/// Reader of one file that `save_checkpoint` wrote.
class embedding_reader {
public:
  explicit embedding_reader(std::filesystem::path const& path) : file_(path) {
    std::string magic(embedding_magic.size(), '\0');
    file_.read(magic.data(), file_.size() < std::ssize(magic) ? 0 : std::ssize(magic));
    if (magic != embedding_magic) {
      file_.fail(0, "is no checkpoint of an embedding of version 3; give the path of one that save_checkpoint "
                    "has written");
    }
    file_.read(&header_, sizeof header_);
    sum_.add(&header_, sizeof header_);
  }

  [[nodiscard]] embedding_header const& header() const noexcept { return header_; }
  template <class... Args>
  [[noreturn]] void fail(Args const&... what) const {
    file_.fail(file_.position(), glt::detail::message(what...));
  }

  /// Reads the rows that the state's rank owns, and notes of which step they are. The checksum is of all rows of the
  /// file; if the rank owns none of them, it is not compared.
  template <class State>
  void read(State& state) {
    auto const& mine = state.layout;
    auto const& theirs = header_.layout;
    auto const first = std::max(mine.first_vertex, theirs.first_vertex);
    auto const last = std::min(mine.first_vertex + mine.num_rows, theirs.first_vertex + theirs.num_rows);
    state.num_updates = header_.num_updates;
    state.history = header_.history;
    state.learning_rate = std::bit_cast<double>(header_.learning_rate);
    if (first < last) {
      visit_arrays(state, [&](auto* data, std::int64_t bytes) {
        auto const row = bytes / mine.num_rows;
        skip((first - theirs.first_vertex) * row);
        auto* const to = reinterpret_cast<std::byte*>(data) + (first - mine.first_vertex) * row;
        file_.read(to, (last - first) * row);
        sum_.add(to, (last - first) * row);
        skip((theirs.first_vertex + theirs.num_rows - last) * row);
      });
    } else if (theirs.num_rows > 0) {
      return;
    }
    std::uint64_t expected = 0;
    file_.read(&expected, sizeof expected);
    if (expected != sum_.value() || file_.position() != file_.size()) {
      fail("is damaged; restore an older checkpoint");
    }
  }

private:
  void skip(std::int64_t bytes) {
    skipped_.resize(static_cast<std::size_t>(std::min<std::int64_t>(bytes, 1 << 20)));
    for (std::int64_t done = 0; done < bytes;) {
      auto const count = std::min(bytes - done, std::ssize(skipped_));
      file_.read(skipped_.data(), count);
      sum_.add(skipped_.data(), count);
      done += count;
    }
  }

  input_file file_;
  embedding_header header_;
  checksum sum_;
  std::vector<std::byte> skipped_;
};

/// Reads the file that this rank wrote into its state.
template <class State>
void read_embedding(std::filesystem::path const& path, State& state) {
  embedding_reader file(path);
  if (!(file.header().layout == state.layout)) {
    file.fail("is of ", file.header().layout.num_rows, " rows, and the embedding has ", state.layout.num_rows,
              " on this rank, of another partition, number of columns, type or optimiser; restore it with those that "
              "it was saved with");
  }
  file.read(state);
}

/// Reads the rows of a rank from the files of all ranks that wrote an embedding.
template <class State>
void read_embedding(std::span<std::filesystem::path const> paths, State& state) {
  auto const wanted = state.layout;
  global_id next = 0;
  for (auto const& path : paths) {
    embedding_reader file(path);
    auto const& [layout, num_updates, rate, history] = file.header();
    if (layout.form != wanted.form || layout.num_vertices != wanted.num_vertices || layout.partitioning == 0 ||
        layout.partitioning != wanted.partitioning) {
      file.fail("is of another folder of parts, number of columns, type or optimiser than the embedding; restore it "
                "with those that it was saved with");
    }
    if (layout.first_vertex != next || layout.num_rows < 0 || layout.num_rows > layout.num_vertices - next) {
      file.fail("has rows from vertex ", layout.first_vertex, " on, after ", next,
                " of the files before it; give the files of all ranks that saved, in their order");
    }
    if (&path != &paths.front() && (num_updates != state.num_updates || history != state.history)) {
      file.fail("is of another step or training than the files before it; restore what was saved together");
    }
    file.read(state);
    next += layout.num_rows;
  }
  if (next != wanted.num_vertices) {
    throw precondition_error(glt::detail::message(paths.size(), " files of an embedding have ", next, " of ",
                                                  wanted.num_vertices,
                                                  " rows; give the files of all ranks that saved"));
  }
}

} // namespace detail

/// Writes this rank's rows, moments, number of updates and learning rate, with a checksum. Each rank writes one file,
/// all at the same step. An older file of the same name is replaced when the new one is complete.
///
/// @comm   none
/// @throws io_error  if the file cannot be written
/// @cost   O(V / R · columns); nothing is copied
template <communicator Comm, host_policy Policy, class T>
void save_checkpoint(std::filesystem::path const& path, dist::sparse_embedding<Comm, Policy, T> const& table) {
  auto const state = table.state();
  detail::embedding_header const header{.layout = state.layout,
                                        .num_updates = state.num_updates,
                                        .learning_rate = std::bit_cast<std::int64_t>(state.learning_rate),
                                        .history = state.history};
  glt::detail::atomic_file file(path);
  file.write(detail::embedding_magic.data(), std::ssize(detail::embedding_magic));
  detail::checksum sum;
  auto const write = [&](void const* data, std::int64_t bytes) {
    file.write(data, bytes);
    sum.add(data, bytes);
  };
  write(&header, sizeof header);
  detail::visit_arrays(state, write);
  auto const value = sum.value();
  file.write(&value, sizeof value);
  file.commit();
}

/// Reads this rank's file of `save_checkpoint`, so that training goes on as before. The embedding must have the same
/// partition, number of columns, element type and kind of optimiser. The learning rate comes from the file, all other
/// settings of the optimiser come from the options.
///
/// @comm   collective; one header exchange
/// @throws collective_error  on every rank, if the file of a rank is missing, damaged or of another embedding, or files
///                           are of different numbers of updates or of two trainings; the rows are of no use then,
///                           until they are read again
template <communicator Comm, host_policy Policy, class T>
void load_checkpoint(std::filesystem::path const& path, dist::sparse_embedding<Comm, Policy, T>& table) {
  table.restore([&](auto& state) { detail::read_embedding(path, state); });
}

/// Reads the files that all ranks of `save_checkpoint` wrote, also on another number of ranks. Both runs must have
/// opened the same folder of parts, so that vertices have the same ids. The order of files is the order of the ranks.
///
/// @comm   collective; one header exchange
/// @throws collective_error  as for one file, and if a file is missing in the list or books are not of one folder
/// @cost   one read of the files that have rows of this rank, and of the first bytes of the others
template <communicator Comm, host_policy Policy, class T>
void load_checkpoint(std::span<std::filesystem::path const> paths, dist::sparse_embedding<Comm, Policy, T>& table) {
  table.restore([&](auto& state) { detail::read_embedding(paths, state); });
}

} // namespace glt::io
