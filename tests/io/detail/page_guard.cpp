// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/scratch.hpp"

#include <glt/io/detail/input_watch.hpp>

#if defined(__linux__)

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace glt_test;
using glt::io::detail::page_guard;

namespace {

constexpr std::int64_t length = 1 << 20;

// A mapping of a file of ones, which is then shortened.
class mapping {
public:
  explicit mapping(std::filesystem::path const& file) : file_(file) {
    write_bytes(file, std::string(length, '\1'));
    int const descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    auto* const made = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    ::close(descriptor);
    REQUIRE(made != MAP_FAILED);
    data_ = static_cast<std::byte*>(made);
  }
  mapping(mapping const&) = delete;
  mapping& operator=(mapping const&) = delete;
  ~mapping() { ::munmap(data_, length); }

  void shorten() const { std::filesystem::resize_file(file_, 0); }
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::byte at(std::int64_t place) const { return *static_cast<std::byte volatile*>(data_ + place); }

private:
  std::filesystem::path file_;
  std::byte* data_ = nullptr;
};

bool is_handler(void (*function)(int)) {
  struct ::sigaction now{};
  ::sigaction(SIGBUS, nullptr, &now);
  return now.sa_handler == function;
}

} // namespace

TEST_CASE("what a shortened file has lost is zeros, and known to be lost") {
  scratch_folder const scratch;
  mapping const one(scratch / "one");
  mapping const two(scratch / "two");
  page_guard const guard_of_one(one.data(), length);
  page_guard const guard_of_two(two.data(), length);
  CHECK(one.at(length - 1) == std::byte{1});
  CHECK_FALSE(guard_of_one.lost());
  one.shorten();
  CHECK(one.at(length - 1) == std::byte{0});
  CHECK(one.at(length / 2) == std::byte{0});
  CHECK(guard_of_one.lost());
  CHECK_FALSE(guard_of_two.lost());
  CHECK(two.at(length - 1) == std::byte{1});
}

TEST_CASE("the last guard gives the handler back that was there, and that gets what is not guarded") {
  static int caught = 0;
  static std::byte* page = nullptr;
  struct ::sigaction own{};
  own.sa_handler = [](int) {
    ++caught;
    ::mmap(page, length, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
  };
  struct ::sigaction before{};
  ::sigaction(SIGBUS, &own, &before);
  scratch_folder const scratch;
  {
    mapping const guarded(scratch / "guarded");
    mapping const plain(scratch / "plain");
    page = plain.data();
    auto first = std::make_unique<page_guard>(guarded.data(), length);
    auto second = std::make_unique<page_guard>(guarded.data(), length);
    CHECK_FALSE(is_handler(own.sa_handler));
    first.reset();
    CHECK_FALSE(is_handler(own.sa_handler));
    plain.shorten();
    CHECK(plain.at(0) == std::byte{0});
    CHECK(caught == 1);
    second.reset();
    CHECK(is_handler(own.sa_handler));
  }
  ::sigaction(SIGBUS, &before, nullptr);
}

TEST_CASE("there may be more guards than places") {
  scratch_folder const scratch;
  mapping const one(scratch / "one");
  std::vector<std::unique_ptr<page_guard>> guards;
  for (std::size_t i = 0; i < glt::io::detail::guarded_table.size() + 10; ++i) {
    guards.push_back(std::make_unique<page_guard>(one.data(), length));
  }
  one.shorten();
  CHECK(one.at(0) == std::byte{0});
  CHECK(guards.front()->lost());
  CHECK_FALSE(guards.back()->lost());
}

#endif
