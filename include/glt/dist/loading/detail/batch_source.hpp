// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>

namespace glt::detail {

/// Source of a consumer's batches, one after the other; a batch is valid until the next is requested.
template <class Batch>
class batch_source {
public:
  using batch_type = Batch;

  batch_source() = default;
  batch_source(batch_source const&) = delete;
  batch_source& operator=(batch_source const&) = delete;
  virtual ~batch_source() = default;

  /// Starts an epoch at a step and makes its first batch current.
  virtual void start(std::int64_t epoch, std::int64_t first_step) = 0;
  /// Makes the next batch current; null after the last.
  virtual void advance() = 0;
  /// Asks for no more batches of the epoch; does nothing at its end.
  virtual void leave() noexcept = 0;
  /// Returns the current batch; null at the end of the epoch.
  [[nodiscard]] virtual Batch const* current() const noexcept = 0;

  /// Returns the report of the batches made so far, without the time of the consumer.
  [[nodiscard]] virtual dist::loader_report report() const = 0;
};

} // namespace glt::detail
