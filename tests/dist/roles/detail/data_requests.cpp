// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/detail/data_description.hpp>

#include <glt/comm/detail/exchange.hpp>

#include <cstddef>
#include <vector>

TEST_CASE("services of a data set have names of their own, and what they take can be sent") {
  using namespace glt::detail;
  CHECK(name_of_service("papers", rows_service) == "papers / rows");
  CHECK(name_of_service("papers", rows_service) != name_of_service("papers", split_service));

  rows_request const rows{"title", {3, 0, 3}};
  split_request const split{"train", 5, 7};
  std::vector<std::byte> bytes(packed_size(rows, split));
  packer(bytes.data()).add(rows).add(split);
  rows_request read_rows;
  split_request read_split;
  CHECK(unpacker(bytes, nullptr).get(read_rows).get(read_split).at_end());
  CHECK(read_rows.tensor == "title");
  CHECK(read_rows.rows == rows.rows);
  CHECK(read_split.split == "train");
  CHECK(read_split.first == 5);
  CHECK(read_split.count == 7);
}
