// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/libraries.hpp>

#include <new>
#include <zlib.h>

namespace glt::io::detail {

/// Unpacks a gzip file from its beginning to its end; several members make one text, as with gzip itself.
///
/// The check sum of every member is verified. Nothing but members may be in the file.
///
/// @source RFC 1952, GZIP file format specification version 4.3
class gzip_reader {
public:
  /// @throws io_error  if the file does not begin as a gzip file
  explicit gzip_reader(input_file file) : file_(std::move(file)), state_(std::make_unique_for_overwrite<state>()) {
    fill();
    if (!is_gzip({reinterpret_cast<char const*>(state_->packed.data()), state_->stream.avail_in})) {
      file_.fail(0, "does not begin as a gzip file; check what it is");
    }
    constexpr int gzip_window = 15 + 16; // the largest window, in gzip's wrapping
    if (inflateInit2(&state_->stream, gzip_window) != Z_OK) {
      throw std::bad_alloc();
    }
    state_->open = true;
  }

  /// True if a file of these first bytes is packed by gzip.
  [[nodiscard]] static bool is_gzip(std::string_view first_bytes) noexcept {
    return first_bytes.starts_with("\x1f\x8b");
  }

  [[nodiscard]] input_file const& file() const noexcept { return file_; }
  /// Bytes of the packed file.
  [[nodiscard]] std::int64_t size() const noexcept { return file_.size(); }
  /// Returns the bytes of the packed file that have been unpacked.
  [[nodiscard]] std::int64_t position() const noexcept {
    return file_.position() - static_cast<std::int64_t>(state_->stream.avail_in);
  }

  /// Unpacks up to `count` bytes and returns how many; fewer only at the end of the file.
  ///
  /// @throws io_error  if the file is cut or damaged, or other bytes follow a member; its offset is a place in the packed
  ///                   file
  std::int64_t read_some(char* out, std::int64_t count) {
    auto& stream = state_->stream;
    std::int64_t done = 0;
    while (done < count && !ended_) {
      constexpr std::int64_t at_once = std::int64_t{1} << 30;
      auto const room = std::min(count - done, at_once);
      stream.next_out = reinterpret_cast<Bytef*>(out + done);
      stream.avail_out = static_cast<uInt>(room);
      if (stream.avail_in == 0) {
        fill();
      }
      bool const starved = stream.avail_in == 0;
      auto const code = inflate(&stream, Z_NO_FLUSH);
      done += room - static_cast<std::int64_t>(stream.avail_out);
      if (code == Z_STREAM_END) {
        begin_member();
      } else if (code == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (starved && stream.avail_out > 0) {
        file_.fail(position(), "ends within its packed data; fetch or make it again");
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        file_.fail(position(), glt::detail::message("its packed data is damaged (",
                                                    stream.msg != nullptr ? stream.msg : "zlib gives no reason",
                                                    "); fetch or make it again"));
      }
    }
    return done;
  }

private:
  struct state { // zlib keeps the address of its stream
    state() = default;
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() {
      if (open) {
        inflateEnd(&stream);
      }
    }
    z_stream stream{};
    std::array<unsigned char, std::size_t{1} << 16> packed;
    bool open = false;
  };

  void fill() {
    auto const count = std::min(static_cast<std::int64_t>(state_->packed.size()), file_.size() - file_.position());
    file_.read(state_->packed.data(), count);
    state_->stream.next_in = state_->packed.data();
    state_->stream.avail_in = static_cast<uInt>(count);
  }

  void begin_member() {
    auto& stream = state_->stream;
    if (stream.avail_in == 0) {
      fill();
    }
    ended_ = stream.avail_in == 0;
    if (ended_) {
      return;
    }
    // A member may begin with the last byte at hand: its second one is then checked by zlib.
    if (*stream.next_in != 0x1f || (stream.avail_in > 1 && stream.next_in[1] != 0x8b)) {
      file_.fail(position(), glt::detail::message("goes on for ", file_.size() - position(),
                                                  " bytes that are no gzip data; remove them or fetch it again"));
    }
    inflateReset(&stream);
  }

  input_file file_;
  std::unique_ptr<state> state_;
  bool ended_ = false;
};

} // namespace glt::io::detail
