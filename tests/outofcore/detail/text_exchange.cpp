// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/ranks.hpp"

#include <glt/outofcore/detail/text_exchange.hpp>

#include <cstddef>
#include <string>

namespace {

// No text for rank 1, a long one for rank 2, and one with a zero in it for rank 3.
std::string text_of(int rank) {
  return rank == 1 ? "" : rank == 2 ? std::string(3000, 'x') : "of rank " + std::to_string(rank) + '\0' + "end";
}

} // namespace

TEST_CASE("rank 0 gets the texts of all ranks") {
  glt_test::on_ranks([](auto comm) {
    auto const texts = glt::io::detail::gather_texts(comm, text_of(comm.rank()));
    REQUIRE(static_cast<int>(texts.size()) == comm.size());
    for (int rank = 0; rank < comm.size(); ++rank) {
      bool const there = comm.rank() == 0 || rank == comm.rank();
      CHECK(texts[static_cast<std::size_t>(rank)] == (there ? text_of(rank) : ""));
    }
  });
}

TEST_CASE("all ranks get the text of rank 0") {
  glt_test::on_ranks([](auto comm) {
    for (std::string const& text : {std::string(), std::string("short"), std::string(5000, 'y')}) {
      auto own = comm.rank() == 0 ? text : text_of(comm.rank());
      glt::io::detail::broadcast_text(comm, own);
      CHECK(own == text);
    }
  });
}
