// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/detail/row_list.hpp>
#include <glt/dist/collect/detail/row_targets.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_any_rows.hpp>
#include <glt/feature/tier/detail/row_tier.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Layout of requested rows in a message: tensor by tensor, as stored. A `seeds_only` tensor contains only the flagged
/// rows.
///
/// @where  all work is enqueued on the policy's executor
template <device_policy Policy>
class row_message {
  static constexpr memory_space space = Policy::space;
  // A GPU copies aligned data in longer words; a message in host memory has no gaps.
  static constexpr std::int64_t alignment = host_policy<Policy> ? 1 : 16;

public:
  /// Borrows the rows of this rank, which must outlive this object.
  row_message(std::vector<planned_tensor<space>> plan, Policy policy)
      : plan_(std::move(plan)), policy_(std::move(policy)) {
    for (auto const& each : plan_) {
      row_bytes_ += each.local.row_bytes();
    }
  }

  [[nodiscard]] std::vector<planned_tensor<space>> const& plan() const noexcept { return plan_; }
  /// Returns true if there is a `seeds_only` tensor.
  [[nodiscard]] bool flags() const noexcept { return std::ranges::any_of(plan_, &planned_tensor<space>::seeds_only); }

  /// Reads rows of a tensor from tiers from now on.
  void set_tier(std::size_t tensor, std::byte const* cold, row_tier<space> tier) noexcept {
    plan_[tensor].local.data = cold;
    plan_[tensor].local.tier = tier;
  }

  /// Returns the bytes of a row of all tensors; at least 1.
  [[nodiscard]] std::int64_t largest_row() const noexcept { return std::max<std::int64_t>(1, row_bytes_); }
  /// Returns the most bytes that `rows` rows in `messages` messages take.
  [[nodiscard]] std::int64_t capacity(std::int64_t rows, std::int64_t messages) const noexcept {
    return rows * largest_row() + messages * std::ssize(plan_) * (alignment - 1);
  }

  [[nodiscard]] std::int64_t bytes(row_list const& rows) const noexcept {
    std::int64_t sum = 0;
    for (auto const& each : plan_) {
      sum += padded(count_of(each, rows) * each.local.row_bytes());
    }
    return sum;
  }

  /// Writes rows of this rank and returns the end of the message; `out` has room for bytes(rows).
  ///
  /// @pre    the rows exist; not checked
  std::byte* pack(row_list const& rows, std::byte* out) const {
    for (auto const& each : plan_) {
      auto const count = count_of(each, rows);
      transfer_any_rows<cached_writes, no_conversion>(policy_.executor(), count, each.local, rows_unflagged{rows.rows},
                                                      rows_in_order{}, each.local.type, out);
      out += padded(count * each.local.row_bytes());
    }
    return out;
  }

  /// Scatters the rows of a message to their places, converted to the requested types, and returns its end.
  ///
  /// @pre    the plans of all ranks have the same tensors; not checked
  template <class Conversions>
  std::byte const* unpack(std::byte const* in, row_list const& rows, row_targets const& to) const {
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      auto sent = plan_[t].local;
      sent.data = in;
      sent.tier = {};
      to.for_each_run(rows, [&](row_run const& run) {
        sent.num_rows = count_of(plan_[t], run.rows);
        transfer_any_rows<streamed_writes, Conversions>(policy_.executor(), sent.num_rows, sent, rows_in_order{},
                                                        run.places(), run.targets[t].type, run.targets[t].data);
        sent.data += sent.num_rows * sent.row_bytes();
      });
      in += padded(count_of(plan_[t], rows) * sent.row_bytes());
    }
    return in;
  }

  /// Scatters rows that this rank can read to their places.
  ///
  /// @shape  from [tensors]
  template <class Conversions>
  void scatter(std::span<any_rows<space> const> from, row_list const& rows, row_targets const& to) const {
    to.for_each_run(rows, [&](row_run const& run) {
      for (std::size_t t = 0; t < plan_.size(); ++t) {
        transfer_any_rows<streamed_writes, Conversions>(policy_.executor(), count_of(plan_[t], run.rows), from[t],
                                                        rows_unflagged{run.rows.rows}, run.places(),
                                                        run.targets[t].type, run.targets[t].data);
      }
    });
  }

private:
  [[nodiscard]] static std::int64_t padded(std::int64_t bytes) noexcept {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  [[nodiscard]] static std::int64_t count_of(planned_tensor<space> const& tensor, row_list const& rows) noexcept {
    return tensor.seeds_only ? rows.num_flagged : rows.size;
  }

  std::vector<planned_tensor<space>> plan_;
  std::int64_t row_bytes_ = 0;
  Policy policy_;
};

} // namespace glt::detail
