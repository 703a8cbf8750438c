// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/embedding/sparse_embedding.hpp>

#include <glt/comm/counting.hpp>
#include <glt/core/random.hpp>

#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

using glt::device::cpu;
using glt::dist::embedding_options;
using glt::dist::sparse_embedding;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

constexpr std::int64_t num_vertices = 57;
constexpr std::int64_t num_columns = 5;

// A host's memory under another name.
struct pinned_host {
  static constexpr glt::memory_space space = glt::memory_space::pinned;
  glt::host_resource resource() const { return {}; }
  glt::exec::sequential executor() const { return {}; }
};
static_assert(glt::host_policy<pinned_host>);

// The gradients of a step by all ranks together, of a loss that is the mean over items; original ids, some of them twice.
struct item {
  std::int64_t vertex;
  std::vector<double> gradient;
};

std::vector<item> items_of(std::int64_t step) {
  std::vector<item> items;
  auto const count = step == 1 ? 0 : 3 * step * step % 40;
  for (std::int64_t i = 0; i < count; ++i) {
    glt::random_stream draws(glt::random_key(7).fold(static_cast<std::uint64_t>(step)), static_cast<std::uint64_t>(i));
    item made{static_cast<std::int64_t>(draws.below(i % 3 == 0 ? 4 : num_vertices)), {}};
    for (std::int64_t f = 0; f < num_columns; ++f) {
      made.gradient.push_back(4 * draws.next_unit() - 2);
    }
    items.push_back(made);
  }
  return items;
}

// Those of one rank: every P-th, or none on the last of several; the gradients of the mean over them.
struct rank_items {
  std::vector<glt::global_id> vertices;
  std::vector<float> gradients;

  rank_items(std::int64_t step, divided_graph const& divided, int rank, int ranks) {
    auto const active = std::max(1, ranks - 1);
    auto const items = items_of(step);
    for (auto i = static_cast<std::size_t>(rank); rank < active && i < items.size();
         i += static_cast<std::size_t>(active)) {
      vertices.push_back(divided.names.renumbered[items[i].vertex]);
      for (auto const number : items[i].gradient) {
        gradients.push_back(static_cast<float>(number));
      }
    }
    for (auto& number : gradients) {
      number /= static_cast<float>(vertices.size());
    }
  }
  [[nodiscard]] glt::host_view<glt::global_id const> ids() const { return vertices; }
  [[nodiscard]] glt::host_matrix<float const> matrix() const {
    return {gradients.data(), static_cast<std::int64_t>(vertices.size()), num_columns};
  }
};

// One process, doubles, dense arrays, the formulas as PyTorch writes them.
struct oracle {
  std::vector<double> x, m, v;
  std::int64_t t = 0;

  explicit oracle(embedding_options const& options) : m(num_vertices * num_columns), v(m.size()) {
    for (std::int64_t vertex = 0; vertex < num_vertices; ++vertex) {
      glt::random_stream draws(glt::random_key(options.seed), static_cast<std::uint64_t>(vertex));
      for (std::int64_t f = 0; f < num_columns; ++f) {
        x.push_back(options.initial * (2 * draws.next_unit() - 1));
      }
    }
  }

  void update(std::vector<item> const& items, glt::detail::sparse_optimizer const& optimizer) {
    if (items.empty()) {
      return;
    }
    ++t;
    for (std::int64_t vertex = 0; vertex < num_vertices; ++vertex) {
      std::vector<double> sum(num_columns, 0);
      bool has_gradient = false;
      for (auto const& [of, gradient] : items) {
        for (std::size_t f = 0; of == vertex && f < sum.size(); ++f) {
          sum[f] += gradient[f] / static_cast<double>(items.size());
          has_gradient = true;
        }
      }
      for (std::size_t f = 0; has_gradient && f < sum.size(); ++f) {
        auto const i = static_cast<std::size_t>(vertex) * sum.size() + f;
        update_element(i, sum[f], optimizer);
      }
    }
  }

  void update_element(std::size_t i, double g, glt::detail::sparse_optimizer const& optimizer) {
    if (auto const* sgd = std::get_if<glt::dist::embedding_options::sgd>(&optimizer)) {
      x[i] -= sgd->learning_rate * g;
    } else if (auto const* adagrad = std::get_if<glt::dist::embedding_options::adagrad>(&optimizer)) {
      v[i] += g * g;
      x[i] -= adagrad->learning_rate * g / (std::sqrt(v[i]) + adagrad->epsilon);
    } else {
      auto const& adam = std::get<glt::dist::embedding_options::adam>(optimizer);
      m[i] = adam.beta1 * m[i] + (1 - adam.beta1) * g;
      v[i] = adam.beta2 * v[i] + (1 - adam.beta2) * g * g;
      auto const rate = adam.learning_rate * std::sqrt(1 - std::pow(adam.beta2, static_cast<double>(t))) /
                        (1 - std::pow(adam.beta1, static_cast<double>(t)));
      x[i] -= rate * m[i] / (std::sqrt(v[i]) + adam.epsilon);
    }
  }
};

divided_graph divided_by(int ranks) {
  return {glt_test::random_graph(num_vertices, 100), glt_test::all_partitioners()[1], ranks};
}

template <class Comm>
sparse_embedding<Comm> make_table(Comm comm, divided_graph const& divided, embedding_options const& options) {
  auto const& names = divided.names;
  return {comm, names.book, names.original.view().subview(names.book.begin(comm.rank()), names.book.size(comm.rank())),
          options};
}

// The largest difference between this rank's rows and those of the oracle.
double difference(auto const& table, oracle const& expected, divided_graph const& divided, int rank) {
  double largest = 0;
  auto const rows = table.store().local().features;
  for (std::int64_t r = 0; r < rows.rows(); ++r) {
    auto const vertex = divided.names.original[divided.names.book.begin(rank) + r];
    for (std::int64_t f = 0; f < num_columns; ++f) {
      largest =
          std::max(largest, std::abs(rows(r, f) - expected.x[static_cast<std::size_t>(vertex * num_columns + f)]));
    }
  }
  return largest;
}

std::vector<float> rows_of(auto const& table) {
  return glt::to_vector(cpu(), table.store().local().features.flat());
}

} // namespace

TEST_CASE("rows trained over ranks are those that one process computes") {
  for (glt::detail::sparse_optimizer const& optimizer :
       {glt::detail::sparse_optimizer(glt::dist::embedding_options::sgd{.learning_rate = 0.5}),
        glt::detail::sparse_optimizer(glt::dist::embedding_options::adagrad{.learning_rate = 0.1}),
        glt::detail::sparse_optimizer(glt::dist::embedding_options::adam{.learning_rate = 0.05})}) {
    embedding_options const options{.columns = num_columns, .optimizer = optimizer, .initial = 0.5, .seed = 11};
    on_ranks([&](auto inner) {
      INFO("optimiser ", optimizer.index(), ", rank ", inner.rank(), " of ", inner.size());
      auto const divided = divided_by(inner.size());
      auto table = make_table(glt_test::minimal_communicator(inner), divided, options);
      oracle expected(options);
      CHECK(difference(table, expected, divided, inner.rank()) < 1e-7);
      CHECK(table.num_columns() == num_columns);
      for (std::int64_t step = 0; step < 9; ++step) {
        rank_items const own(step, divided, inner.rank(), inner.size());
        table.update(own.ids(), own.matrix(), own.ids().size());
        expected.update(items_of(step), optimizer);
      }
      CHECK(table.num_updates() == expected.t);
      CHECK(expected.t == 7);
      CHECK(difference(table, expected, divided, inner.rank()) < 1e-5);
    });
  }
}

TEST_CASE("rows are fetched from their owners as they are after the last update") {
  on_ranks([](auto comm) {
    auto const divided = divided_by(comm.size());
    embedding_options const options{.columns = num_columns,
                                    .optimizer = glt::dist::embedding_options::sgd{.learning_rate = 1}};
    auto table = make_table(comm, divided, options);
    oracle expected(options);
    rank_items const own(4, divided, comm.rank(), comm.size());
    table.update(own.ids(), own.matrix(), own.ids().size());
    expected.update(items_of(4), options.optimizer);
    std::vector<glt::global_id> all;
    for (auto const& each : items_of(4)) {
      all.push_back(divided.names.renumbered[each.vertex]);
    }
    glt::dist::collected_rows<cpu, float> rows;
    table.collect(glt::host_view<glt::global_id const>(all), rows);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t f = 0; f < num_columns; ++f) {
        auto const element = static_cast<std::size_t>(items_of(4)[i].vertex * num_columns) + f;
        CHECK(rows.features[static_cast<std::int64_t>(i * num_columns + f)] ==
              doctest::Approx(expected.x[element]).epsilon(1e-5));
      }
    }
  });
}

TEST_CASE("an update sends 4 bytes and a row for every distinct remote vertex, and nothing back") {
  on_ranks([](auto inner) {
    auto const divided = divided_by(inner.size());
    glt::counting_comm comm(inner);
    auto table = make_table(comm, divided, {.columns = num_columns});
    rank_items const own(6, divided, inner.rank(), inner.size());
    std::set<glt::global_id> remote;
    for (auto const vertex : own.vertices) {
      if (divided.names.book.owner(vertex) != inner.rank()) {
        remote.insert(vertex);
      }
    }
    comm.reset();
    table.update(own.ids(), own.matrix(), own.ids().size());
    auto const sent = comm.counts().total();
    auto const headers = glt::detail::header_bytes * (inner.size() - 1);
    CHECK(sent.bytes == headers + static_cast<std::int64_t>(remote.size() * (4 + num_columns * sizeof(float))));
    CHECK(sent.collectives == (inner.size() == 1 ? 0 : 3));

    CHECK((inner.rank() > 0 || inner.size() == 1 || remote.size() > 1));
  });
}

TEST_CASE("gradients that cannot be applied are the same error on every rank, and change nothing") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const rank = "rank " + std::to_string(last);
    bool const is_odd = comm.rank() == last;
    auto const divided = divided_by(comm.size());
    auto table = make_table(comm, divided, {.columns = num_columns});
    auto const before = rows_of(table);
    auto const refused = [&](std::vector<glt::global_id> const& vertices, std::int64_t columns, float second,
                             std::int64_t num_seeds, std::string const& fault = {}) {
      std::vector<float> gradients(static_cast<std::size_t>(std::ssize(vertices) * columns), 1.0F);
      if (gradients.size() > 1) {
        gradients[1] = second;
      }
      return glt_test::thrown<glt::collective_error>([&] {
        table.update(glt::host_view<glt::global_id const>(vertices),
                     glt::host_matrix<float const>(gradients.data(), std::ssize(vertices), columns), num_seeds, fault);
      });
    };
    auto const nan = std::numeric_limits<float>::quiet_NaN();
    auto const infinite = std::numeric_limits<float>::infinity();
    CHECK(
        glt_test::names(refused({3, 1}, is_odd ? 4 : num_columns, 1, 1), rank, "[2, 4] of 2 vertices", "pass [2, 5]"));
    CHECK(glt_test::names(refused({3, 1}, num_columns, is_odd ? nan : 1, 1), rank, "vertex 3, column 1, is nan"));
    CHECK(glt_test::names(refused({3, 1}, num_columns, is_odd ? infinite : 1, 1), rank, "vertex 3, column 1, is inf"));
    CHECK(glt_test::names(refused({is_odd ? num_vertices : 0}, num_columns, 1, 1), rank, "vertex 0 is 57", "[0, 57)"));
    CHECK(glt_test::names(refused({0}, num_columns, 1, is_odd ? -2 : 1), rank, "gradients of -2 seeds"));
    CHECK(glt_test::names(refused({0}, num_columns, 1, 1, is_odd ? "the loss is lost" : ""), rank, "the loss is lost"));
    CHECK(rows_of(table) == before);
    CHECK(table.num_updates() == 0);

    // Of a rank without seeds nothing counts; without any, it is no update.
    CHECK(refused({3, 1}, num_columns, nan, 0) == "(nothing was thrown)");
    CHECK(rows_of(table) == before);
    CHECK(table.num_updates() == 0);
    CHECK(refused({3, 1}, num_columns, 1, 1) == "(nothing was thrown)");
    CHECK(table.num_updates() == 1);
  });
}

TEST_CASE("ranks agree on options, learning rate and the number of updates") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const rank = "rank " + std::to_string(last);
    bool const is_odd = comm.rank() == last;
    auto const divided = divided_by(comm.size());
    auto const refused = [&](embedding_options const& options) {
      return glt_test::thrown<glt::collective_error>([&] { static_cast<void>(make_table(comm, divided, options)); });
    };
    auto const bad = [&](embedding_options options) { return is_odd ? options : embedding_options{.columns = 3}; };
    CHECK(glt_test::names(refused(bad({})), rank, "0 columns"));
    CHECK(glt_test::names(refused(bad({.columns = 3, .initial = -1})), rank, "initial -1"));
    CHECK(glt_test::names(
        refused(bad({.columns = 3, .optimizer = glt::dist::embedding_options::sgd{.learning_rate = -1}})), rank,
        "learning rate -1"));
    CHECK(glt_test::names(refused(bad({.columns = 3, .optimizer = glt::dist::embedding_options::adam{.beta2 = 1}})),
                          rank, "beta2 1"));
    CHECK(
        glt_test::names(refused(bad({.columns = 3, .optimizer = glt::dist::embedding_options::adagrad{.epsilon = -1}})),
                        rank, "epsilon -1"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused(bad({.columns = 3, .seed = 1})), rank, "other options"));
    }
    auto const& names = divided.names;
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                            auto const own = names.book.size(comm.rank()) - (is_odd ? 1 : 0);
                            sparse_embedding<decltype(comm)> const made(
                                comm, names.book, names.original.view().subview(0, own), {.columns = 2});
                          }),
                          rank, "original ids", "graph.original()"));

    auto table = make_table(comm, divided, {.columns = num_columns});
    CHECK(glt_test::names(
        glt_test::thrown<glt::collective_error>([&] { table.set_learning_rate(is_odd ? std::nan("") : 1); }), rank,
        "learning rate nan"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(
          glt_test::thrown<glt::collective_error>([&] { table.set_learning_rate(is_odd ? 0.5 : 0.25); }), rank,
          "sets a learning rate of 0.5 while rank 0 sets one of 0.25"));
    }
    CHECK(table.learning_rate() == 0.01);
    table.set_learning_rate(0.125);
    CHECK(table.learning_rate() == 0.125);

    if (comm.size() > 1) {
      CHECK(glt_test::names(glt_test::thrown<glt::collective_error>(
                                [&] { table.restore([&](auto& state) { state.num_updates = is_odd ? 5 : 7; }); }),
                            rank, "of 5 updates and rank 0 of 7"));
    }
    table.restore([](auto& state) {
      state.num_updates = 7;
      state.learning_rate = 0.5;
      for (auto& element : state.arrays.rows) {
        element = 2;
      }
    });
    CHECK(table.num_updates() == 7);
    CHECK(table.learning_rate() == 0.5);
    CHECK(rows_of(table) ==
          std::vector<float>(static_cast<std::size_t>(names.book.size(comm.rank()) * num_columns), 2));
  });
}

TEST_CASE("tables of other memory and of doubles are trained alike") {
  on_ranks([](auto comm) {
    auto const divided = divided_by(comm.size());
    auto const& names = divided.names;
    embedding_options const options{.columns = num_columns, .optimizer = glt::dist::embedding_options::adam{}};
    pinned_host const policy;
    auto const own = glt::make_buffer<pinned_host>(
        names.original.view().subview(names.book.begin(comm.rank()), names.book.size(comm.rank())), policy);
    sparse_embedding<decltype(comm), pinned_host, double> table(comm, names.book, own.view(), options, policy);
    oracle expected(options);
    for (std::int64_t step = 2; step < 5; ++step) {
      rank_items const items(step, divided, comm.rank(), comm.size());
      std::vector<double> const gradients(items.gradients.begin(), items.gradients.end());
      using glt::memory_space;
      table.update(
          glt::array_view<memory_space::pinned, glt::global_id const>(items.vertices.data(), items.ids().size()),
          glt::matrix_view<memory_space::pinned, double const>(gradients.data(), items.ids().size(), num_columns),
          items.ids().size());
      expected.update(items_of(step), options.optimizer);
    }
    CHECK(difference(table, expected, divided, comm.rank()) < 1e-7); // gradients were floats
  });
}

TEST_CASE("a rank without memory for gradients takes no other one along into waiting") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const divided = divided_by(comm.size());
    auto const& names = divided.names;
    glt_test::scarce_policy const policy;
    sparse_embedding<decltype(comm), glt_test::scarce_policy> table(
        comm, names.book, names.original.view().subview(names.book.begin(comm.rank()), names.book.size(comm.rank())),
        {.columns = num_columns}, policy);
    std::vector<float> const gradients(num_columns, 1);
    std::vector<glt::global_id> const vertices{0};
    auto const update = [&] {
      table.update(glt::host_view<glt::global_id const>(vertices),
                   glt::host_matrix<float const>(gradients.data(), 1, num_columns), 1);
    };
    glt_test::scarce_resource::allocations_left = comm.rank() == last ? 0 : -1;
    auto const error = glt_test::thrown<glt::collective_error>(update);
    glt_test::scarce_resource::allocations_left = -1;
    CHECK(glt_test::names(error, "rank " + std::to_string(last), "alloc"));
    update();
    CHECK(table.num_updates() == 1);
  });
}

TEST_CASE("key groups list the places of every key in order") {
  glt::detail::key_groups<cpu> groups{cpu()};
  std::vector<glt::local_id> const keys{4, 1, 4, 9, 1, 4};
  groups.group(glt::host_view<glt::local_id const>(keys));
  CHECK(glt::to_vector(cpu(), groups.keys()) == std::vector<glt::global_id>{1, 4, 9});
  CHECK(glt::to_vector(cpu(), groups.places(0)) == std::vector<std::int64_t>{1, 4});
  CHECK(glt::to_vector(cpu(), groups.places(1)) == std::vector<std::int64_t>{0, 2, 5});
  CHECK(glt::to_vector(cpu(), groups.places(2)) == std::vector<std::int64_t>{3});
  groups.group(glt::host_view<glt::local_id const>());
  CHECK(groups.size() == 0);
}
