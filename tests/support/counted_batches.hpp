// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/error.hpp>
#include <glt/core/random.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/options.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace glt_test {

/// Waits for up to a millisecond, by chance: one of its own for every step and rank.
inline void dawdle(std::uint64_t seed, std::int64_t step, int rank) {
  glt::random_stream draws(glt::random_key(seed).fold(static_cast<std::uint64_t>(step)),
                           static_cast<std::uint64_t>(rank));
  std::this_thread::sleep_for(std::chrono::microseconds(draws.below(1000)));
}

/// Fingerprints of the batches of an epoch, with each of which the consumer does what it is given.
template <class Loader, class Consume>
std::vector<std::int64_t> prints_of(Loader& loader, std::int64_t epoch, std::int64_t first_step, Consume consume) {
  std::vector<std::int64_t> prints;
  for (auto const& batch : loader.epoch(epoch, first_step)) {
    consume(batch);
    prints.push_back(glt::detail::fingerprint_of(batch));
  }
  return prints;
}
template <class Loader>
std::vector<std::int64_t> prints_of(Loader& loader, std::int64_t epoch, std::int64_t first_step = 0) {
  return prints_of(loader, epoch, first_step, [](auto const&) {});
}

/// A batch that is quickly made: its seeds, and their sum.
struct counted_batch : glt::detail::batch_place {
  using policy_type = glt::device::cpu;
  glt::buffer<glt::device::cpu, glt::global_id> seeds;
  std::int64_t sum = 0;

  template <class Self>
  static auto members(Self& self) noexcept {
    return std::tie(self.epoch, self.step, self.num_seeds, self.seeds, self.sum);
  }
};

/// Counts those of this process that live.
struct counted_life {
  counted_life() { ++number; }
  counted_life(counted_life const&) { ++number; }
  counted_life& operator=(counted_life const&) = default;
  ~counted_life() { --number; }
  static inline std::atomic<std::int64_t> number = 0;
};

/// Makes counted batches, all ranks together; throws, or takes its time, on demand.
struct counted_batches {
  using seeds_type = glt::dist::vertex_seeds<glt::global_id>;
  using policy_type = glt::device::cpu;

  template <glt::device_policy>
  using batch_on = counted_batch;

  /// What a client may ask for.
  struct options_type {
    std::int64_t failing_step = -1;
  };
  counted_batches with(options_type options) const {
    auto made = *this;
    if (options.failing_step == -2) {
      throw glt::precondition_error("counted batches that cannot be");
    }
    made.failing_step = failing_step < 0 ? options.failing_step : failing_step;
    return made;
  }

  std::int64_t failing_step = -1; ///< on the ranks that have it
  bool delays = false;            ///< waits for up to a millisecond, by chance

  template <glt::communicator Comm, glt::device_policy Policy>
  class maker {
  public:
    using batch_type = counted_batch;

    maker(Comm comm, counted_batches const& what, Policy /*policy*/)
        : comm_(comm), failing_step_(what.failing_step), delays_(what.delays) {}

    void check(seeds_type const& seeds) const {
      if (!seeds.vertices.empty() && seeds.vertices[0] < 0) {
        throw glt::precondition_error("seed below 0");
      }
    }
    void make(seeds_type const& seeds, glt::sample_key key, batch_type& out) {
      if (delays_) {
        dawdle(key.seed, key.step, comm_.rank());
      }
      if (key.step == failing_step_) {
        throw std::runtime_error("no batch of step " + std::to_string(key.step));
      }
      std::int64_t sum = 0;
      out.seeds.resize(seeds.size());
      for (std::int64_t i = 0; i < seeds.size(); ++i) {
        out.seeds[i] = seeds.vertices[static_cast<std::size_t>(i)];
        sum += out.seeds[i];
      }
      out.sum = sum;
      glt::detail::exchange_values(comm_, {.what = glt::detail::operation::sample, .step = key.step}, {});
    }
    [[nodiscard]] glt::dist::loader_report report() const { return {}; }

  private:
    Comm comm_;
    std::int64_t failing_step_;
    bool delays_;
    counted_life life_;
  };
};

/// `size` seeds that differ from rank to rank.
inline glt::dist::vertex_seeds<glt::global_id> counted_seeds(int rank, std::int64_t size) {
  std::vector<glt::global_id> seeds;
  for (std::int64_t i = 0; i < size; ++i) {
    seeds.push_back(i * 7 + rank * 1000);
  }
  return seeds;
}

} // namespace glt_test
