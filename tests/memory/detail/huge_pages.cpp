// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/memory/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

using namespace glt;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

enum class pages { usual, huge, unknown };

// What Linux was asked for at an address: the flag "hg" of its mapping.
pages pages_at(void const* address) {
  std::ifstream maps("/proc/self/smaps");
  auto const wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    if (line.find(':') > line.find('-') && words >> std::hex >> begin >> dash >> end) {
      inside = begin <= wanted && wanted < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos ? pages::huge : pages::usual;
    }
  }
  return pages::unknown;
}

} // namespace

TEST_CASE("big memory has huge pages, but for what is less than a whole one; small memory has none") {
  host_resource const resource;
  // More than malloc keeps for reuse, so that nothing is left of earlier requests.
  constexpr std::size_t big = 64 * mebibyte + 12345;
  auto* const data = static_cast<std::byte*>(resource.allocate(big));
  CHECK(reinterpret_cast<std::uintptr_t>(data) % detail::huge_page_bytes == 0);
  if (pages_at(data) != pages::unknown && std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    CHECK(pages_at(data) == pages::huge);
    CHECK(pages_at(data + 64 * mebibyte - 1) == pages::huge);
    CHECK(pages_at(data + 64 * mebibyte) == pages::usual);
  }
  resource.deallocate(data, big);
}

TEST_CASE("memory without a whole huge page inside is left alone") {
  constexpr std::size_t big = 64 * mebibyte;
  auto* const data = static_cast<std::byte*>(::operator new(big, std::align_val_t{detail::huge_page_bytes}));
  auto const before = pages_at(data + mebibyte);
  detail::advise_huge_pages(data, detail::huge_page_bytes - 1);
  detail::advise_huge_pages(data + 1, detail::huge_page_bytes);
  detail::advise_huge_pages(data + mebibyte, 2 * mebibyte);
  detail::advise_huge_pages(nullptr, 0);
  CHECK(pages_at(data + mebibyte) == before);
  CHECK(pages_at(data + 2 * mebibyte) == before);
  if (before == pages::usual && std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    detail::advise_huge_pages(data + 1, 2 * detail::huge_page_bytes); // the second one is whole
    CHECK(pages_at(data + mebibyte) == pages::usual);
    CHECK(pages_at(data + 2 * mebibyte) == pages::huge);
    CHECK(pages_at(data + 4 * mebibyte) == pages::usual);
  }
  ::operator delete(data, big, std::align_val_t{detail::huge_page_bytes});
}

TEST_CASE("huge pages are taken at once, and the bytes stay") {
  constexpr std::size_t big = 64 * mebibyte;
  auto* const data = static_cast<std::byte*>(::operator new(big, std::align_val_t{detail::huge_page_bytes}));
  std::memset(data, 0, big);
  data[big - 1] = std::byte{1};
  detail::take_huge_pages(data, big - 1);
  CHECK(std::all_of(data, data + big - 1, [](std::byte byte) { return byte == std::byte{0}; }));
  CHECK(data[big - 1] == std::byte{1});
  if (pages_at(data) != pages::unknown && std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    CHECK(pages_at(data) == pages::huge);
    CHECK(pages_at(data + big - 1) != pages::huge);
  }
  detail::take_huge_pages(data, 0);
  ::operator delete(data, big, std::align_val_t{detail::huge_page_bytes});
}
