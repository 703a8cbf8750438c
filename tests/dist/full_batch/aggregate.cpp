// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/aggregate.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/threads.hpp>

#include "support/device_parts.hpp"
#include "support/differences.hpp"
#include "support/errors.hpp"
#include "support/naive_aggregation.hpp"
#include "support/once.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using glt::dist::aggregator;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

constexpr aggregator all_aggregators[] = {aggregator::sum, aggregator::mean, aggregator::max, aggregator::min};

// A value that tells its row, its column, and what it is for; few bits, so that sums are exact.
double value_at(std::int64_t vertex, std::int64_t column, int salt) {
  return static_cast<double>((vertex * 7919 + column * 104729 + salt * 31) % 61 - 30) / 8;
}

// The rows of this rank's vertices of a matrix by original id, in memory of a policy.
template <class Policy, class T>
glt::buffer<Policy, T> own_rows(divided_graph const& divided, int rank, std::int64_t columns, int salt, Policy policy) {
  std::vector<T> values;
  for (auto v = divided.names.book.begin(rank); v < divided.names.book.end(rank); ++v) {
    for (std::int64_t c = 0; c < columns; ++c) {
      values.push_back(static_cast<T>(value_at(divided.names.original[v], c, salt)));
    }
  }
  return glt::make_buffer<Policy>(values, policy);
}

std::vector<double> all_rows(std::int64_t vertices, std::int64_t columns, int salt) {
  std::vector<double> values;
  for (std::int64_t v = 0; v < vertices; ++v) {
    for (std::int64_t c = 0; c < columns; ++c) {
      values.push_back(value_at(v, c, salt));
    }
  }
  return values;
}

// [E, heads]; 1 without weights.
std::vector<double> weights_of(std::int64_t edges, std::int64_t heads, bool is_weighted) {
  std::vector<double> weights;
  for (std::int64_t e = 0; e < edges; ++e) {
    for (std::int64_t h = 0; h < heads; ++h) {
      weights.push_back(is_weighted ? static_cast<double>((e * 37 + h * 11 + 3) % 15 - 7) / 4 : 1);
    }
  }
  return weights;
}

template <class Policy, class T>
auto matrix(glt::buffer<Policy, T>& values, std::int64_t rows, std::int64_t columns) {
  return glt::matrix_view<Policy::space, T>(values.data(), rows, columns);
}

struct setting {
  aggregator how = aggregator::sum;
  std::int64_t columns = 5;
  std::int64_t heads = 1;
  bool is_weighted = false;
  std::int64_t depth = 1;
  bool is_reproducible = false;
  bool has_cover = false;
};

// What one loop over the edge list makes: the same on any rank, whatever the partition.
glt_test::naive_aggregation const& expected_of(glt_test::edge_list const& list, setting const& how) {
  auto const key =
      std::tuple(list.num_vertices, list.sources, list.destinations, how.how, how.columns, how.heads, how.is_weighted);
  return glt_test::once(key, [&] {
    return glt_test::naive_aggregation(
        list, how.how, how.columns, how.heads, weights_of(list.num_edges(), how.heads, how.is_weighted),
        all_rows(list.num_vertices, how.columns, 0), all_rows(list.num_vertices, how.columns, 1));
  });
}

// Forward and backward on the ranks of a test against one loop over the edge list.
template <class Policy, class T, class Comm>
void check_aggregation(Comm& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                       setting const& how, Policy const& policy = {}) {
  INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank(), " of ", comm.size(), ", aggregator ",
       static_cast<int>(how.how), ", columns ", how.columns, ", heads ", how.heads, ", depth ", how.depth,
       how.has_cover ? ", covered" : "");
  auto const columns = how.columns;
  divided_graph const divided(list, partitioner, comm.size());
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
  glt::dist::sharded_graph<Comm, Policy> sharded(comm, graph, {.depth = how.depth, .cover = how.has_cover}, policy);
  auto const rows = sharded.num_destinations();
  auto const edge_ids = glt::to_vector(policy, graph.local().edge_ids());

  auto const all_weights = weights_of(list.num_edges(), how.heads, how.is_weighted);
  auto const& expected = expected_of(list, how);
  std::vector<T> own_weights;
  for (auto const id : edge_ids) {
    for (std::int64_t h = 0; h < how.heads && how.is_weighted; ++h) {
      own_weights.push_back(static_cast<T>(all_weights[static_cast<std::size_t>(id * how.heads + h)]));
    }
  }
  auto const weights = glt::make_buffer<Policy>(own_weights, policy);
  auto x = own_rows<Policy, T>(divided, comm.rank(), columns, 0, policy);
  auto gradient = own_rows<Policy, T>(divided, comm.rank(), columns, 1, policy);
  std::vector<T> const before(static_cast<std::size_t>(rows * columns), std::numeric_limits<T>::quiet_NaN());
  auto y = glt::make_buffer<Policy>(before, policy);
  auto dx = glt::make_buffer<Policy>(before, policy);
  glt::buffer<Policy, T> dw(sharded.num_edges() * how.heads, policy);
  glt::buffer<Policy, glt::local_id> chosen(rows * columns, policy);
  glt::dist::aggregation<Policy::space, T> const options{
      .how = how.how, .edge_weights = weights.view(), .reproducible = how.is_reproducible, .heads = how.heads};
  auto const choice = matrix(chosen, rows, columns);
  glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(y, rows, columns), options, choice);
  glt::detail::aggregate_backward(sharded, matrix(gradient, rows, columns), matrix(dx, rows, columns), options, choice);
  glt::detail::aggregate_weights_backward(sharded, matrix(x, rows, columns), matrix(gradient, rows, columns), dw.view(),
                                          options, choice);

  std::int64_t wrong = 0;
  auto const made = glt::to_vector(policy, y.view());
  auto const back = glt::to_vector(policy, dx.view());
  auto const by_weight = glt::to_vector(policy, dw.view());
  for (std::int64_t v = 0; v < rows; ++v) {
    auto const whole = divided.names.original[divided.names.book.begin(comm.rank()) + v];
    for (std::int64_t c = 0; c < columns; ++c) {
      auto const own = static_cast<std::size_t>(v * columns + c);
      auto const all = static_cast<std::size_t>(whole * columns + c);
      wrong += !glt_test::close<T>(made[own], expected.y[all]);
      wrong += !glt_test::close<T>(back[own], expected.dx[all]);
    }
  }
  for (std::size_t e = 0; e < edge_ids.size(); ++e) {
    for (std::int64_t h = 0; h < how.heads; ++h) {
      wrong += !glt_test::close<T>(by_weight[e * static_cast<std::size_t>(how.heads) + static_cast<std::size_t>(h)],
                                   expected.dw[static_cast<std::size_t>(edge_ids[e] * how.heads + h)]);
    }
  }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("the gradients of the naive aggregation are its finite differences") {
  auto const list = glt_test::random_graph(20, 70);
  constexpr std::int64_t columns = 6;
  constexpr std::int64_t heads = 3;
  auto x = all_rows(list.num_vertices, columns, 0);
  auto weights = weights_of(list.num_edges(), heads, true);
  auto const gradient = all_rows(list.num_vertices, columns, 1);
  for (std::size_t i = 0; i < x.size(); ++i) { // so that no two products are equal, between which extremes jump
    x[i] += 0.01 * std::sin(static_cast<double>(i));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] += 0.01 * std::cos(static_cast<double>(i));
  }
  for (auto const how : all_aggregators) {
    CAPTURE(static_cast<int>(how));
    auto const aggregate = [&] { return glt_test::naive_aggregation(list, how, columns, heads, weights, x, gradient); };
    auto const found = aggregate();
    auto const output = [&] { return aggregate().y; };
    CHECK(glt_test::count_wrong_derivatives(x, found.dx, gradient, output) == 0);
    CHECK(glt_test::count_wrong_derivatives(weights, found.dw, gradient, output) == 0);
  }
}

TEST_CASE("an aggregation over ranks and its gradients are those of one loop over all edges") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        for (auto const how : all_aggregators) {
          check_aggregation<glt::device::cpu, double>(comm, list, partitioner, {.how = how});
        }
      }
    }
  });
}

TEST_CASE("an aggregation weighs edges, by head if asked to, at any width and depth") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    auto const small = glt_test::random_graph(131, 1031);
    auto const partitioner = glt_test::all_partitioners()[1];
    for (auto const how : all_aggregators) {
      for (bool const is_weighted : {false, true}) {
        for (std::int64_t const depth : {0, 1, 2, 3}) {
          check_aggregation<glt::device::cpu, double>(
              comm, list, partitioner,
              {.how = how, .columns = 6, .heads = 3, .is_weighted = is_weighted, .depth = depth});
        }
        for (std::int64_t const columns : {0, 1, 4, 16, 32, 33, 64, 128}) {
          check_aggregation<glt::device::cpu, float>(comm, small, partitioner,
                                                     {.how = how, .columns = columns, .is_weighted = is_weighted});
        }
      }
    }
  });
}

TEST_CASE("rows without edges become 0 on several threads, however many lie together") {
  on_ranks([](auto comm) {
    glt_test::edge_list list{"few destinations", 20000, {}, {}};
    for (int i = 0; i < 40; ++i) {
      list.add(i * 499 % 20000, i < 20 ? 4 * i : 19999);
    }
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (std::int64_t const columns : {3, 16}) {
        check_aggregation<glt::device::cpu, double>(comm, list, partitioner, {.columns = columns}, glt::device::cpu(3));
      }
    }
  });
}

TEST_CASE("an aggregation over a cover of the boundary is that of one loop over all edges") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        for (auto const how : {aggregator::sum, aggregator::mean}) {
          check_aggregation<glt::device::cpu, double>(comm, list, partitioner, {.how = how, .has_cover = true});
        }
        check_aggregation<glt::device::cpu, double>(
            comm, list, partitioner,
            {.how = aggregator::max, .columns = 14, .heads = 2, .is_weighted = true, .has_cover = true});
      }
    }
    auto const list = glt_test::random_graph(257, 999);
    auto const partitioner = glt_test::all_partitioners()[1];
    for (auto const how : all_aggregators) { // exact sums do not use it
      for (bool const is_weighted : {false, true}) {
        for (std::int64_t const depth : {0, 3}) {
          check_aggregation<glt::device::cpu, float>(
              comm, list, partitioner,
              {.how = how, .columns = 24, .heads = 2, .is_weighted = is_weighted, .depth = depth, .has_cover = true});
        }
      }
      check_aggregation<glt::device::cpu, double>(comm, list, partitioner,
                                                  {.how = how, .is_reproducible = true, .has_cover = true});
      check_aggregation<glt::device::cpu, double>(comm, list, partitioner,
                                                  {.how = how, .columns = 0, .has_cover = true});
    }
  });
}

TEST_CASE("a cover sends the rows and sums that it counts, never more than there are sources, and far fewer "
          "for hubs") {
  on_ranks([](auto comm) {
    glt_test::edge_list hubs{"hubs", 200, {}, {}}; // 0 to 3 have edges from and to all others
    for (glt::local_id v = 4; v < 200; ++v) {
      for (glt::local_id const hub : {0, 1, 2, 3}) {
        hubs.sources.insert(hubs.sources.end(), {v, hub});
        hubs.destinations.insert(hubs.destinations.end(), {hub, v});
      }
    }
    for (auto const& list : {hubs, glt_test::random_graph(257, 999)}) {
      INFO(list.name, ", rank ", comm.rank(), " of ", comm.size());
      divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
      glt::counting_comm counted(comm);
      glt::dist::graph const graph(counted, divided.part(comm.rank()));
      glt::dist::sharded_graph<decltype(counted), glt::device::cpu> sharded(counted, graph, {.cover = true});
      auto const rows = sharded.num_destinations();
      std::vector<float> x(static_cast<std::size_t>(rows * 3), 1.0F);
      std::vector<float> y(x.size());
      glt::host_matrix<float> const in(x.data(), rows, 3);
      glt::host_matrix<float> const out(y.data(), rows, 3);
      std::int64_t sent = 0;
      std::int64_t received = 0;
      for (std::int64_t k = 1; k < comm.size(); ++k) {
        sent += sharded.cover()->num_sent(k);
        received += sharded.cover()->num_received(k);
        CHECK(sharded.cover()->num_sent(k) <= sharded.sent_rows(k).size());
        CHECK(sharded.cover()->num_received(k) <= std::min(sharded.num_received(k), sharded.shard(k).rows.size()));
        if (list.name == hubs.name) {
          CHECK(sharded.cover()->num_received(k) <= 4); // the hubs of both ranks
        }
      }
      sharded.report() = {};
      glt::dist::aggregate(sharded, in, out);
      CHECK(sharded.report().bytes == sent * 3 * 4);
      CHECK(sharded.report().messages <= comm.size() - 1);
      glt::detail::aggregate_backward(sharded, in, out);
      CHECK(sharded.report().bytes == (sent + received) * 3 * 4);
      sharded.report() = {};
      glt::dist::aggregate(sharded, in, out, {.reproducible = true});
      CHECK(sharded.report().bytes >= sharded.num_sent() * 3 * 4);
    }
  });
}

TEST_CASE("weights and winners travel with a cover, or all rows where those take fewer bytes; extremes keep "
          "their bits") {
  on_ranks([](auto comm) {
    glt_test::edge_list stars{"stars", 120, {}, {}}; // 0 and 1 have edges from and to all others
    for (glt::local_id v = 2; v < 120; ++v) {
      for (glt::local_id const hub : {0, 1}) {
        stars.sources.insert(stars.sources.end(), {v, hub});
        stars.destinations.insert(stars.destinations.end(), {hub, v});
      }
    }
    divided_graph const divided(stars, glt_test::all_partitioners()[1], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::graph const graph(counted, divided.part(comm.rank()));
    glt::dist::sharded_graph sharded(counted, graph, {.cover = true});
    glt::dist::sharded_graph whole(counted, graph);
    auto const rows = sharded.num_destinations();
    std::vector<float> const weights(static_cast<std::size_t>(sharded.num_edges() * 2), 0.5F);
    std::int64_t saved = 0;
    for (std::int64_t const columns : {2, 16}) {
      auto x = own_rows<glt::device::cpu, float>(divided, comm.rank(), columns, 0, {});
      glt::buffer<glt::device::cpu, float> y(rows * columns);
      glt::buffer<glt::device::cpu, float> pulled_y(rows * columns);
      glt::buffer<glt::device::cpu, glt::local_id> chosen(rows * columns);
      glt::buffer<glt::device::cpu, glt::local_id> pulled_chosen(rows * columns);
      for (auto const how : all_aggregators) {
        for (bool const is_weighted : {false, true}) {
          INFO("rank ", comm.rank(), " of ", comm.size(), ", aggregator ", static_cast<int>(how), ", columns ", columns,
               is_weighted ? ", weighted" : "");
          bool const is_extreme = glt::detail::is_extreme(how);
          glt::dist::aggregation<glt::memory_space::host, float> const options{
              .how = how,
              .edge_weights = is_weighted ? glt::host_view<float const>(weights) : glt::host_view<float const>(),
              .heads = is_weighted ? 2 : 1};
          std::int64_t forward = 0;
          std::int64_t backward = 0;
          for (std::int64_t k = 1; k < comm.size(); ++k) {
            auto const in = sharded.cover()->incoming(k);
            auto const out = sharded.cover()->outgoing(k);
            auto const values = [&](std::int64_t pulled, std::int64_t summed) {
              return (pulled + summed * (is_extreme ? 2 : 1)) * columns * 4;
            };
            std::int64_t const weight_bytes = is_weighted ? 8 : 0;
            auto const gathered = values(in.pulled.num_columns, in.summed.size());
            auto const told = in.pushed.size() * weight_bytes;
            auto const made = values(out.sent.size(), out.pushed.num_rows);
            auto const served = out.pushed.num_edges * weight_bytes;
            auto const all_in = sharded.num_received(k) * columns * 4;
            auto const all_out = sharded.sent_rows(k).size() * columns * 4;
            forward += made + served < all_out ? made : all_out;
            forward += gathered + told < all_in ? told : 0;
            backward += std::min(gathered + told, all_in);
            saved += gathered + told < all_in ? 1 : 0;
          }
          auto const choice = matrix(chosen, rows, columns);
          counted.reset();
          glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(y, rows, columns), options, choice);
          CHECK(counted.counts().payload.bytes == forward);
          CHECK(counted.counts().payload.messages <= (is_weighted ? 2 : 1) * (comm.size() - 1));
          glt::dist::aggregate(whole, matrix(x, rows, columns), matrix(pulled_y, rows, columns), options,
                               matrix(pulled_chosen, rows, columns));
          CHECK(std::ranges::equal(y, pulled_y)); // sums of few bits, too
          CHECK((!is_extreme || std::ranges::equal(chosen, pulled_chosen)));
          counted.reset();
          glt::detail::aggregate_backward(sharded, matrix(y, rows, columns), matrix(pulled_y, rows, columns), options,
                                          choice);
          CHECK(counted.counts().payload.bytes == backward);
          CHECK(counted.counts().payload.messages <= comm.size() - 1);
        }
      }
    }
    std::vector<std::int64_t> sums{saved};
    comm.all_reduce(std::span<std::int64_t>(sums), glt::reduction::sum);
    CHECK((comm.size() == 1 || sums[0] > 16)); // plain sums and means of both widths would be 8 on two ranks
  });
}

TEST_CASE_TEMPLATE("an aggregation is the same on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    for (auto const how : all_aggregators) {
      check_aggregation<Policy, float>(comm, glt_test::random_graph(101, 999), partitioner,
                                       {.how = how, .columns = 4, .heads = 2, .is_weighted = true, .depth = 2});
      check_aggregation<Policy, double>(comm, glt_test::random_graph(101, 37), partitioner, {.how = how});
    }
  });
}

TEST_CASE("a pass sends every row that is needed once, in a message a peer, and holds depth + 1 shards") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::graph const graph(counted, divided.part(comm.rank()));
    std::vector<std::set<std::int64_t>> needed(static_cast<std::size_t>(comm.size())); // of each rank
    for (auto const source : graph.local().sources()) {
      needed[static_cast<std::size_t>(graph.book().owner(source))].insert(source);
    }
    needed[static_cast<std::size_t>(comm.rank())].clear();
    std::int64_t boundary = 0;
    std::int64_t largest = 0;
    std::int64_t peers = 0;
    for (auto const& rows : needed) {
      boundary += std::ssize(rows);
      largest = std::max<std::int64_t>(largest, std::ssize(rows));
      peers += rows.empty() ? 0 : 1;
    }
    constexpr std::int64_t columns = 3;
    for (std::int64_t const depth : {0, 1, 2, 9}) {
      CAPTURE(depth);
      glt::dist::sharded_graph sharded(counted, graph, {.depth = depth});
      CHECK(sharded.num_boundary() == boundary);
      auto const rows = sharded.num_destinations();
      auto x = own_rows<glt::device::cpu, float>(divided, comm.rank(), columns, 0, {});
      glt::buffer<glt::device::cpu, float> y(rows * columns);
      std::vector<std::int64_t> sums{sharded.num_sent(), sharded.num_boundary()};
      counted.reset();
      glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(y, rows, columns));
      auto const forward = sharded.report();
      CHECK(forward.passes == 1);
      CHECK(forward.bytes == sharded.num_sent() * columns * 4);
      CHECK(forward.messages <= comm.size() - 1);
      if (depth < 2) { // what duplicates carry is not counted
        CHECK(counted.counts().payload.bytes == forward.bytes);
        CHECK(counted.counts().payload.messages == forward.messages);
        CHECK(counted.counts().payload.collectives == comm.size() - 1);
      }
      auto const shards = std::min<std::int64_t>(depth, comm.size() - 1) + 1;
      CHECK(forward.peak_remote_bytes <= shards * std::max(largest, sharded.most_sent()) * columns * 4);
      sharded.report() = {};
      glt::detail::aggregate_backward(sharded, matrix(x, rows, columns), matrix(y, rows, columns));
      CHECK(sharded.report().bytes == boundary * columns * 4);
      CHECK(sharded.report().messages == peers);
      comm.all_reduce(std::span<std::int64_t>(sums), glt::reduction::sum);
      CHECK(sums[0] == sums[1]); // what all send is what all need
    }
  });
}

TEST_CASE("a pass allocates depth + 1 shards to receive and as many to send; a rank without memory fails all") {
  on_ranks([](auto comm) {
    using policy = glt_test::scarce_policy;
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    constexpr std::int64_t columns = 6;
    for (auto const& [depth, is_backward] :
         {std::pair(0, false), std::pair(1, false), std::pair(1, true), std::pair(3, true)}) {
      INFO("depth ", depth, ", rank ", comm.rank(), " of ", comm.size(), is_backward ? ", backward" : "");
      glt::dist::graph const graph(comm, glt_test::device_part<policy, glt::global_id>(divided, comm.rank(), {}));
      glt::dist::sharded_graph<decltype(comm), policy> sharded(comm, graph, {.depth = depth});
      auto const rows = sharded.num_destinations();
      auto x = own_rows<policy, float>(divided, comm.rank(), 2 * columns, 0, {});
      glt::buffer<policy, float> y(2 * rows * columns);
      auto& peak = glt_test::scarce_resource::peak_bytes;
      auto const before = peak = glt_test::scarce_resource::live_bytes;
      if (is_backward) {
        glt::detail::aggregate_backward(sharded, matrix(x, rows, columns), matrix(y, rows, columns));
      } else {
        glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(y, rows, columns));
      }
      auto const shards = std::min<std::int64_t>(depth, comm.size() - 1) + 1;
      CHECK(peak - before == shards * (sharded.most_sent() + sharded.most_received()) * columns * 4);

      auto const last = comm.size() - 1;
      glt_test::scarce_resource::allocations_left = comm.rank() == last ? 0 : -1;
      auto const scarce = glt_test::thrown<glt::collective_error>([&] { // twice the columns need more memory
        glt::dist::aggregate(sharded, matrix(x, rows, 2 * columns), matrix(y, rows, 2 * columns));
      });
      glt_test::scarce_resource::allocations_left = -1;
      if (comm.size() > 1) {
        CHECK(glt_test::names(scarce, "rank " + std::to_string(last), "alloc"));
      }
      glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(y, rows, columns)); // still in step
    }
  });
}

TEST_CASE("what is wrong with a pass on one rank is an error of all") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph sharded(comm, graph);
    auto const rows = sharded.num_destinations();
    glt::buffer<glt::device::cpu, float> values((rows + 1) * 8);
    std::vector<float> const weights(static_cast<std::size_t>(sharded.num_edges() * 2), 1.0F);
    auto const last = comm.size() - 1;
    bool const is_odd = comm.rank() == last;
    auto const failure_of = [&](std::int64_t x_rows, std::int64_t columns,
                                glt::dist::aggregation<glt::memory_space::host, float> options) {
      return glt_test::thrown<glt::collective_error>([&] {
        glt::run_collectively(comm, [&] {
          glt::dist::aggregate(sharded, matrix(values, x_rows, columns), matrix(values, rows, columns), options);
        });
      });
    };
    auto const name = "rank " + std::to_string(last) + ":";
    CHECK(glt_test::names(failure_of(is_odd ? rows + 1 : rows, 4, {}), name,
                          "x [" + std::to_string(divided.names.book.size(last) + 1) + ", 4]"));
    CHECK(glt_test::names(failure_of(rows, 4, {.how = is_odd ? aggregator::max : aggregator::sum}), name, "chosen"));
    CHECK(glt_test::names(failure_of(rows, 4, {.heads = is_odd ? 3 : 1}), name, "3 heads of 4 columns"));
    if (sharded.num_edges() > 0 || !is_odd) {
      CHECK(glt_test::names(
          failure_of(rows, 4,
                     {.edge_weights = is_odd ? glt::host_view<float const>(weights) : glt::host_view<float const>()}),
          name, "edge weights"));
    }
    if (comm.size() > 1) {
      CHECK(glt_test::names(failure_of(rows, is_odd ? 3 : 4, {}), name,
                            "3 float columns by sum while rank 0 aggregates 4"));
      CHECK(
          glt_test::names(failure_of(rows, 4, {.how = is_odd ? aggregator::mean : aggregator::sum}), name, "by mean"));
    }
    // all ranks are still in step
    glt::buffer<glt::device::cpu, float> y(rows * 4);
    glt::dist::aggregate(sharded, matrix(values, rows, 4), matrix(y, rows, 4));
  });
}

TEST_CASE("reproducible sums and their gradients have the same bits on any number of ranks, parts and threads") {
  auto const list = glt_test::random_graph(257, 4099);
  constexpr std::int64_t columns = 5;
  // values of very different size, so that sums of floats depend on their order
  auto const fill = [](divided_graph const& divided, int rank, int salt) {
    std::vector<float> values;
    for (auto v = divided.names.book.begin(rank); v < divided.names.book.end(rank); ++v) {
      for (std::int64_t c = 0; c < columns; ++c) {
        values.push_back(
            static_cast<float>(std::sin(static_cast<double>(divided.names.original[v] * 13 + c + salt)) *
                               std::pow(10.0, static_cast<double>((divided.names.original[v] + c) % 7 - 3))));
      }
    }
    return glt::make_buffer<glt::device::cpu>(values);
  };
  for (auto const how : {aggregator::sum, aggregator::mean}) {
    std::vector<float> first;
    std::vector<float> first_gradient;
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (int const ranks : {1, 2, 3, 5}) {
        std::vector<float> all(static_cast<std::size_t>(list.num_vertices * columns));
        auto all_gradient = all;
        glt::run_threads(ranks, [&](glt::threads_comm comm) {
          divided_graph const divided(list, partitioner, comm.size());
          glt::dist::graph const graph(comm, divided.part(comm.rank()));
          glt::dist::sharded_graph sharded(comm, graph, {}, glt::device::cpu(ranks == 2 ? 3 : 1));
          auto const rows = sharded.num_destinations();
          auto x = fill(divided, comm.rank(), 0);
          auto dy = fill(divided, comm.rank(), 7);
          glt::buffer<glt::device::cpu, float> y(rows * columns);
          glt::buffer<glt::device::cpu, float> dx(rows * columns);
          glt::dist::aggregation<glt::memory_space::host, float> const options{.how = how, .reproducible = true};
          glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(y, rows, columns), options);
          glt::detail::aggregate_backward(sharded, matrix(dy, rows, columns), matrix(dx, rows, columns), options);
          for (std::int64_t i = 0; i < y.size(); ++i) {
            auto const vertex = divided.names.original[divided.names.book.begin(comm.rank()) + i / columns];
            auto const place = static_cast<std::size_t>(vertex * columns + i % columns);
            all[place] = y[i];
            all_gradient[place] = dx[i];
          }
        });
        if (first.empty()) {
          first = all;
          first_gradient = all_gradient;
        }
        CHECK(std::memcmp(all.data(), first.data(), all.size() * sizeof(float)) == 0);
        CHECK(std::memcmp(all_gradient.data(), first_gradient.data(), all.size() * sizeof(float)) == 0);
      }
    }
  }
}

TEST_CASE("reproducible sums of small columns are as exact as those of large ones beside them") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph sharded(comm, graph);
    constexpr std::int64_t columns = 22;
    auto const rows = sharded.num_destinations();
    glt::buffer<glt::device::cpu, double> x(rows * columns);
    for (std::int64_t i = 0; i < x.size(); ++i) { // from 1e-30 to 1e30
      auto const scale = std::pow(10.0, static_cast<double>(i % columns % 11 * 6 - 30));
      x[i] = scale * (1 + static_cast<double>((divided.names.book.begin(comm.rank()) + i / columns) % 7));
    }
    glt::buffer<glt::device::cpu, double> weights(sharded.num_edges() * 2);
    for (std::int64_t i = 0; i < weights.size(); ++i) {
      weights[i] = (i % 2 == 0 ? 1e-20 : 1e20) * (1 + static_cast<double>(i % 5));
    }
    auto const same = [&](auto const& options) {
      glt::buffer<glt::device::cpu, double> sums(rows * columns);
      glt::buffer<glt::device::cpu, double> expected(rows * columns);
      auto plain = options;
      plain.reproducible = false;
      std::int64_t wrong = 0;
      for (bool const is_backward : {false, true}) {
        auto const pass = [&](auto& to, auto const& how) {
          is_backward
              ? glt::detail::aggregate_backward(sharded, matrix(x, rows, columns), matrix(to, rows, columns), how)
              : glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(to, rows, columns), how);
        };
        pass(sums, options);
        pass(expected, plain);
        for (std::int64_t i = 0; i < sums.size(); ++i) {
          wrong += std::abs(sums[i] - expected[i]) <= 1e-12 * std::abs(expected[i]) ? 0 : 1;
        }
      }
      return wrong == 0;
    };
    glt::dist::aggregation<glt::memory_space::host, double> options{.reproducible = true};
    CHECK(same(options));
    options.edge_weights = weights.view();
    options.heads = 2;
    CHECK(same(options));
    options.how = aggregator::mean;
    CHECK(same(options));
  });
}

TEST_CASE("reproducible sums have the same bits where a rank has no edges and all weights are small") {
  glt_test::edge_list const list{"a triangle and a vertex alone", 4, {0, 1, 2, 0}, {1, 2, 0, 2}};
  std::vector<double> expected;
  for (int const ranks : {1, 4}) {
    std::vector<double> all(4);
    glt::run_threads(ranks, [&](glt::threads_comm comm) {
      divided_graph const divided(list, glt_test::all_partitioners()[0], comm.size());
      glt::dist::graph const graph(comm, divided.part(comm.rank()));
      glt::dist::sharded_graph sharded(comm, graph);
      auto const rows = sharded.num_destinations();
      glt::buffer<glt::device::cpu, double> x(rows);
      glt::buffer<glt::device::cpu, double> y(rows);
      std::vector<double> const weights(static_cast<std::size_t>(sharded.num_edges()), 1e-9 / 3);
      auto const original = [&](std::int64_t i) {
        return divided.names.original[divided.names.book.begin(comm.rank()) + i];
      };
      for (std::int64_t i = 0; i < rows; ++i) {
        x[i] = 1 / (3 + static_cast<double>(original(i)));
      }
      glt::dist::aggregate(sharded, matrix(x, rows, 1), matrix(y, rows, 1),
                           {.edge_weights = weights, .reproducible = true});
      for (std::int64_t i = 0; i < rows; ++i) {
        all[static_cast<std::size_t>(original(i))] = y[i];
      }
    });
    expected = expected.empty() ? all : expected;
    CHECK(all == expected);
  }
}

TEST_CASE("reproducible sums refuse what is not finite, and name the rank that has it") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph sharded(comm, graph);
    auto const rows = sharded.num_destinations();
    auto x = own_rows<glt::device::cpu, float>(divided, comm.rank(), 1, 0, {});
    glt::buffer<glt::device::cpu, float> y(rows);
    std::vector<float> weights(static_cast<std::size_t>(sharded.num_edges()), 1.0F);
    auto const last = comm.size() - 1;
    auto const refused = [&](auto const& options) {
      auto const text = "rank " + std::to_string(last);
      return glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                               glt::dist::aggregate(sharded, matrix(x, rows, 1), matrix(y, rows, 1), options);
                             }),
                             text, "infinite, not a number") &&
             glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                               glt::detail::aggregate_backward(sharded, matrix(x, rows, 1), matrix(y, rows, 1),
                                                               options);
                             }),
                             text, "infinite, not a number");
    };
    glt::dist::aggregation<glt::memory_space::host, float> options{.reproducible = true};
    x[0] = comm.rank() == last ? std::numeric_limits<float>::infinity() : 1.0F;
    CHECK(refused(options));
    x[0] = 1;
    weights[0] = comm.rank() == last ? std::numeric_limits<float>::quiet_NaN() : 1.0F;
    options.edge_weights = weights;
    CHECK(refused(options));
    weights[0] = 1;
    CHECK_FALSE(refused(options));
  });
}

TEST_CASE("rows in bfloat16 take half the bytes, and the result is as near as 8 binary digits allow") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph sharded(comm, graph);
    auto const rows = sharded.num_destinations();
    constexpr std::int64_t columns = 5;
    auto x = own_rows<glt::device::cpu, float>(divided, comm.rank(), columns, 0, {});
    for (auto& value : x) {
      value = value + 0.001F; // which 8 digits do not hold
    }
    glt::dist::aggregation<glt::memory_space::host, float> const rounded{.bfloat16_rows = true};
    for (bool const is_backward : {false, true}) {
      glt::buffer<glt::device::cpu, float> exact(rows * columns);
      glt::buffer<glt::device::cpu, float> near(rows * columns);
      auto const pass = [&](auto& out, auto const& options) {
        sharded.report() = {};
        if (is_backward) {
          glt::detail::aggregate_backward(sharded, matrix(x, rows, columns), matrix(out, rows, columns), options);
        } else {
          glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(out, rows, columns), options);
        }
        return sharded.report().bytes;
      };
      auto const bytes = pass(exact, glt::dist::aggregation<glt::memory_space::host, float>{});
      CHECK(pass(near, rounded) * 2 == bytes);
      std::vector<std::int64_t> differ{0};
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < exact.size(); ++i) {
        differ[0] += exact[i] != near[i] ? 1 : 0;
        wrong += std::abs(exact[i] - near[i]) > 0.5F; // sums of some 10 values below 4
      }
      CHECK(wrong == 0);
      comm.all_reduce(std::span<std::int64_t>(differ), glt::reduction::sum);
      CHECK((differ[0] > 0) == (comm.size() > 1));
    }
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                            glt::buffer<glt::device::cpu, float> out(rows * columns);
                            glt::dist::aggregate(sharded, matrix(x, rows, columns), matrix(out, rows, columns),
                                                 {.reproducible = true, .bfloat16_rows = true});
                          }),
                          "bfloat16", "send them in full"));
  });
}
