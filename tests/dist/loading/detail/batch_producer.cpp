// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loader.hpp>

#include "support/device_parts.hpp"
#include "support/distant_policy.hpp"
#include "support/ranks.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

using glt_test::divided_graph;

namespace {

struct stream_log {
  std::atomic<int> made = 0;
  std::atomic<int> ordered = 0;
  std::atomic<int> finished = 0;
};

// Stands for a policy with streams: the one it was made with, and those beside it.
class streamed : public glt_test::distant_policy<> {
public:
  streamed() = default;
  explicit streamed(std::shared_ptr<stream_log> log, int stream = 0) : log_(std::move(log)), stream_(stream) {}
  [[nodiscard]] streamed beside() const { return streamed(log_, ++log_->made); }
  void wait_for(streamed const& earlier) const {
    CHECK((stream_ == 1 && earlier.stream_ == 0));
    ++log_->ordered;
  }
  void synchronize() const {
    CHECK(stream_ == 1);
    ++log_->finished;
  }
  [[nodiscard]] int stream() const noexcept { return stream_; }
  friend bool operator==(streamed const&, streamed const&) = default;

private:
  std::shared_ptr<stream_log> log_;
  int stream_ = 0;
};

} // namespace

TEST_CASE("batches that are prefetched are made on a stream of their own, and are the same") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    auto const log = std::make_shared<stream_log>();
    streamed const policy(log);
    glt::dist::graph<streamed, glt::local_id> const graph(
        comm, glt_test::device_part<streamed, glt::local_id>(divided, comm.rank(), policy));
    glt::dist::feature_store const features(comm, graph.book(),
                                            glt_test::device_features(divided, comm.rank(), 3, true, policy));
    std::vector<glt::local_id> seeds;
    for (glt::local_id v = comm.rank(); v < 40; v += comm.size()) {
      seeds.push_back(v);
    }
    auto const take = [&](std::int64_t prefetch, int stream) {
      glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, {.fanouts = {3, 2}}), seeds,
                               {.batch_size = 6, .prefetch = prefetch}, policy);
      std::vector<std::vector<float>> rows;
      for (auto const& batch : loader.epoch(0)) {
        CHECK(batch.rows.features.policy().stream() == stream);
        rows.push_back(glt::to_vector(policy, batch.features().flat()));
      }
      return std::pair(rows, static_cast<int>(loader.num_steps()));
    };
    auto const expected = take(0, 0);
    CHECK(log->made == 0);
    CHECK(log->finished == 0);
    CHECK(take(2, 1) == expected);
    CHECK(log->made == 1);
    // Before the first work there, before memory is written again, and before it is freed.
    CHECK(log->ordered == 2 + expected.second);
    CHECK(log->finished == expected.second);
  });
}
