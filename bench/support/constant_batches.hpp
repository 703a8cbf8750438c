// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/options.hpp>

#include "support/ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

namespace glt_bench {

/// A batch of constant values.
struct constant_batch : glt::detail::batch_place {
  using policy_type = glt::device::cpu;
  glt::buffer<glt::device::cpu, float> values;

  template <class Self>
  static auto members(Self& self) noexcept {
    return std::tie(self.epoch, self.step, self.num_seeds, self.values);
  }
};

/// Seconds a batch.
struct hand_over_seconds {
  std::vector<double> writing; ///< from the end of one batch to the beginning of the next one of the epoch
  std::vector<double> copying; ///< as many bytes by one memcpy to memory that was written before
};

/// Makes batches in no time, so that what is left is handing them over.
struct constant_batches {
  using seeds_type = glt::dist::vertex_seeds<glt::global_id>;
  using policy_type = glt::device::cpu;
  template <glt::device_policy>
  using batch_on = constant_batch;

  struct options_type {
    std::int64_t num_values = 0;
  };
  constant_batches with(options_type options) const { return {options.num_values, spent}; }

  std::int64_t num_values = 0;
  hand_over_seconds* spent = nullptr; ///< borrowed

  template <glt::communicator Comm, glt::device_policy Policy>
  class maker {
  public:
    using batch_type = constant_batch;

    maker(Comm const& /*comm*/, constant_batches const& what, Policy /*policy*/)
        : spent_(what.spent), copy_(what.num_values) {
      std::ranges::fill(copy_, 0.0F);
    }

    void check(seeds_type const& /*seeds*/) const {}
    void make(seeds_type const& /*seeds*/, glt::sample_key key, batch_type& out) {
      if (key.step == last_step_ + 1 && key.step > 0) {
        spent_->writing.push_back(std::chrono::duration<double>(clock::now() - end_).count());
      }
      if (out.values.size() == 0) {
        out.values.resize(copy_.size());
        std::ranges::fill(out.values, 1.0F);
      }
      spent_->copying.push_back(seconds_of([&] {
        std::memcpy(copy_.data(), out.values.data(), static_cast<std::size_t>(copy_.size()) * sizeof(float));
      }));
      last_step_ = key.step;
      end_ = clock::now();
    }

  private:
    using clock = std::chrono::steady_clock;
    hand_over_seconds* spent_;
    glt::buffer<glt::device::cpu, float> copy_;
    std::int64_t last_step_ = -1;
    clock::time_point end_{};
  };
};

} // namespace glt_bench
