// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/feature_store.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/disk/detail/read_queue.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>
#include <mutex>

namespace glt::io::detail {

/// Queue of at most `capacity` numbers, first in, first out.
class number_ring {
public:
  explicit number_ring(std::int64_t capacity) : numbers_(static_cast<std::size_t>(capacity)) {}

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return std::ssize(numbers_); }
  /// @pre    not full; not checked
  void push(std::int32_t number) noexcept {
    numbers_[static_cast<std::size_t>((first_ + size_++) % capacity())] = number;
  }
  /// @pre    not empty; not checked
  std::int32_t pop() noexcept {
    auto const number = numbers_[static_cast<std::size_t>(first_)];
    first_ = (first_ + 1) % capacity();
    --size_;
    return number;
  }

private:
  std::vector<std::int32_t> numbers_;
  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
};

/// Cache of rows in memory. A new row enters a small queue, a tenth of the cache. A row that was used again there moves
/// to the main queue. A row that comes back while it is a ghost, one of the rows that the small queue dropped last and
/// as many as the cache holds, enters the main queue.
///
/// Concurrent calls: none on one object.
///
/// @source Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023 (S3-FIFO)
class row_cache {
public:
  /// Bytes that a cached row takes beside its elements: its number, uses and places in queues.
  static constexpr std::int64_t bytes_beside = 3 * sizeof(std::int32_t) + 1;

  /// Makes a cache that takes at most `budget` bytes, and beside it 4 bytes for every row of the file; nothing if no row
  /// fits.
  ///
  /// @pre    0 <= num_rows < 2³¹; not checked
  row_cache(std::int64_t num_rows, std::int64_t row_bytes, std::int64_t budget)
      : row_bytes_(row_bytes), capacity_(std::min(num_rows, budget / (row_bytes + bytes_beside))),
        most_small_(std::max<std::int64_t>(1, capacity_ / 10)), small_(capacity_), main_(capacity_),
        dropped_(static_cast<std::uint32_t>(capacity_) + 1), rows_(capacity_ * row_bytes),
        row_of_slot_(static_cast<std::size_t>(capacity_)), uses_(static_cast<std::size_t>(capacity_)),
        places_(static_cast<std::size_t>(capacity_ > 0 ? num_rows : 0), ~0) {}

  /// Returns the most rows that it holds.
  [[nodiscard]] std::int64_t capacity() const noexcept { return capacity_; }

  /// Returns the bytes of a row and counts the use; null if the row is not cached.
  [[nodiscard]] std::byte const* find(std::int64_t row) noexcept {
    if (capacity_ == 0) {
      return nullptr;
    }
    auto const slot = places_[static_cast<std::size_t>(row)];
    if (slot < 0) {
      return nullptr;
    }
    auto& uses = uses_[static_cast<std::size_t>(slot)];
    uses = static_cast<std::uint8_t>(std::min(uses + 1, most_uses));
    return rows_.data() + slot * row_bytes_;
  }

  /// Copies a row into the cache, in place of another one if it is full.
  ///
  /// @pre    the row is not cached; not checked
  void insert(std::int64_t row, std::byte const* bytes) noexcept {
    if (capacity_ == 0) {
      return;
    }
    auto const slot = held_ < capacity_ ? static_cast<std::int32_t>(held_++) : evict();
    auto& place = places_[static_cast<std::size_t>(row)];
    (is_ghost(place) ? main_ : small_).push(slot);
    place = slot;
    row_of_slot_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(row);
    uses_[static_cast<std::size_t>(slot)] = 0;
    glt::detail::copy_bytes(rows_.data() + slot * row_bytes_, bytes, row_bytes_);
  }

private:
  static constexpr int most_uses = 3;
  static constexpr std::uint32_t most_dropped = 0x7FFFFFFF; // counts begin again after it

  // A row that is not cached has the complement of `dropped_` at its last drop: a long time ago unless it is a ghost.
  [[nodiscard]] bool is_ghost(std::int32_t place) const noexcept {
    return ((dropped_ - static_cast<std::uint32_t>(~place)) & most_dropped) <= static_cast<std::uint32_t>(capacity_);
  }

  // Returns a slot whose row was dropped.
  std::int32_t evict() noexcept {
    while (small_.size() >= most_small_ || (main_.size() == 0 && small_.size() > 0)) {
      auto const slot = small_.pop();
      if (uses_[static_cast<std::size_t>(slot)] <= 1) {
        drop(slot, dropped_++);
        return slot;
      }
      uses_[static_cast<std::size_t>(slot)] = 0;
      main_.push(slot);
    }
    for (;;) { // ends: each turn takes a use away
      auto const slot = main_.pop();
      if (auto& uses = uses_[static_cast<std::size_t>(slot)]; uses > 0) {
        --uses;
        main_.push(slot);
        continue;
      }
      drop(slot, dropped_ - static_cast<std::uint32_t>(capacity_) - 1);
      return slot;
    }
  }
  void drop(std::int32_t slot, std::uint32_t when) noexcept {
    auto const row = row_of_slot_[static_cast<std::size_t>(slot)];
    places_[static_cast<std::size_t>(row)] = ~static_cast<std::int32_t>(when & most_dropped);
  }

  std::int64_t row_bytes_;
  std::int64_t capacity_;
  std::int64_t most_small_;
  std::int64_t held_ = 0;
  number_ring small_;                     // slots
  number_ring main_;                      // slots
  std::uint32_t dropped_;                 // rows that the small queue has dropped; begins as if no ghost was left
  buffer<device::cpu, std::byte> rows_;   // [capacity, bytes of a row]
  std::vector<std::int32_t> row_of_slot_; // [capacity]
  std::vector<std::uint8_t> uses_;        // [capacity], since the row entered its queue, at most 3
  std::vector<std::int32_t> places_;      // [num_rows]: slot, or below 0; see `is_ghost`
};

/// Options of reading rows from a file that does not fit into memory.
struct disk_options {
  std::int64_t cache_bytes = 0; ///< memory for rows that were read; 4 bytes for every row of the file come on top
  int queue_depth = 64;         ///< reads at a time
  bool direct = false;          ///< read past the page cache (O_DIRECT): the system keeps no second copy of the rows
  bool io_uring = true;         ///< where the kernel allows it; otherwise one thread for every read at a time
};

} // namespace glt::io::detail

namespace glt::io {

/// Rows of a matrix in one file or several, each read when it is asked for: for features larger than memory.
///
///     auto const disk = std::make_shared<glt::io::disk_rows>(path, offset, rows, row_bytes, options);
///     glt::feature_store<cpu, float> const store(rows, columns, std::move(mapped), {}, {}, disk);
///
/// Recently used rows stay in a cache with S3-FIFO eviction. A row that a call names twice is read once, and rows in
/// the same or in neighbouring blocks come by one read.
///
/// Concurrent calls: all; calls of `read` run one after the other.
///
/// @shape  num_rows rows of row_bytes bytes, from byte `offset` of the file on; or the rows of all files in their order
/// @source Yang et al., SOSP 2023 (eviction)
class disk_rows : public glt::detail::row_storage {
public:
  using options = detail::disk_options; ///< cache, and ways to read
  using file_type = detail::file_rows;  ///< rows that follow each other in a file

  /// Numbers of all calls so far.
  struct counts {
    std::int64_t rows = 0;   ///< asked for
    std::int64_t cached = 0; ///< of them, found in the cache
    std::int64_t reads = 0;  ///< of files
    std::int64_t bytes = 0;  ///< read from files
  };

  /// Opens a file.
  ///
  /// @throws precondition_error  if the queue depth is not in [1, 1024], another number is negative, or there are 2³¹
  ///                             rows or more
  /// @throws io_error            if the file cannot be opened, is shorter than the rows, or cannot be read past the page
  ///                             cache and `direct` is set
  /// @cost   the memory of the cache, and 64 KiB or one row for every read at a time
  disk_rows(std::filesystem::path const& path, std::int64_t offset, std::int64_t num_rows, std::int64_t row_bytes,
            options const& chosen = {})
      : disk_rows({{path, offset, num_rows}}, row_bytes, chosen) {}

  /// Opens several files; they share the cache and the reads at a time.
  ///
  /// @shape  files [1 or more], with rows of `row_bytes` bytes each
  /// @throws precondition_error, io_error  as for one file
  disk_rows(std::vector<file_type> files, std::int64_t row_bytes, options const& chosen = {})
      : files_(std::move(files)), row_bytes_(row_bytes), queue_(open_all(chosen), chosen.queue_depth, chosen.io_uring),
        most_bytes_(std::max(smallest_slot, (row_bytes / queue_.block() + 2) * queue_.block())),
        cache_(num_rows(), row_bytes, chosen.cache_bytes) {}

  /// Writes rows; see `row_storage`.
  ///
  /// @throws io_error  naming file, byte and row, if a file became shorter or cannot be read; the cache then is as
  ///                   before
  /// @cost   one copy of a cached row; O(M log M) for M rows that are not cached, and a second copy into the cache
  std::int64_t read(host_view<std::int64_t const> rows, std::byte* out) const override {
    std::scoped_lock const one_call(mutex_);
    missing_.clear();
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      if (auto const* const cached = cache_.find(rows[i])) {
        glt::detail::copy_bytes(out + i * row_bytes_, cached, row_bytes_);
      } else {
        missing_.push_back({rows[i], i});
      }
    }
    auto const cached = rows.size() - std::ssize(missing_);
    counts_.rows += rows.size();
    counts_.cached += cached;
    std::ranges::sort(missing_);
    find_pieces();
    read_missing(out);
    for (std::size_t m = 0; m < missing_.size(); ++m) { // after all reads: a failure leaves the cache as it is
      if (m == 0 || missing_[m].row != missing_[m - 1].row) {
        cache_.insert(missing_[m].row, out + missing_[m].place * row_bytes_);
      }
    }
    return cached;
  }

  [[nodiscard]] std::int64_t num_rows() const noexcept { return begins_.back(); }
  [[nodiscard]] std::int64_t row_bytes() const noexcept { return row_bytes_; }
  /// Returns the most rows that the cache holds.
  [[nodiscard]] std::int64_t cached_rows() const noexcept { return cache_.capacity(); }
  /// Returns true if the kernel reads by io_uring, and false if threads do.
  [[nodiscard]] bool uses_io_uring() const noexcept { return queue_.uses_io_uring(); }
  [[nodiscard]] counts statistics() const {
    std::scoped_lock const one_call(mutex_);
    return counts_;
  }

private:
  static constexpr std::int64_t smallest_slot = 1 << 16;

  struct missing_row {
    std::int64_t row;
    std::int64_t place;
    friend auto operator<=>(missing_row const&, missing_row const&) = default;
  };

  // Opens the files and finds where the rows of each begin.
  std::vector<detail::readable_file> open_all(options const& chosen) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    std::vector<detail::readable_file> opened;
    for (auto const& [path, offset, rows] : files_) {
      if (offset < 0 || rows < 0 || num_rows() > std::numeric_limits<std::int32_t>::max() - rows || row_bytes_ < 0 ||
          chosen.cache_bytes < 0 || chosen.queue_depth < 1 || chosen.queue_depth > 1024 ||
          (row_bytes_ > 0 && rows > (most - offset) / row_bytes_)) {
        throw precondition_error(glt::detail::message(rows, " rows of ", row_bytes_, " bytes from byte ", offset,
                                                      " of ", path.string(), ", ", chosen.queue_depth,
                                                      " reads at a time, a cache of ", chosen.cache_bytes,
                                                      " bytes; give numbers of 0 or more, less than 2^31 rows (more "
                                                      "parts have fewer each), and 1 to 1024 reads"));
      }
      begins_.push_back(num_rows() + rows);
      detail::input_file const found(path);
      if (found.size() < offset + rows * row_bytes_) {
        found.fail(found.size(), glt::detail::message("ends before the last of ", rows, " rows of ", row_bytes_,
                                                      " bytes from byte ", offset, " on; copy it again"));
      }
      opened.emplace_back(path, chosen.direct);
    }
    return opened;
  }

  // Returns the byte of a row in its file, or where the row would begin in another file.
  [[nodiscard]] std::int64_t byte_of(std::int64_t row, std::size_t file) const noexcept {
    return files_[file].offset + (row - begins_[file]) * row_bytes_;
  }

  // Joins the missing rows to pieces of whole blocks.
  void find_pieces() const {
    auto const block = queue_.block();
    pieces_.clear();
    first_missing_.clear();
    if (row_bytes_ == 0) {
      return;
    }
    std::size_t file = 0;
    for (std::size_t m = 0; m < missing_.size(); ++m) {
      while (missing_[m].row >= begins_[file + 1]) {
        ++file;
      }
      auto const first = byte_of(missing_[m].row, file);
      auto const begin = first / block * block;
      auto const last = first + row_bytes_;
      auto const end = (last + block - 1) / block * block;
      if (pieces_.empty() || pieces_.back().file != file || begin > pieces_.back().offset + pieces_.back().bytes ||
          end - pieces_.back().offset > most_bytes_) {
        pieces_.push_back({begin, 0, 0, file});
        first_missing_.push_back(m);
      }
      pieces_.back().bytes = end - pieces_.back().offset;
      pieces_.back().needed = last - pieces_.back().offset;
    }
    first_missing_.push_back(missing_.size());
    counts_.reads += std::ssize(pieces_);
    for (auto const& piece : pieces_) {
      counts_.bytes += piece.bytes;
    }
  }

  void read_missing(std::byte* out) const {
    try {
      queue_.read(pieces_, most_bytes_, [&](std::size_t piece, std::byte const* bytes) {
        auto const& [offset, size, needed, file] = pieces_[piece];
        for (auto m = first_missing_[piece]; m < first_missing_[piece + 1]; ++m) {
          auto const [row, place] = missing_[m];
          glt::detail::copy_bytes(out + place * row_bytes_, bytes + (byte_of(row, file) - offset), row_bytes_);
        }
      });
    } catch (io_error const& fault) { // of the first missing row of the file that ends behind the byte
      auto const found = std::ranges::find(files_, fault.path(), [](auto const& each) { return each.path.string(); });
      auto const file = static_cast<std::size_t>(found - files_.begin());
      auto const row = std::ranges::partition_point(missing_, [&](missing_row const& each) {
        return each.row < begins_[file] || byte_of(each.row + 1, file) <= fault.offset();
      });
      throw io_error(
          fault.path(), fault.offset(),
          glt::detail::message("row ", row->row - begins_[file], " of ", found->num_rows, " ", fault.cause()));
    }
  }

  std::vector<file_type> files_;
  std::vector<std::int64_t> begins_{0}; // [files + 1], first row of each file
  std::int64_t row_bytes_;
  mutable std::mutex mutex_;
  mutable detail::read_queue queue_;
  std::int64_t most_bytes_;
  mutable detail::row_cache cache_;
  mutable counts counts_;
  mutable std::vector<missing_row> missing_;       // of the call, sorted
  mutable std::vector<detail::read_piece> pieces_; // of the call
  mutable std::vector<std::size_t> first_missing_; // [pieces + 1], among `missing_`
};

} // namespace glt::io
