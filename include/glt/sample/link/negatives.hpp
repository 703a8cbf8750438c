// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Value for the sources of pairs and value for the destinations; a single value stands for both.
template <class T>
struct of_both_ends {
  T sources{};
  T destinations{};

  of_both_ends() = default;
  template <std::convertible_to<T> Both>
  of_both_ends(Both const& both) : sources(both), destinations(both) {}
  of_both_ends(T of_sources, T of_destinations) : sources(of_sources), destinations(of_destinations) {}
};

} // namespace glt::detail

namespace glt {

/// Form of the negative samples beside P positive pairs.
enum class negative_mode {
  binary, ///< ⌈P · amount⌉ pairs with both ends drawn
  triplet ///< `amount` pairs of every source; their destinations are drawn
};

/// Options of drawing pairs that are not edges. Draws are independent: the same pair may come twice.
///
/// The negatives of a positive depend on the key, its original ids and the number of equal positives before it in the
/// batch, so that they are the same on any number of ranks. Ranks that pass the same positive in the same step
/// therefore draw the same negatives for it: give every edge to one rank. In triplets several positives of a source
/// share the negatives that the first one draws alone. A source without positives draws by the key and its id.
struct negative_options {
  /// A value for each end of pairs, or one for both; not deduced from arguments.
  template <class T>
  using of_both_ends = std::type_identity_t<detail::of_both_ends<T>>;

  negative_mode mode = negative_mode::binary;
  double amount = 1;       ///< negatives per positive; 0 for none. For triplets per source, a whole number
  bool strict = true;      ///< draw again if a pair is an edge of the graph or a positive of the batch
  bool self_pairs = false; ///< accept a vertex paired with itself although `strict`
  int attempts = 16;       ///< draws per negative before `strict` gives up
  /// If true, negatives that `strict` gave up are kept and flagged as unverified; else they are left out.
  bool padding = false;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.mode, self.amount, self.strict, self.self_pairs, self.attempts, self.padding);
  }
};

namespace detail {

/// @throws precondition_error  if amount is negative, not a number, above 2³¹, or not whole for triplets, mode is
///                             no negative_mode, or attempts is below 1
inline void validate(negative_options const& options) {
  if (!(options.amount >= 0) || options.amount > std::numeric_limits<std::int32_t>::max()) {
    throw precondition_error(message(options.amount, " negatives per positive; give 0 or more"));
  }
  if (options.mode == negative_mode::triplet && options.amount != std::floor(options.amount)) {
    throw precondition_error(message(options.amount, " negatives per positive in triplets; give a whole number"));
  }
  if (options.mode != negative_mode::binary && options.mode != negative_mode::triplet) {
    throw precondition_error(message("mode ", static_cast<std::int64_t>(options.mode),
                                     " of negatives; give negative_mode::binary or negative_mode::triplet"));
  }
  if (options.attempts < 1) {
    throw precondition_error(message(options.attempts, " attempts per negative; allow 1 or more"));
  }
}

/// Returns ⌈groups · amount⌉. Negatives belong to groups: of each positive, or in triplets of each source.
[[nodiscard]] inline std::int64_t num_negatives(std::int64_t num_groups, negative_options const& options) noexcept {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(num_groups) * options.amount));
}

/// Returns the random key of the negatives of a batch of seed edges of a type.
[[nodiscard]] constexpr random_key negatives_key(sample_key key, int edge_type = 0) noexcept {
  constexpr std::uint64_t apart_from_hops = 0x6e656761;
  return hop_key(key, 0, edge_type).fold(apart_from_hops);
}

/// Returns the random key of the negatives of one positive. It belongs to the pair, independent of its place and of the
/// numbering of vertices.
///
/// @units  original ids; `occurrence` counts equal pairs before this one in the batch
[[nodiscard]] GLT_HOST_DEVICE constexpr random_key
positive_key(random_key key, std::int64_t source, std::int64_t destination, std::int64_t occurrence) noexcept {
  return key.fold(static_cast<std::uint64_t>(source))
      .fold(static_cast<std::uint64_t>(destination))
      .fold(static_cast<std::uint64_t>(occurrence));
}

/// Group of a negative's place, and the negative's index in the group.
struct negative_place {
  std::int64_t group;
  std::int64_t index;
};

/// Returns the group and index of a place. Binary negatives go round the positives, so that a fractional amount
/// serves the first positives; triplets are stored row by row.
[[nodiscard]] GLT_HOST_DEVICE constexpr negative_place place_of_negative(std::int64_t place, std::int64_t num_groups,
                                                                         negative_options const& options) noexcept {
  if (options.mode == negative_mode::binary) {
    return {place % num_groups, place / num_groups};
  }
  auto const amount = static_cast<std::int64_t>(options.amount);
  return {place / amount, place % amount};
}

enum class pair_end { source, destination };

/// Negative pairs.
///
/// @shape  sources, destinations [N] · verified [N] if strict, else empty: 1 if the pair is neither an edge nor a
///         positive, 0 if every attempt failed
/// @units  ids of the sampled graph
template <device_policy Policy, vertex_id Vertex>
struct negative_pairs {
  buffer<Policy, Vertex> sources;
  buffer<Policy, Vertex> destinations;
  buffer<Policy, std::uint8_t> verified;
};

} // namespace detail

} // namespace glt
