// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/array.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The first value of row r of an array, as a number.
double first_of(io::array const& from, std::int64_t r) {
  auto const all =
      io::detail::convert<double>(io::array(from.type(), from.shape(), make_buffer<device::cpu>(from.bytes())));
  return all[r * from.columns()];
}

void check_named(std::vector<io::raw_data::named_array> const& own, std::vector<io::raw_data::named_array> const& all,
                 host_view<std::int64_t const> rows) {
  REQUIRE(own.size() == all.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    CHECK(own[i].name == all[i].name);
    CHECK(own[i].values.type() == all[i].values.type());
    CHECK(own[i].values.rows() == rows.size());
    CHECK(own[i].values.columns() == all[i].values.columns());
    for (std::int64_t r = 0; r < rows.size(); ++r) {
      REQUIRE(first_of(own[i].values, r) == first_of(all[i].values, rows[r]));
    }
  }
}

std::vector<std::pair<global_id, global_id>> pairs_in_original_ids(glt::link_split::pairs const& pairs,
                                                                   relabelling const& sources,
                                                                   relabelling const& destinations) {
  std::vector<std::pair<global_id, global_id>> made;
  for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
    made.emplace_back(sources.original[pairs.sources[i]], destinations.original[pairs.destinations[i]]);
  }
  return made;
}

} // namespace

TEST_CASE("every array of every type comes back, under names that are hard to store") {
  for (int const parts : {1, 3}) {
    CAPTURE(parts);
    auto const data = hetero_known_set(23, parts == 1 ? 11 : 6);
    scratch_folder const scratch;
    auto const labels = random_labels(data, parts);
    io::write_parts(scratch / "parts", data, labels, {.partitioner = {"by hand", {{"slack", "1.1"}}, 42}});
    CHECK(scratch.num_entries() == 1);
    io::parts_folder const folder(scratch / "parts");
    folder.verify();
    CHECK(folder.info().name == data.name);
    CHECK(folder.info().partitioner == io::manifest::partitioner_note{"by hand", {{"slack", "1.1"}}, 42});
    std::vector<std::size_t> edges_seen(data.edges.size(), 0);
    for (int part = 0; part < parts; ++part) {
      auto const loaded = folder.load(part);
      REQUIRE(loaded.nodes.size() == data.nodes.size());
      REQUIRE(loaded.edges.size() == data.edges.size());
      for (std::size_t t = 0; t < data.nodes.size(); ++t) {
        auto const& own = loaded.nodes[t];
        auto const& all = data.nodes[t];
        auto const original = loaded.graph.original[t].view();
        CHECK(loaded.graph.books[t].matches(labels[t].book));
        REQUIRE(original.size() == labels[t].book.size(part));
        for (std::int64_t r = 0; r < original.size(); ++r) {
          REQUIRE(original[r] == labels[t].original[labels[t].book.begin(part) + r]);
          if (!all.labels.shape().empty()) {
            REQUIRE(first_of(own.labels, r) == first_of(all.labels, original[r]));
          }
          if (!all.times.empty()) {
            REQUIRE(own.times[r] == all.times[static_cast<std::size_t>(original[r])]);
          }
        }
        CHECK(own.labels.shape().empty() == all.labels.shape().empty());
        CHECK(own.hot.ids.empty());
        check_named(own.features, all.features, original);
      }
      for (std::size_t e = 0; e < data.edges.size(); ++e) {
        auto const& own = loaded.edges[e];
        auto const& all = data.edges[e];
        auto const rows = loaded.graph.relations[e].view();
        auto const& sources = labels[static_cast<std::size_t>(loaded.graph.schema.source_type(static_cast<int>(e)))];
        auto const& destinations =
            labels[static_cast<std::size_t>(loaded.graph.schema.destination_type(static_cast<int>(e)))];
        CHECK(loaded.graph.schema.edge_types()[e] == hetero_schema::edge_type{all.source, all.name, all.destination});
        edges_seen[e] += static_cast<std::size_t>(rows.num_edges());
        check_named(own.features, all.features, rows.edge_ids());
        for (std::int64_t r = 0; r < rows.num_rows(); ++r) {
          for (auto p = rows.offset(r); p < rows.offset(r + 1); ++p) {
            auto const id = static_cast<std::size_t>(rows.id_of_edge(p));
            REQUIRE(sources.original[rows.source(p)] == all.sources[id]);
            REQUIRE(destinations.original[destinations.book.begin(part) + r] == all.destinations[id]);
            REQUIRE((p == rows.offset(r) || rows.id_of_edge(p) > rows.id_of_edge(p - 1)));
            if (!all.weights.empty()) {
              REQUIRE(own.weights[p] == all.weights[id]);
              REQUIRE(own.times[p] == all.times[id]);
            }
          }
        }
        CHECK(own.halo.empty());
        REQUIRE(own.links.size() == all.links.size());
      }
    }
    for (std::size_t e = 0; e < data.edges.size(); ++e) {
      CHECK(edges_seen[e] == data.edges[e].sources.size());
    }
  }
}

TEST_CASE("pairs of link splits go to the part of their destination, in their order") {
  scratch_folder const scratch;
  auto const data = hetero_known_set();
  auto const labels = random_labels(data, 3);
  io::write_parts(scratch / "parts", data, labels);
  io::parts_folder const folder(scratch / "parts");
  auto const& wanted = data.edges[2].links;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::size_t edges = 0;
    std::size_t negatives = 0;
    for (int part = 0; part < 3; ++part) {
      auto const loaded = folder.load(part);
      auto const& split = loaded.edges[2].links[i];
      CHECK(split.name == wanted[i].name);
      std::vector<std::pair<global_id, global_id>> own;
      for (std::size_t p = 0; p < wanted[i].edges.sources.size(); ++p) {
        if (labels[1].book.owner(labels[1].renumbered[wanted[i].edges.destinations[p]]) == part) {
          own.emplace_back(wanted[i].edges.sources[p], wanted[i].edges.destinations[p]);
        }
      }
      CHECK(pairs_in_original_ids(split.edges, labels[0], labels[1]) == own);
      edges += split.edges.sources.size();
      negatives += split.negatives.sources.size();
    }
    CHECK(edges == wanted[i].edges.sources.size());
    CHECK(negatives == wanted[i].negatives.sources.size());
  }
}

TEST_CASE("hot rows are those of other parts, hottest first and each once") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(30, 90));
  auto const labels = random_labels(data, 2);
  std::vector<global_id> list; // all vertices, backwards and twice
  for (global_id v = 29; v >= 0; --v) {
    list.insert(list.end(), {v, v});
  }
  io::write_parts(scratch / "parts", data, labels, {.hot = {{.node_type = 0, .by_part = {list, {}}}}, .halo = true});
  io::parts_folder const folder(scratch / "parts");
  auto const first = folder.load(0);
  std::vector<global_id> wanted;
  for (global_id v = 29; v >= 0; --v) {
    if (labels[0].book.owner(labels[0].renumbered[v]) == 1) {
      wanted.push_back(labels[0].renumbered[v]);
    }
  }
  CHECK(to_vector(first.nodes[0].hot.ids) == wanted);
  REQUIRE(first.nodes[0].hot.features.size() == 1);
  for (std::int64_t i = 0; i < first.nodes[0].hot.ids.size(); ++i) {
    CHECK(first_of(first.nodes[0].hot.features[0].values, i) ==
          10.0 * static_cast<double>(labels[0].original[first.nodes[0].hot.ids[i]]));
  }
  CHECK(folder.load(1).nodes[0].hot.ids.empty());
  CHECK(folder.info().nodes[0].hot == std::vector<std::int64_t>{std::ssize(wanted), 0});
}

TEST_CASE("parts are written in any order, and all of them") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(30, 90));
  auto const labels = random_labels(data, 3);
  io::write_parts(scratch / "whole", data, labels);
  io::parts_folder const whole(scratch / "whole");
  {
    io::detail::parts_writer writer(scratch / "again", data.name);
    writer.add(io::detail::write_part(writer.folder(), whole.load(2)));
    CHECK(names(thrown<precondition_error>([&] { writer.commit(); }), "1 parts were written of a partition into 3"));
    writer.add(whole.load(0));
    writer.add(whole.load(1));
    writer.commit();
  }
  CHECK(io::parts_folder(scratch / "again").info() == whole.info());
  {
    io::detail::parts_writer writer(scratch / "twice", data.name);
    for (int const part : {0, 1, 1}) {
      writer.add(whole.load(part));
    }
    CHECK(names(thrown<precondition_error>([&] { writer.commit(); }), "part-1", "was written twice"));
    auto const other = known_set(random_graph(12, 9));
    io::write_parts(scratch / "other", other, random_labels(other, 3));
    CHECK(names(thrown<precondition_error>([&] { writer.add(io::parts_folder(scratch / "other").load(0)); }), "node",
                "name or book"));
  }
  io::detail::parts_writer none(scratch / "none", "none");
  CHECK(names(thrown<precondition_error>([&] { none.commit(); }), "0 parts"));
  CHECK(scratch.num_entries() == 4); // whole, again, other, and the one under way
}

TEST_CASE("wrong input is named and leaves nothing") {
  scratch_folder const scratch;
  auto const graph = random_graph(11, 30);
  auto const labels = random_labels(11, 2);
  auto const fault = [&](auto change) {
    auto data = known_set(graph);
    io::write_options options;
    change(data.nodes[0], data.edges[0], options);
    auto const text =
        thrown<precondition_error>([&] { io::write_parts(scratch / "parts", data, std::span(&labels, 1), options); });
    CHECK(scratch.num_entries() == 0);
    return text;
  };
  CHECK(names(fault([](auto& nodes, auto&, auto&) { nodes.num_nodes = 10; }), "split of 10 node type 'node'",
              "11 vertices"));
  CHECK(names(
      fault([](auto& nodes, auto&, auto&) { nodes.features[0].values = io::array::of<float>(std::vector<float>(10)); }),
      "features 'feat' have 10 rows for 11"));
  CHECK(names(fault([](auto& nodes, auto&, auto&) { nodes.labels = io::array::of<float>(std::vector<float>(4)); }),
              "labels have 4 rows for 11"));
  CHECK(names(fault([](auto& nodes, auto&, auto&) { nodes.times.pop_back(); }), "times have 10 rows"));
  CHECK(names(fault([](auto& nodes, auto&, auto&) { nodes.valid = {3, 11}; }), "valid: id 1 is 11, outside [0, 11)"));
  CHECK(names(fault([](auto& nodes, auto&, auto&) { nodes.train = {-1}; }), "train: id 0 is -1"));
  CHECK(names(fault([](auto& nodes, auto&, auto&) { nodes.test = {4, 2, 4}; }), "test: element 2 is vertex 4"));
  CHECK(names(fault([](auto&, auto& edges, auto&) { edges.sources[7] = 11; }), "source of edge 7 of edges"));
  CHECK(
      names(fault([](auto&, auto& edges, auto&) { edges.destinations[29] = -3; }), "destination of edge 29 of edges"));
  CHECK(names(fault([](auto&, auto& edges, auto&) { edges.sources.pop_back(); }), "destinations have 30 rows for 29"));
  CHECK(names(fault([](auto&, auto& edges, auto&) { edges.weights.pop_back(); }), "weights have 29 rows for 30"));
  CHECK(names(fault([](auto&, auto& edges, auto&) { edges.times.pop_back(); }), "times have 29 rows for 30"));
  CHECK(names(fault([](auto&, auto& edges, auto&) { edges.name = ""; }), "has no name"));
  CHECK(names(fault([](auto&, auto& edges, auto&) { edges.source = "paper"; }), "no node type 'paper'"));
  CHECK(names(fault([](auto&, auto& edges, auto&) { edges.links = {{"train", {{0}, {}}, {}}}; }), "'train'",
              "0 rows for 1"));
  CHECK(names(fault([](auto&, auto& edges, auto&) { edges.links = {{"test", {}, {{0}, {11}}}}; }), "'test'", "is 11"));
  CHECK(names(fault([](auto& nodes, auto&, auto&) { nodes.name = "node\xFF"; }), "no node type 'node'"));
  CHECK(names(fault([](auto& nodes, auto&, auto&) {
                nodes.features.push_back({"feat", io::array::of<float>(std::vector<float>(11))});
              }),
              "'feat' come twice"));
  CHECK(names(fault([](auto&, auto&, auto& options) { options.partitioner.name = "\xFF"; }), "cannot be stored"));
  CHECK(names(fault([](auto&, auto&, auto& options) { options.hot = {{.node_type = 1, .by_part = {{}, {}}}}; }),
              "node type 1"));
  CHECK(names(fault([](auto&, auto&, auto& options) { options.hot = {{.node_type = 0, .by_part = {{}}}}; }),
              "for 1 parts"));
  CHECK(names(fault([](auto&, auto&, auto& options) { options.hot = {{.node_type = 0, .by_part = {{}, {11}}}}; }),
              "is 11"));
  CHECK(names(fault([](auto&, auto&, auto& options) {
                options.hot = {{.node_type = 0, .by_part = {{}, {}}, .features = {"x"}}};
              }),
              "hot rows of features 'x'"));
  CHECK(names(thrown<precondition_error>([&] { io::write_parts(scratch / "parts", known_set(graph), {}); }),
              "0 relabellings for 1 node types"));
  auto hetero = hetero_known_set();
  auto uneven = random_labels(hetero, 2);
  uneven[1] = random_labels(11, 3);
  CHECK(names(thrown<precondition_error>([&] { io::write_parts(scratch / "parts", hetero, uneven); }), "in 3 parts",
              "in 2"));
  CHECK(scratch.num_entries() == 0);

  std::filesystem::create_directories(scratch / "parts/something");
  CHECK(names(thrown<io_error>([&] { io::write_parts(scratch / "parts", known_set(graph), std::span(&labels, 1)); }),
              "is there already"));
  CHECK(scratch.num_entries() == 1);
}

TEST_CASE("progress is told, and whoever ends the work by it leaves nothing") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(11, 30));
  auto const labels = random_labels(data, 3);
  std::vector<std::int64_t> done;
  io::write_parts(scratch / "parts", data, labels, {.on_progress = [&](io::task_progress const& state) {
                    CHECK(state.total == 3);
                    done.push_back(state.done);
                  }});
  CHECK(done == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK_THROWS_AS(io::write_parts(scratch / "ended", data, labels,
                                  {.on_progress =
                                       [&](io::task_progress const& state) {
                                         if (state.done == 2) {
                                           throw std::runtime_error("enough");
                                         }
                                       }}),
                  std::runtime_error);
  CHECK(scratch.num_entries() == 1);
}

TEST_CASE("a full disk is an error and leaves nothing") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(500, 3000));
  auto const labels = random_labels(data, 2);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto const signal_before = std::signal(SIGXFSZ, SIG_IGN);
  for (rlim_t const bytes : {0, 200, 2500, 12000}) {
    rlimit small = before;
    small.rlim_cur = bytes;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    auto const fault = thrown<io_error>([&] { io::write_parts(scratch / "parts", data, labels); });
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(names(fault, "part-0", "cannot be written"));
    CHECK(scratch.num_entries() == 0);
  }
  std::signal(SIGXFSZ, signal_before);
}

TEST_CASE("a folder whose writer is killed at any time is complete or absent") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(60, 300));
  auto const labels = random_labels(data, 3);
  random_stream draws(random_key(5), 0);
  int complete = 0;
  for (int trial = 0; trial < 14; ++trial) {
    auto const name = "parts-" + std::to_string(trial);
    auto const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      io::write_parts(scratch / name, data, labels);
      ::_exit(0);
    }
    // The last trials are left to end by themselves.
    std::this_thread::sleep_for(std::chrono::microseconds(draws.below(8000)));
    if (trial < 12) {
      ::kill(child, SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (std::filesystem::exists(scratch / name)) {
      io::parts_folder const folder(scratch / name);
      folder.verify();
      CHECK(folder.load(2).graph.books[0].matches(labels[0].book));
      ++complete;
    }
  }
  CHECK(complete >= 2);
}
