// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/epoch_plan.hpp>
#include <glt/dist/loading/loader_options.hpp>
#include <glt/dist/to_device.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Producer of a consumer's batches, step after step, in the consumer's thread or another.
///
/// With `prefetch`, batches are made on a second stream, if policies have streams. If the communicator is bound to a
/// stream, batches are made on the policy's stream. Batches are complete when they are handed over. A batch is
/// overwritten only after all work is done that the consumer enqueued before it gave the batch back.
template <communicator Comm, class Recipe, device_policy Policy>
class batch_producer {
public:
  using maker_type = typename Recipe::template maker<Comm, Policy>;
  using batch_type = typename maker_type::batch_type;
  using seeds_type = typename Recipe::seeds_type;

  /// @comm   collective; one header exchange and the exchanges of the maker
  /// @throws collective_error  on every rank, if the options, the recipe or the seeds of a rank are wrong
  batch_producer(Comm comm, Recipe const& recipe, seeds_type seeds, dist::loader_options options, Policy policy)
      : comm_(comm), options_(options), seeds_(std::move(seeds)), consumer_(policy),
        policy_(has_stream() ? beside(policy) : policy), maker_(comm, recipe, policy_) {
    auto const failure = failure_of([&] {
      check_options();
      plan_.emplace(seeds_, options_);
      maker_.check(seeds_);
    });
    auto const headers = exchange_values(host_comm(comm), {.what = operation::plan_epoch}, failure,
                                         failure.empty() ? plan_->num_steps() : 0);
    num_steps_ = std::ranges::max(headers, {}, &call_header::value).value;
  }

  [[nodiscard]] dist::loader_options const& options() const noexcept { return options_; }
  /// Steps of an epoch, the same on all ranks.
  [[nodiscard]] std::int64_t num_steps() const noexcept { return num_steps_; }
  [[nodiscard]] int rank() const noexcept { return comm_.rank(); }
  [[nodiscard]] int num_ranks() const noexcept { return comm_.size(); }
  [[nodiscard]] maker_type& maker() noexcept { return maker_; }
  /// Returns the account of the batches made so far.
  [[nodiscard]] dist::loader_report report() const {
    auto report = maker_.report();
    report.batches = batches_;
    report.sent = sent_;
    return report;
  }

  /// Begins an epoch.
  ///
  /// @comm   none
  void begin(std::int64_t epoch) {
    plan_->begin(epoch);
    epoch_ = epoch;
  }

  /// Makes the batches of `first_step` and the steps after it, one per element of `out`.
  ///
  /// @comm   collective; all ranks with the same step and number of batches
  void produce(std::int64_t first_step, std::span<batch_type> out) {
    if (out.empty()) {
      return;
    }
    if (has_stream()) {
      order_policies(policy_, consumer_);
    }
    batch_seeds_.resize(std::max(batch_seeds_.size(), out.size()));
    requests_.clear();
    for (std::size_t i = 0; i < out.size(); ++i) {
      auto const step = first_step + static_cast<std::int64_t>(i);
      auto const places = plan_->places(step);
      seeds_.gather(places, batch_seeds_[i]);
      out[i].positions.assign(places.begin(), places.end());
      requests_.push_back({&batch_seeds_[i], {.seed = options_.seed, .epoch = epoch_, .step = step}, &out[i]});
    }
    auto const before = sent();
    make_batches(maker_, std::span(std::as_const(requests_)));
    combine(combine(sent_, sent(), std::plus<>()), before, std::minus<>());
    batches_ += std::ssize(out);
    if (has_stream()) {
      wait_until_done(policy_);
    }
  }

  /// Orders frees of batch memory after the work that the consumer has enqueued.
  void order_frees() noexcept {
    if (has_stream()) {
      try {
        order_policies(policy_, consumer_);
      } catch (...) { // the device has failed, so no work is left
      }
    }
  }

private:
  [[nodiscard]] traffic sent() {
    if constexpr (requires { host_comm(comm_).own_counts(); }) {
      return host_comm(comm_).own_counts();
    } else {
      return {};
    }
  }

  [[nodiscard]] bool has_stream() const noexcept { return options_.prefetch > 0 && !keeps_stream_order<Comm>(); }

  void check_options() const {
    if (options_.prefetch < 0 || options_.bulk < 1) {
      throw precondition_error(message("prefetch ", options_.prefetch, " and bulk ", options_.bulk,
                                       "; give 0 or more, and 1 or more batches"));
    }
    if (!(options_.stall_limit.count() >= 0)) {
      throw precondition_error(message("stall_limit ", options_.stall_limit.count(), " s; give 0 or more seconds"));
    }
  }

  Comm comm_;
  dist::loader_options options_;
  seeds_type seeds_;
  Policy consumer_;
  Policy policy_; // of the batches
  maker_type maker_;
  std::optional<epoch_plan> plan_;
  std::int64_t num_steps_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t batches_ = 0;            // made so far
  traffic sent_;                        // for them
  std::vector<seeds_type> batch_seeds_; // of each batch
  std::vector<batch_request<seeds_type, batch_type>> requests_;
};

} // namespace glt::detail
