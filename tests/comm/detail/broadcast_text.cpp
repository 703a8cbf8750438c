// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/detail/agreement.hpp>

#include "support/ranks.hpp"

#include <string>

TEST_CASE("all ranks get the text of rank 0, whatever they had before") {
  glt_test::on_ranks([](auto comm) {
    for (std::string const& text :
         {std::string(), std::string("short"), std::string("a\0b", 3), std::string(5000, 'y')}) {
      auto own = comm.rank() == 0 ? text : std::string(static_cast<std::size_t>(100 * (comm.rank() - 1)), 'x');
      glt::detail::broadcast_text(comm, own);
      CHECK(own == text);
    }
  });
}
