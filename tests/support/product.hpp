// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <glt/dist/loader.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/dist/loading/loader_options.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/roles/assignment.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/remote_loader.hpp>
#include <glt/dist/roles/server.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "counted_batches.hpp"
#include "loader_kinds.hpp"
#include "naive_hetero_sampler.hpp"
#include "nodes.hpp"
#include "ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt_test {

/// The rules of the product seeds × rules × types × deployments.
enum class draw_by { uniform, weight, labor, own, time, time_and_weight };

/// One of the rules without queries, so that the product has few instances: draws as the rule that `by` names.
struct chosen_rule {
  using query_type = glt::no_query;
  static constexpr bool may_exceed_fanout = true; // LABOR may
  static constexpr bool allows_exclusion = true;
  static constexpr auto space = glt::memory_space::host;

  draw_by by = draw_by::uniform;
  glt::weighted_rule<space> weighted{};
  glt::labor_rule<space> labor{};
  turning_rule own{};

  template <class Graph>
  [[nodiscard]] std::int64_t count(Graph const& graph, std::int64_t row, glt::no_query query, glt::hop_options options,
                                   glt::random_key key, std::uint64_t subject) const noexcept {
    return visit([&](auto const& rule) { return rule.count(graph, row, query, options, key, subject); });
  }
  template <class Graph, class Position>
  void pick(Graph const& graph, std::int64_t row, glt::no_query query, glt::hop_options options, glt::random_key key,
            std::uint64_t subject, std::int64_t count, Position* out) const noexcept {
    visit([&](auto const& rule) {
      rule.pick(graph, row, query, options, key, subject, count, out);
      return 0;
    });
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.weighted, self.labor);
  }

private:
  template <class Use>
  std::int64_t visit(Use use) const noexcept {
    switch (by) {
    case draw_by::weight:
      return use(weighted);
    case draw_by::labor:
      return use(labor);
    case draw_by::own:
      return use(own);
    default:
      return use(glt::uniform_rule());
    }
  }
};

/// A rule of a program's own: draws by weight among the edges that are not later than the request.
struct timed_rule {
  using query_type = std::int64_t;
  static constexpr bool allows_exclusion = true;
  static constexpr auto space = glt::memory_space::host;

  draw_by by = draw_by::time;
  glt::temporal_rule<space> temporal{};
  glt::weighted_rule<space> weighted{};

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.temporal, self.weighted);
  }

  template <class Graph>
  [[nodiscard]] std::int64_t count(Graph const& graph, std::int64_t row, std::int64_t time, glt::hop_options options,
                                   glt::random_key key, std::uint64_t subject) const noexcept {
    return by == draw_by::time ? temporal.count(graph, row, time, options, key, subject)
                               : weighted.count(old_enough(graph, row, time), row, {}, options, key, subject);
  }
  template <class Graph, class Position>
  void pick(Graph const& graph, std::int64_t row, std::int64_t time, glt::hop_options options, glt::random_key key,
            std::uint64_t subject, std::int64_t count, Position* out) const noexcept {
    if (by == draw_by::time) {
      temporal.pick(graph, row, time, options, key, subject, count, out);
    } else {
      weighted.pick(old_enough(graph, row, time), row, {}, options, key, subject, count, out);
    }
  }

private:
  // The graph as `weighted` sees it: one row, without its later edges.
  template <class Graph>
  struct row_until {
    Graph const* graph;
    std::int64_t length;
    [[nodiscard]] auto edges_of(std::int64_t row) const noexcept { return graph->edges_of(row); }
    [[nodiscard]] std::int64_t degree(std::int64_t) const noexcept { return length; }
  };
  template <class Graph>
  [[nodiscard]] row_until<Graph> old_enough(Graph const& graph, std::int64_t row, std::int64_t time) const noexcept {
    return {&graph, temporal.find(graph, row, time)};
  }
};

/// Options of all loaders of the product.
inline constexpr glt::dist::loader_options product_options{.batch_size = 6, .shuffle = true, .seed = 3};

/// Vertices around which the product samples, with times or without.
inline glt::dist::vertex_seeds<> product_seeds(int rank, std::int64_t num_vertices, bool timed) {
  glt::dist::vertex_seeds<> seeds;
  for (std::int64_t i = 0; i < 17; ++i) {
    seeds.vertices.push_back((i * 11 + rank * 5) % num_vertices);
    if (timed) {
      seeds.times.push_back(i * 23 % 120 - 5);
    }
  }
  return seeds;
}

/// Negatives of the product: in triplets by some rules.
inline glt::negative_options product_negatives(draw_by by) {
  if (by == draw_by::own || by == draw_by::time) {
    return {.mode = glt::negative_mode::triplet, .amount = 2, .attempts = 3};
  }
  return {.amount = 1.5, .attempts = 3};
}

/// Seed edges for these negatives, with labels where they may have them; for triplets sources have none to four
/// positives. The first destination of every second source is linked to it.
template <class Vertex>
glt::dist::edge_seeds<> product_seed_edges(int rank, glt::csr_view<glt::memory_space::host, Vertex> graph, draw_by by,
                                           bool timed) {
  auto vertices = product_seeds(rank, graph.num_rows(), timed);
  auto const negatives = product_negatives(by);
  glt::dist::edge_seeds<> seeds;
  seeds.offsets.assign(negatives.mode == glt::negative_mode::binary ? 0 : 1, 0);
  for (auto const vertex : vertices.vertices) {
    auto const row = graph.row(vertex);
    seeds.sources.push_back(seeds.size() % 2 == 0 && !row.empty() ? glt::global_id{row[row.size() / 2]}
                                                                  : (vertex * 3 + 1) % graph.num_columns());
    bool const binary = negatives.mode == glt::negative_mode::binary;
    for (int i = 0; i < (binary ? 1 : vertex % 5); ++i) {
      seeds.destinations.push_back((vertex + 7 * i) % graph.num_rows());
    }
    if (binary) {
      seeds.labels.push_back(vertex % 4);
    } else {
      seeds.offsets.push_back(std::ssize(seeds.destinations));
    }
  }
  seeds.times = std::move(vertices.times);
  return seeds;
}

/// Seed edges are excluded by two of the rules.
inline glt::seed_exclusion product_exclusion(draw_by by) {
  return by == draw_by::labor || by == draw_by::time_and_weight ? glt::seed_exclusion::edges
                                                                : glt::seed_exclusion::none;
}

/// Samples links on one process.
template <bool Timed>
void sample_serially(auto& sampler, glt::dist::edge_seeds<> const& seeds, glt::sample_key key, auto& out) {
  if constexpr (Timed) {
    sampler.sample({seeds.sources, seeds.offsets}, seeds.destinations, seeds.labels, seeds.times, key, out);
  } else {
    sampler.sample({seeds.sources, seeds.offsets}, seeds.destinations, seeds.labels, key, out);
  }
}

/// Weights of the vertices of a whole graph, moved from the order of `original` to that of original ids.
inline std::vector<double> by_original(std::vector<double> const& weights,
                                       glt::host_view<glt::global_id const> original) {
  std::vector<double> made(weights.size());
  for (std::size_t v = 0; v < made.size(); ++v) {
    made[static_cast<std::size_t>(original[static_cast<std::int64_t>(v)])] = weights[v];
  }
  return made;
}

/// What a batch holds beside its place and rows.
template <class Batch>
auto const& sampled_of(Batch const& batch) {
  if constexpr (requires { batch.sample; }) {
    return batch.sample;
  } else if constexpr (requires { batch.walks; }) {
    return batch.walks;
  } else {
    return batch.subgraph;
  }
}

/// One line of the product. Batches that one rank makes are those of the serial sampler, and batches of every
/// deployment are those of one rank, bit for bit: on one rank and on three, when they are asked for and in advance, by
/// servers and by workers that share memory, each by messages and in place.
///
/// A `Kind<Comm, Rule...>` is made of a communicator and a rule, and has this rank's part of everything.
/// `kind.recipe()` borrows from it; `kind.options()` and `kind.seeds(rank)` are what a client asks for, and
/// `kind.serial(seeds, key)` what one process samples, on one rank. `reads_in_place` tells whether rows of other ranks
/// can be read without messages.
template <template <class...> class Kind, class... Rule>
static void check_product(draw_by by, bool reads_in_place) {
  on_ranks(
      [&](auto comm) {
        using comm_type = decltype(comm);
        auto alone = comm.split(comm.rank(), 0);
        Kind<comm_type, Rule...> const whole(alone, by);
        Kind<comm_type, Rule...> const here(comm, by);
        auto const seeds = whole.seeds(comm.rank());
        auto of_whole = whole.recipe();
        glt::dist::loader plain(alone, of_whole.with(whole.options()), seeds, product_options);
        for_each_batch(plain, seeds, [&](auto const& batch, auto const& of_batch, auto key) {
          CHECK(glt::detail::fingerprint_of(sampled_of(batch)) ==
                glt::detail::fingerprint_of(whole.serial(of_batch, key)));
        });
        auto const expected = prints_of(plain, 0);
        CHECK(std::ssize(expected) > 1);
        CHECK(prints_of(plain, 1) != expected);
        auto recipe = here.recipe();
        recipe.with(here.options());
        for (std::int64_t const prefetch : {0, 2}) {
          for (bool const in_place : {false, true}) {
            INFO("rank ", comm.rank(), " of ", comm.size(), ", prefetch ", prefetch, ", in place ", in_place);
            auto options = product_options;
            options.prefetch = prefetch;
            glt::dist::loader loader(comm, recipe, seeds, options);
            if constexpr (requires { loader.read_in_place(here.neighborhood()); }) {
              if (in_place) {
                loader.read_in_place(here.neighborhood());
              }
            }
            CHECK(prints_of(loader, 0) == expected);
            auto const read = loader.report().sampled;
            CHECK((read.in_place > 0) == (in_place && reads_in_place && comm.size() > 1));
          }
        }
      },
      {1, 3});
  on_ranks(
      [&](auto comm) {
        using comm_type = decltype(comm);
        using glt::dist::role;
        for (int round = 0; round < 4; ++round) {
          bool const same_node = round % 2 == 1;
          bool const in_place = round >= 2;
          bool const serves = comm.rank() < 2;
          auto alone = comm.split(comm.rank(), 0);
          auto const node = node_of(comm);
          auto const own = same_node ? (serves ? role::worker : role::trainer) : (serves ? role::server : role::client);
          glt::dist::role_context<comm_type> roles(comm, own, serves ? "makers" : "users");
          constexpr std::int64_t bytes = 1 << 16;
          auto const serve = [&](auto&& server) {
            Kind<comm_type, Rule...> const here(roles.group(), by);
            auto const recipe = here.recipe();
            using maker = typename std::remove_cvref_t<decltype(recipe)>::template maker<comm_type, cpu>;
            if constexpr (requires(maker& of) { of.read_in_place(here.neighborhood()); }) {
              in_place ? server.offer("batches", recipe, here.neighborhood()) : server.offer("batches", recipe);
            } else {
              server.offer("batches", recipe);
            }
            server.run();
          };
          auto const use = [&](auto&& client) {
            Kind<comm_type, Rule...> const whole(alone, by);
            auto recipe = whole.recipe();
            auto const seeds = whole.seeds(0);
            glt::dist::loader plain(alone, recipe.with(whole.options()), seeds, product_options);
            glt::dist::remote_loader<comm_type, decltype(recipe)> loader(client, "batches", seeds, whole.options(),
                                                                         product_options);
            INFO("workers ", same_node, ", in place ", in_place);
            CHECK(prints_of(loader, 0) == prints_of(plain, 0));
            CHECK(loader.num_steps() > 1);
          };
          if (serves) {
            same_node ? serve(glt::dist::server(roles, node, bytes)) : serve(glt::dist::server(roles));
          } else {
            same_node ? use(glt::dist::client(roles, node)) : use(glt::dist::client(roles));
          }
        }
      },
      {3});
}

/// The product of a kind that reads rows of other ranks in place with all rules.
template <template <class...> class Kind>
static void check_product_of_rules() {
  for (auto const by : {draw_by::uniform, draw_by::weight, draw_by::labor, draw_by::own}) {
    CAPTURE(static_cast<int>(by));
    check_product<Kind, chosen_rule>(by, true);
  }
  for (auto const by : {draw_by::time, draw_by::time_and_weight}) {
    CAPTURE(static_cast<int>(by));
    check_product<Kind, timed_rule>(by, true);
  }
}

} // namespace glt_test
