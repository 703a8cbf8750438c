// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/view.hpp>
#include <glt/sample/negatives.hpp>
#include <glt/sample/options.hpp>

#include <cstdint>
#include <limits>

namespace glt {

/// Whether the edges to be predicted may be sampled as part of the neighbourhood from which they are
/// predicted.
enum class seed_exclusion {
  none,              ///< they may
  edges,             ///< all edges from the source to the destination of a seed edge are left out
  edges_and_reverses ///< those from its destination to its source too
};

/// What a link sampler draws.
struct link_options {
  neighbor_options neighbors{};                   ///< around the ends of all pairs
  negative_options negatives{};                   ///< pairs that are no edges
  seed_exclusion exclude = seed_exclusion::none;  ///< takes effect before neighbours are drawn
};

/// @throws precondition_error  as `validate` for neighbours and for negatives
inline void validate(link_options const& options) {
  validate(options.neighbors);
  validate(options.negatives);
}

/// Refuses labels of seed edges that do not go with the options.
///
/// @shape  labels [P], or empty for none
/// @throws precondition_error  if there are labels for triplets, their number is another than P, or one is
///                             negative or 2⁶³ − 1, naming the first
/// @cost   O(P)
template <memory_space Space>
  requires(host_accessible(Space))
void validate_labels(array_view<Space, std::int64_t const> labels, std::int64_t num_positives,
                     negative_options const& options) {
  if (labels.empty()) {
    return;
  }
  if (options.mode == negative_mode::triplet) {
    throw precondition_error("labels of seed edges for triplets, which have none; use negative_mode::binary");
  }
  if (labels.size() != num_positives) {
    throw precondition_error(detail::message(labels.size(), " labels for ", num_positives,
                                             " seed edges; give one per edge or none"));
  }
  for (std::int64_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] == std::numeric_limits<std::int64_t>::max()) { // 1 is added beside negatives
      throw precondition_error(
          detail::message("label of seed edge ", i, " is ", labels[i], "; classes count from 0, to 2^63 - 2"));
    }
  }
}

} // namespace glt
