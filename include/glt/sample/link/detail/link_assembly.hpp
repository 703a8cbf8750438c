// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/sample/link/link_sample.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/link/seed_edges.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstdint>
#include <utility>

namespace glt {

/// Turns positives and negatives into seeds, and the subgraph around the seeds into a `link_sample`.
///
/// The one place where serial and distributed link samplers meet: both hand it the same pairs.
template <device_policy Policy, vertex_id Vertex>
class link_assembly {
  static constexpr memory_space space = Policy::space;

public:
  explicit link_assembly(negative_options options) : options_(options) {}

  /// The seeds to sample around, in the order of the index tensors; valid until the next call.
  ///
  /// @cost   O(P + N)
  array_view<space, Vertex const> seeds(seed_edges<Vertex> const& positives,
                                        negative_pairs<Policy, Vertex> const& negatives) {
    seeds_.clear();
    places_.resize(negatives.sources.size());
    for (std::int64_t i = 0; i < positives.size(); ++i) {
      append(positives[i].source);
    }
    if (options_.mode == negative_mode::binary) {
      append_taken(negatives, negatives.sources);
    }
    for (std::int64_t i = 0; i < positives.size(); ++i) {
      append(positives[i].destination);
    }
    append_taken(negatives, negatives.destinations);
    return std::as_const(seeds_).view();
  }

  /// Where the sampler is to put the subgraph.
  [[nodiscard]] static sampled_subgraph<Policy, Vertex>& subgraph_of(link_sample<Policy, Vertex>& out) noexcept {
    return out.subgraph_;
  }

  /// Writes labels and indices once the subgraph around the seeds is sampled.
  ///
  /// @shape  labels [P] or empty
  /// @cost   O(P + N)
  void finish(seed_edges<Vertex> const& positives, negative_pairs<Policy, Vertex> const& negatives,
              array_view<space, std::int64_t const> labels, link_sample<Policy, Vertex>& out) {
    bool const triplet = options_.mode == negative_mode::triplet;
    out.mode_ = options_.mode;
    out.num_positives_ = positives.size();
    out.num_negatives_ = triplet ? places_.size() : num_taken_;
    out.edge_label_.resize(triplet ? 0 : positives.size() + num_taken_);
    for (std::int64_t i = 0; i < out.edge_label_.size(); ++i) {
      bool const positive = i < positives.size();
      out.edge_label_[i] = !positive ? 0 : labels.empty() ? 1 : labels[i] + (options_.amount > 0 ? 1 : 0);
    }
    out.dst_neg_index_.resize(triplet ? places_.size() : 0);
    for (std::int64_t n = 0; n < out.dst_neg_index_.size(); ++n) {
      out.dst_neg_index_[n] = places_[n] < 0 ? -1 : out.subgraph_.seed_index()[places_[n]];
    }
    out.verified_.resize(negatives.verified.empty() ? 0 : out.num_negatives_);
    std::int64_t kept = 0;
    for (std::int64_t n = 0; n < negatives.verified.size(); ++n) {
      if (triplet || places_[n] >= 0) {
        out.verified_[kept++] = negatives.verified[n];
      }
    }
  }

private:
  void append(Vertex vertex) {
    seeds_.resize(seeds_.size() + 1);
    seeds_[seeds_.size() - 1] = vertex;
  }

  void append_taken(negative_pairs<Policy, Vertex> const& negatives, buffer<Policy, Vertex> const& ends) {
    num_taken_ = 0;
    for (std::int64_t n = 0; n < ends.size(); ++n) {
      bool const taken = negatives.verified.empty() || negatives.verified[n] != 0 || options_.padding;
      places_[n] = taken ? seeds_.size() : -1;
      if (taken) {
        append(ends[n]);
        ++num_taken_;
      }
    }
  }

  negative_options options_;
  buffer<Policy, Vertex> seeds_;
  buffer<Policy, std::int64_t> places_; // [N] in seeds, −1 for negatives that are left out
  std::int64_t num_taken_ = 0;
};

} // namespace glt
