// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/members.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/dist/loading/loader_options.hpp>
#include <glt/graph/detail/orders.hpp>

namespace glt::detail {

/// Seeds of each step of an epoch: in the given order, or in an order drawn from (seed, epoch, seeds). Ranks with
/// equally many seeds thus get different orders.
class epoch_plan {
public:
  /// @throws precondition_error  if a batch would have no seeds
  /// @cost   O(seeds)
  template <class Seeds>
    requires(!std::integral<Seeds>)
  epoch_plan(Seeds const& seeds, dist::loader_options const& options) : epoch_plan(seeds.size(), options) {
    if constexpr (has_members<Seeds>) { // seeds of user-defined recipes may hide their members
      fingerprint_ = shuffle_ ? static_cast<std::uint64_t>(detail::fingerprint_of(seeds)) : 0;
    }
  }
  /// Plans an epoch of `num_seeds` seeds; their ids do not influence the order.
  ///
  /// @throws precondition_error  if a batch would have no seeds
  epoch_plan(std::int64_t num_seeds, dist::loader_options const& options)
      : batch_size_(options.batch_size), seed_(options.seed), shuffle_(options.shuffle),
        steps_before_(options.steps_before), order_(static_cast<std::size_t>(num_seeds)) {
    if (batch_size_ < 1) {
      throw precondition_error(message("batch size ", batch_size_, "; give 1 or more seeds a batch"));
    }
    if (steps_before_ < 0) {
      throw precondition_error(message("steps_before ", steps_before_, "; give 0 or more steps"));
    }
    bool const last_is_partial = num_seeds % batch_size_ != 0 && !options.drop_last;
    num_steps_ = steps_before_ + num_seeds / batch_size_ + (last_is_partial ? 1 : 0);
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
  }

  /// Returns the number of steps before these seeds, and of those that they fill.
  [[nodiscard]] std::int64_t num_steps() const noexcept { return num_steps_; }

  /// Begins an epoch.
  ///
  /// @cost   O(seeds) if they are shuffled
  void begin(std::int64_t epoch) {
    if (shuffle_) {
      constexpr std::uint64_t apart_from_sampling = 0x73686666;
      auto const key =
          random_key(seed_).fold(apart_from_sampling).fold(static_cast<std::uint64_t>(epoch)).fold(fingerprint_);
      auto const drawn = make_random_permutation<std::int64_t>(static_cast<std::int64_t>(order_.size()), key);
      order_.assign(drawn.begin(), drawn.end());
    }
  }

  /// Returns the places of a step's seeds in the list of seeds; none before the first and after the last step.
  [[nodiscard]] std::span<std::int64_t const> places(std::int64_t step) const noexcept {
    if (step < steps_before_ || step >= num_steps_) {
      return {};
    }
    auto const first = (step - steps_before_) * batch_size_;
    auto const size = std::min(batch_size_, static_cast<std::int64_t>(order_.size()) - first);
    return std::span(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
  }

private:
  std::int64_t batch_size_;
  std::uint64_t seed_;
  bool shuffle_;
  std::int64_t steps_before_;
  std::uint64_t fingerprint_ = 0; // of the seeds, if they are shuffled
  std::int64_t num_steps_ = 0;
  std::vector<std::int64_t> order_;
};

/// Refuses to begin an epoch at a step that a loader of these options does not have.
inline void check_first_step(std::int64_t first_step, dist::loader_options const& options, std::int64_t num_steps) {
  if (first_step < options.steps_before || first_step > num_steps) {
    throw precondition_error(
        message("epoch from step ", first_step, " on; steps are in [", options.steps_before, ", ", num_steps, "]"));
  }
}

} // namespace glt::detail
