// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/npy_any.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/detail/npy_layout.hpp>
#include <glt/io/detail/input_file.hpp>

#include <filesystem>

namespace glt::io::detail {

/// .npy file that is read in pieces of whole rows; elements are converted as `read_npy_any` does.
///
/// Concurrent calls: none on one object.
class npy_pieces {
public:
  /// @throws io_error  as `read_npy_any`, but for elements
  explicit npy_pieces(std::filesystem::path const& path)
      : file_(path), header_(read_npy_header(file_)), known_(&find_conversion(file_, header_)),
        count_(count_npy_elements(file_, header_, known_->stored_size)) {}

  [[nodiscard]] npy_header const& header() const noexcept { return header_; }
  [[nodiscard]] element_type type() const noexcept { return known_->type; }
  [[nodiscard]] std::int64_t num_elements() const noexcept { return count_; }

  /// Calls use(piece, first) for all elements, piece by piece; to be called once.
  ///
  /// @where  memory of a piece
  /// @throws io_error  with the place of the piece, if the elements are refused or `use` throws an io_error
  template <class Use>
  void for_each(Use use) {
    bool const in_columns = count_ > 0 && has_columns_first(header_);
    auto const row_size = in_columns ? count_ / header_.shape[0] : 1;
    // If columns are contiguous, a piece is read from one place per column.
    auto const piece_size =
        in_columns ? std::max((std::int64_t{1} << 20) / row_size, std::int64_t{1}) * row_size : std::int64_t{1} << 16;
    for (std::int64_t first = 0; first < count_; first += piece_size) {
      std::array const shape{std::min(piece_size, count_ - first)};
      auto bytes = *npy_start(header_.type, shape);
      auto const begin = bytes.size();
      bytes.resize(begin + static_cast<std::size_t>(shape[0] * known_->stored_size));
      auto* const elements = reinterpret_cast<std::byte*>(bytes.data() + begin);
      if (in_columns) {
        read_rows(first / row_size, shape[0] / row_size, elements);
      } else {
        file_.read(elements, shape[0] * known_->stored_size);
      }
      try {
        use(read_npy_any({reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)}, file_.path().string()),
            first);
      } catch (io_error const& fault) {
        file_.fail(header_.data_offset + first * known_->stored_size,
                   glt::detail::message("behind element ", first, ": ", fault.cause()));
      }
    }
  }

private:
  // Rows of an array whose columns are contiguous.
  void read_rows(std::int64_t first, std::int64_t rows, std::byte* out) {
    auto const size = known_->stored_size;
    auto const columns = count_ / header_.shape[0];
    columns_.resize(static_cast<std::size_t>(rows * columns * size));
    for (std::int64_t column = 0; column < columns; ++column) {
      file_.seek(header_.data_offset + (column * header_.shape[0] + first) * size);
      file_.read(columns_.data() + column * rows * size, rows * size);
    }
    auto shape = header_.shape;
    shape[0] = rows;
    copy_rows(columns_.data(), shape, size, out);
  }

  input_file file_;
  npy_header header_;
  npy_conversion const* known_;
  std::int64_t count_;
  std::vector<std::byte> columns_;
};

} // namespace glt::io::detail
