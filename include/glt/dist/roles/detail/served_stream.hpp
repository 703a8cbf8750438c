// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/loading/detail/epoch_plan.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Loader of a client on its server: knows the next batches, and whether they may be sent.
class served_stream {
public:
  /// @throws precondition_error  if the options are wrong
  template <class Seeds>
  served_stream(int client, open_message const& wanted, Seeds const& seeds)
      : client_(client), wanted_(wanted), plan_(seeds, wanted.options) {
    if (auto const bulk = wanted.options.bulk; bulk < 1 || bulk > max_bulk) {
      throw precondition_error(message("bulk ", bulk, "; servers make 1 to ", max_bulk, " batches in one sweep"));
    }
    if (wanted.shares < 1 || wanted.share < 0 || wanted.share >= wanted.shares) {
      throw precondition_error(message("share ", wanted.share, " of ", wanted.shares, " of the steps of a loader"));
    }
  }
  served_stream(served_stream const&) = delete;
  served_stream& operator=(served_stream const&) = delete;
  virtual ~served_stream() = default;

  [[nodiscard]] int client() const noexcept { return client_; }
  [[nodiscard]] std::int64_t loader() const noexcept { return wanted_.loader; }
  [[nodiscard]] std::int64_t generation() const noexcept { return generation_; }

  /// Begins an epoch; the rest of the previous one is dropped.
  void begin(begin_message const& epoch) {
    if (epoch.first_step < 0 || epoch.credits < wanted_.options.bulk) {
      throw precondition_error(message("epoch from step ", epoch.first_step, " on with ", epoch.credits,
                                       " credits for batches in bulks of ", wanted_.options.bulk));
    }
    plan_.begin(epoch.epoch);
    generation_ = epoch.generation;
    epoch_ = epoch.epoch;
    auto const past = (epoch.first_step - wanted_.share + wanted_.shares - 1) / wanted_.shares;
    step_ = wanted_.share + std::max(past, std::int64_t{0}) * wanted_.shares;
    end_step_ = epoch.end_step;
    credits_ = epoch.credits;
    bytes_ahead_ = 0;
  }
  /// Notes that the client has released a batch.
  void take_back(credit_message const& credit) noexcept {
    if (credit.generation == generation_) {
      ++credits_;
      bytes_ahead_ -= credit.bytes;
    }
  }
  void stop() noexcept { step_ = end_step_; }

  /// Returns the number of batches to make now in one sweep: a bulk, or the rest of the epoch; 0 if none may be sent.
  [[nodiscard]] std::int64_t num_due() const noexcept {
    if (step_ >= end_step_) {
      return 0;
    }
    auto const limit = wanted_.options.buffer_bytes;
    auto const batches = std::min(wanted_.options.bulk, 1 + (end_step_ - 1 - step_) / wanted_.shares);
    return credits_ >= batches && (limit == 0 || bytes_ahead_ == 0 || bytes_ahead_ < limit) ? batches : 0;
  }
  [[nodiscard]] bool is_due() const noexcept { return num_due() > 0; }
  /// Returns the key of batch i of the next batches.
  [[nodiscard]] sample_key key(std::int64_t i = 0) const noexcept {
    return {.seed = wanted_.options.seed, .epoch = epoch_, .step = step_ + i * wanted_.shares};
  }
  [[nodiscard]] std::int64_t step() const noexcept { return step_; }
  /// Begins to send the batches of a new sweep.
  void begin_sweep() noexcept { sent_ = 0; }
  /// Notes that the next batch was sent.
  void advance(std::int64_t bytes) noexcept {
    step_ += wanted_.shares;
    ++sent_;
    --credits_;
    bytes_ahead_ += bytes;
  }

  /// Returns the size of the message with the next batch, which has been made; `write_message` writes it.
  [[nodiscard]] virtual std::int64_t message_bytes(batch_message const& head) const = 0;
  virtual void write_message(batch_message const& head, std::byte* block) const = 0;

protected:
  /// Returns the places of the seeds of batch i of the next batches.
  [[nodiscard]] std::span<std::int64_t const> places(std::int64_t i) const noexcept {
    return plan_.places(key(i).step);
  }
  [[nodiscard]] std::int64_t bulk() const noexcept { return wanted_.options.bulk; }
  /// Returns how many batches of the last sweep were sent.
  [[nodiscard]] std::int64_t num_sent() const noexcept { return sent_; }

private:
  static constexpr std::int64_t max_bulk = 1024;

  int client_;
  open_message wanted_;
  epoch_plan plan_;
  std::int64_t generation_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t step_ = 0; // the next one
  std::int64_t end_step_ = 0;
  std::int64_t sent_ = 0; // of the last sweep
  std::int64_t credits_ = 0;
  std::int64_t bytes_ahead_ = 0; // of unreleased batches
};

} // namespace glt::detail
