// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/link_sampler.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/link/link_sampler.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/device_parts.hpp"
#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/minimal_communicator.hpp"
#include "support/naive_hetero_links.hpp"
#include "support/naive_links.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using glt::negative_mode;
using glt::seed_exclusion;
using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;
using glt_test::plain_links;

namespace {

template <class Vertex>
struct ends {
  std::vector<Vertex> sources;
  std::vector<Vertex> destinations;
  std::vector<std::int64_t> offsets;

  ends(divided_graph const& divided, glt_test::naive_positives const& positives) : offsets(positives.offsets) {
    for (auto const source : positives.sources) {
      sources.push_back(static_cast<Vertex>(divided.names.renumbered[source]));
    }
    for (auto const destination : positives.destinations) {
      destinations.push_back(static_cast<Vertex>(divided.names.renumbered[destination]));
    }
  }
};

// Positives of a rank in a step. Every rank runs out of edges at some step; in the last, all sources but those of the
// last rank have one positive.
glt_test::naive_positives positives_of(auto& comm, std::int64_t step, auto const& some) {
  auto const pairs = some(7 * ((comm.rank() + step) % 3), static_cast<std::uint64_t>(10 * comm.rank() + step));
  return step < 2 || comm.rank() == comm.size() - 1 ? glt_test::ragged(pairs) : glt_test::naive_positives(pairs);
}

double weight_of(std::int64_t original) {
  return static_cast<double>(original % 3 + 1);
}

std::vector<std::int64_t> shares_of(std::int64_t num_vertices) {
  double largest = 0;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    largest = std::max(largest, weight_of(v));
  }
  std::vector<std::int64_t> shares;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    shares.push_back(glt::detail::weight_scale(largest, num_vertices)(weight_of(v)));
  }
  return shares;
}

// As `plain_links`, of a sample in memory of a policy.
template <class Policy, class Vertex>
glt_test::naive_link_sample plain_copy(Policy const& policy, glt::link_sample<Policy, Vertex> const& sample,
                                       glt::buffer<cpu, glt::global_id> const& original) {
  glt_test::naive_link_sample out;
  out.subgraph = glt_test::plain_copy(policy, sample.subgraph(), original);
  auto const vertices = [&](auto view) {
    std::vector<std::int64_t> made;
    for (auto const position : glt::to_vector(policy, view)) {
      made.push_back(position < 0 ? -1 : out.subgraph.nodes.at(static_cast<std::size_t>(position)));
    }
    return made;
  };
  auto const ends = vertices(sample.edge_label_index().flat());
  for (std::size_t i = 0; i < ends.size() / 2; ++i) {
    out.labelled.emplace_back(ends[i], ends[ends.size() / 2 + i]);
  }
  out.labels = glt::to_vector(policy, sample.edge_label());
  out.offsets = glt::to_vector(policy, sample.pos_offsets());
  out.sources = vertices(sample.src_index());
  glt_test::naive_positives triplets;
  triplets.sources = out.sources;
  triplets.destinations = vertices(sample.dst_pos_index());
  triplets.offsets = out.offsets;
  if (!out.sources.empty()) {
    out.triplets = triplets.pairs();
  }
  for (std::size_t i = 0; i < out.sources.size(); ++i) {
    out.rows.push_back(vertices(sample.dst_neg_index().row(static_cast<std::int64_t>(i))));
  }
  auto const verified = glt::to_vector(policy, sample.verified());
  out.verified.assign(verified.begin(), verified.end());
  return out;
}

template <class Vertex, class Policy = cpu>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                           bool weighted, Policy const& policy = {}) {
  glt_test::compared_graph<Vertex, Policy> const compared(comm, list, partitioner, [&](divided_graph const& divided) {
    return glt_test::device_part<Policy, Vertex>(divided, comm.rank(), policy);
  });
  glt::dist::vertex_directory directory(comm, compared.graph(), policy);
  std::vector<double> own;
  for (auto const original : glt::to_vector(policy, compared.graph().original())) {
    own.push_back(weight_of(original));
  }
  auto const of_own = glt::make_buffer<Policy>(own, policy);
  glt::dist::vertex_weights weights(comm, directory, of_own.view(), policy);
  auto const shares = weighted ? shares_of(list.num_vertices) : std::vector<std::int64_t>{};
  for (auto const& option : glt_test::link_options_to_try()) {
    glt::dist::link_sampler sampler(comm, compared.graph(), &directory, option, weighted ? &weights : nullptr, policy);
    glt::link_sample<Policy, Vertex> out;
    auto const labels_of = [&](glt_test::naive_positives const& positives, std::int64_t step) {
      std::vector<std::int64_t> labels;
      for (std::size_t i = 0;
           i < positives.destinations.size() && option.negatives.mode == negative_mode::binary && step > 0; ++i) {
        labels.push_back(static_cast<std::int64_t>(i % 4));
      }
      return labels;
    };
    glt_test::check_batches(
        comm, list.name + ", " + partitioner.name, 3,
        [&](std::int64_t step) {
          return positives_of(comm, step, [&](std::int64_t size, std::uint64_t seed) {
            return glt_test::some_positives(list, size, seed);
          });
        },
        [&](auto const& positives, auto key) {
          ends<Vertex> const batch(compared.divided(), positives);
          auto const sources = glt::make_buffer<Policy>(batch.sources, policy);
          auto const offsets = glt::make_buffer<Policy>(batch.offsets, policy);
          auto const destinations = glt::make_buffer<Policy>(batch.destinations, policy);
          auto const classes = glt::make_buffer<Policy>(labels_of(positives, key.step), policy);
          sampler.sample({sources.view(), offsets.view()}, destinations.view(), classes.view(), key, out);
          return plain_copy(policy, out, compared.original());
        },
        [&](auto const& positives, auto key) {
          auto const labels = labels_of(positives, key.step);
          return glt_test::sample_links_naively(list, positives, labels, option, key, shares);
        });
  }
}

} // namespace

namespace {

using temporal = glt::temporal_rule<glt::memory_space::host>;
using by_weight = glt::weighted_rule<glt::memory_space::host>;

std::vector<std::int64_t> times_of(glt_test::edge_list const& list) {
  std::vector<std::int64_t> times;
  for (std::int64_t e = 0; e < list.num_edges(); ++e) {
    times.push_back(e * 37 % 101);
  }
  return times;
}

// Times of the seed edges of a rank; some are before, some after all edges.
std::vector<std::int64_t> times_of_seeds(std::size_t size, int rank) {
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < size; ++i) {
    times.push_back(static_cast<std::int64_t>(i) * 23 % 120 + rank - 10);
  }
  return times;
}

// Rows sorted by time, and the times of their edges.
template <class Graph>
auto by_time(Graph const& graph, glt_test::edge_list const& list) {
  return glt::sort_rows_by_time(graph, glt::make_edge_values(graph, times_of(list)).view());
}

// Compares with the serial sampler; `rule_of(graph)` is the rule for edges of a graph. By a rule of times, also with
// negatives among the vertices that exist.
template <class RuleOf>
void check_equal_to_serial_by(auto& comm, glt_test::edge_list const& list,
                              std::vector<glt::link_options> const& options, RuleOf const& rule_of) {
  divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
  auto part = divided.part(comm.rank());
  auto of_part = by_time(part.graph.view(), list);
  part.graph = std::move(of_part.graph);
  glt::dist::graph const graph(comm, std::move(part));
  glt::dist::vertex_directory directory(comm, graph);
  auto const unsorted = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const whole = by_time(unsorted.view(), list);
  auto const whole_rule = rule_of(whole.graph.view(), whole.times.view());
  using rule_type = std::remove_const_t<decltype(whole_rule)>;
  auto const exist = glt_test::some_vertex_times(list.num_vertices);
  std::vector<std::int64_t> of_rows;
  for (auto const original : graph.original()) {
    of_rows.push_back(exist[static_cast<std::size_t>(original)]);
  }
  glt::detail::vertex_times times_of_vertices(comm, directory, glt::host_view<std::int64_t const>(of_rows), cpu());
  for (std::size_t i = 0; i < (glt::detail::has_query<rule_type> ? 2 : 1) * options.size(); ++i) {
    bool const limited = i >= options.size();
    auto const& option = options[i % options.size()];
    glt::dist::link_sampler sampler(comm, graph, &directory, option, rule_of(graph.local(), of_part.times.view()), {},
                                    {}, limited ? &times_of_vertices : nullptr);
    glt::link_sampler<cpu, glt::local_id, rule_type> serial(whole.graph.view(), option, whole_rule, {}, {}, {},
                                                            limited ? glt::host_view<std::int64_t const>(exist)
                                                                    : glt::host_view<std::int64_t const>());
    glt::link_sample<cpu, glt::global_id> out;
    glt::link_sample<cpu> expected;
    auto const sample = [&](auto& by, auto const& ends, auto key, auto& to) {
      if constexpr (glt::detail::has_query<rule_type>) {
        by.sample({ends.sources, ends.offsets}, ends.destinations, {}, times_of_seeds(ends.sources.size(), comm.rank()),
                  key, to);
      } else {
        by.sample({ends.sources, ends.offsets}, ends.destinations, key, to);
      }
    };
    glt_test::check_batches(
        comm, list.name, 3,
        [&](std::int64_t step) {
          return positives_of(comm, step, [&](std::int64_t size, std::uint64_t seed) {
            return glt_test::some_positives(list, size, seed);
          });
        },
        [&](auto const& positives, auto key) {
          sample(sampler, ends<glt::global_id>(divided, positives), key, out);
          return plain_links(out, divided.names.original);
        },
        [&](auto const& positives, auto key) {
          divided_graph const one_part(list, glt_test::all_partitioners()[0], 1);
          sample(serial, ends<glt::local_id>(one_part, positives), key, expected);
          return plain_links(expected, one_part.names.original);
        });
    CHECK(sampler.counts().own + sampler.counts().remote > 0);
  }
}

} // namespace

TEST_CASE("distributed link samples by times and by weights equal the serial ones, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& list : {glt_test::random_graph(257, 4099), glt_test::random_graph(33, 120)}) {
      check_equal_to_serial_by(comm, list, glt_test::timed_link_options_to_try(),
                               [](auto const&, auto times) { return temporal{times}; });
      auto const weights = glt_test::random_weights(list.num_edges(), 6);
      std::vector<glt::buffer<cpu, float>> kept;
      kept.reserve(100);
      check_equal_to_serial_by(comm, list,
                               {{.neighbors = {.fanouts = {3, 2}, .edge_ids = true}},
                                {.neighbors = {.fanouts = {3, -1}, .edge_ids = true}, .exclude = seed_exclusion::edges},
                                {.neighbors = {.fanouts = {-1}}, .negatives = {.mode = negative_mode::triplet}}},
                               [&](auto const& graph, auto) {
                                 kept.push_back(glt::make_edge_values(graph, weights));
                                 return by_weight{std::as_const(kept.back()).view(), {}};
                               });
    }
  });
}

TEST_CASE("a rank without times, and exclusion by a rule that does not allow it, are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::vertex_directory directory(comm, graph);
    std::vector<std::int64_t> const times(static_cast<std::size_t>(graph.local().num_edges()));
    glt::link_options options{.neighbors = {.fanouts = {2}, .disjoint = true}};
    glt::dist::link_sampler sampler(comm, graph, &directory, options, temporal{times});
    std::vector<glt::global_id> const two{1, 2};
    std::vector<std::int64_t> of_edges{5, 6};
    if (comm.rank() == last) {
      of_edges.pop_back();
    }
    glt::link_sample<cpu, glt::global_id> out;
    auto const refused = [](auto&& f) { return glt_test::thrown<glt::collective_error>(f); };
    CHECK(glt_test::names(refused([&] { sampler.sample(two, two, {}, of_edges, {}, out); }), name, "1 queries"));
    options.exclude = seed_exclusion::edges;
    CHECK(glt_test::names(
        refused([&] { glt::dist::link_sampler(comm, graph, &directory, options, glt_test::turning_rule()); }), "rank 0",
        "exclude"));
  });
}

TEST_CASE("link samples that are read in place are those of messages, and excluded edges are found there") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    auto node = glt_test::node_of(comm);
    auto shared = glt::dist::share(node, divided.part(comm.rank()));
    glt::dist::graph const graph(comm, std::move(shared.own));
    glt::dist::vertex_directory directory(comm, graph);
    glt::counting_comm directory_comm(comm);
    glt::dist::vertex_directory counted_directory(directory_comm, graph);
    ends<glt::global_id> const batch(divided, glt_test::some_positives(list, 20, 1));
    for (auto const exclude : {seed_exclusion::none, seed_exclusion::edges, seed_exclusion::edges_and_reverses}) {
      glt::link_options const options{
          .neighbors = {.fanouts = {3, 2}, .edge_ids = true}, .negatives = {.amount = 0}, .exclude = exclude};
      glt::dist::link_sampler by_messages(comm, graph, &directory, options);
      glt::counting_comm counted(comm);
      glt::dist::link_sampler sampler(counted, graph, &counted_directory, options);
      sampler.read_in_place(shared.neighborhood);
      counted.reset();
      glt::link_sample<cpu, glt::global_id> expected;
      glt::link_sample<cpu, glt::global_id> out;
      by_messages.sample(batch.sources, batch.destinations, {.seed = 4}, expected);
      sampler.sample(batch.sources, batch.destinations, {.seed = 4}, out);
      CHECK(plain_links(out) == plain_links(expected));
      CHECK(counted.counts().payload.collectives + counted.counts().replies.collectives == 0);
      CHECK(sampler.counts().remote == 0);
      CHECK((sampler.counts().in_place > 0) == (comm.size() > 1));
      CHECK(sampler.why_not_in_place().empty());
      CHECK(sampler.counts().own > 0);
      auto some = shared.neighborhood;
      glt_test::hide_every_other(some, comm.rank());
      sampler.read_in_place(some);
      sampler.sample(batch.sources, batch.destinations, {.seed = 4}, out);
      CHECK(plain_links(out) == plain_links(expected));
      CHECK((sampler.counts().remote > 0) == (comm.size() > 1));
    }
  });
}

TEST_CASE("distributed link samples equal the naive ones, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        if (list.num_vertices < 1000) { // the oracle is slow
          check_equal_to_serial<glt::global_id>(comm, list, partitioner, list.num_vertices % 2 == 1);
        }
      }
    }
    auto const partitioners = glt_test::all_partitioners();
    check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioners[1], true);
    check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 999), partitioners[3], false);
  });
}

TEST_CASE_TEMPLATE("link samples across ranks are the same on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_equal_to_serial<glt::global_id, Policy>(comm, glt_test::random_graph(101, 700), partitioner, true);
    check_equal_to_serial<glt::local_id, Policy>(comm, glt_test::random_graph(101, 370), partitioner, false);
  });
}

TEST_CASE("messages in pieces of 16 bytes change nothing" * glt_test::needs_mpi) {
  glt_test::on_ranks_limited([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_equal_to_serial<glt::global_id>(comm, glt_test::random_graph(101, 700), partitioner, true);
  });
}

TEST_CASE("a distributed link sampler needs no more of a communicator than the concept lists") {
  on_ranks([](auto plain) {
    glt_test::minimal_communicator comm(plain);
    auto const partitioner = glt_test::all_partitioners()[0];
    check_equal_to_serial<glt::global_id>(comm, glt_test::random_graph(101, 700), partitioner, true);
  });
}

TEST_CASE("without negatives and exclusion nothing but one header is sent beside the neighbour samples") {
  on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    auto const list = glt_test::random_graph(257, 999);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::vertex_directory directory(comm, graph);
    glt::link_sample<cpu, glt::global_id> out;
    ends<glt::global_id> const batch(divided, glt_test::some_positives(list, 20, 1));
    auto const collectives = [&](glt::link_options const& options) {
      glt::dist::link_sampler sampler(comm, graph, &directory, options);
      comm.reset();
      sampler.sample(batch.sources, batch.destinations, {}, out);
      return comm.counts().total().collectives;
    };
    auto const ranks = comm.size();
    CHECK(collectives({.neighbors = {.fanouts = {3}}, .negatives = {.amount = 0}}) == (ranks == 1 ? 0 : 1 + 3));
    CHECK(collectives({.neighbors = {.fanouts = {3}}, .negatives = {.amount = 0}, .exclude = seed_exclusion::edges}) ==
          (ranks == 1 ? 0 : 2 + 3));
    CHECK(collectives({.neighbors = {.fanouts = {3}}, .negatives = {.amount = 1, .strict = false}}) ==
          (ranks == 1 ? 0 : 3 + 3 + 3));
  });
}

TEST_CASE("bad seed edges or options of one rank are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    auto const list = glt_test::random_graph(101, 370);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::vertex_directory directory(comm, graph);
    std::vector<glt::global_id> const good{1, 2};
    std::vector<glt::global_id> const outside{1, comm.rank() == last ? 101 : 2};
    std::vector<glt::global_id> const shorter{1};
    std::vector<std::int64_t> const negative{0, comm.rank() == last ? -1 : 0};
    glt::link_sample<cpu, glt::global_id> out;
    std::vector<glt::link_options> const options{
        {.neighbors = {.fanouts = {2}}, .negatives = {.amount = 0}},
        {.neighbors = {.fanouts = {2}}, .negatives = {.amount = 0}, .exclude = seed_exclusion::edges},
        {.neighbors = {.fanouts = {2}}}};
    for (auto const& option : options) { // each sends something else first
      glt::dist::link_sampler sampler(comm, graph, &directory, option);
      auto const refused = [&](auto const& sources, auto const& destinations, std::vector<std::int64_t> const& labels) {
        return glt_test::thrown<glt::collective_error>([&] { sampler.sample(sources, destinations, labels, {}, out); });
      };
      sampler.sample(good, good, {}, out);
      auto const before = plain_links(out);
      CHECK(glt_test::names(refused(outside, good, {}), name, "source of seed edge 1 is 101"));
      CHECK(glt_test::names(refused(good, outside, {}), name, "destination of seed edge 1 is 101"));
      auto const& other = comm.rank() == last ? shorter : good;
      CHECK(glt_test::names(refused(good, other, {}), name, "2 sources", "1 destinations"));
      std::vector<std::int64_t> const offsets{0, comm.rank() == last ? 3 : 1, 2};
      CHECK(glt_test::names(
          glt_test::thrown<glt::collective_error>([&] { sampler.sample({good, offsets}, good, {}, out); }), name,
          "offset 1 of seed edges is 3"));
      CHECK(glt_test::names(refused(good, good, negative), name, "label of seed edge 1 is -1"));
      if (comm.size() > 1) {
        auto const other_seed = glt_test::thrown<glt::collective_error>(
            [&] { sampler.sample(good, good, {.seed = comm.rank() == last ? 1U : 0U}, out); });
        CHECK(glt_test::names(other_seed, name, "key"));
        auto const other_step = glt_test::thrown<glt::collective_error>(
            [&] { sampler.sample(good, good, {.step = comm.rank() == last ? 1 : 0}, out); });
        CHECK(glt_test::names(other_step, name, "step 1", "step 0"));
      }
      sampler.sample(good, good, {}, out); // all ranks are still together
      CHECK(plain_links(out) == before);
    }
    auto const refused = [&](glt::link_options const& of_last) {
      return glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::link_sampler(comm, graph, &directory, comm.rank() == last ? of_last : options[2]); });
    };
    CHECK(glt_test::names(refused({.neighbors = {.fanouts = {2}}, .negatives = {.amount = -1}}), name, "-1 negatives"));
    CHECK(glt_test::names(refused({.neighbors = {.fanouts = {-3}}}), name, "fanout -3"));
    if (comm.size() > 1) {
      glt::link_options const more{.neighbors = {.fanouts = {2}}, .negatives = {.amount = 2}};
      glt::link_options const excluding{.neighbors = {.fanouts = {2}}, .exclude = seed_exclusion::edges};
      CHECK(glt_test::names(refused(more), name, "other options"));
      CHECK(glt_test::names(refused(excluding), name, "other options"));
    }
  });
}

namespace {

// Weights of the vertices of a type in this rank's part, and the numbers for which vertices stand by original id.
struct weighted_type {
  std::vector<double> own;
  std::vector<std::int64_t> shares;

  weighted_type(glt::dist::hetero_graph<cpu> const& graph, int node_type) {
    for (auto const original : graph.original(node_type)) {
      own.push_back(weight_of(original));
    }
    shares = shares_of(graph.schema().num_vertices(node_type));
  }
};

struct typed_ends {
  std::vector<glt::global_id> sources;
  std::vector<glt::global_id> destinations;
  std::vector<std::int64_t> offsets;

  typed_ends(glt_test::divided_hetero_graph const& divided, int source_type, int destination_type,
             glt_test::naive_positives const& positives)
      : offsets(positives.offsets) {
    for (auto const source : positives.sources) {
      sources.push_back(divided.names[static_cast<std::size_t>(source_type)].renumbered[source]);
    }
    for (auto const destination : positives.destinations) {
      destinations.push_back(divided.names[static_cast<std::size_t>(destination_type)].renumbered[destination]);
    }
  }
};

void check_links_of_types(auto& comm, glt_test::hetero_list const& list) {
  glt_test::divided_hetero_graph const divided(list, comm.size(), 1);
  auto const original = divided.original();
  glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
  for (int type = 0; type < list.schema.num_edge_types(); ++type) {
    auto const from = list.schema.source_type(type);
    auto const to = list.schema.destination_type(type);
    glt::dist::vertex_directory sources(comm, graph, from);
    glt::dist::vertex_directory destinations(comm, graph, to);
    auto* const of_sources = from == to ? &destinations : &sources;
    weighted_type const weights(graph, to);
    glt::dist::vertex_weights table(comm, destinations, glt::host_view<double const>(weights.own), cpu());
    for (auto const& option : glt_test::hetero_link_options_to_try(list.schema, type)) {
      bool const weighted = option.negatives.amount > 0.5 && option.negatives.amount < 1.5;
      glt::dist::link_sampler sampler(comm, graph, {of_sources, &destinations}, option,
                                      {nullptr, weighted ? &table : nullptr});
      glt::link_sample<cpu, glt::global_id, glt::hetero_subgraph<cpu, glt::global_id>> out;
      glt_test::check_batches(
          comm, list.name + ", type " + std::to_string(type), 3,
          [&](std::int64_t step) {
            return positives_of(comm, step, [&](std::int64_t size, std::uint64_t seed) {
              return glt_test::some_hetero_positives(list, type, size, seed);
            });
          },
          [&](auto const& positives, auto key) {
            typed_ends const batch(divided, from, to, positives);
            sampler.sample({batch.sources, batch.offsets}, batch.destinations, key, out);
            return glt_test::plain_hetero_links(out, list.schema, type, original);
          },
          [&](auto const& positives, auto key) {
            return glt_test::sample_hetero_links_naively(list, positives, {}, option, key,
                                                         {{}, weighted ? weights.shares : std::vector<std::int64_t>()});
          });
    }
  }
}

} // namespace

TEST_CASE("links of every edge type across ranks equal the naive ones, with another partitioner for every type") {
  on_ranks([](auto comm) {
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      if (list.schema.num_node_types() < 4) { // the oracle is slow
        check_links_of_types(comm, list);
      }
    }
    check_links_of_types(comm, glt_test::academic_graph(33));
  });
}

TEST_CASE("batches of typed links that are made together, or read in place, are those made one by one") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    glt_test::divided_hetero_graph const divided(list, comm.size(), 1);
    auto const original = divided.original();
    auto node = glt_test::node_of(comm);
    auto shared = glt::dist::share(node, divided.part(comm.rank()));
    glt::dist::hetero_graph const graph(comm, std::move(shared.own));
    glt::dist::vertex_directory authors(comm, graph, 1);
    glt::dist::vertex_directory papers(comm, graph, 0);
    for (auto const exclude : {seed_exclusion::edges_and_reverses, seed_exclusion::none}) {
      glt::hetero_link_options const options{
          .edge_type = 0,
          .neighbors = {.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true},
          .exclude = exclude,
          .reverse_type = 1};
      glt::dist::link_sampler sampler(comm, graph, {&authors, &papers}, options);
      glt::dist::link_sampler in_place(comm, graph, {&authors, &papers}, options);
      in_place.read_in_place(shared.neighborhood);
      using item = typename decltype(sampler)::bulk_item;
      std::vector<typed_ends> batches;
      std::vector<glt::link_sample<cpu, glt::global_id, glt::hetero_subgraph<cpu, glt::global_id>>> made(3);
      std::vector<item> items;
      for (std::size_t b = 0; b < made.size(); ++b) {
        auto const pairs = glt_test::some_hetero_positives(list, 0, 4 * static_cast<std::int64_t>(b) + comm.rank(),
                                                           static_cast<std::uint64_t>(comm.rank()));
        batches.emplace_back(divided, 1, 0, b == 2 ? glt_test::ragged(pairs) : pairs);
      }
      for (std::size_t b = 0; b < made.size(); ++b) {
        items.push_back({.sources = {batches[b].sources, batches[b].offsets},
                         .destinations = batches[b].destinations,
                         .key = {.seed = 5, .step = static_cast<std::int64_t>(b)},
                         .out = &made[b]});
      }
      sampler.sample_bulk(items);
      for (std::size_t b = 0; b < made.size(); ++b) {
        auto const expected = glt_test::plain_hetero_links(made[b], list.schema, 0, original);
        for (auto* const other : {&sampler, &in_place}) {
          glt::link_sample<cpu, glt::global_id, glt::hetero_subgraph<cpu, glt::global_id>> out;
          other->sample(items[b].sources, items[b].destinations, items[b].key, out);
          CHECK(glt_test::plain_hetero_links(out, list.schema, 0, original) == expected);
        }
      }
      CHECK(in_place.why_not_in_place().empty());
      CHECK(in_place.counts().remote == 0);
    }
  });
}

TEST_CASE("typed links that cannot be are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    auto const list = glt_test::academic_graph(101);
    glt_test::divided_hetero_graph const divided(list, comm.size(), 1);
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    glt::dist::vertex_directory authors(comm, graph, 1);
    glt::dist::vertex_directory papers(comm, graph, 0);
    glt::hetero_link_options const good{.neighbors = {.fanouts = glt::same_fanouts(list.schema, {2})}};
    auto const refused = [&](glt::hetero_link_options const& of_last, auto* of_sources) {
      return glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::link_sampler(comm, graph, {odd ? of_sources : &authors, &papers}, odd ? of_last : good); });
    };
    using directory = decltype(authors);
    CHECK(glt_test::names(refused(good, &papers), name, "directory"));
    CHECK(glt_test::names(refused(good, static_cast<directory*>(nullptr)), name, "directory"));
    auto other = good;
    other.edge_type = 7;
    CHECK(glt_test::names(refused(other, &authors), name, "seed edges of type 7"));
    if (comm.size() > 1) {
      other.edge_type = 4; // also from authors to papers
      CHECK(glt_test::names(refused(other, &authors), name, "edge types"));
    }
    glt::dist::link_sampler sampler(comm, graph, {&authors, &papers}, good);
    glt::link_sample<cpu, glt::global_id, glt::hetero_subgraph<cpu, glt::global_id>> out;
    std::vector<glt::global_id> const author{50};
    std::vector<glt::global_id> const paper{odd ? 101 : 100};
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { sampler.sample(author, paper, {}, out); }),
                          name, "destination of seed edge 0 is 101"));
  });
}
