// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/node.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

using glt::mpi_comm;
using glt::mpi_node;

namespace {

void fill_nothing(std::span<std::byte>) {}

// Memory files that this process has mapped.
int num_mapped() {
  int mapped = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    mapped += line.find("memfd:glt") != std::string::npos ? 1 : 0;
  }
  return mapped;
}

// True if this rank sees its own block and no other.
bool is_private(mpi_comm const& comm, glt::node_blocks const& blocks) {
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (blocks.of_rank[static_cast<std::size_t>(rank)].has_value() != (rank == comm.rank())) {
      return false;
    }
  }
  return true;
}

// While it lives, this process can open one more file, and no second one.
class one_more_file {
public:
  one_more_file() {
    int const next = ::dup(0);
    REQUIRE(next >= 0);
    ::close(next);
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    ::rlimit const small{static_cast<rlim_t>(next) + 1, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &small) == 0);
  }
  one_more_file(one_more_file const&) = delete;
  one_more_file& operator=(one_more_file const&) = delete;
  ~one_more_file() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
  ::rlimit before_{};
};

} // namespace

TEST_CASE("the ranks of one machine know each other, on any communicator") {
  auto comm = mpi_comm::world();
  mpi_node const node(comm);
  CHECK(std::ssize(node.neighbors()) == comm.size());
  auto reversed = comm.split(0, -comm.rank());
  mpi_node other(reversed);
  auto const blocks = other.share(1, [&](std::span<std::byte> block) { block[0] = std::byte(reversed.rank()); });
  for (int rank = 0; rank < reversed.size(); ++rank) {
    CHECK((*blocks.of_rank[static_cast<std::size_t>(rank)])[0] == std::byte(rank));
  }
  reversed.barrier();
}

TEST_CASE("ranks of several communicators on one machine share within their own one") {
  auto comm = mpi_comm::world();
  auto half = comm.split(comm.rank() % 2, 0);
  mpi_node node(half);
  CHECK(std::ssize(node.neighbors()) == half.size());
  auto const blocks = node.share(1, [&](std::span<std::byte> block) { block[0] = std::byte(comm.rank()); });
  for (int rank = 0; rank < half.size(); ++rank) {
    CHECK((*blocks.of_rank[static_cast<std::size_t>(rank)])[0] == std::byte(2 * rank + comm.rank() % 2));
  }
  half.barrier();
}

TEST_CASE("a block goes when the last rank has let go of it, not before") {
  auto comm = mpi_comm::world();
  mpi_node node(comm);
  auto const before = num_mapped();
  std::optional first(node.share(100, [](std::span<std::byte> block) { block[99] = std::byte{5}; }));
  auto const next = static_cast<std::size_t>((comm.rank() + 1) % comm.size());
  auto const seen = *first->of_rank[next];
  CHECK(num_mapped() == before + (comm.size() > 1 ? comm.size() : 0)); // a single rank needs none
  if (comm.rank() == 0) {
    first.reset();
  }
  comm.barrier();
  if (comm.rank() > 0) {
    CHECK(seen[99] == std::byte{5});
  }
}

TEST_CASE("memory of blocks is given back") {
  mpi_node node(mpi_comm::world());
  auto const before = num_mapped();
  static_cast<void>(node.share(0, fill_nothing));
  static_cast<void>(node.share(5000, fill_nothing));
  CHECK(num_mapped() == before);
}

TEST_CASE("blocks larger than what is allowed, or together than the memory of the machine, become ordinary "
          "memory on all ranks") {
  auto comm = mpi_comm::world();
  auto const last = comm.size() - 1;
  auto const name = "rank " + std::to_string(last);
  mpi_node limited(comm, {.max_bytes = comm.rank() == last ? 99 : 100});
  auto const small = limited.share(99, fill_nothing);
  CHECK(small.reason.empty());
  auto const large = limited.share(100, fill_nothing);
  auto const memory = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  auto const none = mpi_node(comm).share(memory / 2 + 1, fill_nothing); // nothing of it is touched
  if (comm.size() > 1) {
    CHECK(glt_test::names(large.reason, name, "100 bytes", "the 99 that"));
    CHECK(glt_test::names(none.reason, "rank 0 ", "the blocks of its machine need", "but it has"));
  }
  CHECK(is_private(comm, large));
  CHECK(is_private(comm, none));
}

TEST_CASE("where one rank cannot open the memory of another, all ranks have ordinary memory, and the next "
          "block is shared") {
  auto comm = mpi_comm::world();
  auto const last = comm.size() - 1;
  mpi_node node(comm);
  auto const before = num_mapped();
  auto const fill = [&](std::span<std::byte> block) { block[9] = std::byte(1 + comm.rank()); };
  std::optional<one_more_file> limit; // of which its own memory takes the one
  if (comm.rank() == last) {
    limit.emplace();
  }
  auto const alone = node.share(10, fill);
  limit.reset();
  CHECK(is_private(comm, alone));
  CHECK(alone.own[9] == std::byte(1 + comm.rank()));
  CHECK(num_mapped() == before);
  if (comm.size() > 1) {
    CHECK(glt_test::names(alone.reason, "rank " + std::to_string(last) + " cannot share memory: memory of 10 bytes",
                          "cannot be opened: Too many open files"));
  }
  auto const together = node.share(10, fill);
  CHECK(together.reason.empty());
  CHECK((*together.of_rank[static_cast<std::size_t>(last)])[9] == std::byte(1 + last));
}
