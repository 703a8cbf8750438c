// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt_test {

using pair_list = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Positives of a batch, one per source, or as many as the offsets say.
struct naive_positives {
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> destinations;
  std::vector<std::int64_t> offsets; ///< empty: one each

  naive_positives() = default;
  naive_positives(pair_list const& pairs) {
    for (auto const& [source, destination] : pairs) {
      sources.push_back(source);
      destinations.push_back(destination);
    }
  }

  /// The place of the source of every positive, by counting.
  [[nodiscard]] std::vector<std::size_t> places_of_sources() const {
    std::vector<std::size_t> places;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      places.insert(places.end(), offsets.empty() ? 1 : static_cast<std::size_t>(offsets[s + 1] - offsets[s]), s);
    }
    return places;
  }
  [[nodiscard]] pair_list pairs() const {
    pair_list made;
    auto const places = places_of_sources();
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      made.emplace_back(sources[places[i]], destinations[i]);
    }
    return made;
  }
};

/// Gives the destinations of some pairs to fewer sources, of which some have none and others many; the last has none.
inline naive_positives ragged(pair_list const& pairs) {
  naive_positives made;
  made.offsets.push_back(0);
  for (std::size_t i = 0, group = pairs.size(); i < pairs.size(); ++group) {
    made.sources.push_back(pairs[i].first);
    for (int k = std::array{1, 0, 5, 0, 0, 2, 1}[group % 7]; k > 0 && i < pairs.size(); --k) {
      made.destinations.push_back(pairs[i++].second);
    }
    made.offsets.push_back(static_cast<std::int64_t>(made.destinations.size()));
  }
  if (!pairs.empty()) {
    made.sources.push_back(pairs.back().first);
    made.offsets.push_back(made.offsets.back());
  }
  return made;
}

} // namespace glt_test
