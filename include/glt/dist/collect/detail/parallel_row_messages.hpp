// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace glt::dist {

/// Writes the labels of rows in the order of the rows.
///
/// @shape  rows [n] · labels [V] · out [n], written
template <memory_space Space, memory_space StoreSpace>
struct put_labels {
  array_view<Space, local_id const> rows;
  array_view<StoreSpace, label_type const> labels;
  label_type* out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = labels[rows[i]]; }
};

/// Puts labels in their places; those beyond the end of the result are left out.
///
/// @shape  labels [n] · places [n] · out [M], written
template <memory_space Space>
struct take_labels {
  label_type const* labels;
  array_view<Space, std::int64_t const> places;
  array_view<Space, label_type> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    if (places[i] < out.size()) {
      out[places[i]] = labels[i];
    }
  }
};

/// Puts labels of rows in their places, without a message.
///
/// @shape  rows [n] · labels [V] · places [n] · out [M], written
template <memory_space Space, memory_space StoreSpace>
struct bring_labels {
  array_view<Space, local_id const> rows;
  array_view<StoreSpace, label_type const> labels;
  array_view<Space, std::int64_t const> places;
  array_view<Space, label_type> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    if (places[i] < out.size()) {
      out[places[i]] = labels[rows[i]];
    }
  }
};

/// How requested rows lie in a message that many threads write and read at once: their labels, if the requester wants
/// any, then all features as they are stored. Both begin at multiples of 16 bytes.
///
/// @where  everything is enqueued on the policy's executor
template <device_policy Policy, bytes_copyable T, memory_space StoreSpace = Policy::space>
class parallel_row_messages {
  static constexpr memory_space space = Policy::space;
  static constexpr std::int64_t alignment = 16;

public:
  /// Borrows the rows of this rank, which must outlive this.
  parallel_row_messages(feature_view<StoreSpace, T> local, Policy policy)
      : local_(local), policy_(std::move(policy)) {}

  /// Length of a message, padding included.
  [[nodiscard]] std::int64_t bytes(std::int64_t num_rows, bool labels) const noexcept {
    return features_at(num_rows, labels) + padded(num_rows * row_bytes());
  }

  /// Writes rows of this rank.
  ///
  /// @shape  message [bytes(n, labels)]
  /// @pre    the rows exist; not checked
  void pack(array_view<space, local_id const> rows, bool labels, std::byte* message) const {
    auto const ex = policy_.executor();
    if (labels) {
      ex.for_each(rows.size(),
                  put_labels<space, StoreSpace>{rows, local_.labels, reinterpret_cast<label_type*>(message)});
    }
    detail::transfer_rows(ex, rows.size(), local_, detail::rows_listed<local_id>{rows.data()},
                     detail::rows_in_order{},
                     reinterpret_cast<T*>(message + features_at(rows.size(), labels)));
  }

  /// Puts the rows of a message in their places, converted if the result has other elements.
  ///
  /// @pre    scales are the same on all ranks; not checked
  template <class Out>
    requires detail::gathers_as<T, Out>
  void unpack(std::byte const* message, bool labels, array_view<space, std::int64_t const> places,
              collected_rows<Policy, Out>& out) const {
    auto const ex = policy_.executor();
    auto const* const features = reinterpret_cast<T const*>(message + features_at(places.size(), labels));
    if (labels) {
      ex.for_each(places.size(), take_labels<space>{reinterpret_cast<label_type const*>(message), places,
                                                    out.labels.view()});
    }
    feature_view<space, T> const sent{.features = {features, places.size(), local_.num_columns()},
                                      .scales = {local_.scales.data(), local_.scales.size()}};
    detail::transfer_rows(ex, places.size(), sent, detail::rows_in_order{},
                     detail::rows_listed<std::int64_t>{places.data()}, out.features.data());
  }

  /// Puts rows of this rank in their places.
  template <class Out>
    requires detail::gathers_as<T, Out>
  void bring(array_view<space, local_id const> rows, array_view<space, std::int64_t const> places,
             collected_rows<Policy, Out>& out) const {
    auto const ex = policy_.executor();
    if (!out.labels.empty()) {
      ex.for_each(rows.size(),
                  bring_labels<space, StoreSpace>{rows, local_.labels, places, out.labels.view()});
    }
    detail::transfer_rows(ex, rows.size(), local_, detail::rows_listed<local_id>{rows.data()},
                     detail::rows_listed<std::int64_t>{places.data()}, out.features.data());
  }

private:
  [[nodiscard]] static std::int64_t padded(std::int64_t bytes) noexcept {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  [[nodiscard]] std::int64_t row_bytes() const noexcept {
    return local_.num_columns() * static_cast<std::int64_t>(sizeof(T));
  }
  [[nodiscard]] static std::int64_t features_at(std::int64_t num_rows, bool labels) noexcept {
    return labels ? padded(num_rows * static_cast<std::int64_t>(sizeof(label_type))) : 0;
  }

  feature_view<StoreSpace, T> local_;
  Policy policy_;
};

} // namespace glt::dist
