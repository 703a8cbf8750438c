// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/store_agreement.hpp>

#include <glt/comm/serial.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::names;
using glt_test::thrown;

namespace {

glt::partition_book book_of(int parts, glt::global_id each) {
  std::vector<glt::global_id> offsets;
  for (int part = 0; part <= parts; ++part) {
    offsets.push_back(part * each);
  }
  return glt::partition_book(offsets);
}

glt::feature_store<cpu, std::int8_t> rows_of(std::int64_t columns, std::vector<float> const& scales) {
  glt::buffer<cpu, std::int8_t> values(4 * columns);
  return {4, columns, std::move(values), {}, glt::make_buffer<cpu>(scales)};
}

} // namespace

TEST_CASE("features that do not go with a book are named") {
  glt::serial_comm const comm;
  CHECK(glt::detail::fault_of_rows(comm, book_of(1, 4), 4).empty());
  CHECK(names(glt::detail::fault_of_rows(comm, book_of(1, 4), 3), "3 feature rows for 4 vertices"));
  CHECK(
      names(glt::detail::fault_of_parts(comm, "edge features", book_of(3, 4)), "edge features of 3 parts on 1 ranks"));
}

TEST_CASE("columns, scales and the partition are the same on all ranks") {
  glt_test::on_ranks(
      [](auto comm) {
        bool const odd = comm.rank() == comm.size() - 1;
        auto const last = "rank " + std::to_string(comm.size() - 1);
        auto const agree = [&](glt::partition_book const& book, glt::feature_store<cpu, std::int8_t> const& rows,
                               std::string const& fault = {}) {
          return thrown<glt::collective_error>(
              [&] { glt::detail::agree_on_matrix(comm, fault, book, rows.view(), cpu()); });
        };
        auto const book = book_of(comm.size(), 4);
        std::vector<float> const scales{1, 2};
        glt::detail::agree_on_matrix(comm, "", book, rows_of(2, scales).view(), cpu());
        CHECK(names(agree(book, rows_of(odd ? 3 : 2, {})), last, "3 feature columns, but rank 0 has 2"));
        CHECK(names(agree(book, rows_of(2, odd ? std::vector<float>{1, 3} : scales)), last, "other scales"));
        CHECK(names(agree(book_of(comm.size(), odd ? 5 : 4), rows_of(2, scales)), last, "another partition"));
        CHECK(names(agree(book, rows_of(2, scales), odd ? "its disk fails" : ""), last, "its disk fails"));
      },
      {2, 3});
}

TEST_CASE("named tensors are the same on all ranks") {
  glt_test::on_ranks(
      [](auto comm) {
        bool const odd = comm.rank() == comm.size() - 1;
        auto const last = "rank " + std::to_string(comm.size() - 1);
        auto const book = book_of(comm.size(), 4);
        auto const agree = [&](std::string const& name, glt::feature_store<cpu, std::int8_t> rows) {
          glt::feature_table<cpu> table(4);
          table.add(name, std::move(rows));
          glt::detail::agree_on_table(comm, "", book, table);
        };
        agree("title", rows_of(2, {1, 2}));
        CHECK(names(thrown<glt::collective_error>([&] { agree(odd ? "label" : "title", rows_of(2, {})); }), last,
                    "\"label\"", "\"title\""));
        CHECK(names(thrown<glt::collective_error>([&] { agree("title", rows_of(odd ? 1 : 2, {})); }), last, "1 columns",
                    "2 columns"));
      },
      {2, 3});
}
