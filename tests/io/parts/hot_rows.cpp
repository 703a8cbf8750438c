// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <glt/dist/collect/named_collector.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/io/parts/feature_tables.hpp>
#include <glt/io/parts/hot_rows.hpp>
#include <glt/io/parts/parts.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/memory/copy.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using device::cpu;

namespace {

constexpr std::int64_t num_vertices = 97;

// A folder of four parts with two arrays of features of vertices and two of edges, and hot rows.
struct hot_folder {
  hot_folder() : data(known_set(random_graph(num_vertices, 800))), labels(random_labels(data, 4)) {
    std::vector<std::int8_t> codes;
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      codes.push_back(static_cast<std::int8_t>(v));
    }
    data.nodes[0].features.push_back({"codes", io::array::of<std::int8_t>(codes)});
    std::vector<double> lengths;
    std::vector<std::int32_t> kinds;
    for (std::int64_t e = 0; e < 800; ++e) {
      lengths.insert(lengths.end(), {static_cast<double>(e), 0.25});
      kinds.push_back(static_cast<std::int32_t>(3 * e));
    }
    data.edges[0].features.push_back({"length", io::array::of<double>(lengths, {800, 2})});
    data.edges[0].features.push_back({"kind", io::array::of<std::int32_t>(kinds)});
    std::vector<global_id> hot;
    for (global_id v = 0; v < num_vertices; v += 2) {
      hot.push_back(v);
    }
    io::write_parts(path, data, labels, {.hot = {{.node_type = 0, .by_part = {hot, hot, {}, hot}}}});
  }

  scratch_folder scratch;
  std::filesystem::path path = scratch / "parts";
  io::data_set data;
  std::vector<relabelling> labels;
};

} // namespace

TEST_CASE("a loader with the hot rows of a folder makes the batches that it makes without, on as many ranks or fewer") {
  on_ranks([](auto comm) {
    hot_folder const made;
    auto part = io::load_for_rank(io::parts_folder(made.path), comm.rank(), comm.size());
    CHECK(part.feature == "feat");
    auto const hot = io::extract_hot_rows(part);
    CHECK(io::extract_hot_rows(part).size() == 0); // they are taken
    std::vector<global_id> seeds = part.train;
    seeds.push_back((part.graph.book.end(comm.rank()) + 1) % num_vertices);
    dist::feature_store const features(comm, part.graph.book, std::move(part.features));
    dist::graph const graph(comm, std::move(part.graph));
    neighbor_options const neighbors{.fanouts = {3, 3}};
    dist::loader_options const options{.batch_size = 5};
    dist::loader plain(comm, dist::neighbor_batches(graph, features, neighbors), seeds, options);
    dist::loader loader(comm, dist::neighbor_batches(graph, features, neighbors), seeds, options);
    loader.use(hot);
    auto const expected_epoch = plain.epoch(0);
    auto expected = expected_epoch.begin();
    for (auto const& batch : loader.epoch(0)) {
      CHECK(to_vector(batch.rows.features) == to_vector((*expected).rows.features));
      CHECK(to_vector(batch.rows.labels) == to_vector((*expected).rows.labels));
      ++expected;
    }
    CHECK((loader.report().rows.hit_ratio() > 0.2) == (hot.size() > 0 && comm.size() > 1));
    CHECK(plain.report().rows.cached == 0);
  });
}

TEST_CASE("all features and labels of a folder, and those of its edges, are collected by name") {
  on_ranks([](auto comm) {
    hot_folder const made;
    auto part = io::load_hetero_for_rank(io::parts_folder(made.path), comm.rank(), comm.size());
    auto const& names_of = made.labels[0];
    auto const hot = io::extract_hot_rows(part);
    auto const& book = part.graph.books[0];
    dist::named_features const features(comm, book, io::extract_node_features(part));
    dist::named_features const edges(comm, book, io::extract_edge_features(part));
    CHECK(features.local().names() == std::vector<std::string>{"feat", "codes", "label"});
    CHECK(features.local().type("codes") == element_type::int8);
    CHECK(edges.local().names() == std::vector<std::string>{"length", "kind", "time"});
    dist::named_collector collector(
        comm, features,
        {{.name = "codes", .type = element_type::float32}, {.name = "feat"}, {.name = "label", .seeds_only = true}});
    collector.use(hot);
    std::vector<global_id> vertices;
    for (global_id v = comm.rank(); v < num_vertices; v += 1 + comm.rank()) {
      vertices.push_back(v);
    }
    auto const& rows = collector.collect(host_view<global_id const>(vertices), 10, 0);
    for (std::int64_t i = 0; i < std::ssize(vertices); ++i) {
      auto const original = names_of.original[vertices[static_cast<std::size_t>(i)]];
      CHECK(rows["codes"].template as<float>()(i, 0) == static_cast<float>(original));
      CHECK(rows["feat"].template as<float>()(i, 2) == static_cast<float>(10 * original + 2));
      if (i < 10) {
        CHECK(rows["label"].template as<std::int64_t>()(i, 0) == 100 + original);
      }
    }
    CHECK(rows["label"].num_rows == 10);
    CHECK((collector.counts().cached > 0) == (hot.size() > 0 && comm.size() > 1));
    dist::graph const graph(comm, graph_part<cpu, global_id>{book, part.graph.part, std::move(part.graph.relations[0]),
                                                             std::move(part.graph.original[0])});
    dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3, 3}, .edge_ids = true});
    sampled_subgraph<cpu, global_id> sample;
    sampler.sample(host_view<global_id const>(vertices).subview(0, 5), {.seed = 1}, sample);
    dist::named_collector edge_collector(comm, edges);
    auto const& found = edge_collector.collect(sample, 0);
    REQUIRE(sample.edge_ids().size() > 5);
    for (std::int64_t i = 0; i < sample.edge_ids().size(); ++i) {
      CHECK(found["length"].template as<double>()(i, 0) == static_cast<double>(sample.edge_ids()[i]));
      CHECK(found["kind"].template as<std::int32_t>()(i, 0) == 3 * sample.edge_ids()[i]);
    }
  });
}

TEST_CASE("hot rows of other features than the loaded ones are refused by name") {
  hot_folder const made;
  auto part = io::read_part(made.path, 0);
  part.feature = "other";
  CHECK(
      names(thrown<precondition_error>([&] { static_cast<void>(io::extract_hot_rows(part)); }), "part 0", "\"other\""));
  auto codes = io::read_part(made.path, 0, {.feature = "codes"});
  auto const hot = io::extract_hot_rows(codes);
  for (std::int64_t i = 0; i < hot.size(); ++i) {
    auto const original = made.labels[0].original[hot.vertices().ids()[i]];
    CHECK(hot.rows().features(i, 0) == static_cast<float>(original));
  }
  CHECK(hot.size() > 10);
}
