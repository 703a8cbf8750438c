// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <caffe2/serialize/in_memory_adapter.h>
#include <caffe2/serialize/inline_container.h>

#include <set>

namespace glt::detail {

/// Returns the CRC-32 of bytes, as used in zip archives.
///
/// @source Intel, "High Octane CRC Generation with the Intel Slicing-by-8 Algorithm", 2006
[[nodiscard]] inline std::uint32_t crc32_of(std::string_view bytes) noexcept {
  constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> made{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      auto sum = byte;
      for (int bit = 0; bit < 8; ++bit) {
        sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320U : 0U);
      }
      made[0][byte] = sum;
    }
    for (std::size_t i = 1; i < made.size(); ++i) {
      for (std::size_t byte = 0; byte < 256; ++byte) {
        made[i][byte] = (made[i - 1][byte] >> 8) ^ made[0][made[i - 1][byte] & 255];
      }
    }
    return made;
  }();
  auto sum = ~std::uint32_t{0};
  auto const byte_at = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    auto next = std::uint32_t{0};
    for (std::size_t k = 0; k < 8; ++k) {
      next ^= tables[7 - k][(byte_at(i + k) ^ (k < 4 ? sum >> (8 * k) : 0)) & 255];
    }
    sum = next;
  }
  for (; i < bytes.size(); ++i) {
    sum = (sum >> 8) ^ tables[0][(sum ^ byte_at(i)) & 255];
  }
  return ~sum;
}

/// Check of a LibTorch archive in memory against its checksums, which LibTorch does not compare.
///
/// @source PKWARE, .ZIP File Format Specification 6.3.3, 4.3 to 4.5
class archive_check {
public:
  archive_check(std::string_view bytes, std::string const& path) : bytes_(bytes), path_(path) {}

  /// Compares the directory with the entries, and the bytes of every entry with their checksum.
  ///
  /// @throws io_error  if an entry is damaged, with its name, or if this is no archive or a truncated one
  /// @throws c10::Error  if packed bytes cannot be unpacked
  void run() {
    if (bytes_.size() < tail_bytes || number(bytes_.size() - tail_bytes, 4) != 0x06054b50) {
      fail(bytes_.size(), "is no archive of LibTorch, or damaged: it does not end as one");
    }
    auto end = bytes_.size() - tail_bytes;
    auto count = number(end + 10, 2);
    auto size = number(end + 12, 4);
    auto at = number(end + 16, 4);
    if (end >= locator_bytes && number(end - locator_bytes, 4) == 0x07064b50) { // there are also numbers of 64 bits
      auto const whole = number(end - locator_bytes + 8, 8);
      if (end - locator_bytes < whole_tail_bytes || whole != end - locator_bytes - whole_tail_bytes ||
          number(whole, 4) != 0x06064b50) {
        fail(end, "is damaged: its directory is not where the end says");
      }
      auto const agrees = [&](std::uint64_t small, std::uint64_t none, std::uint64_t large) {
        return small == large || small == none;
      };
      auto const counts = number(whole + 32, 8);
      auto const sizes = number(whole + 40, 8);
      auto const place = number(whole + 48, 8);
      if (!agrees(count, 0xFFFF, counts) || !agrees(size, 0xFFFFFFFF, sizes) || !agrees(at, 0xFFFFFFFF, place)) {
        fail(end, "is damaged: its end contradicts itself");
      }
      count = counts;
      size = sizes;
      at = place;
      end = whole;
    }
    if (at > end || size != end - at) {
      fail(at, "is damaged: its directory is of another length");
    }
    std::set<std::string_view> names;
    for (std::uint64_t i = 0; i < count; ++i) {
      auto const name = check_entry(at, end);
      if (!names.insert(name).second) {
        fail(at, message("is damaged: it has ", name, " twice"));
      }
    }
    if (at != end) {
      fail(at, "is damaged: its directory has another number of entries");
    }
  }

private:
  static constexpr std::size_t tail_bytes = 22;
  static constexpr std::size_t locator_bytes = 20;
  static constexpr std::size_t whole_tail_bytes = 56;
  static constexpr std::size_t entry_bytes = 46;
  static constexpr std::size_t local_bytes = 30;

  [[noreturn]] void fail(std::uint64_t at, std::string const& what) const {
    throw io_error(path_, static_cast<std::int64_t>(at), what + "; save it again, or load an older file");
  }

  // Reads a number of `count` bytes, the lowest byte first.
  [[nodiscard]] std::uint64_t number(std::uint64_t at, int count) const {
    if (at > bytes_.size() || bytes_.size() - at < static_cast<std::uint64_t>(count)) {
      fail(at, "is damaged: it ends early");
    }
    std::uint64_t value = 0;
    for (int i = count - 1; i >= 0; --i) {
      value = value << 8 | static_cast<unsigned char>(bytes_[at + static_cast<std::uint64_t>(i)]);
    }
    return value;
  }
  [[nodiscard]] std::string_view text(std::uint64_t at, std::uint64_t count) const {
    if (at > bytes_.size() || bytes_.size() - at < count) {
      fail(at, "is damaged: it ends early");
    }
    return bytes_.substr(at, count);
  }

  // Checks the entry of the directory at `at`, moves `at` behind the entry, and returns its name.
  std::string_view check_entry(std::uint64_t& at, std::uint64_t end) {
    auto const here = at;
    if (end - here < entry_bytes || number(here, 4) != 0x02014b50) {
      fail(here, "is damaged: its directory has another number of entries");
    }
    auto const how = number(here + 8, 4); // flags, and whether it is packed
    auto const sum = number(here + 16, 4);
    auto packed = number(here + 20, 4);
    auto size = number(here + 24, 4);
    auto const name = text(here + entry_bytes, number(here + 28, 2));
    auto const extra = here + entry_bytes + name.size();
    auto const behind = extra + number(here + 30, 2);
    auto local = number(here + 42, 4);
    for (auto field = extra; field + 4 <= behind; field += 4 + number(field + 2, 2)) {
      if (number(field, 2) == 1) { // the 64-bit values of fields that are 0xFFFFFFFF
        auto place = field + 4;
        for (auto* const value : {&size, &packed, &local}) {
          if (*value == 0xFFFFFFFF) {
            *value = number(place, 8);
            place += 8;
          }
        }
      }
    }
    at = behind + number(here + 32, 2);
    constexpr std::uint64_t folder = 0x10; // LibTorch reads no bytes of a folder: the tensor stays uninitialised
    if (at > end || (number(here + 38, 4) & folder) != 0) {
      fail(here, message("is damaged: its directory has no file ", name));
    }
    if (number(local, 4) != 0x04034b50 || number(local + 6, 4) != how ||
        text(local + local_bytes, number(local + 26, 2)) != name) {
      fail(here, message("is damaged: its directory contradicts the entry ", name));
    }
    auto const data = text(local + local_bytes + name.size() + number(local + 28, 2), packed);
    auto const is_stored = how >> 16 == 0;
    if ((is_stored && packed != size) || (is_stored ? crc32_of(data) : crc32_of_packed(name, size)) != sum) {
      fail(local, message("is damaged: the bytes of ", name, " are not those that were written"));
    }
    return name;
  }

  // Lets LibTorch unpack packed entries: texts, never tensors.
  std::uint32_t crc32_of_packed(std::string_view name, std::uint64_t size) {
    if (!reader_) {
      reader_ = std::make_unique<caffe2::serialize::PyTorchStreamReader>(
          std::make_shared<caffe2::serialize::MemoryReadAdapter>(bytes_.data(), static_cast<off_t>(bytes_.size())));
    }
    auto const [record, count] = reader_->getRecord(std::string(name.substr(name.find('/') + 1)));
    return count == size ? crc32_of({static_cast<char const*>(record.get()), count}) : ~std::uint32_t{0};
  }

  std::string_view bytes_;
  std::string const& path_;
  std::unique_ptr<caffe2::serialize::PyTorchStreamReader> reader_; // made on first use
};

} // namespace glt::detail
