// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/node_memory.hpp>

#include <glt/comm/guard.hpp>

#include "support/errors.hpp"
#include "support/nodes.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::byte value_of(int rank, std::size_t i) {
  return static_cast<std::byte>(rank * 31 + static_cast<int>(i % 200));
}

std::int64_t size_of(int rank) {
  return rank == 1 ? 0 : 1000 * rank + 17;
}

auto filled_by(int rank) {
  return [rank](std::span<std::byte> block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] = value_of(rank, i);
    }
  };
}

// True if a block is what its rank wrote.
bool is_block_of(std::span<std::byte const> block, int rank) {
  bool same = std::ssize(block) == size_of(rank);
  for (std::size_t i = 0; same && i < block.size(); ++i) {
    same = block[i] == value_of(rank, i);
  }
  return same;
}

} // namespace

TEST_CASE("every rank of a machine sees what the others wrote into their blocks, aligned, without a copy") {
  glt_test::on_ranks([](auto comm) {
    auto node = glt_test::node_of(comm);
    CHECK(node.rank() == comm.rank());
    CHECK(node.size() == comm.size());
    auto const blocks = node.share(size_of(comm.rank()), filled_by(comm.rank()));
    REQUIRE(std::ssize(blocks.of_rank) == comm.size());
    CHECK(blocks.reason.empty());
    CHECK(blocks.keeper != nullptr);
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const& block = blocks.of_rank[static_cast<std::size_t>(rank)];
      REQUIRE(block.has_value());
      CHECK(is_block_of(*block, rank));
      CHECK((block->empty() || reinterpret_cast<std::uintptr_t>(block->data()) % 64 == 0));
    }
    CHECK(std::ssize(blocks.own) == size_of(comm.rank()));
    CHECK((blocks.own.empty() || blocks.own.data() == blocks.of_rank[static_cast<std::size_t>(comm.rank())]->data()));
    comm.barrier();
    if (!blocks.own.empty()) {
      blocks.own[0] = std::byte{99};
    }
    comm.barrier();
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const& block = *blocks.of_rank[static_cast<std::size_t>(rank)];
      CHECK((block.empty() || block[0] == std::byte{99}));
    }
  });
}

TEST_CASE("a rank that lets go of its blocks, or of its node, early takes nothing from the others") {
  glt_test::on_ranks([](auto comm) {
    std::optional node(glt_test::node_of(comm));
    auto early = std::optional(node->share(size_of(comm.rank()), filled_by(comm.rank())));
    auto const late = *early;
    auto const more = node->share(size_of(comm.rank()), filled_by(comm.rank()));
    if (comm.rank() == 0) {
      early.reset();
      node.reset();
    }
    comm.barrier();
    for (int rank = 0; rank < comm.size(); ++rank) {
      CHECK(is_block_of(*late.of_rank[static_cast<std::size_t>(rank)], rank));
      CHECK(is_block_of(*more.of_rank[static_cast<std::size_t>(rank)], rank));
    }
    comm.barrier();
  });
  glt_test::on_ranks([](auto comm) {
    auto node = glt_test::node_of(comm);
    std::optional<glt::node_blocks> blocks = node.share(size_of(comm.rank()), filled_by(comm.rank()));
    if (comm.rank() == 0) {
      blocks.reset();
    }
    comm.barrier(); // the owner of block 0 has let go of it
    if (comm.rank() != 0) {
      CHECK(is_block_of(*blocks->of_rank[0], 0));
    }
  });
}

TEST_CASE("where one rank cannot share, none does: each has its own block, and they all say why") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto node = glt_test::node_of(comm, comm.rank() == last);
    auto const blocks = node.share(size_of(comm.rank()), filled_by(comm.rank()));
    for (int rank = 0; rank < comm.size(); ++rank) {
      CHECK(blocks.of_rank[static_cast<std::size_t>(rank)].has_value() == (rank == comm.rank()));
    }
    CHECK(is_block_of(*blocks.of_rank[static_cast<std::size_t>(comm.rank())], comm.rank()));
    CHECK(is_block_of(blocks.own, comm.rank()));
    if (comm.size() == 1) {
      CHECK(blocks.reason.empty());
    } else {
      CHECK(glt_test::names(blocks.reason, "rank " + std::to_string(last) + " cannot share memory", "it may share"));
    }
  });
}

TEST_CASE("a rank whose block cannot be made or written is the same error on every rank, and the next call works") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    auto node = glt_test::node_of(comm);
    bool const fails = comm.rank() == last;
    auto const refused = glt_test::thrown<glt::collective_error>([&] {
      static_cast<void>(node.share(8, [&](std::span<std::byte>) {
        if (fails) {
          throw std::runtime_error("file is gone");
        }
      }));
    });
    CHECK(glt_test::names(refused, text, "file is gone"));
    auto const negative = glt_test::thrown<glt::collective_error>(
        [&] { static_cast<void>(node.share(fails ? -8 : 8, [](std::span<std::byte>) {})); });
    CHECK(glt_test::names(negative, text, "-8 bytes"));
    auto const blocks = node.share(size_of(comm.rank()), filled_by(comm.rank()));
    CHECK(is_block_of(*blocks.of_rank[0], 0));
    comm.barrier();
  });
}

TEST_CASE("a rank that fails with blocks in its hands keeps no other one waiting") {
  glt_test::on_ranks([](auto comm) {
    auto node = glt_test::node_of(comm);
    auto const failed = glt_test::thrown<glt::collective_error>([&] {
      glt::run_collectively(comm, [&] {
        auto const blocks = node.share(size_of(comm.rank()), filled_by(comm.rank()));
        if (comm.rank() == 0) {
          throw std::runtime_error("out of luck");
        }
      });
    });
    CHECK(glt_test::names(failed, "rank 0", "out of luck"));
  });
}
