// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>
#include <glt/dist/loading/detail/batch_source.hpp>

namespace glt::detail {

/// Source of batches that the consumer's thread makes on request. Memory of batches is reused.
template <class Producer>
class direct_loading final : public batch_source<typename Producer::batch_type> {
public:
  using batch_type = typename Producer::batch_type;

  /// Borrows the producer.
  explicit direct_loading(Producer& producer)
      : producer_(&producer), made_(static_cast<std::size_t>(producer.options().bulk)) {}

  void start(std::int64_t epoch, std::int64_t first_step) override {
    producer_->begin(epoch);
    next_step_ = first_step;
    current_ = num_made_ = 0;
    make();
  }
  void advance() override {
    if (++current_ == num_made_) {
      make();
    }
  }
  void leave() noexcept override {} // ranks notice when this one makes another call
  [[nodiscard]] batch_type const* current() const noexcept override {
    return current_ < num_made_ ? &made_[static_cast<std::size_t>(current_)] : nullptr;
  }
  [[nodiscard]] loader_seconds seconds() const override { return producer_->maker().seconds(); }
  [[nodiscard]] dist::loader_report report() const override { return producer_->maker().report(); }

private:
  void make() {
    current_ = num_made_ = 0;
    auto const batches = std::min(producer_->options().bulk, producer_->num_steps() - next_step_);
    producer_->produce(next_step_, std::span(made_).first(static_cast<std::size_t>(batches)));
    next_step_ += batches;
    num_made_ = batches;
  }

  Producer* producer_;
  std::vector<batch_type> made_; // [bulk]
  std::int64_t num_made_ = 0;
  std::int64_t current_ = 0;
  std::int64_t next_step_ = 0;
};

} // namespace glt::detail
