// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/mfg.hpp>

#include <glt/comm/guard.hpp>
#include <glt/dist/full_batch/aggregate.hpp>
#include <glt/dist/full_batch/detail/aggregate_relations.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt::device::cpu;
using glt::dist::aggregator;
using glt_test::divided_graph;
using glt_test::divided_hetero_graph;
using glt_test::on_ranks;

namespace {

constexpr std::int64_t columns = 3;

using values_type = glt::buffer<cpu, double>;

glt::host_matrix<double> matrix(values_type& values, std::int64_t rows) {
  return {values.data(), rows, columns};
}

// Adds the rows of in-neighbours to their destinations' own, layer by layer: y = x + A x.
template <class Comm>
values_type forward(glt::dist::sharded_graph<Comm, cpu>& layer, values_type& x) {
  auto const rows = layer.num_destinations();
  values_type y(rows * columns);
  glt::dist::aggregate(layer, matrix(x, layer.num_sources()), matrix(y, rows));
  for (std::int64_t i = 0; i < y.size(); ++i) {
    y[i] += x[i]; // destinations are the first sources
  }
  return y;
}

template <class Comm>
values_type backward(glt::dist::sharded_graph<Comm, cpu>& layer, values_type& dy) {
  auto const rows = layer.num_sources();
  values_type dx(rows * columns);
  glt::detail::aggregate_backward(layer, matrix(dy, layer.num_destinations()), matrix(dx, rows));
  for (std::int64_t i = 0; i < dy.size(); ++i) {
    dx[i] += dy[i];
  }
  return dx;
}

double value_at(std::int64_t vertex, std::int64_t column) {
  return static_cast<double>((vertex * 31 + column * 7) % 23 - 11);
}

using typed_values = std::vector<values_type>; // by type
using typed_rows = std::vector<std::vector<glt::local_id>>;

// Reduces the rows of each relation's sources, or of its destinations if gradients go back.
template <class Comm>
typed_values reduce_relations(glt::dist::hetero_sharded_graph<Comm, cpu>& layer, typed_values& x, aggregator how,
                              bool is_backward) {
  typed_values reduced;
  std::vector<glt::detail::relation_rows<glt::memory_space::host, double>> rows;
  for (int e = 0; e < layer.schema().num_edge_types(); ++e) {
    auto const& relation = layer.relation(e);
    auto const type = is_backward ? layer.schema().destination_type(e) : layer.schema().source_type(e);
    auto const read = is_backward ? relation.num_destinations() : relation.num_sources();
    auto const written = is_backward ? relation.num_sources() : relation.num_destinations();
    auto& to = reduced.emplace_back(written * columns);
    rows.push_back({matrix(x[static_cast<std::size_t>(type)], read), matrix(to, written)});
  }
  std::span<glt::detail::relation_rows<glt::memory_space::host, double> const> const all(rows);
  is_backward ? glt::detail::aggregate_relations_backward(layer, all, how)
              : glt::detail::aggregate_relations(layer, all, how);
  return reduced;
}

// y_t = x_t + Σ A_e x_s over the relations e from a type s to t.
template <class Comm>
typed_values forward(glt::dist::hetero_sharded_graph<Comm, cpu>& layer, typed_values& x, aggregator how) {
  auto const reduced = reduce_relations(layer, x, how, false);
  typed_values y;
  for (int t = 0; t < layer.schema().num_node_types(); ++t) {
    auto& rows = y.emplace_back(layer.num_destinations(t) * columns);
    REQUIRE(x[static_cast<std::size_t>(t)].size() == layer.num_sources(t) * columns);
    std::copy_n(x[static_cast<std::size_t>(t)].begin(), rows.size(), rows.begin());
  }
  for (std::size_t e = 0; e < reduced.size(); ++e) {
    auto& rows = y[static_cast<std::size_t>(layer.schema().destination_type(static_cast<int>(e)))];
    std::transform(rows.begin(), rows.end(), reduced[e].begin(), rows.begin(), std::plus<>());
  }
  return y;
}

template <class Comm>
typed_values backward(glt::dist::hetero_sharded_graph<Comm, cpu>& layer, typed_values& dy, aggregator how) {
  auto const reduced = reduce_relations(layer, dy, how, true);
  typed_values dx;
  for (int t = 0; t < layer.schema().num_node_types(); ++t) {
    auto& rows = dx.emplace_back(layer.num_sources(t) * columns);
    std::ranges::fill(rows, 0);
    std::ranges::copy(dy[static_cast<std::size_t>(t)], rows.begin());
  }
  for (std::size_t e = 0; e < reduced.size(); ++e) {
    auto& rows = dx[static_cast<std::size_t>(layer.schema().source_type(static_cast<int>(e)))];
    std::transform(rows.begin(), rows.end(), reduced[e].begin(), rows.begin(), std::plus<>());
  }
  return dx;
}

// Every third vertex of a rank's part, in descending order; none on rank 1.
std::vector<glt::local_id> some_seeds(int rank, std::int64_t rows) {
  std::vector<glt::local_id> seeds;
  for (auto row = rows - 1; row >= 0 && rank != 1; row -= 3) {
    seeds.push_back(static_cast<glt::local_id>(row));
  }
  return seeds;
}

// The vertices of this rank that all seeds depend on within so many hops.
std::set<glt::local_id> needed_rows(divided_graph const& divided, glt_test::edge_list const& list, int ranks, int rank,
                                    std::int64_t hops) {
  std::vector<char> is_needed(static_cast<std::size_t>(list.num_vertices), 0);
  auto const& book = divided.names.book;
  for (int of = 0; of < ranks; ++of) {
    for (auto const row : some_seeds(of, book.size(of))) {
      is_needed[static_cast<std::size_t>(divided.names.original[book.begin(of) + row])] = 1;
    }
  }
  for (std::int64_t hop = 0; hop < hops; ++hop) {
    auto const before = is_needed;
    for (std::size_t e = 0; e < list.sources.size(); ++e) {
      if (before[static_cast<std::size_t>(list.destinations[e])] != 0) {
        is_needed[static_cast<std::size_t>(list.sources[e])] = 1;
      }
    }
  }
  std::set<glt::local_id> rows;
  for (std::int64_t row = 0; row < book.size(rank); ++row) {
    if (is_needed[static_cast<std::size_t>(divided.names.original[book.begin(rank) + row])] != 0) {
      rows.insert(static_cast<glt::local_id>(row));
    }
  }
  return rows;
}

constexpr int all_types = -1;
constexpr int no_type = -2;

// Some vertices of one type, of all, or of none.
typed_rows typed_seeds(divided_hetero_graph const& divided, int only, int rank) {
  typed_rows seeds(divided.names.size());
  for (std::size_t t = 0; t < seeds.size(); ++t) {
    if (only == all_types || only == static_cast<int>(t)) {
      seeds[t] = some_seeds(rank, divided.names[t].book.size(rank));
    }
  }
  return seeds;
}

// The vertices of each type of this rank that all seeds depend on within so many hops.
std::vector<std::set<glt::local_id>> typed_needs(divided_hetero_graph const& divided, glt_test::hetero_list const& list,
                                                 int only, int ranks, int rank, std::int64_t hops) {
  std::vector<std::vector<char>> is_needed;
  for (std::size_t t = 0; t < divided.names.size(); ++t) {
    auto const& [book, original, renumbered] = divided.names[t];
    auto& of_type = is_needed.emplace_back(static_cast<std::size_t>(book.num_vertices()), 0);
    for (int of = 0; of < ranks; ++of) {
      auto const seeds = typed_seeds(divided, only, of);
      for (auto const row : seeds[t]) {
        of_type[static_cast<std::size_t>(original[book.begin(of) + row])] = 1;
      }
    }
  }
  for (std::int64_t hop = 0; hop < hops; ++hop) {
    auto const before = is_needed;
    for (std::size_t e = 0; e < list.relations.size(); ++e) {
      auto const from = static_cast<std::size_t>(list.schema.source_type(static_cast<int>(e)));
      auto const to = static_cast<std::size_t>(list.schema.destination_type(static_cast<int>(e)));
      for (std::size_t i = 0; i < list.relations[e].sources.size(); ++i) {
        if (before[to][static_cast<std::size_t>(list.relations[e].destinations[i])] != 0) {
          is_needed[from][static_cast<std::size_t>(list.relations[e].sources[i])] = 1;
        }
      }
    }
  }
  std::vector<std::set<glt::local_id>> rows(is_needed.size());
  for (std::size_t t = 0; t < rows.size(); ++t) {
    auto const& [book, original, renumbered] = divided.names[t];
    for (std::int64_t row = 0; row < book.size(rank); ++row) {
      if (is_needed[t][static_cast<std::size_t>(original[book.begin(rank) + row])] != 0) {
        rows[t].insert(static_cast<glt::local_id>(row));
      }
    }
  }
  return rows;
}

// The rows of some vertices of each type.
typed_values select(typed_values const& all, typed_rows const& places) {
  typed_values some;
  for (std::size_t t = 0; t < all.size(); ++t) {
    auto& rows = some.emplace_back(std::ssize(places[t]) * columns);
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      rows[i] = all[t][places[t][static_cast<std::size_t>(i / columns)] * columns + i % columns];
    }
  }
  return some;
}

double largest_difference(typed_values const& some, typed_values const& others) {
  double largest = 0;
  for (std::size_t t = 0; t < some.size(); ++t) {
    REQUIRE(some[t].size() == others[t].size());
    for (std::int64_t i = 0; i < some[t].size(); ++i) {
      largest = std::max(largest, std::abs(some[t][i] - others[t][i]));
    }
  }
  return largest;
}

template <class Comm>
void check_typed_layers(Comm comm, glt_test::hetero_list const& list, divided_hetero_graph const& divided, int only,
                        std::int64_t num_layers) {
  auto const rank = comm.rank();
  glt::dist::hetero_graph const graph(comm, divided.part(rank));
  glt::dist::hetero_sharded_graph<Comm, cpu> whole(comm, graph);
  auto const seeds = typed_seeds(divided, only, rank);
  auto mfgs = glt::dist::make_mfgs(comm, graph, seeds, num_layers);
  REQUIRE(std::ssize(mfgs.layers) == num_layers);
  REQUIRE(mfgs.edge_ids.size() == mfgs.layers.size());
  REQUIRE(mfgs.inputs.size() == seeds.size());
  for (std::int64_t l = 0; l <= num_layers; ++l) {
    auto const needed = typed_needs(divided, list, only, comm.size(), rank, num_layers - l);
    for (int t = 0; t < list.schema.num_node_types(); ++t) {
      auto const& of_type = needed[static_cast<std::size_t>(t)];
      if (l == 0) {
        auto const& inputs = mfgs.inputs[static_cast<std::size_t>(t)];
        CHECK(std::set(inputs.begin(), inputs.end()) == of_type);
      } else {
        CHECK(mfgs.layers[static_cast<std::size_t>(l - 1)].num_destinations(t) == std::ssize(of_type));
      }
      if (l < num_layers) {
        CHECK(mfgs.layers[static_cast<std::size_t>(l)].num_sources(t) == std::ssize(of_type));
      }
    }
  }
  for (int e = 0; e < list.schema.num_edge_types(); ++e) {
    auto const from = list.schema.source_type(e);
    auto const to = list.schema.destination_type(e);
    for (std::size_t l = 0; l < mfgs.layers.size(); ++l) {
      auto const& relation = mfgs.layers[l].relation(e);
      CHECK(relation.num_sources() == mfgs.layers[l].num_sources(from));
      CHECK(relation.num_destinations() == mfgs.layers[l].num_destinations(to));
      CHECK(relation.num_edges() == mfgs.edge_ids[l][static_cast<std::size_t>(e)].size());
    }
    std::vector<glt::edge_id> expected;
    for (auto const seed : seeds[static_cast<std::size_t>(to)]) {
      for (auto i = graph.local(e).offset(seed); i < graph.local(e).offset(seed + 1); ++i) {
        expected.push_back(graph.local(e).id_of_edge(i));
      }
    }
    CHECK(std::ranges::equal(mfgs.edge_ids.back()[static_cast<std::size_t>(e)], expected));
  }

  for (auto const how : {aggregator::sum, aggregator::mean}) {
    typed_values all;
    typed_values all_gradients;
    for (auto const& names : divided.names) {
      auto& rows = all.emplace_back(names.book.size(rank) * columns);
      for (std::int64_t i = 0; i < rows.size(); ++i) {
        rows[i] = value_at(names.original[names.book.begin(rank) + i / columns], i % columns);
      }
      std::ranges::fill(all_gradients.emplace_back(rows.size()), 0);
    }
    auto some = select(all, mfgs.inputs);
    for (auto& layer : mfgs.layers) {
      all = forward(whole, all, how);
      some = forward(layer, some, how);
    }
    CHECK(largest_difference(some, select(all, seeds)) == 0);
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      for (std::int64_t i = 0; i < std::ssize(seeds[t]) * columns; ++i) {
        all_gradients[t][seeds[t][static_cast<std::size_t>(i / columns)] * columns + i % columns] =
            static_cast<double>(i % 5 - 2);
      }
    }
    auto gradients = select(all_gradients, seeds);
    for (auto layer = mfgs.layers.rbegin(); layer != mfgs.layers.rend(); ++layer) {
      gradients = backward(*layer, gradients, how);
      all_gradients = backward(whole, all_gradients, how);
    }
    // sums of small integers are exact in any order
    CHECK(largest_difference(gradients, select(all_gradients, mfgs.inputs)) <= (how == aggregator::sum ? 0 : 1e-12));
  }
}

} // namespace

TEST_CASE("layers over what seeds need give them the values and gradients of the whole graph, and hold "
          "nothing else") {
  on_ranks([](auto comm) {
    for (auto const& list : glt_test::graphs_to_divide()) {
      auto const partitioner = glt_test::all_partitioners()[1];
      INFO(list.name, ", rank ", comm.rank(), " of ", comm.size());
      divided_graph const divided(list, partitioner, comm.size());
      glt::dist::graph const graph(comm, divided.part(comm.rank()));
      auto const rows = graph.local().num_rows();
      auto const seeds = some_seeds(comm.rank(), rows);
      glt::dist::sharded_graph whole(comm, graph);
      for (std::int64_t const num_layers : {1, 2, 3}) {
        CAPTURE(num_layers);
        auto mfgs = glt::dist::make_mfgs(comm, graph, seeds, num_layers);
        REQUIRE(std::ssize(mfgs.layers) == num_layers);
        CHECK(std::set(mfgs.inputs.begin(), mfgs.inputs.end()) ==
              needed_rows(divided, list, comm.size(), comm.rank(), num_layers));
        CHECK(mfgs.layers.front().num_sources() == std::ssize(mfgs.inputs));
        CHECK(mfgs.layers.back().num_destinations() == std::ssize(seeds));

        for (std::size_t l = 0; l < mfgs.layers.size(); ++l) {
          REQUIRE(mfgs.edge_ids[l].size() == mfgs.layers[l].num_edges());
        }
        std::vector<glt::edge_id> expected;
        for (auto const seed : seeds) {
          for (auto e = graph.local().offset(seed); e < graph.local().offset(seed + 1); ++e) {
            expected.push_back(graph.local().id_of_edge(e));
          }
        }
        CHECK(std::ranges::equal(mfgs.edge_ids.back(), expected));

        values_type all(rows * columns);
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::int64_t c = 0; c < columns; ++c) {
            all[row * columns + c] = value_at(divided.names.original[graph.book().begin(comm.rank()) + row], c);
          }
        }
        values_type some(std::ssize(mfgs.inputs) * columns);
        for (std::int64_t i = 0; i < some.size(); ++i) {
          some[i] = all[mfgs.inputs[static_cast<std::size_t>(i / columns)] * columns + i % columns];
        }
        for (auto& layer : mfgs.layers) {
          all = forward(whole, all);
          some = forward(layer, some);
        }
        std::int64_t wrong = 0;
        values_type gradient(some.size());
        values_type all_gradient(all.size());
        std::ranges::fill(all_gradient, 0);
        for (std::int64_t i = 0; i < some.size(); ++i) {
          auto const place = seeds[static_cast<std::size_t>(i / columns)] * columns + i % columns;
          wrong += some[i] != all[place]; // small integers: exact
          gradient[i] = all_gradient[place] = static_cast<double>(i % 5 - 2);
        }
        for (auto layer = mfgs.layers.rbegin(); layer != mfgs.layers.rend(); ++layer) {
          gradient = backward(*layer, gradient);
          all_gradient = backward(whole, all_gradient);
        }
        REQUIRE(gradient.size() == std::ssize(mfgs.inputs) * columns);
        for (std::int64_t i = 0; i < gradient.size(); ++i) {
          wrong +=
              gradient[i] != all_gradient[mfgs.inputs[static_cast<std::size_t>(i / columns)] * columns + i % columns];
        }
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("typed layers over what seeds of some types need give them the values and gradients of the whole graph, and "
          "hold nothing else") {
  on_ranks([](auto comm) {
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      for (std::size_t const shift : {1U, 4U}) { // of 4, the first type is on the last rank alone
        divided_hetero_graph const divided(list, comm.size(), shift);
        for (int const only : {all_types, 0, 2, no_type}) {
          for (std::int64_t const num_layers : {1, 2, 3}) {
            INFO(list.name, ", seeds of type ", only, ", ", num_layers, " layers, rank ", comm.rank(), " of ",
                 comm.size(), ", shift ", shift);
            check_typed_layers(comm, list, divided, only, num_layers);
          }
        }
      }
    }
  });
}

TEST_CASE("wrong seeds of a type or wrong lists of one rank are an error of all") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(33);
    divided_hetero_graph const divided(list, comm.size());
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    auto const last = comm.size() - 1;
    auto const failure = [&](typed_rows const& odd_seeds) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(glt::dist::make_mfgs(comm, graph, comm.rank() == last ? odd_seeds : typed_rows(4), 2));
      });
    };
    auto const name = "rank " + std::to_string(last);
    CHECK(glt_test::names(failure({{}, {}, {}}), name, "3 lists of seeds for 4 node types"));
    CHECK(glt_test::names(failure({{}, {}, {}, {}, {}}), name, "5 lists of seeds for 4 node types"));
    CHECK(glt_test::names(failure({{}, {100000}, {}, {}}), name, "seed 100000 at 0", "vertices of type 'author'"));
    CHECK(glt_test::names(failure({{}, {}, {}, {-1}}), name, "seed -1 at 0", "vertices of type 'topic'"));
    auto const rows = divided.names[0].book.size(last);
    if (rows > 0) {
      CHECK(glt_test::names(failure({{0, 0}, {}, {}, {}}), name, "seed 0 at 1", "of type 'paper' is there twice"));
    }
  });
}

TEST_CASE("wrong seeds or layers of one rank are an error of all") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const last = comm.size() - 1;
    auto const failure = [&](std::vector<glt::local_id> const& odd_seeds, std::int64_t odd_layers) {
      bool const is_odd = comm.rank() == last;
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(glt::dist::make_mfgs(comm, graph, is_odd ? odd_seeds : std::vector<glt::local_id>{0},
                                               is_odd ? odd_layers : 2));
      });
    };
    auto const name = "rank " + std::to_string(last);
    CHECK(glt_test::names(failure({0, 1, 0}, 2), name, "seed 0 at 2", "is there twice"));
    CHECK(glt_test::names(failure({0, 100000}, 2), name, "seed 100000 at 1"));
    CHECK(glt_test::names(failure({-1}, 2), name, "seed -1 at 0"));
    CHECK(glt_test::names(failure({0}, 0), name, "0 layers"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(failure({0}, 3), name, "asks for 3 layers while rank 0 asks for 2"));
    }
  });
}
