// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace glt::detail {

/// Range over the batches of an epoch of a source, in order; a batch is valid until the next one is requested. The
/// source has `batch_type`, `num_steps()`, `rank()`, and `start(epoch, first_step)`, `advance()`, `leave()` and
/// `current()` as a `batch_source`.
///
/// Destroying the range before its end abandons the epoch; other ranks do not wait for its next step.
template <class Source>
class batch_range {
public:
  class iterator {
  public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = typename Source::batch_type;
    using difference_type = std::ptrdiff_t;

    explicit iterator(Source& source) noexcept : source_(&source) {}
    [[nodiscard]] value_type const& operator*() const noexcept { return *source_->current(); }
    iterator& operator++() {
      source_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return source_->current() == nullptr; }

  private:
    Source* source_;
  };

  batch_range(Source& source, std::int64_t epoch, std::int64_t first_step) noexcept
      : source_(&source), epoch_(epoch), first_step_(first_step) {}
  batch_range(batch_range&& other) noexcept
      : batch_range(*other.source_, other.epoch_, other.first_step_, std::exchange(other.has_begun_, false)) {}
  batch_range& operator=(batch_range&&) = delete;
  ~batch_range() {
    if (has_begun_) {
      source_->leave();
    }
  }

  /// Begins the epoch; each call begins it again.
  [[nodiscard]] iterator begin() const& {
    has_begun_ = true;
    source_->start(epoch_, first_step_);
    return iterator(*source_);
  }
  iterator begin() const&& = delete; // keep the range: auto const epoch = loader.epoch(n)
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
  /// Returns the number of batches of the whole range.
  [[nodiscard]] std::int64_t size() const noexcept { return source_->num_steps() - first_step_; }
  /// Returns the rank that takes the batches, among all that do.
  [[nodiscard]] int rank() const noexcept { return source_->rank(); }

private:
  batch_range(Source& source, std::int64_t epoch, std::int64_t first_step, bool has_begun) noexcept
      : source_(&source), epoch_(epoch), first_step_(first_step), has_begun_(has_begun) {}

  Source* source_;
  std::int64_t epoch_;
  std::int64_t first_step_;
  mutable bool has_begun_ = false;
};

} // namespace glt::detail
