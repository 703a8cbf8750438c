// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/options.hpp>

namespace glt {

/// Choice whether the edges to predict may be sampled in the neighbourhoods from which they are predicted.
enum class seed_exclusion {
  none,              ///< seed edges may be sampled
  edges,             ///< all edges from the source to the destination of a seed edge are left out
  edges_and_reverses ///< edges from its destination to its source too
};

/// Options of a link sampler.
struct link_options {
  neighbor_options neighbors{};                  ///< around the ends of all pairs
  negative_options negatives{};                  ///< pairs that are no edges
  seed_exclusion exclude = seed_exclusion::none; ///< takes effect before neighbours are drawn

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.neighbors, self.negatives, self.exclude);
  }
};

/// @throws precondition_error  as `validate` for neighbours and for negatives, or if `exclude` is no seed_exclusion
inline void validate(link_options const& options) {
  validate(options.neighbors);
  validate(options.negatives);
  if (options.exclude < seed_exclusion::none || options.exclude > seed_exclusion::edges_and_reverses) {
    throw precondition_error(
        detail::message("exclude ", static_cast<std::int64_t>(options.exclude), "; give a value of seed_exclusion"));
  }
}

namespace detail {

inline void check_label_list(std::int64_t num_labels, std::int64_t num_positives, negative_options const& options) {
  if (options.mode == negative_mode::triplet) {
    throw precondition_error("labels of seed edges for triplets, which have none; use negative_mode::binary");
  }
  if (num_labels != num_positives) {
    throw precondition_error(
        message(num_labels, " labels for ", num_positives, " seed edges; give one per edge or none"));
  }
}

// Returns the place of a label that is not a class, or the number of labels.
template <memory_space Space>
struct place_of_wrong_label {
  array_view<Space, std::int64_t const> labels;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    constexpr std::int64_t largest = 0x7fffffffffffffff; // 1 is added beside negatives
    return labels[i] < 0 || labels[i] == largest ? i : labels.size();
  }
};

/// Throws for labels of seed edges that do not fit the options.
///
/// @shape  labels [P], or empty for none
/// @where  synchronises
/// @throws precondition_error  if there are labels for triplets, their number differs from P, or one is negative or
///                             2⁶³ − 1, naming the first
/// @cost   O(P)
template <device_policy Policy>
void validate_labels(Policy const& policy, array_view<Policy::space, std::int64_t const> labels,
                     std::int64_t num_positives, negative_options const& options) {
  if (labels.empty()) {
    return;
  }
  detail::check_label_list(labels.size(), num_positives, options);
  auto const wrong = policy.executor().reduce(labels.size(), labels.size(),
                                              detail::place_of_wrong_label<Policy::space>{labels}, detail::smaller{});
  if (wrong < labels.size()) {
    throw precondition_error(detail::message("label of seed edge ", wrong, " is ", read_element(policy, labels, wrong),
                                             "; classes count from 0, to 2^63 - 2"));
  }
}

/// Checks labels in ordinary memory.
inline void validate_labels(host_view<std::int64_t const> labels, std::int64_t num_positives,
                            negative_options const& options) {
  validate_labels(device::cpu(), labels, num_positives, options);
}

} // namespace detail

} // namespace glt
