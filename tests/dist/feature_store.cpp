// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/feature_store.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <string>

using glt_test::divided_graph;
using store = glt::feature_store<glt_test::cpu, float>;

TEST_CASE("ranks without vertices go by the others for labels") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[4], comm.size());
    for (bool const labels : {false, true}) {
      glt::dist::feature_store features(comm, divided.names.book, divided.features(comm.rank(), 3, labels));
      CHECK(features.has_labels() == labels);
      CHECK(features.num_columns() == 3);
      CHECK(features.local().num_vertices() == divided.names.book.size(comm.rank()));
    }
  });
}

TEST_CASE("a wrong feature shape on one rank is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    auto const refused = [&](store local) {
      return glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::feature_store(comm, divided.names.book, std::move(local)); });
    };
    auto const rows = refused(comm.rank() == last ? store(1, 3, glt::buffer<glt_test::cpu, float>(3))
                                                  : divided.features(comm.rank(), 3, false));
    CHECK(glt_test::names(rows, text, "1 feature rows", std::to_string(divided.names.book.size(last))));
    if (comm.size() > 1) {
      auto const columns = refused(divided.features(comm.rank(), comm.rank() == last ? 5 : 4));
      CHECK(glt_test::names(columns, text, "5 feature columns", "rank 0 has 4"));
      auto const labels = refused(divided.features(comm.rank(), 4, comm.rank() != last));
      CHECK(glt_test::names(labels, text, "no labels", "rank 0"));
    }
  });
}
