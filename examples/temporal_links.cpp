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
#include <vector>

namespace dist = glt::dist;
constexpr std::int64_t num_users = 200, num_items = 400, num_groups = 20, per_user = 50, width = 16, negatives = 20;
constexpr int item = 1, buys = 0, bought_by = 1; // reverses come last

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
  // A rank has any purchases and any items. Purchase k of a user is at time k; at 25 the user begins to like other items.
  std::vector<std::int64_t> users, items, times, own_items;
  for (std::int64_t e = comm.rank(); e < num_users * per_user; e += comm.size()) {
    auto const any = random_below(num_items, e, 0), time = e % per_user;
    auto const liked = any / num_groups * num_groups + (e / per_user * 7 + time / 25 * 3) % num_groups;
    users.push_back(e / per_user);
    items.push_back(any % 5 == 0 ? any : liked);
    times.push_back(time);
  }
  // Features of items: a little of their group, and more that tells nothing.
  std::vector<float> x;
  for (std::int64_t i = comm.rank(); i < num_items; i += comm.size()) {
    own_items.push_back(i);
    for (std::int64_t column = 0; column < width; ++column) {
      x.push_back(static_cast<float>(random_below(999, -1 - i % num_groups, column) - 499) / 999 +
                  static_cast<float>(random_below(999, -100 - i, column) - 499) / 666);
    }
  }
  auto const rows = static_cast<std::int64_t>(own_items.size());
  dist::local_data const local{
      .node_types = {{.name = "user", .num_vertices = num_users},
                     {.name = "item",
                      .rows = {own_items, {{"x", glt::host_matrix<float const>(x.data(), rows, width)}}},
                      .num_vertices = num_items}},
      .edge_types = {{"user", "buys", "item", {.sources = users, .destinations = items, .times = times}}}};
  auto const data = dist::make_data_set(comm, local, glt::hash_partitioner{}, {.symmetric = true});
  // Seed edges: the last purchases of items of this rank, each with negatives, which have its time.
  dist::edge_seeds<> seeds;
  auto const& purchases = data.hetero_graph().local(buys);
  for (std::int64_t r = 0; r < purchases.num_rows(); ++r) {
    for (auto e = purchases.offset(r); e < purchases.offset(r + 1); ++e) {
      for (std::int64_t n = 0; data.edge_times(buys)[e] >= 45 && n <= negatives; ++n) {
        seeds.sources.push_back(purchases.source(e));
        seeds.destinations.push_back(n == 0 ? data.book(item).begin(comm.rank()) + r
                                            : random_below(num_items, purchases.id_of_edge(e), n));
        seeds.times.push_back(data.edge_times(buys)[e]);
      }
    }
  }
  // Around every edge, at its time: 8 earlier purchases of the user, any or the last ones; the edge is not among them.
  glt::hetero_link_options const options{
      .edge_type = buys, .neighbors = {.fanouts = {{0}, {8}}, .disjoint = true}, .negatives = {.amount = 0}};
  std::array<double, 2> mrr{};
  for (auto const strategy : {glt::temporal_strategy::uniform, glt::temporal_strategy::last}) {
    using rule = glt::temporal_rule<glt::memory_space::host>;
    auto const of = [&](int type) { return rule{data.edge_times(type), strategy, true}; };
    dist::typed_batches const recipe(data, options, std::vector{of(buys), of(bought_by)});
    mrr[strategy == glt::temporal_strategy::last] = mean_reciprocal_rank(comm, recipe, seeds);
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
