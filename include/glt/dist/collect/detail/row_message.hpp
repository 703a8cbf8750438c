// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/detail/row_list.hpp>
#include <glt/dist/collect/detail/row_targets.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/tier/detail/striped_rows.hpp>
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

  /// Returns true if rows of a tensor of this rank are read from storage; the same on all ranks. Call `read` before they
  /// are packed or scattered.
  [[nodiscard]] bool reads() const noexcept {
    return host_policy<Policy> &&
           std::ranges::any_of(plan_, [](auto const& each) { return each.local.storage != nullptr; });
  }
  /// Reads rows of this rank from storage, if there is one, into memory of this object: until the next call, they are
  /// packed and scattered from there.
  ///
  /// @shape  rows of all lists lie one after the other
  /// @throws io_error  if a row cannot be read
  void read(std::span<row_list const> lists) {
    read_.resize(plan_.size());
    first_read_ = lists.empty() ? nullptr : lists.front().rows;
    std::vector<std::int64_t> numbers;
    for (std::size_t t = 0; !lists.empty() && t < plan_.size(); ++t) {
      auto const& local = plan_[t].local;
      if (local.storage == nullptr) {
        continue;
      }
      read_[t].clear(); // old rows need not move
      read_[t].resize((lists.back().rows - first_read_ + lists.back().size) * local.row_bytes());
      for (auto const& list : lists) {
        numbers.resize(static_cast<std::size_t>(count_of(plan_[t], list)));
        std::transform(list.rows, list.rows + std::ssize(numbers), numbers.begin(), unflagged);
        if (!numbers.empty()) {
          local.storage->read(host_view<std::int64_t const>(numbers),
                              read_[t].data() + (list.rows - first_read_) * local.row_bytes());
        }
      }
    }
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
  /// @pre    the rows exist, and `read` has read them if need be; not checked
  std::byte* pack(row_list const& rows, std::byte* out) const {
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      auto const& local = plan_[t].local;
      copy_rows_of<cached_writes, no_conversion>(t, local, rows, rows_in_order{}, local.type, out);
      out += padded(count_of(plan_[t], rows) * local.row_bytes());
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
      sent.storage = nullptr;
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
        copy_rows_of<streamed_writes, Conversions>(t, from[t], run.rows, run.places(), run.targets[t].type,
                                                   run.targets[t].data);
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

  // Copies rows of tensor t from memory, or from where `read` has put them.
  template <class Writes, class Conversions, class To>
  void copy_rows_of(std::size_t t, any_rows<space> from, row_list const& rows, To to, element_type type,
                    std::byte* out) const {
    auto const count = count_of(plan_[t], rows);
    if (host_policy<Policy> && from.storage != nullptr) {
      from.data = count == 0 ? nullptr : read_[t].data() + (rows.rows - first_read_) * from.row_bytes();
      from.storage = nullptr;
      transfer_any_rows<Writes, Conversions>(policy_.executor(), count, from, rows_in_order{}, to, type, out);
    } else {
      transfer_any_rows<Writes, Conversions>(policy_.executor(), count, from, rows_unflagged{rows.rows}, to, type, out);
    }
  }

  std::vector<planned_tensor<space>> plan_;
  std::int64_t row_bytes_ = 0;
  Policy policy_;
  std::vector<buffer<Policy, std::byte>> read_; // [tensors], rows of the lists of `read`
  local_id const* first_read_ = nullptr;
};

} // namespace glt::detail
