// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/edge_features.hpp>
#include <glt/memory/copy.hpp>

#include "support/distant_policy.hpp"
#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using glt::device::cpu;

namespace {

glt::partition_book book_of(int parts) {
  std::vector<glt::global_id> offsets;
  for (int part = 0; part <= parts; ++part) {
    offsets.push_back(10 * part);
  }
  return glt::partition_book(offsets);
}

template <class T>
glt::edge_features<cpu, T> features_of(std::int64_t edges, std::int64_t columns,
                                       std::vector<float> const& scales = {}) {
  std::vector<glt::edge_id> ids;
  for (std::int64_t e = 0; e < edges; ++e) {
    ids.push_back(e);
  }
  glt::feature_store<cpu, T> rows(edges, columns, glt::make_buffer<cpu>(std::vector<T>(edges * columns, T{3})), {},
                                  glt::make_buffer<cpu>(scales));
  return {glt::make_buffer<cpu>(ids), std::move(rows)};
}

} // namespace

TEST_CASE("ranks keep their own edges, as many as they have") {
  glt_test::on_ranks([](auto comm) {
    glt::dist::edge_features const features(comm, book_of(comm.size()), features_of<float>(comm.rank() * 5, 3));
    CHECK(features.num_columns() == 3);
    CHECK(features.local().num_edges() == comm.rank() * 5);
    CHECK(features.book() == book_of(comm.size()));
  });
}

TEST_CASE("features that differ from those of rank 0 are the same error on every rank") {
  glt_test::on_ranks(
      [](auto comm) {
        auto const last = comm.size() - 1;
        bool const is_odd = comm.rank() == last;
        auto const text = "rank " + std::to_string(last);
        using store = glt::dist::edge_features<cpu, std::int8_t>;
        auto const error = [&](auto make) { return glt_test::thrown<glt::collective_error>(make); };
        CHECK(glt_test::names(
            error([&] { store(comm, book_of(comm.size()), features_of<std::int8_t>(4, is_odd ? 3 : 2)); }), text,
            "3 columns", "rank 0 has 2"));
        CHECK(glt_test::names(error([&] {
                                store(comm, book_of(comm.size()),
                                      features_of<std::int8_t>(4, 2, {1, is_odd ? 2.0F : 3.0F}));
                              }),
                              text, "other scales"));
        CHECK(glt_test::names(error([&] {
                                if (is_odd) {
                                  glt::dist::edge_features<cpu, std::uint8_t>(comm, book_of(comm.size()),
                                                                              features_of<std::uint8_t>(4, 2));
                                } else {
                                  store(comm, book_of(comm.size()), features_of<std::int8_t>(4, 2));
                                }
                              }),
                              text, "another element type"));
        CHECK(glt_test::names(
            error([&] { store(comm, book_of(comm.size() + (is_odd ? 1 : 0)), features_of<std::int8_t>(4, 2)); }), text,
            "parts on"));
      },
      {2, 3});
}

TEST_CASE("scales are read in the order of the stream that their features are on") {
  using policy = glt_test::distant_policy<>;
  glt_test::on_ranks([](auto comm) {
    auto const log = std::make_shared<glt_test::distant_log>();
    policy const own(log);
    glt::feature_store<policy, std::int8_t> rows(0, 2, glt::buffer<policy, std::int8_t>(0, own), {},
                                                 glt::make_buffer<policy>(std::vector<float>{1, 2}, own));
    glt::edge_features<policy, std::int8_t> local(glt::buffer<policy, glt::edge_id>(0, own), std::move(rows));
    log->copies_out = 0;
    glt::dist::edge_features const features(comm, book_of(comm.size()), std::move(local));
    CHECK(log->copies_out == 1);
  });
}
