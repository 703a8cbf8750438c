// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/named_features.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using glt::device::cpu;

namespace {

constexpr std::int64_t part_size = 3;

glt::partition_book make_book(int parts) {
  std::vector<glt::global_id> offsets;
  for (int part = 0; part <= parts; ++part) {
    offsets.push_back(part * part_size);
  }
  return glt::partition_book(offsets);
}

std::vector<std::int64_t> const items{0, 1, 2};

} // namespace

TEST_CASE("ranks keep their tensors, in their order") {
  glt_test::on_ranks([](auto comm) {
    glt::dist::named_features const features(comm, make_book(comm.size()), glt_test::named_table(items));
    CHECK(features.local().num_rows() == part_size);
    CHECK(features.local().names().front() == "title");
    CHECK(features.book().num_parts() == comm.size());
    glt::dist::named_features const none(comm, make_book(comm.size()), glt::feature_table<cpu>(part_size));
    CHECK(none.local().names().empty());
  });
}

TEST_CASE("ranks that differ in names, types, columns, scales, order or partition get one error that says in what") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const rank = "rank " + std::to_string(last);
    auto const error = [&](auto change) {
      return glt_test::thrown<glt::collective_error>([&] {
        glt::feature_table<cpu> table(part_size);
        auto book = make_book(comm.size());
        table.add("first", glt_test::named_store<float>(items, 0, 2));
        if (comm.rank() == last) {
          change(table, book);
        } else {
          table.add("second", glt_test::named_store<std::int8_t>(items, 0, 2, {1, 2}));
        }
        glt::dist::named_features(comm, std::move(book), std::move(table));
      });
    };
    CHECK(glt_test::names(error([](auto& table, auto&) { table = glt::feature_table<cpu>(2); }), rank,
                          "2 feature rows for 3"));
    CHECK(glt_test::names(error([&](auto&, auto& book) { book = make_book(comm.size() + 1); }), rank, "parts on"));
    auto const second = [](auto store) {
      return [store = std::move(store)](auto& table, auto&) mutable { table.add("second", std::move(store)); };
    };
    CHECK(error(second(glt_test::named_store<std::int8_t>(items, 5, 2, {1, 2}))) == "(nothing was thrown)");
    if (last > 0) {
      CHECK(glt_test::names(error([](auto&, auto&) {}), rank, "has features nothing where rank 0 has \"second\""));
      CHECK(glt_test::names(error(second(glt_test::named_store<std::uint8_t>(items, 0, 2))), rank,
                            "\"second\" (uint8, 2 columns) where rank 0 has \"second\" (int8, 2 columns"));
      CHECK(glt_test::names(error(second(glt_test::named_store<std::int8_t>(items, 0, 3, {1, 2, 3}))), "3 columns"));
      CHECK(glt_test::names(error(second(glt_test::named_store<std::int8_t>(items, 0, 2, {1, 3}))), "scales"));
      auto const renamed = [](auto& table, auto&) { table.add("Second", glt_test::named_store<float>(items, 0, 2)); };
      CHECK(glt_test::names(error(renamed), "\"Second\" (float32", "load parts of one data set"));
      CHECK(glt_test::names(error([&](auto& table, auto& book) {
                              auto offsets = std::vector<glt::global_id>(static_cast<std::size_t>(comm.size()) + 1, 0);
                              offsets.back() = part_size;
                              book = glt::partition_book(std::move(offsets));
                              table.add("second", glt_test::named_store<std::int8_t>(items, 0, 2, {1, 2}));
                            }),
                            rank, "the partition"));
    }
  });
}

TEST_CASE("ranks keep features of their edges, and those that differ get one error") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    std::vector<glt::global_id> offsets;
    for (int part = 0; part <= comm.size(); ++part) {
      offsets.push_back(part);
    }
    glt::partition_book const book(offsets);
    std::vector<glt::edge_id> const own(comm.rank() > 0 ? 1 : 0, 4); // rank 0 has none
    auto const table = [&] { return glt::feature_table<cpu>(glt::make_buffer<cpu>(own), glt_test::named_table(own)); };
    glt::dist::named_features const features(comm, book, table());
    CHECK(features.local().num_rows() == (comm.rank() > 0 ? 1 : 0));
    CHECK(features.book().num_parts() == comm.size());
    auto const error = glt_test::thrown<glt::collective_error>([&] {
      auto odd = glt::feature_table<cpu>(glt::make_buffer<cpu>(own), glt::feature_table<cpu>(std::ssize(own)));
      glt::dist::named_features(comm, book, comm.rank() == last ? std::move(odd) : table());
    });
    if (last > 0) {
      CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                              glt::dist::named_features(comm, book,
                                                        comm.rank() == last ? glt_test::named_table({0}) : table());
                            }),
                            "rank " + std::to_string(last), "rows of vertices where rank 0 has rows of edges"));
      CHECK(glt_test::names(error, "rank " + std::to_string(last), "nothing where rank 0 has \"title\""));
      auto alone = comm.split(comm.rank(), 0);
      CHECK(glt_test::names(
          glt_test::thrown<glt::collective_error>([&] { glt::dist::named_features(alone, book, table()); }),
          "parts on 1 ranks"));
    }
  });
}
