// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/named_collector.hpp>

#include <glt/comm/counting.hpp>
#include <glt/core/element_type.hpp>
#include <glt/dist/hotness/make_named_hot_rows.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt::element_type;
using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::elements_of;
using glt_test::gathered;
using glt_test::whole_table;

namespace {

std::vector<glt::detail::tensor_request> wishes() {
  return {{.name = "small", .type = element_type::float32},  {.name = "title"},
          {.name = "dense", .type = element_type::bfloat16}, {.name = "label", .seeds_only = true},
          {.name = "year", .type = element_type::float64},   {.name = "none"}};
}

// Original ids of the vertices that a rank owns.
std::vector<std::int64_t> items_of(divided_graph const& divided, int rank) {
  std::vector<std::int64_t> items;
  for (auto v = divided.names.book.begin(rank); v < divided.names.book.end(rank); ++v) {
    items.push_back(divided.names.original[v]);
  }
  return items;
}

// What has been collected of the vertices of a list is what one process gathers from the whole table.
void check_rows(glt::detail::collected_table<cpu> const& rows, glt::feature_table<cpu> const& whole,
                std::vector<std::int64_t> const& vertices, std::int64_t num_seeds) {
  std::vector<std::int64_t> const seeds(vertices.begin(), vertices.begin() + num_seeds);
  CHECK(elements_of<float>(rows["small"]) == gathered<float>(whole, "small", vertices));
  auto const bits = [](auto const& elements) {
    std::vector<std::uint16_t> made;
    for (auto const element : elements) {
      made.push_back(element.bits);
    }
    return made;
  };
  CHECK(bits(elements_of<glt::float16>(rows["title"])) == bits(gathered<glt::float16>(whole, "title", vertices)));
  CHECK(bits(elements_of<glt::bfloat16>(rows["dense"])) == bits(gathered<glt::bfloat16>(whole, "dense", vertices)));
  CHECK(elements_of<double>(rows["year"]) == gathered<double>(whole, "year", vertices));
  CHECK(elements_of<std::int64_t>(rows["label"]) == gathered<std::int64_t>(whole, "label", seeds));
  CHECK(rows["none"].num_rows == std::ssize(vertices));
  CHECK(rows["none"].num_columns == 0);
}

} // namespace

TEST_CASE("tensors of several types are those that one process gathers from the whole, on any number of ranks") {
  auto const body = [](auto comm) {
    for (std::int64_t const num_vertices : {1, 257}) {
      auto const& whole = whole_table(num_vertices);
      auto const list =
          num_vertices == 1 ? glt_test::edge_list{"one", 1, {}, {}} : glt_test::random_graph(num_vertices, 999);
      for (auto const& partitioner : glt_test::all_partitioners()) {
        divided_graph const divided(list, partitioner, comm.size());
        glt::dist::named_features const features(comm, divided.names.book,
                                                 glt_test::named_table(items_of(divided, comm.rank())));
        glt::dist::named_collector collector(comm, features, wishes());
        glt::dist::named_collector everything(comm, features, {}, cpu(2));
        std::int64_t total = 0;
        for (std::int64_t step = 0; step < 4; ++step) {
          auto const vertices = glt_test::seeds_of(comm.rank(), step, num_vertices); // some twice, some lists empty
          auto const num_seeds = std::ssize(vertices) * step / 3;
          auto const ids = divided.renumbered(vertices);
          check_rows(collector.collect(glt::host_view<glt::global_id const>(ids), num_seeds, step), whole, vertices,
                     num_seeds);
          auto const& all = everything.collect(glt::host_view<glt::global_id const>(ids), step);
          CHECK(all.tensors.size() == 6);
          CHECK(elements_of<std::int8_t>(all["small"]) ==
                gathered<std::int8_t>(whole, "small", vertices)); // scales are not applied
          CHECK(elements_of<std::int64_t>(all["label"]) == gathered<std::int64_t>(whole, "label", vertices));
          CHECK(elements_of<float>(all["dense"]) == gathered<float>(whole, "dense", vertices));
          total += std::ssize(vertices);
        }
        auto const counts = collector.counts();
        CHECK(counts.own + counts.remote == total);
        CHECK(counts.cached + counts.in_place == 0);
      }
    }
  };
  glt_test::on_ranks(body, glt_test::up_to_five);
  glt_test::on_ranks_limited(body, {2, 3});
}

TEST_CASE("all tensors travel together: one header exchange, two payloads and the bytes of the formula") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::named_features const features(comm, divided.names.book,
                                             glt_test::named_table(items_of(divided, comm.rank())));
    glt::counting_comm counted(comm);
    glt::dist::named_collector collector(counted, features, wishes());
    std::vector<glt::global_id> all(257);
    std::iota(all.begin(), all.end(), 0);
    std::int64_t remote = 0;
    std::int64_t remote_seeds = 0;
    for (auto const v : all) {
      bool const is_remote = features.book().owner(v) != comm.rank();
      remote += is_remote ? 1 : 0;
      remote_seeds += is_remote && v < 100 ? 1 : 0;
    }
    counted.reset();
    collector.collect(glt::host_view<glt::global_id const>(all), 100, 0);
    auto const traffic = counted.counts().total();
    auto const headers = glt::detail::header_bytes * (comm.size() - 1);
    std::vector<std::int64_t> sums{traffic.bytes, headers + remote * (4 + 3 + 5 * 2 + 40 * 4 + 8) + remote_seeds * 8};
    comm.all_reduce(std::span(sums), glt::reduction::sum);
    CHECK(sums[0] == sums[1]);
    if (comm.size() > 1) {
      CHECK(traffic.collectives == 3);
    }
  });
}

TEST_CASE("rows of more than a round arrive, from threads of a rank") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(997, 999), glt_test::all_partitioners()[1], comm.size());
        glt::feature_table<cpu> table(divided.names.book.size(comm.rank()));
        auto const items = items_of(divided, comm.rank());
        table.add("wide", glt_test::named_store<std::int16_t>(items, 0, 3000));
        table.add("label", glt_test::named_store<std::int64_t>(items, 1, 1));
        glt::dist::named_features const features(comm, divided.names.book, std::move(table));
        glt::counting_comm counted(comm);
        glt::dist::named_collector collector(counted, features,
                                             {{.name = "wide"}, {.name = "label", .seeds_only = true}}, cpu(2));
        std::vector<std::int64_t> vertices;
        for (std::int64_t v = 0; v < 400 * (1 + comm.rank()); ++v) {
          vertices.push_back((v * 331 + comm.rank()) % 997);
        }
        counted.reset();
        glt::detail::collected_table<cpu> out;
        collector.collect(glt::host_view<glt::global_id const>(divided.renumbered(vertices)), 3, 0, out);
        CHECK(counted.counts().payload.collectives > 2);
        auto const wide = out["wide"].template as<std::int16_t>();
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < wide.rows(); ++i) {
          for (std::int64_t c = 0; c < 3000; ++c) {
            auto const expected = glt_test::named_value(vertices[static_cast<std::size_t>(i)], 0, c);
            wrong += static_cast<float>(wide(i, c)) == expected ? 0 : 1;
          }
        }
        CHECK(wide.rows() == std::ssize(vertices));
        CHECK(wrong == 0);
        CHECK(out["label"].num_rows == 3);
        CHECK(collector.seconds().requesting > 0);
      },
      {2, 3});
}

TEST_CASE("hot rows and rows in place change where rows come from, not what they are") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[2], comm.size());
        auto const& whole = whole_table(257);
        auto const& book = divided.names.book;
        glt::dist::named_features const features(comm, book, glt_test::named_table(items_of(divided, comm.rank())));
        auto const parts = std::make_shared<std::vector<glt::feature_table<cpu>>>();
        glt::node_views<glt::detail::table_view<cpu::space>> views{.of_rank = {}, .reason = {}, .keeper = parts};
        for (int part = 0; part < comm.size(); ++part) {
          parts->push_back(glt_test::named_table(items_of(divided, part)));
          views.of_rank.emplace_back(parts->back().view());
        }
        glt_test::hide_every_other(views, comm.rank());
        std::vector<glt::global_id> hot_ids;
        std::vector<std::int64_t> hot_items;
        for (glt::global_id v = comm.rank() == 2 ? 257 : 0; v < 257; v += 3) { // rank 2 has none
          hot_ids.push_back(v);                                                // own ones as well
          hot_items.push_back(divided.names.original[v]);
        }
        glt::feature_table<cpu> unlabelled(std::ssize(hot_ids));
        unlabelled.add("small", glt_test::named_store<std::int8_t>(hot_items, 2, 3)); // scales: those of the features
        unlabelled.add("title", glt_test::named_store<glt::float16>(hot_items, 0, 5));
        unlabelled.add("dense", glt_test::named_store<float>(hot_items, 3, 40));
        unlabelled.add("year", glt_test::named_store<std::int64_t>(hot_items, 1, 1));
        unlabelled.add("none", glt_test::named_store<double>(hot_items, 4, 0));
        glt::dist::named_hot_rows const bare(glt::make_buffer<cpu>(hot_ids), std::move(unlabelled));
        glt::dist::named_hot_rows const full(glt::make_buffer<cpu>(hot_ids), glt_test::named_table(hot_items));
        for (bool const in_place : {false, true}) {
          for (auto const* const hot : {static_cast<decltype(&bare)>(nullptr), &bare, &full}) {
            glt::dist::named_collector collector(comm, features, wishes());
            CHECK(glt_test::names(collector.why_not_in_place(), "share no memory", "read_in_place"));
            if (hot != nullptr) {
              collector.use(*hot);
            }
            if (in_place) {
              collector.read_in_place(views);
              CHECK((collector.why_not_in_place() == "hidden") == (comm.size() > 1));
            }
            std::vector<std::int64_t> vertices;
            for (std::int64_t i = 0; i < 60 * (1 + comm.rank()); ++i) {
              vertices.push_back(i * 29 % 257);
            }
            std::int64_t const num_seeds = 20;
            auto const ids = divided.renumbered(vertices);
            check_rows(collector.collect(glt::host_view<glt::global_id const>(ids), num_seeds, 0), whole, vertices,
                       num_seeds);
            glt::detail::collected_counts expected;
            for (std::size_t i = 0; i < ids.size(); ++i) {
              auto const owner = book.owner(ids[i]);
              bool const is_hot = hot != nullptr && hot->size() > 0 && ids[i] % 3 == 0 &&
                                  (hot == &full || static_cast<std::int64_t>(i) >= num_seeds);
              bool const is_local = in_place && (owner - comm.rank()) % 2 == 0;
              ++(owner == comm.rank() ? expected.own
                 : is_local           ? expected.in_place
                 : is_hot             ? expected.cached
                                      : expected.remote);
            }
            auto const counts = collector.counts();
            CHECK(counts.own == expected.own);
            CHECK(counts.in_place == expected.in_place);
            CHECK(counts.cached == expected.cached);
            CHECK(counts.remote == expected.remote);
          }
        }
      },
      glt_test::up_to_five);
}

TEST_CASE("a name that does not exist, a bad type or another wish of one rank is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::named_features const features(comm, divided.names.book,
                                             glt_test::named_table(items_of(divided, comm.rank())));
    using wishes_type = std::vector<glt::detail::tensor_request>;
    auto const error = [&](wishes_type const& odd, wishes_type const& others = {{.name = "title"}}) {
      return glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::named_collector(comm, features, comm.rank() == last ? odd : others); });
    };
    auto const rank = "rank " + std::to_string(last);
    CHECK(glt_test::names(error({{.name = "titel"}}), rank, "no features \"titel\"",
                          R"("title", "year", "small", "dense", "none", "label")"));
    CHECK(glt_test::names(error({{.name = "year", .type = element_type::int8}}), rank, "\"year\" of int64 as int8"));
    CHECK(glt_test::names(error({{.name = "year"}, {.name = "year"}}), rank, "wanted twice"));
    if (last > 0) {
      CHECK(glt_test::names(error({{.name = "year"}}), rank, "\"year\" where rank 0 has \"title\""));
      CHECK(glt_test::names(error({{.name = "title"}, {.name = "year"}}), rank, "\"year\" where rank 0 has nothing"));
      CHECK(glt_test::names(error({{.name = "title"}}, {{.name = "title"}, {.name = "year"}}), rank,
                            "nothing where rank 0 has \"year\""));
      CHECK(glt_test::names(error({{.name = "title", .seeds_only = true}}), rank, "of the seeds where"));
      auto alone = comm.split(comm.rank(), 0);
      CHECK(
          glt_test::names(glt_test::thrown<glt::collective_error>([&] { glt::dist::named_collector(alone, features); }),
                          "parts collected by rank " + std::to_string(comm.rank())));
    }
    // Types may differ: each rank converts what arrives.
    glt::dist::named_collector collector(
        comm, features,
        {{.name = "title", .type = comm.rank() == last ? element_type::float64 : element_type::float32}});
    std::vector<glt::global_id> ids{3, 100};
    auto const collect = [&](std::int64_t num_seeds) {
      return glt_test::thrown<glt::collective_error>(
          [&] { collector.collect(glt::host_view<glt::global_id const>(ids), num_seeds, 1); });
    };
    ids[0] = comm.rank() == last ? -5 : 3;
    CHECK(glt_test::names(collect(0), rank, "vertex 0 is -5"));
    ids[0] = 3;
    CHECK(glt_test::names(collect(comm.rank() == last ? 3 : 0), rank, "3 seeds of 2"));
    auto const& rows = collector.collect(glt::host_view<glt::global_id const>(ids), 2);
    CHECK(rows["title"].type == (comm.rank() == last ? element_type::float64 : element_type::float32));
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(rows["year"]); }),
                          "no features \"year\"", "\"title\""));
    CHECK(glt_test::names(
        glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(rows["title"].template as<std::int8_t>()); }),
        "read as int8"));
  });
}

TEST_CASE("a rank without memory for the rows is the same error on every rank, whichever allocation fails") {
  glt_test::on_ranks(
      [](auto comm) {
        using glt_test::scarce_policy;
        using glt_test::scarce_resource;
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
        auto const items = items_of(divided, comm.rank());
        glt::feature_table<scarce_policy> table(std::ssize(items));
        std::vector<float> values;
        std::vector<std::int64_t> labels;
        for (auto const item : items) {
          values.insert(values.end(), {glt_test::named_value(item, 0, 0), glt_test::named_value(item, 0, 1)});
          labels.push_back(item);
        }
        table.add("dense", glt::feature_store<scarce_policy, float>(std::ssize(items), 2,
                                                                    glt::make_buffer<scarce_policy>(values)));
        table.add("label", glt::feature_store<scarce_policy, std::int64_t>(std::ssize(items), 1,
                                                                           glt::make_buffer<scarce_policy>(labels)));
        glt::dist::named_features const features(comm, divided.names.book, std::move(table));
        std::vector<std::int64_t> vertices(101);
        std::iota(vertices.begin(), vertices.end(), 0);
        auto const ids = divided.renumbered(vertices);
        for (std::int64_t allocations = 0; allocations < 3; ++allocations) { // the messages and two tensors
          glt::dist::named_collector collector(comm, features);
          glt::detail::collected_table<scarce_policy> out;
          auto const collect = [&](std::int64_t step) {
            collector.collect(glt::host_view<glt::global_id const>(ids), 101, step, out);
          };
          scarce_resource::allocations_left = comm.rank() == 0 ? allocations : -1;
          auto const error = glt_test::thrown<glt::collective_error>([&] { collect(0); });
          scarce_resource::allocations_left = -1;
          CHECK(glt_test::names(error, "rank 0", "bad_alloc"));
          collect(1);
          scarce_resource::allocations_left = 0; // another batch that is not larger needs no memory
          collect(2);
          scarce_resource::allocations_left = -1;
          CHECK(elements_of<std::int64_t>(out["label"]) == vertices);
          CHECK(out["dense"].template as<float>()(100, 1) == glt_test::named_value(100, 0, 1));
        }
      },
      {2, 3});
}

TEST_CASE("hot rows and views that lack a tensor, or have another one, are refused") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
        auto const items = items_of(divided, comm.rank());
        glt::dist::named_features const features(comm, divided.names.book, glt_test::named_table(items));
        glt::dist::named_collector collector(comm, features, wishes());
        auto const hot = [&](auto store) {
          glt::feature_table<cpu> table(1);
          table.add("small", std::move(store));
          return glt::dist::named_hot_rows(glt::make_buffer<cpu>(std::vector<glt::global_id>{3}), std::move(table));
        };
        auto const refused = [&](auto const& rows) {
          return glt_test::thrown<glt::precondition_error>([&] { collector.use(rows); });
        };
        CHECK(glt_test::names(refused(hot(glt_test::named_store<std::int8_t>({3}, 2, 4))), "\"small\" of 4 columns",
                              "for 3"));
        CHECK(glt_test::names(refused(hot(glt_test::named_store<float>({3}, 2, 3))), "of float32", "of int8"));
        CHECK(
            glt_test::names(refused(hot(glt_test::named_store<std::int8_t>({3}, 2, 3))), "without features \"title\""));
        auto const offsets = divided.names.book.offsets();
        glt::partition_book const book({offsets.begin(), offsets.end()}, 7);
        glt::dist::named_features const numbered(comm, book, glt_test::named_table(items));
        auto const hot_vertices = glt::make_buffer<cpu>(std::vector<glt::global_id>{5, 3});
        auto const kept = glt::detail::fetch_hot_rows(comm, numbered, hot_vertices.cview());
        CHECK(kept.partitioning() == 7);
        collector.use(kept); // the partitioning of the collected rows is not known
        glt::dist::named_features const others(comm, glt::partition_book({offsets.begin(), offsets.end()}, 8),
                                               glt_test::named_table(items));
        glt::dist::named_collector of_others(comm, others, wishes());
        CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { of_others.use(kept); }),
                              "hot rows of another partitioning"));
        CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([] {
                                glt::dist::named_hot_rows(glt::make_buffer<cpu>(std::vector<glt::global_id>{3, 4}),
                                                          glt_test::named_table({3}));
                              }),
                              "1 hot rows for 2 vertices"));
        glt::node_views<glt::detail::table_view<cpu::space>> views{
            .of_rank = {}, .reason = {}, .keeper = std::make_shared<int>()};
        auto const refused_views = [&] {
          return glt_test::thrown<glt::precondition_error>([&] { collector.read_in_place(views); });
        };
        CHECK(glt_test::names(refused_views(), "one entry per rank"));
        auto const short_table = glt_test::named_table({1});
        views.of_rank.resize(static_cast<std::size_t>(comm.size()), short_table.view());
        CHECK(glt_test::names(refused_views(), "with 1 rows of features \"small\"", "part 0"));
        auto const first = glt_test::named_table(items_of(divided, 0));
        views.of_rank[0] = first.view();
        views.of_rank[0]->rows.pop_back();
        CHECK(glt_test::names(refused_views(), "view of part 0", "0 rows of features \"label\""));
      },
      {2, 3});
}
