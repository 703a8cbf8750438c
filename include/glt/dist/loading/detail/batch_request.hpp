// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/options.hpp>

namespace glt::detail {

/// Request for one batch: its seeds, the key of its random numbers, and its destination.
template <class Seeds, class Batch>
struct batch_request {
  Seeds const* seeds = nullptr;
  sample_key key{};
  Batch* out = nullptr;
};

/// Holds if a maker, a sampler or a collector reads through such views.
template <class Maker, class... Views>
concept reads_in_place = requires(Maker& maker, Views const&... views) { maker.read_in_place(views...); };

/// Holds if a maker or a collector takes such hot rows.
template <class Maker, class... Hot>
concept uses_rows = requires(Maker& maker, Hot const&... hot) { maker.use(hot...); };

/// Makes batches, in one sweep of messages if the maker can.
///
/// @comm   collective; as many batches with the same keys on all ranks
template <class Maker, class Seeds, class Batch>
void make_batches(Maker& maker, std::span<batch_request<Seeds, Batch> const> batches) {
  if constexpr (requires { maker.make_bulk(batches); }) {
    maker.make_bulk(batches);
  } else {
    for (auto const& [seeds, key, out] : batches) {
      maker.make(*seeds, key, *out);
    }
  }
  for (auto const& [seeds, key, out] : batches) {
    out->epoch = key.epoch;
    out->step = key.step;
    out->num_seeds = seeds->size();
  }
}

} // namespace glt::detail
