// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/memory/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt_test {

/// Draws whose row r gives the sources 10 r, 10 r + 1, … and edge ids 100 more.
template <class Policy>
struct some_draws {
  glt::buffer<Policy, glt::edge_offset> offsets;
  glt::buffer<Policy, glt::local_id> sources;
  glt::buffer<Policy, glt::edge_id> edge_ids;

  explicit some_draws(std::vector<std::int64_t> const& counts) {
    std::vector<glt::edge_offset> ends{0};
    std::vector<glt::local_id> from;
    std::vector<glt::edge_id> ids;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      for (std::int64_t i = 0; i < counts[r]; ++i) {
        from.push_back(static_cast<glt::local_id>(10 * r) + static_cast<glt::local_id>(i));
        ids.push_back(from.back() + 100);
      }
      ends.push_back(ends.back() + counts[r]);
    }
    offsets = glt::make_buffer<Policy>(ends);
    sources = glt::make_buffer<Policy>(from);
    edge_ids = glt::make_buffer<Policy>(ids);
  }

  [[nodiscard]] glt::detail::drawn_rows<glt::local_id> rows(std::int64_t first, std::int64_t count,
                                                            bool ids = true) const {
    Policy const policy;
    auto const begin = glt::detail::read_element(policy, offsets.view(), first);
    auto const end = glt::detail::read_element(policy, offsets.view(), first + count);
    return {count, begin, end - begin, offsets.data() + first, sources.data(), ids ? edge_ids.data() : nullptr};
  }
};

} // namespace glt_test
