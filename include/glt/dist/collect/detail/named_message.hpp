// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/collect/detail/row_message.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/feature/any_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_any_rows.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// How requested rows of several tensors lie in a message: tensor by tensor, as they are stored; of a tensor of the
/// seeds alone those of the marked rows, which come first in the request.
template <host_policy Policy>
class named_message {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the rows of this rank, which must outlive this.
  named_message(std::vector<planned_tensor<space>> plan, Policy policy)
      : plan_(std::move(plan)), policy_(std::move(policy)) {
    for (auto const& each : plan_) {
      (each.seeds_only ? seed_bytes_ : row_bytes_) += each.local.row_bytes();
    }
  }

  [[nodiscard]] std::vector<planned_tensor<space>> const& plan() const noexcept { return plan_; }

  /// Bytes of a row of all tensors; at least 1.
  [[nodiscard]] std::int64_t largest_row() const noexcept {
    return std::max<std::int64_t>(1, row_bytes_ + seed_bytes_);
  }

  [[nodiscard]] std::int64_t bytes(std::span<wire_row const> rows) const noexcept {
    return std::ssize(rows) * row_bytes_ + num_marked(rows) * seed_bytes_;
  }

  /// Makes room for the rows of a batch; what is in `out` stays.
  void reserve(std::int64_t num_vertices, std::int64_t num_seeds, collected_table<Policy>& out) const {
    out.tensors.reserve(plan_.size());
    while (out.tensors.size() < plan_.size()) {
      out.tensors.push_back({.name = plan_[out.tensors.size()].name, .bytes = buffer<Policy, std::byte>(0, policy_)});
    }
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      out.tensors[t].name.reserve(plan_[t].name.size());
      out.tensors[t].bytes.reserve(bytes_of(t, num_vertices, num_seeds));
    }
  }

  /// Gives every tensor its name, type and number of rows; after `reserve`, it does not fail.
  void resize(std::int64_t num_vertices, std::int64_t num_seeds, collected_table<Policy>& out) const {
    out.tensors.erase(out.tensors.begin() + std::ssize(plan_), out.tensors.end());
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      auto& tensor = out.tensors[t];
      tensor.name = plan_[t].name;
      tensor.type = plan_[t].result;
      tensor.num_rows = plan_[t].seeds_only ? num_seeds : num_vertices;
      tensor.num_columns = plan_[t].local.num_columns;
      tensor.bytes.clear();
      tensor.bytes.resize(bytes_of(t, num_vertices, num_seeds));
    }
  }

  /// Puts rows that this rank reaches in their places; those of a tensor of the seeds while the places are seeds.
  ///
  /// @shape  from [tensors] · rows, places [n], the places ascending
  void put(std::span<any_rows<space> const> from, std::span<local_id const> rows, std::span<std::int64_t const> places,
           collected_table<Policy>& out) const {
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      auto& tensor = out.tensors[t];
      auto const end = std::ranges::lower_bound(places, tensor.num_rows);
      detail::transfer_any_rows<detail::streamed_writes>(
          policy_.executor(), end - places.begin(), from[t], detail::rows_listed<local_id>{rows.data()},
          detail::rows_listed<std::int64_t>{places.data()}, tensor.type, tensor.bytes.data());
    }
  }

  /// Writes rows of this rank and returns the end of the message; `out` has room for bytes(rows).
  ///
  /// @pre    the rows exist; not checked
  std::byte* pack(std::span<wire_row const> rows, std::byte* out) const {
    auto const seeds = num_marked(rows);
    for (auto const& [name, local, result, seeds_only] : plan_) {
      auto const count = seeds_only ? seeds : std::ssize(rows);
      detail::transfer_any_rows(policy_.executor(), count, local, row_requested{rows.data()}, detail::rows_in_order{},
                           local.type, out);
      out += count * local.row_bytes();
    }
    return out;
  }

  /// Puts the rows of a message in their places, converted to what is wanted, and returns its end.
  ///
  /// @shape  places [rows]
  /// @pre    the plans of all ranks have the same tensors; not checked
  std::byte const* unpack(std::byte const* in, std::span<wire_row const> rows, std::span<std::int64_t const> places,
                          collected_table<Policy>& out) const {
    auto const seeds = num_marked(rows);
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      auto sent = plan_[t].local;
      sent.data = in;
      sent.num_rows = plan_[t].seeds_only ? seeds : std::ssize(rows);
      auto& tensor = out.tensors[t];
      detail::transfer_any_rows<detail::streamed_writes>(policy_.executor(), sent.num_rows, sent, detail::rows_in_order{},
                                                    detail::rows_listed<std::int64_t>{places.data()}, tensor.type,
                                                    tensor.bytes.data());
      in += sent.num_rows * sent.row_bytes();
    }
    return in;
  }

private:
  [[nodiscard]] std::int64_t bytes_of(std::size_t tensor, std::int64_t vertices, std::int64_t seeds) const noexcept {
    auto const& each = plan_[tensor];
    return (each.seeds_only ? seeds : vertices) * each.local.num_columns * size_of(each.result);
  }

  std::vector<planned_tensor<space>> plan_;
  std::int64_t row_bytes_ = 0;
  std::int64_t seed_bytes_ = 0; // beside them, of a seed
  Policy policy_;
};

} // namespace glt::dist
