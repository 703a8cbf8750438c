// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loader.hpp>
#include <glt/dist/roles/remote_loader.hpp>
#include <glt/dist/to_device.hpp>

#include "support/device_parts.hpp"
#include "support/distant_policy.hpp"
#include "support/errors.hpp"
#include "support/nodes.hpp"
#include "support/policy_subgraphs.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;

namespace {

// A batch of any policy in ordinary memory.
struct plain_batch {
  std::vector<std::int64_t> numbers; // epoch, step, seeds, columns
  glt_test::copied_subgraph subgraph;
  std::vector<float> features;
  std::vector<glt::detail::label_type> labels;

  bool operator==(plain_batch const&) const = default;
};

template <class Policy>
plain_batch copy_of(Policy const& policy, glt::dist::batch<Policy, glt::global_id, float> const& batch) {
  return {{batch.epoch, batch.step, batch.num_seeds, batch.num_columns},
          glt_test::copy_subgraph(policy, batch.subgraph),
          glt::to_vector(policy, batch.features().flat()),
          glt::to_vector(policy, batch.labels())};
}

template <class Policy, class Loader>
std::vector<plain_batch> batches_of(Policy const& policy, Loader& loader, std::int64_t epoch,
                                    std::int64_t first_step = 0) {
  std::vector<plain_batch> batches;
  for (auto const& batch : loader.epoch(epoch, first_step)) {
    batches.push_back(copy_of(policy, batch));
  }
  return batches;
}

// Seeds of a rank: rank 0 has none, the others more and more.
std::vector<glt::global_id> loader_seeds(divided_graph const& divided, int rank) {
  std::vector<std::int64_t> seeds;
  for (std::int64_t i = 0; i < 9 * rank; ++i) {
    seeds.push_back((i * 11 + rank) % 257);
  }
  return divided.renumbered(seeds);
}

// What happened to pages that were to be locked.
struct page_log {
  bool refuses = false;
  std::span<std::byte const> locked{};
  int locks = 0;
  int unlocks = 0;
  int copies_of_locked = 0;
  int other_copies = 0;
};

class logged_resource : public glt::host_resource {
public:
  explicit logged_resource(page_log* log) : log_(log) {}
  void copy(void* to, void const* from, std::size_t bytes) const {
    auto const* const first = static_cast<std::byte const*>(from);
    bool const is_locked = first >= log_->locked.data() && first + bytes <= log_->locked.data() + log_->locked.size();
    ++(is_locked ? log_->copies_of_locked : log_->other_copies);
    host_resource::copy(to, from, bytes);
  }

private:
  page_log* log_;
};

// Stands for a GPU that copies from page-locked memory, its own and what is locked for it.
class locking_policy : public glt_test::distant_policy<> {
public:
  locking_policy() = default;
  explicit locking_policy(page_log* log) : log_(log) {}

  [[nodiscard]] logged_resource resource() const { return logged_resource(log_); }
  [[nodiscard]] cpu staging() const { return {}; }
  [[nodiscard]] std::shared_ptr<void const> lock_pages(std::span<std::byte const> block,
                                                       std::shared_ptr<void const> keeper) const {
    if (log_->refuses) {
      throw glt::error("no more pages can be locked");
    }
    CHECK(keeper != nullptr);
    log_->locked = block;
    ++log_->locks;
    return {block.data(), [log = log_](void const*) { ++log->unlocks; }};
  }
  friend bool operator==(locking_policy const&, locking_policy const&) = default;

private:
  page_log* log_ = nullptr;
};

glt::neighbor_options const neighbors{.fanouts = {3, 2}, .edge_ids = true};
glt::dist::loader_options const options{.batch_size = 4, .shuffle = true, .seed = 6};

} // namespace

TEST_CASE_TEMPLATE("a loader over any policy, and one that delivers to it, give the batches of the host", Policy,
                   GLT_TEST_ONE_POLICY) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    for (bool const labels : {true, false}) {
      divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[2], comm.size());
      auto const seeds = loader_seeds(divided, comm.rank());

      glt::dist::graph const host_graph(comm, divided.part(comm.rank()));
      glt::dist::feature_store const host_features(comm, host_graph.book(), divided.features(comm.rank(), 3, labels));
      glt::dist::loader host_loader(comm, glt::dist::neighbor_batches(host_graph, host_features, neighbors), seeds,
                                    options);
      auto const expected = batches_of(cpu(), host_loader, 2);
      CHECK(static_cast<std::int64_t>(expected.size()) == host_loader.num_steps());

      glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
      glt::dist::feature_store const features(comm, graph.book(),
                                              glt_test::device_features(divided, comm.rank(), 3, labels, policy));
      glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options, policy);
      CHECK(batches_of(policy, loader, 2) == expected);

      glt::dist::device_batches delivered(host_loader, policy);
      CHECK(delivered.num_steps() == host_loader.num_steps());
      CHECK(batches_of(policy, delivered, 2) == expected);
      auto const middle = host_loader.num_steps() / 2;
      CHECK(batches_of(policy, delivered, 2, middle) ==
            std::vector<plain_batch>(expected.begin() + middle, expected.end()));
      for (auto const& batch : delivered.epoch(2)) { // left early
        CHECK(copy_of(policy, batch) == expected[0]);
        break;
      }
      CHECK(batches_of(policy, delivered, 2) == expected);
      CHECK_THROWS_AS(batches_of(policy, delivered, 2, -1), glt::precondition_error);
    }
  });
}

TEST_CASE("batches in memory that a server shares are copied from there, and its pages are locked once, "
          "while the client lives") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[0], 1);
        for (bool const refuses : {false, true}) {
          auto roles = glt_test::joined(comm, 1);
          auto alone = comm.split(comm.rank(), 0);
          auto node = glt_test::node_of(comm);
          glt::dist::graph const graph(alone, divided.part(0));
          glt::dist::feature_store const features(alone, graph.book(), divided.features(0, 3, true));
          glt::dist::neighbor_batches const recipe(graph, features, neighbors);
          if (glt_test::is_server(roles)) {
            glt::dist::server server(roles, node, 1 << 20);
            server.offer("batches", recipe);
            server.run();
            continue;
          }
          auto const seeds = loader_seeds(divided, 3);
          glt::dist::loader plain(alone, recipe, seeds, options);
          auto const expected = batches_of(cpu(), plain, 2);
          page_log log{.refuses = refuses};
          locking_policy const policy(&log);
          {
            glt::dist::client client(roles, node);
            using remote_type = glt::dist::remote_loader<comm_type, std::remove_const_t<decltype(recipe)>>;
            for (int loaders = 0; loaders < 2; ++loaders) {
              remote_type loader(client, "batches", seeds, neighbors, options);
              glt::dist::device_batches delivered(loader, policy);
              CHECK(batches_of(policy, delivered, 2) == expected);
            }
            CHECK(log.locks == (refuses ? 0 : 1));
            CHECK(log.unlocks == 0);
          }
          CHECK(log.unlocks == log.locks);
          CHECK((log.copies_of_locked > 0) == !refuses);
          CHECK((log.other_copies > 0) == refuses);
        }
      },
      {2});
}
