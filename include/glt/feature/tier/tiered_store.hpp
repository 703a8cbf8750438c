// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>
#include <glt/feature/tier/detail/striped_rows.hpp>

namespace glt {

namespace detail {

/// Number of hot rows of a `tiered_store`: as many as both limits allow, such as `{.ratio = 0.2}` or `{.bytes = 1 <<
/// 30}`.
struct hot_limit {
  double ratio = 1;                                              ///< of all rows, the nearest number of them
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max(); ///< memory of a device, with 4 for every vertex
};

/// Returns the rows that a limit allows, over some devices, each of which needs `other_bytes` beside its rows.
///
/// @throws precondition_error  if the ratio is not in [0, 1], or the bytes are negative
[[nodiscard]] inline std::int64_t rows_within(hot_limit limit, std::int64_t rows, std::int64_t row_bytes,
                                              std::int64_t other_bytes, std::int64_t devices) {
  if (!(limit.ratio >= 0 && limit.ratio <= 1) || limit.bytes < 0) {
    throw precondition_error(message("hot rows within a ratio of ", limit.ratio, " and ", limit.bytes,
                                     " bytes; give a ratio from 0 to 1 and 0 bytes or more"));
  }
  auto const by_ratio = static_cast<std::int64_t>(std::llround(limit.ratio * static_cast<double>(rows)));
  auto const for_rows = limit.bytes - other_bytes;
  auto const of_device = for_rows < 0 ? 0 : row_bytes > 0 ? std::min(rows, for_rows / row_bytes) : rows;
  return std::min({rows, by_ratio, of_device * devices});
}

/// Placement of the rows of a tiered store: the first rows of a ranking are hot and go to the devices round robin.
struct tier_plan {
  std::vector<std::vector<local_id>> hot; // of every device, the hottest first
  std::vector<local_id> cold;             // ascending; empty if the cold rows are all rows
  std::vector<tier_slot> slots;           // [V]
};

/// @shape  ranking [R] distinct vertices, the hottest first; `count` of them are hot
/// @throws precondition_error  if one of these is not in [0, V) or comes twice, or there are 2³¹ vertices or more
[[nodiscard]] inline tier_plan plan_tiers(std::int64_t vertices, host_view<local_id const> ranking, std::int64_t count,
                                          std::size_t devices, bool cold_has_all) {
  static_cast<void>(narrow<tier_slot>(vertices, "number of vertices of a tiered store"));
  constexpr tier_slot unranked = -1;
  tier_plan plan{.hot = std::vector<std::vector<local_id>>(devices),
                 .cold = {},
                 .slots = std::vector<tier_slot>(static_cast<std::size_t>(vertices), unranked)};
  for (std::int64_t i = 0; i < count; ++i) {
    auto const vertex = ranking[i];
    if (vertex < 0 || vertex >= vertices) {
      throw precondition_error(message("hot vertex ", i, " is ", vertex, ", which is not in [0, ", vertices, ")"));
    }
    auto& slot = plan.slots[static_cast<std::size_t>(vertex)];
    if (slot != unranked) {
      throw precondition_error(
          message("hot vertex ", i, " is ", vertex, ", as hot vertex ", slot, "; rank each vertex once"));
    }
    slot = static_cast<tier_slot>(i);
    plan.hot[static_cast<std::size_t>(i) % devices].push_back(vertex);
  }
  tier_slot next = 0;
  for (std::size_t v = 0; v < plan.slots.size(); ++v) {
    auto const vertex = static_cast<local_id>(v);
    if (auto& slot = plan.slots[v]; slot == unranked) {
      slot = cold_has_all ? ~vertex : ~next++;
      if (!cold_has_all) {
        plan.cold.push_back(vertex);
      }
    }
  }
  return plan;
}

/// Copies the rows `listed` of ordinary memory into memory of a policy.
///
/// @shape  rows [V, F] · listed [S] → [S, F]
/// @pre    every id is in [0, V); not checked
/// @cost   for policies of GPUs the rows pass through `staged_bytes` of ordinary memory
template <device_policy Policy, bytes_copyable T>
[[nodiscard]] buffer<Policy, T> copy_rows_in(Policy const& policy, host_matrix<T const> rows,
                                             std::span<local_id const> listed, std::int64_t staged_bytes = 1 << 22) {
  host_view<local_id const> const ids(listed); // newer g++ refuse the name that nvcc 13 gives such a parameter
  auto const columns = rows.columns();
  buffer<Policy, T> made(ids.size() * columns, policy);
  if constexpr (host_policy<Policy>) {
    gather_rows(policy.executor(), rows, ids, matrix_view<Policy::space, T>(made.data(), ids.size(), columns));
  } else {
    device::cpu const host;
    auto const row_bytes = std::max<std::int64_t>(columns * static_cast<std::int64_t>(sizeof(T)), 1);
    auto const at_a_time = std::clamp<std::int64_t>(staged_bytes / row_bytes, 1, std::max<std::int64_t>(ids.size(), 1));
    buffer<device::cpu, T> staged(at_a_time * columns);
    for (std::int64_t first = 0; first < ids.size(); first += at_a_time) {
      auto const count = std::min(at_a_time, ids.size() - first);
      host_matrix<T> const part(staged.data(), count, columns);
      gather_rows(host.executor(), rows, ids.subview(first, count), part);
      copy_in(policy, host_view<T const>(part.flat()), made.view().subview(first * columns, count * columns));
    }
  }
  return made;
}

} // namespace detail

/// Owner of features of V vertices in two memories: hot rows in the faster, the others in the larger one; move-only.
///
///     auto const ranking = hottest_vertices(hotness, hotness.size());
///     tiered_store<device::cuda, device::zero_copy, float> const store(view, ranking.view(), {.ratio = 0.2});
///     gather_rows(gpu.executor(), store.view(), ids, out);
///
/// Hot rows may be divided over several devices that reach each other's memory: the hottest row is on the first device,
/// the next one on the second device, and so on. Every device then has a separate view. `peer_access` makes GPUs reach
/// each other.
///
/// It must outlive all work that was enqueued with its views. Labels are in the larger memory, scales in the faster
/// one.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  rows [V, F] · labels [V] or empty · scales [F] or empty
/// @cost   memory of every device: its rows, 4 bytes a vertex, the scales
template <device_policy HotPolicy, device_policy ColdPolicy, bytes_copyable T>
class tiered_store {
  static_assert(decltype(std::declval<HotPolicy const&>().executor())::reaches(ColdPolicy::space),
                "tiered_store: the executor of the first policy reads both memories, and does not reach that of the "
                "second; use a pinned one, such as device::zero_copy, with GPUs");

public:
  static constexpr memory_space hot_space = HotPolicy::space;
  static constexpr memory_space cold_space = ColdPolicy::space;
  using value_type = T;
  using view_type = detail::tiered_view<hot_space, cold_space, T>;
  using hot_limit = detail::hot_limit; ///< `.ratio` of all rows, and `.bytes` of the memory of a device

  /// Copies rows to the memory of the policies, each row to one policy.
  ///
  /// @shape  features [V, F] · ranking [at most V], distinct vertices, the hottest first; as many are hot as `limit`
  ///         allows
  /// @throws precondition_error  if a hot vertex is not in [0, V) or comes twice, there are 2³¹ vertices or more, there
  ///         is no device, a device cannot read the memory of another (`HotPolicy::reads`), or the limit is invalid
  tiered_store(feature_view<memory_space::host, T> features, host_view<local_id const> ranking, hot_limit limit,
               std::vector<HotPolicy> devices, ColdPolicy cold = {}) {
    check_reach(devices);
    auto const plan = make_plan(features, ranking, limit, devices.size(), false);
    auto const columns = features.num_columns();
    for (std::size_t d = 0; d < devices.size(); ++d) {
      add_device(devices[d], plan, detail::copy_rows_in(devices[d], features.features, plan.hot[d]),
                 make_buffer<HotPolicy>(features.scales, devices[d]));
    }
    cold_ = {static_cast<std::int64_t>(plan.cold.size()), columns,
             detail::copy_rows_in(cold, features.features, plan.cold)};
    labels_ = make_buffer<ColdPolicy>(features.labels, cold);
    cold_view_ = {.features = cold_.view().features, .labels = std::as_const(labels_).view()};
    finish(columns, plan);
    wait_for(cold, cold_.view().features.flat());
    wait_for(cold, std::as_const(labels_).view());
  }

  /// Copies rows to one device and to the larger memory.
  tiered_store(feature_view<memory_space::host, T> features, host_view<local_id const> ranking, hot_limit limit,
               HotPolicy hot = {}, ColdPolicy cold = {})
      : tiered_store(features, ranking, limit, std::vector<HotPolicy>{std::move(hot)}, std::move(cold)) {}

  /// Takes over rows that are in the larger memory already, such as a mapped file, and copies the hot rows. If it
  /// fails, `features` stay as they are.
  ///
  /// @shape  features [V, F], made with `cold`
  /// @throws precondition_error  as above
  tiered_store(feature_store<ColdPolicy, T>&& features, host_view<local_id const> ranking, hot_limit limit,
               std::vector<HotPolicy> devices, ColdPolicy cold = {}) {
    copy_hot(features.view(), ranking, limit, devices, cold);
    cold_ = std::move(features);
  }

  /// Takes over rows as above, with one device.
  tiered_store(feature_store<ColdPolicy, T>&& features, host_view<local_id const> ranking, hot_limit limit,
               HotPolicy hot = {}, ColdPolicy cold = {})
      : tiered_store(std::move(features), ranking, limit, std::vector<HotPolicy>{std::move(hot)}, std::move(cold)) {}

  /// Borrows the rows of another owner, such as a `dist::feature_store` in pinned memory, which must outlive this
  /// store.
  [[nodiscard]] static tiered_store borrow(feature_view<cold_space, T> features, host_view<local_id const> ranking,
                                           hot_limit limit, std::vector<HotPolicy> devices, ColdPolicy cold = {}) {
    tiered_store made;
    made.copy_hot(features, ranking, limit, devices, cold);
    return made;
  }

  tiered_store(tiered_store&&) noexcept = default;
  tiered_store& operator=(tiered_store&&) noexcept = default;

  /// Returns the number of hot rows, on all devices together.
  [[nodiscard]] std::int64_t num_hot() const noexcept { return devices_.front().table.view().rows(); }
  [[nodiscard]] int num_devices() const noexcept { return static_cast<int>(devices_.size()); }

  /// Returns the view for the executor of a device.
  ///
  /// @pre    device is in [0, num_devices()); not checked
  [[nodiscard]] view_type view(int device = 0) const {
    auto const& own = devices_[static_cast<std::size_t>(device)];
    return {.hot = own.table.view(),
            .cold = cold_view_.features,
            .slots = own.slots.view(),
            .labels = cold_view_.labels,
            .scales = own.scales.view()};
  }

private:
  tiered_store() = default;

  struct tier {
    buffer<HotPolicy, T> rows;
    buffer<HotPolicy, detail::tier_slot> slots;
    buffer<HotPolicy, float> scales;
    detail::stripe_table<HotPolicy, T> table;
    HotPolicy policy;
  };

  // Copies hot rows out of all rows, which stay in place.
  void copy_hot(feature_view<cold_space, T> const& all, host_view<local_id const> ranking, hot_limit limit,
                std::vector<HotPolicy> const& devices, ColdPolicy const& cold) {
    check_reach(devices);
    auto const plan = make_plan(all, ranking, limit, devices.size(), true);
    wait_for(cold, all.features.flat());
    wait_for(cold, all.labels);
    auto const scales = to_vector(cold, all.scales);
    for (std::size_t d = 0; d < devices.size(); ++d) {
      auto const& device = devices[d];
      auto const ids = make_buffer<HotPolicy>(plan.hot[d], device);
      buffer<HotPolicy, T> rows(ids.size() * all.num_columns(), device);
      gather_rows(device.executor(), all.features, ids.view(),
                  matrix_view<hot_space, T>(rows.data(), ids.size(), all.num_columns()));
      add_device(device, plan, std::move(rows), make_buffer<HotPolicy>(scales, device));
    }
    finish(all.num_columns(), plan);
    cold_view_ = all;
  }

  // Checks that devices reach each other's memory, if the policy can tell.
  static void check_reach([[maybe_unused]] std::vector<HotPolicy> const& devices) {
    if constexpr (requires(HotPolicy const& reader, HotPolicy const& owner) { reader.reads(owner); }) {
      for (std::size_t reader = 0; reader < devices.size(); ++reader) {
        for (std::size_t owner = 0; owner < devices.size(); ++owner) {
          if (!devices[reader].reads(devices[owner])) {
            throw precondition_error(detail::message("a tiered store over devices of which number ", reader,
                                                     " cannot read the memory of number ", owner,
                                                     "; open them to each other by peer_access before, or where they "
                                                     "have no way to each other make a store for each"));
          }
        }
      }
    }
  }

  template <memory_space Space>
  static detail::tier_plan make_plan(feature_view<Space, T> features, host_view<local_id const> ranking,
                                     hot_limit limit, std::size_t devices, bool cold_has_all) {
    if (devices == 0) {
      throw precondition_error("a tiered store on 0 devices; give one or more");
    }
    detail::check_addresses(features.features.data(), features.num_vertices() * features.num_columns(),
                            features.storage);
    auto const vertices = features.num_vertices();
    auto const count =
        detail::rows_within(limit, vertices, features.num_columns() * static_cast<std::int64_t>(sizeof(T)),
                            vertices * static_cast<std::int64_t>(sizeof(detail::tier_slot)) +
                                features.scales.size() * static_cast<std::int64_t>(sizeof(float)),
                            static_cast<std::int64_t>(devices));
    return detail::plan_tiers(vertices, ranking, std::min(count, ranking.size()), devices, cold_has_all);
  }

  void add_device(HotPolicy const& policy, detail::tier_plan const& plan, buffer<HotPolicy, T> rows,
                  buffer<HotPolicy, float> scales) {
    devices_.push_back(tier{.rows = std::move(rows),
                            .slots = make_buffer<HotPolicy>(plan.slots, policy),
                            .scales = std::move(scales),
                            .table = {},
                            .policy = policy});
  }

  // Every device reads the rows of all devices; they are there when this returns.
  void finish(std::int64_t columns, detail::tier_plan const& plan) {
    std::vector<matrix_view<hot_space, T const>> stripes;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      stripes.emplace_back(devices_[d].rows.data(), static_cast<std::int64_t>(plan.hot[d].size()), columns);
    }
    for (auto& each : devices_) {
      each.table = detail::stripe_table<HotPolicy, T>(stripes, each.policy);
      wait_for(each.policy, std::as_const(each.slots).view());
    }
  }

  // Waits for work of a policy: other policies do not follow its order.
  template <class Policy, class View>
  static void wait_for(Policy const& policy, View view) {
    if (!view.empty()) {
      static_cast<void>(detail::read_element(policy, view, 0));
    }
  }

  std::vector<tier> devices_;
  feature_store<ColdPolicy, T> cold_;
  buffer<ColdPolicy, detail::label_type> labels_;
  feature_view<cold_space, T> cold_view_; // of all rows of this store, or borrowed
};

} // namespace glt
