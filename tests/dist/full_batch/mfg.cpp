// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/mfg.hpp>

#include <glt/comm/guard.hpp>
#include <glt/dist/full_batch/aggregate.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

using glt::device::cpu;
using glt_test::divided_graph;
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
    CHECK(glt_test::names(failure({0, 1, 0}, 2), name, "seed 0 at 2 is there twice"));
    CHECK(glt_test::names(failure({0, 100000}, 2), name, "seed 100000 at 1"));
    CHECK(glt_test::names(failure({-1}, 2), name, "seed -1 at 0"));
    CHECK(glt_test::names(failure({0}, 0), name, "0 layers"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(failure({0}, 3), name, "asks for 3 layers while rank 0 asks for 2"));
    }
  });
}
