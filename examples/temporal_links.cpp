// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicts what users buy next from what they bought last, in a typed graph with times over MPI ranks, and measures it
// by mean reciprocal rank among negatives that the program gives: mpirun -np 2 temporal_links
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <utility>
#include <vector>

namespace dist = glt::dist;
using glt::device::cpu;
constexpr std::int64_t num_users = 200, num_items = 400, num_groups = 20, per_user = 50, width = 16, negatives = 20;
constexpr int item = 1, buys = 0, bought_by = 1; // in the order of the schema

std::int64_t random_below(std::uint64_t bound, std::int64_t of, std::int64_t number) {
  glt::random_stream draws(glt::random_key(1).fold(static_cast<std::uint64_t>(of)), static_cast<std::uint64_t>(number));
  return static_cast<std::int64_t>(draws.below(bound));
}

// The score of a pair in a batch: how much the item is like those that the user bought, as far as they are sampled.
double score(auto const& batch, std::int64_t user_at, std::int64_t item_at) {
  auto const x = batch.tensors[item]["x"].template as<float>();
  auto const block = batch.sample.subgraph().block(bought_by, 0); // from items to users
  double sum = 0;
  for (auto e = block.offsets[user_at] - block.offsets[0]; e < block.offsets[user_at + 1] - block.offsets[0]; ++e) {
    sum = std::inner_product(x.row(item_at).begin(), x.row(item_at).end(), x.row(block.row[e]).begin(), sum);
  }
  return sum;
}

// Ranks the first of every `negatives + 1` seed edges, a purchase, among the others, its negatives.
double mean_reciprocal_rank(glt::mpi_comm comm, auto const& recipe, dist::edge_seeds<> const& seeds) {
  dist::loader loader(comm, recipe, seeds, {.batch_size = 16 * (negatives + 1)});
  std::array<double, 2> sums{}; // of reciprocal ranks, and of purchases
  for (auto const& batch : loader.epoch(0)) {
    auto const pairs = batch.sample.edge_label_index();
    for (std::int64_t i = 0; i < pairs.columns(); i += negatives + 1) {
      double place = 1, bought = score(batch, pairs(0, i), pairs(1, i));
      for (std::int64_t n = i + 1; n <= i + negatives; ++n) {
        auto const other = score(batch, pairs(0, n), pairs(1, n));
        place += other > bought ? 1 : other == bought ? 0.5 : 0; // a tie counts half
      }
      sums = {sums[0] + 1 / place, sums[1] + 1};
    }
  }
  glt::reduce_over_ranks(comm, sums, glt::reduction::sum);
  return sums[0] / sums[1];
}

void run(glt::mpi_comm comm) {
  // Every rank makes the same graph. Purchase k of a user is at time k; at 25 the user begins to like other items.
  glt::hetero_schema const schema({{"user", num_users}, {"item", num_items}},
                                  {{"user", "buys", "item"}, {"item", "bought_by", "user"}});
  std::vector<glt::local_id> users, items;
  std::vector<std::int64_t> times;
  for (std::int64_t e = 0; e < num_users * per_user; ++e) {
    auto const any = random_below(num_items, e, 0), time = e % per_user;
    auto const liked = any / num_groups * num_groups + (e / per_user * 7 + time / 25 * 3) % num_groups;
    users.push_back(static_cast<glt::local_id>(e / per_user));
    items.push_back(static_cast<glt::local_id>(any % 5 == 0 ? any : liked));
    times.push_back(time);
  }
  std::vector<glt::csr_graph<cpu>> relations; // by both, edge e has time times[e]
  relations.push_back(glt::make_relation<cpu>(schema, buys, users, items, {.edge_ids = true}));
  relations.push_back(glt::make_relation<cpu>(schema, bought_by, items, users, {.edge_ids = true}));
  glt::hetero_graph<cpu> const whole(schema, std::move(relations));
  auto const names = glt::partition_by_type(whole.view(), glt::random_partitioner{}, comm.size());
  auto part = glt::split_graph(whole.view(), names, comm.rank());
  std::vector<glt::buffer<cpu, std::int64_t>> sorted_times; // by edge type and position; rows in order of time
  for (auto& relation : part.relations) {
    auto sorted = glt::sort_rows_by_time(relation.view(), glt::make_edge_values(relation.view(), times).view());
    relation = std::move(sorted.graph);
    sorted_times.push_back(std::move(sorted.times));
  }
  dist::hetero_graph<cpu> const graph(comm, std::move(part));
  // Features of items: a little of their group, and more that tells nothing.
  auto const rows = graph.original(item).size();
  glt::buffer<cpu, float> x(rows * width);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    auto const vertex = graph.original(item)[i / width], column = i % width;
    x[i] = static_cast<float>(random_below(999, -1 - vertex % num_groups, column) - 499) / 999 +
           static_cast<float>(random_below(999, -100 - vertex, column) - 499) / 666;
  }
  glt::feature_table<cpu> table(rows);
  table.add("x", glt::feature_store<cpu, float>(rows, width, std::move(x)));
  dist::named_features<cpu> const features(comm, graph.book(item), std::move(table));
  // Seed edges: the last purchases of items of this rank, each with negatives, which have its time.
  dist::edge_seeds<> seeds;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (auto e = graph.local(buys).offset(r); e < graph.local(buys).offset(r + 1); ++e) {
      for (std::int64_t n = 0; sorted_times[buys][e] >= 45 && n <= negatives; ++n) {
        seeds.sources.push_back(graph.local(buys).source(e));
        auto const other = names[item].renumbered[random_below(num_items, graph.local(buys).id_of_edge(e), n)];
        seeds.destinations.push_back(n == 0 ? graph.book(item).begin(comm.rank()) + r : other);
        seeds.times.push_back(sorted_times[buys][e]);
      }
    }
  }
  // Around every edge, at its time: 8 earlier purchases of the user, any or the last ones; the edge is not among them.
  glt::hetero_link_options const options{
      .edge_type = buys, .neighbors = {.fanouts = {{0}, {8}}, .disjoint = true}, .negatives = {.amount = 0}};
  std::array<double, 2> mrr{};
  for (auto const strategy : {glt::temporal_strategy::uniform, glt::temporal_strategy::last}) {
    using rule = glt::temporal_rule<glt::memory_space::host>;
    auto const of = [&](int type) { return rule{sorted_times[type].view(), strategy, true}; };
    dist::typed_batches recipe(graph, options, std::vector{of(buys), of(bought_by)});
    mrr[strategy == glt::temporal_strategy::last] = mean_reciprocal_rank(comm, recipe.with(item, features), seeds);
  }
  if (comm.rank() == 0) {
    std::cout << "MRR " << mrr[0] << " by any earlier purchases, " << mrr[1] << " by the last ones\n";
  }
  if (!(mrr[1] > mrr[0] + 0.05)) {
    throw glt::precondition_error("the last purchases tell too little of the next");
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}
