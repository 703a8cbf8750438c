// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/open_data_set.hpp>

#include <glt/comm/serial.hpp>
#include <glt/dist/builder/make_data_set.hpp>
#include <glt/dist/collect/named_collector.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/rest_of_epoch.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/checkpoint.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/loader_kinds.hpp"
#include "support/naive_rules.hpp"
#include "support/naive_sampler.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace glt_test;
namespace io = glt::io;
namespace dist = glt::dist;

namespace {

constexpr std::int64_t num_vertices = 97;

// Every second vertex is hot for all of four parts but one.
io::write_options every_second_hot(std::int64_t num_vertices_of_type) {
  std::vector<glt::global_id> hot;
  for (glt::global_id v = 0; v < num_vertices_of_type; v += 2) {
    hot.push_back(v);
  }
  return {.hot = {{.node_type = 0, .by_part = {hot, hot, {}, hot}}}};
}

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
    io::write_parts(path, data, labels, every_second_hot(num_vertices));
  }

  scratch_folder scratch;
  std::filesystem::path path = scratch / "parts";
  io::raw_data data;
  std::vector<glt::relabelling> labels;
};

// Fingerprints of the batches that a recipe makes of the same seeds on every rank, with all rows of vertices and edges,
// some of them from hot rows.
template <class Comm, class Recipe, class Seeds, class... Hot>
std::vector<std::int64_t> prints(Comm comm, Recipe const& recipe, Seeds const& seeds, Hot const&... hot) {
  dist::loader loader(comm, recipe, seeds, {.batch_size = 6, .shuffle = true, .seed = 3});
  loader.use(hot...);
  return prints_of(loader, 1);
}

// Batches of any number of ranks of one folder, by all rules; of typed seeds if there are types.
template <class Comm>
std::vector<std::vector<std::int64_t>> all_prints(Comm comm, std::filesystem::path const& folder,
                                                  io::parts_folder::load_options how) {
  constexpr auto host = glt::memory_space::host;
  how.edge_tensors = true;
  auto const data = io::open_data_set(comm, folder, how);
  std::vector<std::vector<std::int64_t>> made;
  if (data.schema().num_node_types() == 1) {
    dist::vertex_seeds<> seeds;
    for (glt::global_id v = 0; v < num_vertices; v += 4) {
      seeds.vertices.push_back(v);
    }
    glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true};
    auto const hot = data.hot_rows();
    auto const add = [&](auto recipe, auto const& of) {
      made.push_back(prints(comm, recipe.with(data.tensors()).with(data.edge_tensors()), of, hot));
    };
    add(dist::neighbor_batches(data, options), seeds);
    add(dist::neighbor_batches(data, options, glt::weighted_rule<host>{data.edge_weights()}), seeds);
    auto timed = seeds;
    for (auto const v : seeds.vertices) {
      timed.times.push_back(v * 9);
    }
    auto const tree_options = glt::neighbor_options{.fanouts = {3, 2}, .edge_ids = true, .disjoint = true};
    add(dist::neighbor_batches(data, tree_options, glt::temporal_rule<host>{data.edge_times()}), timed);
  } else {
    dist::typed_batches recipe(data, {.fanouts = glt::same_fanouts(data.schema(), {3, 2}), .edge_ids = true});
    auto const cites = data.schema().find_edge_type("cites");
    recipe.with(cites, data.edge_tensors(cites));
    std::vector<glt::global_id> const papers{22, 3, 5, 7, 1, 0, 9, 15, 21};
    auto const paper = data.schema().find_node_type("paper");
    made.push_back(prints(comm, recipe, dist::typed_seeds<>(paper, {papers}), paper, data.named_hot_rows(paper)));
    std::vector<glt::temporal_rule<host>> rules;
    for (int e = 0; e < data.schema().num_edge_types(); ++e) {
      rules.push_back({data.edge_times(e)});
    }
    auto trees = recipe.options();
    trees.disjoint = true;
    made.push_back(prints(comm, dist::typed_batches(data, trees, rules),
                          dist::typed_seeds<>(paper, {papers, {0, 3, 1, 9, -4, 5, 5, 7, 2}}), paper,
                          data.named_hot_rows(paper)));
  }
  return made;
}

// Edges with times in no order, many of them equal.
struct timed_edges {
  explicit timed_edges(edge_list of) : list(std::move(of)) {
    for (std::int64_t e = 0; e < list.num_edges(); ++e) {
      times.push_back(e * 37 % 23 - 5);
    }
  }

  [[nodiscard]] timed_edges with_reverses() const {
    auto made = *this;
    for (std::size_t e = 0; e < times.size(); ++e) {
      if (list.sources[e] != list.destinations[e]) {
        made.list.add(list.destinations[e], list.sources[e]);
        made.times.push_back(times[e]);
      }
    }
    return made;
  }
  [[nodiscard]] io::raw_data set() const {
    auto made = known_set(list);
    made.edges[0].times = times;
    return made;
  }
  [[nodiscard]] std::vector<glt::relabelling> labels(int parts) const {
    std::vector<glt::relabelling> made;
    made.push_back(random_labels(list.num_vertices, parts));
    return made;
  }
  // The same parts, made of edges that lie on the ranks.
  template <class Comm>
  [[nodiscard]] dist::data_set<> on_ranks(Comm comm, dist::local_data::options const& options) const {
    auto const names = std::move(labels(comm.size())[0]);
    std::vector<std::int64_t> vertices;
    std::vector<glt::local_id> parts;
    for (std::int64_t v = comm.rank(); v < list.num_vertices; v += comm.size()) {
      vertices.push_back(v);
      parts.push_back(static_cast<glt::local_id>(names.book.owner(names.renumbered[v])));
    }
    auto const first = glt::detail::first_place(list.num_edges(), comm.size(), comm.rank());
    auto const count = glt::detail::first_place(list.num_edges(), comm.size(), comm.rank() + 1) - first;
    auto const share = [&]<class T>(std::vector<T> const& all) {
      return glt::host_view<T const>(all).subview(first, count);
    };
    dist::local_data data;
    data.edges = {.sources = share(list.sources), .destinations = share(list.destinations), .times = share(times)};
    return dist::make_data_set(comm, data, dist::local_data::given_parts{vertices, parts}, options);
  }

  edge_list list;
  std::vector<std::int64_t> times;
};

// Checks the batches that a temporal rule makes of a data set in so many parts against the definition.
template <class Comm>
void check_timed(Comm comm, dist::data_set<> const& data, timed_edges const& edges, int parts) {
  CAPTURE(parts);
  auto const names = std::move(edges.labels(parts)[0]);
  dist::vertex_seeds<> seeds;
  for (auto v = static_cast<std::int64_t>(comm.rank()); v < edges.list.num_vertices; v += 3) {
    seeds.vertices.push_back(names.renumbered[v]);
    seeds.times.push_back(v * 5 % 30 - 8);
  }
  glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true, .disjoint = true};
  for (auto const strategy : {glt::temporal_strategy::uniform, glt::temporal_strategy::last}) {
    dist::neighbor_batches const recipe(
        data, options, glt::temporal_rule<glt::memory_space::host>{.times = data.edge_times(), .strategy = strategy});
    dist::loader loader(comm, recipe, seeds, {.batch_size = 5, .shuffle = true, .seed = 3});
    for_each_batch(loader, seeds, [&](auto const& batch, auto const& of_batch, auto key) {
      std::vector<std::int64_t> original;
      for (auto const id : of_batch.vertices) {
        original.push_back(names.original[id]);
      }
      CHECK(plain(batch.subgraph, names.original) ==
            naive_temporal_sample(edges.list, edges.times, strategy, original, of_batch.times, options, key));
    });
  }
}

// Seeds of some steps, and their sampled edges, of all ranks.
struct sampled_steps {
  using placed_id = std::array<std::int64_t, 2>; // a step, and an id
  std::multiset<placed_id> seeds;
  std::multiset<placed_id> edges;

  // Adds the batches of all ranks to the result of each.
  template <class Comm>
  static sampled_steps of(Comm comm, dist::data_set<> const& data, dist::vertex_seeds<> const& seeds,
                          dist::loader_options const& options, std::int64_t epoch, std::int64_t first_step) {
    std::vector<placed_id> own_seeds;
    std::vector<placed_id> own_edges;
    dist::neighbor_batches const recipe(data, {.fanouts = {3}, .edge_ids = true});
    dist::loader loader(comm, recipe, seeds, options);
    for (auto const& batch : loader.epoch(epoch, first_step)) {
      for (auto const place : batch.positions) {
        own_seeds.push_back({batch.step, seeds.vertices[static_cast<std::size_t>(place)]});
      }
      for (auto const edge : batch.subgraph.edge_ids()) {
        own_edges.push_back({batch.step, edge});
      }
    }
    sampled_steps made;
    for (auto const& some : glt::gather_over_ranks(comm, own_seeds)) {
      made.seeds.insert(some.begin(), some.end());
    }
    for (auto const& some : glt::gather_over_ranks(comm, own_edges)) {
      made.edges.insert(some.begin(), some.end());
    }
    return made;
  }
  void keep_before(std::int64_t step) {
    std::erase_if(seeds, [&](auto const& of) { return of[0] >= step; });
    std::erase_if(edges, [&](auto const& of) { return of[0] >= step; });
  }
};

} // namespace

TEST_CASE("an epoch that one number of ranks began is finished by any other from their files, with the same samples") {
  hot_folder const made;
  glt::neighbor_options const neighbors{.fanouts = {3}, .edge_ids = true};
  dist::loader_options const options{.batch_size = 3, .shuffle = true, .seed = 4};
  constexpr std::int64_t epoch = 1;
  constexpr std::int64_t stop = 2;
  for (int const num_saved : {1, 2, 3, 4}) {
    auto const file = [&](char const* name, int rank) {
      return made.scratch / glt::detail::message(name, num_saved, '.', rank);
    };
    sampled_steps wanted;
    std::int64_t num_full = 0; // steps that are full on all ranks
    glt::run_threads(num_saved, [&](auto comm) {
      auto const data = io::open_data_set(comm, made.path);
      dist::vertex_seeds<> seeds;
      for (auto v = data.book().begin(comm.rank()); v < data.book().end(comm.rank()); ++v) {
        seeds.vertices.push_back(v);
      }
      dist::loader loader(comm, dist::neighbor_batches(data, neighbors), seeds, options);
      glt::dist::loader_checkpoint place(loader, seeds, data.book(), neighbors);
      io::write_npy(file("seeds", comm.rank()), seeds.vertices);
      for (auto const& batch : loader.epoch(epoch)) {
        place.advance(batch);
        if (place.step == stop) {
          io::save_checkpoint(file("place", comm.rank()), place);
        }
      }
      auto const full = glt::reduce_over_ranks(comm, seeds.size() / options.batch_size, glt::reduction::min);
      auto rest = sampled_steps::of(comm, data, seeds, options, epoch, stop);
      if (comm.rank() == 0) {
        num_full = full;
        wanted = std::move(rest);
      }
    });
    REQUIRE(num_full > stop + 1);
    on_ranks([&](auto comm) {
      std::vector<dist::loader_checkpoint> saved;
      for (int rank = 0; rank < num_saved; ++rank) {
        saved.push_back(io::load_checkpoint(file("place", rank)));
      }
      auto const rest = dist::rest_of_epoch(
          saved, [&](int rank) { return dist::vertex_seeds<>(io::read_npy<glt::global_id>(file("seeds", rank)).data); },
          comm.rank(), comm.size());
      auto const data = io::open_data_set(comm, made.path);
      dist::loader const loader(comm, dist::neighbor_batches(data, neighbors), rest.seeds, rest.options);
      glt::dist::loader_checkpoint place(loader, rest.seeds, data.book(), neighbors);
      place.resume(saved);
      auto found = sampled_steps::of(comm, data, rest.seeds, rest.options, place.epoch, place.step);
      auto const seeds_of = [](sampled_steps const& steps) {
        std::multiset<std::int64_t> ids;
        std::ranges::transform(steps.seeds, std::inserter(ids, ids.end()), [](auto const& of) { return of[1]; });
        return ids;
      };
      CHECK(seeds_of(found) == seeds_of(wanted));
      auto expected = wanted;
      found.keep_before(num_full);
      expected.keep_before(num_full);
      CHECK(found.seeds == expected.seeds);
      CHECK(found.edges == expected.edges);
      CHECK(expected.edges.size() > 20);
      if (comm.size() != num_saved) {
        dist::loader const whole(comm, dist::neighbor_batches(data, neighbors), rest.seeds, options);
        glt::dist::loader_checkpoint other(whole, rest.seeds, data.book(), neighbors);
        CHECK(names(thrown<glt::precondition_error>([&] { other.resume(saved[0]); }), "num_ranks", "rest_of_epoch"));
      }
    });
  }
}

TEST_CASE("a rank opens what it loads from a folder of parts, and all know the number of classes") {
  on_ranks([](auto comm) {
    scratch_folder scratch;
    auto const data = known_set(random_graph(97, 800));
    auto const folder = scratch / "parts";
    auto const labels = random_labels(data, 4);
    io::write_parts(folder, data, labels);
    auto const opened = io::open_data_set(comm, folder);
    auto const part = io::parts_folder(folder).load_for_rank(comm.rank(), comm.size());
    auto const& vertices = part.vertices[0];
    CHECK(std::ranges::equal(opened.original(), part.graph.original[0]));
    CHECK(opened.graph().local().num_edges() == part.graph.relations[0].view().num_edges());
    CHECK(std::ranges::equal(opened.features().local().features.flat(),
                             vertices.tensors.template view<float>("x").features.flat()));
    CHECK(std::ranges::equal(opened.features().local().labels,
                             vertices.tensors.template view<std::int64_t>("y").features.flat()));
    CHECK(opened.split("train") == vertices.splits[0].vertices);
    CHECK(opened.split("valid") == vertices.splits[1].vertices);
    CHECK(opened.split("test") == vertices.splits[2].vertices);
    CHECK(std::ranges::equal(opened.times(), vertices.times));
    CHECK(std::ranges::equal(opened.edge_weights(), part.edges[0].weights));
    CHECK(std::ranges::equal(opened.edge_times(), part.edges[0].times));
    CHECK(opened.num_classes() == 197); // labels are 100 to 196
    CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(opened.split("validation")); }),
                "no split \"validation\"", "\"test\", \"train\", \"valid\""));
    CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(opened.edge_tensors()); }), "edge_tensors"));
  });
}

TEST_CASE("a folder that one rank cannot read is the same error on all") {
  on_ranks([](auto comm) {
    scratch_folder scratch;
    auto const data = known_set(random_graph(97, 800));
    auto const folder = scratch / "parts";
    auto const last = comm.size() - 1;
    if (comm.rank() != last) {
      io::write_parts(folder, data, random_labels(data, 4));
    }
    auto const error = thrown<glt::collective_error>([&] { static_cast<void>(io::open_data_set(comm, folder)); });
    CHECK(names(error, "rank " + std::to_string(last), folder.filename().string()));
  });
}

TEST_CASE("parts of two partitionings into parts of equal sizes do not go together") {
  on_ranks([](auto comm) {
    scratch_folder scratch;
    auto const data = known_set(random_graph(96, 800));
    std::vector<glt::local_id> part_of(96);
    for (std::size_t v = 0; v < part_of.size(); ++v) {
      part_of[v] = static_cast<glt::local_id>(comm.rank() == 0 ? v % 4 : v / 24);
    }
    std::vector<glt::relabelling> labels;
    labels.push_back(glt::make_relabelling(glt::host_view<glt::local_id const>(part_of), 4));
    auto const folder = scratch / "parts";
    io::write_parts(folder, data, labels);
    auto const open = [&] { static_cast<void>(io::open_data_set(comm, folder)); };
    auto part = io::parts_folder(folder).load_for_rank(comm.rank(), comm.size());
    if (comm.size() == 1) {
      CHECK_NOTHROW(open());
      return;
    }
    CHECK(names(thrown<glt::collective_error>(open), "rank 1", "load parts of one partition"));
    // Whatever a rank does with its part first.
    CHECK(names(thrown<glt::collective_error>([&] {
                  dist::named_features const table(comm, part.graph.books[0], std::move(part.vertices[0].tensors));
                }),
                "rank 1", "partition"));
  });
}

TEST_CASE("ranks that balance edges and ranks that do not cannot go together") {
  on_ranks(
      [](auto comm) {
        hot_folder const made;
        CHECK(names(thrown<glt::collective_error>([&] {
                      static_cast<void>(io::open_data_set(comm, made.path, {.balance_edges = comm.rank() == 1}));
                    }),
                    "rank 1", "load parts of one partition"));
      },
      {2, 3});
}

TEST_CASE("the same parts in two folders go together") {
  on_ranks([](auto comm) {
    scratch_folder scratch;
    auto const data = known_set(random_graph(97, 800));
    io::write_parts(scratch / std::to_string(comm.rank()), data, random_labels(data, 4));
    auto const opened = io::open_data_set(comm, scratch / std::to_string(comm.rank()));
    CHECK(opened.graph().num_vertices() == 97);
    // A book of the same parts that somebody made without a folder goes with it.
    glt::partition_book const made({opened.book().offsets().begin(), opened.book().offsets().end()});
    CHECK(made.matches(opened.book()));
    CHECK_FALSE(glt::partition_book({0, 97}, 1) == glt::partition_book({0, 97}, 2));
  });
}

TEST_CASE("a loader with the hot rows of a folder makes the batches that it makes without, on any number of ranks") {
  on_ranks(
      [](auto comm) {
        hot_folder const made;
        auto const data =
            io::open_data_set(comm, made.path, {.reading = dist::reading::by_messages}); // for the hot rows
        auto const hot = data.hot_rows();
        auto seeds = data.split("train");
        seeds.push_back((data.book().end(comm.rank()) + 1) % num_vertices);
        dist::neighbor_batches const recipe(data, {.fanouts = {3, 3}});
        dist::loader plain(comm, recipe, seeds, {.batch_size = 5});
        dist::loader loader(comm, recipe, seeds, {.batch_size = 5});
        loader.use(hot);
        auto const expected_epoch = plain.epoch(0);
        auto expected = expected_epoch.begin();
        for (auto const& batch : loader.epoch(0)) {
          CHECK(std::ranges::equal(batch.features().flat(), (*expected).features().flat()));
          CHECK(std::ranges::equal(batch.labels(), (*expected).labels()));
          ++expected;
        }
        CHECK((loader.report().rows.hit_ratio() > 0.2) == (hot.size() > 0 && comm.size() > 1));
        CHECK(plain.report().rows.cached == 0);
      },
      {1, 2, 3, 4, 7});
}

TEST_CASE("all features and labels of a folder, and those of its edges, are collected by name") {
  on_ranks(
      [](auto comm) {
        hot_folder const made;
        auto const data =
            io::open_data_set(comm, made.path, {.edge_tensors = true, .reading = dist::reading::by_messages});
        auto const& names_of = made.labels[0];
        auto const hot = data.named_hot_rows();
        CHECK(data.tensors().local().names() == std::vector<std::string>{"x", "codes", "y"});
        CHECK(data.tensors().local().type("codes") == glt::element_type::int8);
        CHECK(data.edge_tensors().local().names() == std::vector<std::string>{"length", "kind", "time"});
        dist::named_collector collector(
            comm, data.tensors(),
            {{.name = "codes", .type = glt::element_type::float32}, {.name = "x"}, {.name = "y", .seeds_only = true}});
        collector.use(hot);
        std::vector<glt::global_id> vertices;
        for (glt::global_id v = comm.rank(); v < num_vertices; v += 1 + comm.rank() % 4) {
          vertices.push_back(v);
        }
        auto const& rows = collector.collect(glt::host_view<glt::global_id const>(vertices), 10, 0);
        for (std::int64_t i = 0; i < std::ssize(vertices); ++i) {
          auto const original = names_of.original[vertices[static_cast<std::size_t>(i)]];
          CHECK(rows["codes"].template as<float>()(i, 0) == static_cast<float>(original));
          CHECK(rows["x"].template as<float>()(i, 2) == static_cast<float>(10 * original + 2));
          if (i < 10) {
            CHECK(rows["y"].template as<std::int64_t>()(i, 0) == 100 + original);
          }
        }
        CHECK(rows["y"].num_rows == 10);
        CHECK((collector.counts().cached > 0) == (hot.size() > 0 && comm.size() > 1));
        dist::neighbor_sampler sampler(comm, data.graph(), {.fanouts = {3, 3}, .edge_ids = true});
        glt::sampled_subgraph<glt::device::cpu, glt::global_id> sample;
        sampler.sample(glt::host_view<glt::global_id const>(vertices).subview(0, 5), {.seed = 1}, sample);
        dist::named_collector edge_collector(comm, data.edge_tensors());
        auto const& found = edge_collector.collect(sample, 0);
        REQUIRE(sample.edge_ids().size() > 5);
        for (std::int64_t i = 0; i < sample.edge_ids().size(); ++i) {
          CHECK(found["length"].template as<double>()(i, 0) == static_cast<double>(sample.edge_ids()[i]));
          CHECK(found["kind"].template as<std::int32_t>()(i, 0) == 3 * sample.edge_ids()[i]);
        }
      },
      {1, 2, 3, 4, 7});
}

TEST_CASE("hot rows of other features than the opened ones are refused by name") {
  on_ranks(
      [](auto comm) {
        hot_folder const made;
        auto const codes = io::open_data_set(comm, made.path, {.features = "codes"}).hot_rows();
        for (std::int64_t i = 0; i < codes.size(); ++i) {
          auto const original = made.labels[0].original[codes.vertices().ids()[i]];
          CHECK(codes.rows().features(i, 0) == static_cast<float>(original));
        }
        auto part = io::parts_folder(made.path).load_for_rank(comm.rank(), comm.size());
        glt::feature_table<glt::device::cpu> others(part.vertices[0].hot_vertices.size());
        part.vertices[0].hot_tensors = std::move(others);
        if (part.vertices[0].hot_vertices.empty()) {
          return;
        }
        CHECK(codes.size() > 10);
        auto const without = dist::data_set(comm, std::move(part));
        CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(without.hot_rows()); }),
                    "part " + std::to_string(comm.rank()), "\"x\""));
      },
      {2});
}

TEST_CASE("a folder with types opens as what its parts in memory make, on as many ranks as parts or fewer") {
  on_ranks(
      [](auto comm) {
        scratch_folder scratch;
        auto raw = hetero_known_set();
        for (std::int64_t e = 0; e < std::ssize(raw.edges[0].times); ++e) {
          raw.edges[0].times[static_cast<std::size_t>(e)] = e * 7 % 10;
        }
        auto const labels = random_labels(raw, 3);
        io::write_parts(scratch / "parts", raw, labels);
        auto const data = io::open_data_set(comm, scratch / "parts", {.edge_tensors = true});
        auto const memory =
            dist::data_set(comm, io::parts_folder(scratch / "parts").load_for_rank(comm.rank(), comm.size()));
        auto const& schema = data.schema();
        CHECK(schema == memory.schema());
        auto const paper = schema.find_node_type("paper");
        CHECK(data.split("train", paper) == memory.split("train", paper));
        CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(data.split("train", 1)); }),
                    "no split \"train\"; there are none"));
        auto const x = data.features(paper).local();
        for (std::int64_t r = 0; r < x.num_vertices(); ++r) {
          CHECK(x.features(r, 0) == static_cast<float>(data.original(paper)[r]));
          CHECK(x.labels[r] == data.original(paper)[r]);
          CHECK(data.times(paper)[r] == data.original(paper)[r]);
        }
        CHECK(data.num_classes(paper) == 23);
        CHECK(data.tensors(1).local().type("y") == glt::element_type::float64);
        CHECK(
            names(thrown<glt::precondition_error>([&] { static_cast<void>(data.num_classes(1)); }), "no labels \"y\""));
        auto const cites = schema.find_edge_type("cites");
        auto const edges = data.hetero_graph().local(cites);
        for (std::int64_t e = 0; e < edges.num_edges(); ++e) {
          CHECK(data.edge_weights(cites)[e] == static_cast<float>(edges.edge_ids()[e]));
          CHECK(data.edge_times(cites)[e] == edges.edge_ids()[e] * 7 % 10);
          auto const brains = data.edge_tensors(cites).local().template view<glt::bfloat16>("weights").features;
          CHECK(static_cast<float>(brains(e, 0)) == static_cast<float>(edges.edge_ids()[e] % 100));
        }
        for (int e = 0; e < schema.num_edge_types(); ++e) {
          auto const rows = data.hetero_graph().local(e);
          auto const times = data.edge_times(e);
          CHECK(times.empty() == (e != cites));
          for (std::int64_t r = 0; r < rows.num_rows(); ++r) {
            for (auto at = rows.offset(r) + 1; at < rows.offset(r + 1); ++at) {
              auto const before = times.empty() ? 0 : times[at - 1];
              auto const time = times.empty() ? 0 : times[at];
              CHECK((before < time || (before == time && rows.edge_ids()[at - 1] < rows.edge_ids()[at])));
            }
          }
        }
        CHECK(data.edge_tensors(cites).local().names() == std::vector<std::string>{"weights", "time"});
        CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(memory.edge_tensors(cites)); }),
                    "edge_tensors = true"));
        auto const reviews = schema.find_edge_type("reviewed/by");
        auto const& pairs = data.links("train", reviews);
        CHECK(pairs.edges.sources == memory.links("train", reviews).edges.sources);
        CHECK(glt::reduce_over_ranks(comm, std::ssize(pairs.edges.sources), glt::reduction::sum) == 4);
        CHECK(glt::reduce_over_ranks(comm, std::ssize(pairs.negatives.sources), glt::reduction::sum) == 2);
        for (std::size_t i = 0; i < pairs.negatives.sources.size(); ++i) {
          auto const author = schema.find_node_type("author.of ü");
          CHECK(labels[static_cast<std::size_t>(paper)].original[pairs.negatives.sources[i]] == 4);
          CHECK(data.book(author).owner(pairs.negatives.destinations[i]) == comm.rank());
        }
        CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(data.links("test", reviews)); }),
                    "no link split \"test\"; there are \"te/st\", \"train\""));
      },
      {1, 2, 3});
}

TEST_CASE("a temporal rule draws from the rows of data sets, whatever made them and in whatever order times come") {
  edge_list hub{"hub", 40, {}, {}};
  for (std::int64_t e = 0; e < 200; ++e) {
    hub.add(e % 40, e % 5 == 4 ? e % 40 : 7);
  }
  for (auto const& list :
       {edge_list{"no edges", 3, {}, {}}, edge_list{"one edge", 3, {1}, {2}}, hub, random_graph(num_vertices, 800)}) {
    CAPTURE(list.name);
    timed_edges const one_way(list);
    auto const both_ways = one_way.with_reverses();
    scratch_folder const scratch;
    for (int const parts : {1, 2, 4}) {
      io::write_parts(scratch / std::to_string(parts), one_way.set(), one_way.labels(parts));
    }
    on_ranks(
        [&](auto comm) {
          for (auto const how : {dist::reading::in_place, dist::reading::by_messages}) {
            for (int const parts : {1, 2, 4}) {
              check_timed(comm, io::open_data_set(comm, scratch / std::to_string(parts), {.reading = how}), one_way,
                          parts);
            }
            dist::local_data::options options{.num_vertices = list.num_vertices, .round_bytes = 300, .reading = how};
            check_timed(comm, one_way.on_ranks(comm, options), one_way, comm.size());
            options.symmetric = true;
            check_timed(comm, one_way.on_ranks(comm, options), both_ways, comm.size());
          }
        },
        {1, 2, 3});
  }
}

TEST_CASE("any number of ranks makes the same batches of the same seeds of a folder") {
  scratch_folder const scratch;
  hot_folder plain;
  for (auto& time : plain.data.edges[0].times) { // they fall from edge to edge
    time += 800;
  }
  io::write_parts(scratch / "plain", plain.data, plain.labels, every_second_hot(num_vertices));
  auto typed = hetero_known_set();
  for (auto& edges : typed.edges) {
    edges.times.clear();
    for (std::int64_t e = 0; e < std::ssize(edges.sources); ++e) {
      edges.times.push_back(e * 7 % 10);
    }
  }
  io::write_parts(scratch / "typed", typed, random_labels(typed, 4), every_second_hot(typed.nodes[0].num_nodes));
  for (std::string const name : {"plain", "typed"}) {
    auto const folder = scratch / name;
    auto const wanted = all_prints(glt::serial_comm(), folder, {.reading = dist::reading::by_messages});
    CHECK(wanted[0].size() > 1);
    on_ranks(
        [&](auto comm) {
          for (auto const how : {dist::reading::in_place, dist::reading::by_messages}) {
            CHECK(all_prints(comm, folder, {.balance_edges = false, .reading = how}) == wanted);
            CHECK(all_prints(comm, folder, {.balance_edges = true, .reading = how}) == wanted);
          }
          for (std::int64_t const cache_bytes : {0, 1'000}) { // a rank reads rows of one of the four parts from disk
            io::disk_rows::options const disk{.cache_bytes = cache_bytes, .queue_depth = 4};
            CHECK((comm.size() % 4 != 0 || all_prints(comm, folder, {.disk = disk}) == wanted));
          }
        },
        name == "plain" ? std::vector<int>{1, 2, 3, 4, 7, 8}
                        : std::vector<int>{1, 2, 3, 4, 7, 28, 30}); // some without edges
  }
}
