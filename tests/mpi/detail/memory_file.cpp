// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/node.hpp>

#include <glt/memory/policy.hpp>
#include <glt/mpi/communicator.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <sys/resource.h>

using namespace glt;
using detail::memory_file;

namespace {

std::string why_not(detail::memory_file_name const& name) {
  return glt_test::thrown<error>([&] { static_cast<void>(memory_file::open(name)); });
}

} // namespace

TEST_CASE("processes that map a memory file see the same bytes, which stay when it is closed") {
  auto comm = mpi_comm::world();
  for (std::int64_t const size : {100, 5000, (7 << 20) + 3}) {
    CAPTURE(size);
    std::optional file(memory_file::create(comm.rank() == 0 ? size : 0));
    auto name = file->name();
    comm.broadcast(std::as_writable_bytes(std::span(&name, 1)).data(), sizeof(name), 0);
    auto const mapped = comm.rank() == 0 ? file->map() : memory_file::open(name).map();
    CHECK(reinterpret_cast<std::uintptr_t>(mapped.get()) % detail::huge_page_bytes == 0);
    std::span const bytes(mapped.get(), static_cast<std::size_t>(size));
    if (comm.rank() == 0) {
      detail::take_huge_pages(bytes.data(), bytes.size());
      CHECK(std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; }));
    }
    comm.barrier();
    file.reset();
    bytes[bytes.size() - 1 - static_cast<std::size_t>(comm.rank())] = std::byte(1 + comm.rank());
    comm.barrier();
    for (int rank = 0; rank < comm.size(); ++rank) {
      CHECK(bytes[bytes.size() - 1 - static_cast<std::size_t>(rank)] == std::byte(1 + rank));
    }
    CHECK(bytes[bytes.size() - 1 - static_cast<std::size_t>(comm.size())] == std::byte{0});
  }
  CHECK(memory_file::create(0).map() != nullptr);
}

TEST_CASE("a memory file that is not there any more, or is another one, is not opened") {
  std::optional file(memory_file::create(3));
  auto const name = file->name();
  auto other = name;
  ++other.inode;
  CHECK(glt_test::names(why_not(other), "memory of 3 bytes", "cannot be opened: No such process"));
  file.reset();
  CHECK(glt_test::names(why_not(name), "cannot be opened: No such file"));
  auto const too_large = glt_test::thrown<error>([] { static_cast<void>(memory_file::create(INT64_MAX).map()); });
  CHECK(glt_test::names(too_large, "memory of 9223372036854775807 bytes", "cannot be "));
}

TEST_CASE("memory beyond the limit of file sizes is an error, not a signal, and ranks share nothing then") {
  mpi_node node(mpi_comm::world());
  struct ::rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto small = before;
  small.rlim_cur = 1 << 20;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  auto const refused = glt_test::thrown<error>([] { static_cast<void>(memory_file::create((1 << 20) + 1)); });
  auto const blocks = node.share(64 << 20, [](std::span<std::byte>) {});
  auto const made = memory_file::create(1 << 20).map();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(glt_test::names(refused, "memory of 1048577 bytes", "limit of file sizes (ulimit -f)", "File too large"));
  CHECK(made != nullptr);
  CHECK(blocks.own.size() == 64 << 20);
  CHECK((node.size() == 1 || glt_test::names(blocks.reason, "rank 0 cannot share memory", "ulimit -f")));
}
