// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>

#include <cstdint>

namespace glt::detail {

/// Where a consumer gets its batches from, one after the other; the current one is valid until the next is asked for.
template <class Batch>
class batch_source {
public:
  using batch_type = Batch;

  batch_source() = default;
  batch_source(batch_source const&) = delete;
  batch_source& operator=(batch_source const&) = delete;
  virtual ~batch_source() = default;

  /// Makes the first batch of an epoch current, from a step on.
  virtual void start(std::int64_t epoch, std::int64_t first_step) = 0;
  /// Makes the next batch current; none after the last.
  virtual void advance() = 0;
  /// Asks for no more batches of the epoch; nothing where it is at its end.
  virtual void leave() noexcept = 0;
  /// Null at the end of the epoch.
  [[nodiscard]] virtual Batch const* current() const noexcept = 0;

  /// What those who made the batches say, so far.
  [[nodiscard]] virtual loader_seconds seconds() const = 0;
  [[nodiscard]] virtual dist::loader_report report() const = 0;
};

} // namespace glt::detail
