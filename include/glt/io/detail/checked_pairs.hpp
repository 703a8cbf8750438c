// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_watch.hpp>

namespace glt::io::detail {

/// Copied piece of a list of pairs.
struct copied_pairs {
  static constexpr std::int64_t most = 1 << 12;
  std::array<global_id, most> sources;
  std::array<global_id, most> destinations;
};

/// Pairs of ids in arrays that may be files which another process changes. Pairs are copied piece by piece and the
/// copies are checked, so that an id used as an index is always a checked one.
///
/// Errors call a pair `what` + its place + `of_type`.
///
/// @shape  sources, destinations [E]
struct checked_pairs {
  host_view<global_id const> sources;
  host_view<global_id const> destinations;
  std::int64_t num_sources;
  std::int64_t num_destinations;
  std::string of_type{};
  input_watch const* inputs = nullptr; ///< the files, if they are watched
  char const* what = "edge";
  std::string file{}; ///< of the pairs, for errors; may be empty

  /// Copies the pairs [first, last), at most `copied_pairs::most`.
  ///
  /// @throws precondition_error  naming a source outside [0, num_sources), or a destination outside
  ///                             [0, num_destinations)
  void copy(std::int64_t first, std::int64_t last, copied_pairs& out) const {
    copy_column(sources, first, last, out.sources.data());
    copy_column(destinations, first, last, out.destinations.data());
    auto const count = static_cast<std::size_t>(last - first);
    if (count_outside(out.sources.data(), count, num_sources) +
            count_outside(out.destinations.data(), count, num_destinations) !=
        0) [[unlikely]] {
      for (std::size_t i = 0; i < count; ++i) {
        check(first + static_cast<std::int64_t>(i), "source", out.sources[i], num_sources);
        check(first + static_cast<std::int64_t>(i), "destination", out.destinations[i], num_destinations);
      }
    }
  }

  /// Calls use(place, source, destination) for the pairs [first, last) in order.
  ///
  /// @throws precondition_error  as `copy`
  /// @throws io_error            if a watched file was changed; also any exception of `use`
  template <class Use>
  void for_each(std::int64_t first, std::int64_t last, Use use) const {
    with_inputs(inputs, [&] {
      copied_pairs piece;
      for (auto begin = first; begin < last; begin += copied_pairs::most) {
        auto const end = std::min(begin + copied_pairs::most, last);
        copy(begin, end, piece);
        for (auto place = begin; place < end; ++place) {
          auto const i = static_cast<std::size_t>(place - begin);
          use(place, piece.sources[i], piece.destinations[i]);
        }
      }
    });
  }

private:
  static void copy_column(host_view<global_id const> from, std::int64_t first, std::int64_t last, global_id* out) {
    glt::detail::copy_bytes(out, from.data() + first, (last - first) * static_cast<std::int64_t>(sizeof(global_id)));
  }

  // Compilers turn this loop into vector instructions.
  static std::uint64_t count_outside(global_id const* ids, std::size_t count, std::int64_t bound) {
    std::uint64_t outside = 0;
    for (std::size_t i = 0; i < count; ++i) {
      outside += static_cast<std::uint64_t>(ids[i]) >= static_cast<std::uint64_t>(bound) ? 1U : 0U;
    }
    return outside;
  }

  void check(std::int64_t place, char const* end, global_id id, std::int64_t bound) const {
    if (id < 0 || id >= bound) {
      throw precondition_error(glt::detail::message(end, " of ", what, " ", place, of_type, " is ", id,
                                                    ", outside [0, ", bound, "), the ids of the graph",
                                                    file.empty() ? "" : "; correct it in ", file));
    }
  }
};

} // namespace glt::io::detail
