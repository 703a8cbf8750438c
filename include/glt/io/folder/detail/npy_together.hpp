// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/array/detail/npy_header.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace glt::io::detail {

// Returns NumPy's name of a type in .npy headers; NumPy has no bfloat16 and stores it as two bytes.
inline std::string_view npy_own_name_of(element_type type) noexcept {
  return type == element_type::bfloat16 ? "|V2" : npy_name_of(type);
}

// File that several ranks write, each at different places.
class shared_file {
public:
  shared_file(std::filesystem::path path, char const* mode)
      : path_(std::move(path)), file_(std::fopen(path_.c_str(), mode), std::fclose) {
    if (!file_) {
      fail(0, "created");
    }
  }

  void write(std::int64_t place, void const* bytes, std::int64_t count) {
    if (count > 0 &&
        (std::fseek(file_.get(), static_cast<long>(place), SEEK_SET) != 0 ||
         std::fwrite(bytes, 1, static_cast<std::size_t>(count), file_.get()) != static_cast<std::size_t>(count))) {
      fail(place, "written");
    }
  }

  void close() {
    if (std::fclose(file_.release()) != 0) {
      fail(0, "written");
    }
  }

private:
  [[noreturn]] void fail(std::int64_t place, char const* action) const {
    throw io_error(path_.string(), place,
                   glt::detail::message("cannot be ", action, ": ", std::strerror(errno), "; make room, or choose a ",
                                        "folder that all ranks can write"));
  }

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// This rank's piece of lines of elements; each line continues from rank to rank, and all `lines` have one length.
struct lines_piece {
  element_type type = element_type::int64;
  std::int64_t row_bytes = 0; // of an element of a line
  std::int64_t num_rows = 0;
  std::span<std::byte const* const> lines{};
};

// Writes lines one after the other; `shape_of(rows)` is the shape of an array with that many rows in all.
template <communicator Comm, class ShapeOf>
void write_lines_together(Comm& comm, std::filesystem::path const& path, lines_piece const& piece, ShapeOf shape_of) {
  glt::detail::call_site const site{.what = glt::detail::operation::shuffle};
  auto const agreed = [&](auto work) { glt::detail::agree(comm, site, glt::detail::failure_of(work)); };
  auto const ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> const own(ranks, piece.num_rows);
  std::vector<glt::detail::call_header> headers(ranks);
  auto const fingerprint = glt::detail::fingerprint_of(piece.type, piece.row_bytes, piece.lines.size());
  glt::detail::exchange_headers(comm, site, own, fingerprint, {}, headers);
  std::int64_t before = 0;
  std::int64_t total = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (headers[rank].value != headers[0].value) {
      throw glt::detail::agreed(
          comm, static_cast<int>(rank),
          path.string() + glt::detail::name_first_rank(comm, ": has rows of another type or length than rank 0"));
    }
    before += static_cast<int>(rank) < comm.rank() ? headers[rank].count : 0;
    total += headers[rank].count;
  }
  std::string head;
  agreed([&] {
    auto const made = npy_start(npy_own_name_of(piece.type), shape_of(total));
    if (!made) {
      throw precondition_error(path.string() + ": the shape does not fit an .npy header; give fewer dimensions");
    }
    head = *made;
    if (comm.rank() == 0) {
      std::filesystem::remove(path); // a link is not followed
      shared_file file(path, "wbx");
      file.write(0, head.data(), std::ssize(head));
      file.close();
    }
  });
  agreed([&] {
    if (piece.num_rows > 0) {
      shared_file file(path, "r+b");
      for (std::size_t line = 0; line < piece.lines.size(); ++line) {
        auto const row = static_cast<std::int64_t>(line) * total + before;
        file.write(std::ssize(head) + row * piece.row_bytes, piece.lines[line], piece.num_rows * piece.row_bytes);
      }
      file.close();
    }
  });
}

/// Writes an array of which every rank holds some rows, rank 0's rows first; replaces a file of the same name.
///
/// The file equals the output of `write_npy` for all rows; bfloat16 gets NumPy's two-byte type '|V2'.
///
/// @shape  piece [rows of this rank, …], not empty; all sides but the first are equal on all ranks
/// @comm   collective; three header exchanges
/// @throws collective_error  on every rank, if rows do not have the same type and length, or the file cannot be
///                           written; an incomplete file may remain
template <communicator Comm>
void write_npy_together(Comm& comm, std::filesystem::path const& path, array const& piece) {
  std::array const lines{piece.bytes().data()};
  lines_piece const own{.type = piece.type(),
                        .row_bytes = piece.columns() * glt::detail::size_of(piece.type()),
                        .num_rows = piece.rows(),
                        .lines = lines};
  write_lines_together(comm, path, own, [&](std::int64_t rows) {
    auto shape = piece.shape();
    if (!shape.empty()) {
      shape[0] = rows;
    }
    return shape;
  });
}

/// Writes a list of which every rank holds a piece.
template <communicator Comm, class T>
void write_npy_together(Comm& comm, std::filesystem::path const& path, host_view<T const> piece) {
  std::array const lines{reinterpret_cast<std::byte const*>(piece.data())};
  lines_piece const own{.type = glt::detail::element_type_of<T>,
                        .row_bytes = static_cast<std::int64_t>(sizeof(T)),
                        .num_rows = piece.size(),
                        .lines = lines};
  write_lines_together(comm, path, own, [](std::int64_t rows) { return std::array{rows}; });
}

/// Writes pairs of vertices, which become an array [2, E].
///
/// @pre    there are as many destinations as sources; not checked
template <communicator Comm>
void write_pairs_together(Comm& comm, std::filesystem::path const& path, host_view<global_id const> sources,
                          host_view<global_id const> destinations) {
  std::array const lines{reinterpret_cast<std::byte const*>(sources.data()),
                         reinterpret_cast<std::byte const*>(destinations.data())};
  lines_piece const own{.type = element_type::int64,
                        .row_bytes = static_cast<std::int64_t>(sizeof(global_id)),
                        .num_rows = sources.size(),
                        .lines = lines};
  write_lines_together(comm, path, own, [](std::int64_t rows) { return std::array{std::int64_t{2}, rows}; });
}

} // namespace glt::io::detail
