// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/threaded.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/disk/detail/read_ring.hpp>

#include <atomic>
#include <filesystem>
#include <new>

#if defined(__unix__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace glt::io::detail {

/// Piece of a file to read, from block to block. The end of the file may cut it after the needed bytes.
struct read_piece {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::int64_t needed = 0; ///< at most `bytes`
  std::size_t file = 0;    ///< its place in the list of files
};

/// Memory for reads, aligned to pages.
class page_memory {
public:
  static constexpr std::int64_t page = 4096;

  page_memory() = default;
  explicit page_memory(std::int64_t bytes)
      : bytes_(new(std::align_val_t{page}) std::byte[static_cast<std::size_t>(bytes)]) {}
  [[nodiscard]] std::byte* data() const noexcept { return bytes_.get(); }

private:
  struct release {
    void operator()(std::byte* memory) const noexcept { ::operator delete[](memory, std::align_val_t{page}); }
  };
  std::unique_ptr<std::byte[], release> bytes_;
};

/// Open file to read pieces from; move-only.
class readable_file {
public:
  /// @throws io_error  if the file cannot be opened, or not past the page cache if `direct` is set
  readable_file(std::filesystem::path path, bool direct)
      : path_(std::move(path)), file_(open(direct)), block_(direct ? find_block() : 1) {}
  readable_file(readable_file&& other) noexcept
      : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), block_(other.block_) {}
  readable_file& operator=(readable_file&&) = delete;
  ~readable_file() {
    if (file_ >= 0) {
      ::close(file_);
    }
  }

  [[nodiscard]] int descriptor() const noexcept { return file_; }
  /// Returns the bytes that begin and end of a piece are multiples of.
  [[nodiscard]] std::int64_t block() const noexcept { return block_; }

  /// Reads the missing bytes of a piece of which `done` bytes came; a negative number is an error, after which all is
  /// read again.
  ///
  /// @throws io_error  naming the byte that cannot be read
  void complete(read_piece const& piece, std::byte* to, std::int64_t done) const {
    done = std::max<std::int64_t>(done, 0);
    while (done < piece.needed) {
      done -= done % block_; // the end of the file may lie inside of a block
      auto const got = ::pread(file_, to + done, static_cast<std::size_t>(piece.bytes - done), piece.offset + done);
      if (got < 0 && errno != EINTR) {
        fail(piece.offset + done, glt::detail::message("cannot be read: ", std::strerror(errno),
                                                       "; check the disk, and copy the file again"));
      }
      if (got >= 0 && done + got < piece.needed && (got == 0 || got % block_ != 0)) {
        fail(piece.offset + done + got, "cannot be read: the file became shorter after it was opened; copy it again");
      }
      done += std::max<std::int64_t>(got, 0);
    }
  }

private:
  [[noreturn]] void fail(std::int64_t offset, std::string const& what) const {
    throw io_error(path_.string(), offset, what);
  }

  [[nodiscard]] int open(bool direct) const {
    int flags = O_RDONLY | O_CLOEXEC;
#if defined(O_DIRECT)
    flags |= direct ? O_DIRECT : 0;
#endif
    auto const file = ::open(path_.c_str(), flags);
    if (file < 0) {
      fail(0, glt::detail::message(
                  "cannot be opened for reading", direct ? " past the page cache: " : ": ",
                  why_not_opened(direct ? "; a file system may refuse that, then leave `direct` out" : "")));
    }
#if defined(POSIX_FADV_RANDOM)
    static_cast<void>(::posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM)); // nothing is read ahead
#endif
    return file;
  }

  // Returns the smallest block that the file system reads past the page cache.
  [[nodiscard]] std::int64_t find_block() const {
    page_memory const probe(page_memory::page);
    for (std::int64_t const bytes : {std::int64_t{512}, page_memory::page}) {
      if (::pread(file_, probe.data(), static_cast<std::size_t>(bytes), 0) >= 0) {
        return bytes;
      }
    }
    auto const why =
        glt::detail::message("cannot be read past the page cache: ", std::strerror(errno), "; leave `direct` out");
    ::close(file_); // there will be no destructor
    fail(0, why);
  }

  std::filesystem::path path_;
  int file_;
  std::int64_t block_;
};

/// Files that pieces are read from, `depth` at a time: by io_uring, or by threads where the kernel refuses it.
///
/// Concurrent calls: none on one object.
class read_queue {
public:
  /// Takes the files in their order.
  read_queue(std::vector<readable_file> files, int depth, bool io_uring) : files_(std::move(files)), depth_(depth) {
    for (auto const& each : files_) {
      block_ = std::max(block_, each.block());
    }
    if (io_uring) {
      ring_.emplace(depth);
    }
  }

  /// Returns the bytes that begin and end of a piece are multiples of.
  [[nodiscard]] std::int64_t block() const noexcept { return block_; }
  [[nodiscard]] bool uses_io_uring() const noexcept { return ring_ && ring_->works(); }

  /// Calls deliver(i, bytes) for every piece when it is read, for some of them at the same time. After a failure the
  /// reads under way come to their end, and no other begins.
  ///
  /// @shape  pieces [n], none with more than `most_bytes` bytes
  /// @throws io_error  naming the file and the byte that cannot be read
  template <class Deliver>
  void read(std::span<read_piece const> pieces, std::int64_t most_bytes, Deliver deliver) {
    reserve(most_bytes);
    if (uses_io_uring()) {
      read_by_ring(pieces, deliver);
    } else {
      read_by_threads(pieces, deliver);
    }
  }

private:
  void reserve(std::int64_t bytes) {
    bytes = (bytes + page_memory::page - 1) / page_memory::page * page_memory::page;
    if (bytes > slot_bytes_) {
      slot_bytes_ = 0;
      slots_ = page_memory(depth_ * bytes);
      slot_bytes_ = bytes;
    }
  }
  [[nodiscard]] std::byte* slot(std::int64_t number) const noexcept { return slots_.data() + number * slot_bytes_; }

  template <class Deliver>
  void read_by_ring(std::span<read_piece const> pieces, Deliver deliver) {
    std::vector<std::size_t> piece_of(static_cast<std::size_t>(depth_));
    std::vector<int> free(static_cast<std::size_t>(depth_));
    std::iota(free.rbegin(), free.rend(), 0);
    std::vector<int> added;
    std::exception_ptr failure;
    auto const finish = [&](int number, std::int64_t result) {
      auto const i = piece_of[static_cast<std::size_t>(number)];
      free.push_back(number); // of `depth` places
      try {
        if (!failure) {
          files_[pieces[i].file].complete(pieces[i], slot(number), result);
          deliver(i, slot(number));
        }
      } catch (...) {
        failure = std::current_exception();
      }
    };
    for (std::size_t next = 0; (next < pieces.size() && !failure) || free.size() < piece_of.size();) {
      bool const under_way = free.size() < piece_of.size();
      added.clear();
      for (; next < pieces.size() && !failure && !free.empty(); ++next) {
        auto const number = free.back();
        free.pop_back();
        piece_of[static_cast<std::size_t>(number)] = next;
        auto const& piece = pieces[next];
        ring_->add(files_[piece.file].descriptor(), slot(number), piece.bytes, piece.offset,
                   static_cast<std::uint64_t>(number));
        added.push_back(number);
      }
      for (auto refused = ring_->submit(under_way); refused > 0; --refused) {
        finish(added[added.size() - static_cast<std::size_t>(refused)], 0);
      }
      ring_->take([&](std::uint64_t number, std::int64_t result) { finish(static_cast<int>(number), result); });
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  template <class Deliver>
  void read_by_threads(std::span<read_piece const> pieces, Deliver deliver) {
    if (!threads_) {
      threads_.emplace(depth_);
    }
    std::atomic<std::size_t> next{0};
    threads_->run([&](int worker) {
      try {
        for (auto i = next.fetch_add(1); i < pieces.size(); i = next.fetch_add(1)) {
          files_[pieces[i].file].complete(pieces[i], slot(worker), 0);
          deliver(i, slot(worker));
        }
      } catch (...) {
        next = pieces.size(); // the others stop
        throw;
      }
    });
  }

  std::vector<readable_file> files_;
  std::int64_t depth_;
  std::int64_t block_ = 1;
  std::optional<read_ring> ring_;
  std::optional<glt::detail::thread_pool> threads_; // from the first read on
  std::int64_t slot_bytes_ = 0;
  page_memory slots_; // [depth, bytes of a slot]
};

} // namespace glt::io::detail
