// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/make_named_hot_rows.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::elements_of;
using glt_test::gathered;

namespace {

std::vector<std::int64_t> items_of(divided_graph const& divided, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> items;
  for (auto v = begin; v < end; ++v) {
    items.push_back(divided.names.original[v]);
  }
  return items;
}

} // namespace

TEST_CASE("hot rows are the rows of the hottest vertices in all tensors, within the budget, and change no result") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 999), glt_test::all_partitioners()[1], comm.size());
    auto const& book = divided.names.book;
    auto const own = items_of(divided, book.begin(comm.rank()), book.end(comm.rank()));
    glt::dist::named_features const features(comm, book, glt_test::named_table(own));
    std::vector<double> hotness;
    for (auto const item : own) {
      hotness.push_back(static_cast<double>(item % 50));
    }
    auto const whole = glt_test::named_table(items_of(divided, 0, 101)); // by new number
    std::vector<glt::global_id> all(101);
    std::iota(all.begin(), all.end(), 0);
    for (std::int64_t const budget : {0, 3000, 100'000}) {
      auto const hot = glt::dist::make_hot_rows(comm, features, glt::host_view<double const>(hotness), budget);
      CHECK(hot.bytes() <= budget);
      CHECK((hot.size() > 0) == (budget > 0 && comm.size() > 1));
      std::vector<std::int64_t> const kept(hot.vertices().ids().begin(), hot.vertices().ids().end());
      auto const capacity = glt::detail::hot_capacity(budget, 5 * 2 + 8 + 3 + 40 * 4 + 8);
      CHECK(kept == glt::dist::hottest_vertices(comm, book, hotness, capacity));
      std::vector<std::int64_t> places(kept.size());
      std::iota(places.begin(), places.end(), 0);
      CHECK(gathered<float>(hot.rows(), "small", places) == gathered<float>(whole, "small", kept)); // scaled
      CHECK(gathered<std::int64_t>(hot.rows(), "label", places) == gathered<std::int64_t>(whole, "label", kept));
      glt::dist::named_collector collector(comm, features);
      collector.use(hot);
      auto const& rows = collector.collect(glt::host_view<glt::global_id const>(all), 0);
      CHECK(elements_of<float>(rows["dense"]) == gathered<float>(whole, "dense", all));
      CHECK(collector.counts().cached == hot.size());
    }
    auto const last = comm.size() - 1;
    std::vector<glt::global_id> const odd{3, comm.rank() == last ? 101 : 5};
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>(
                              [&] { static_cast<void>(glt::detail::fetch_hot_rows(comm, features, odd)); }),
                          "rank " + std::to_string(last), "vertex 1 is 101"));
  });
}
