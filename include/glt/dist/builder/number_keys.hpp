// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/builder/detail/key_directory.hpp>
#include <glt/dist/builder/exchange.hpp>

namespace glt::dist {

/// Numbers of the keys of this rank, and the number of distinct keys of all ranks. The distinct keys are numbered from 0
/// in ascending order; texts are ordered by their bytes. The number of a key does not depend on the ranks that have it,
/// nor on how many ranks there are.
///
///     std::vector<std::string> const names = …; // of this rank, in any order and number, repeated or not
///     auto const [numbers, num_keys] = glt::dist::numbered_keys(comm, names);
///
/// @shape  numbers: one per key that the rank gave, in [0, num_keys)
struct numbered_keys {
  std::vector<std::int64_t> numbers;
  std::int64_t num_keys = 0;

  /// Numbers keys: integers of one type or texts, of the same type on all ranks.
  ///
  /// @comm   collective; header exchanges, max(R, 64) samples from every rank to all, and every distinct key of a rank
  ///         twice in rounds of about `round_bytes`, with a reply of 8 bytes
  /// @throws collective_error  on every rank, if memory is exhausted on a rank, or ranks differ in `round_bytes`
  /// @cost   O(n log n) for n keys of this rank; a rank keeps at most about twice its share of all keys meanwhile
  template <communicator Comm, std::ranges::contiguous_range Keys>
    requires(std::integral<std::ranges::range_value_t<Keys>> ||
             std::convertible_to<std::ranges::range_reference_t<Keys>, std::string_view>)
  numbered_keys(Comm& comm, Keys const& keys, std::int64_t round_bytes = glt::detail::exchange_round_bytes) {
    using value = std::ranges::range_value_t<Keys>;
    using key = std::conditional_t<std::integral<value>, value, std::string>;
    auto& host = glt::detail::host_comm(comm);
    std::vector<glt::detail::key_view<key>> known;
    auto const failure = glt::detail::failure_of([&] {
      known.assign(std::ranges::begin(keys), std::ranges::end(keys));
      std::ranges::sort(known);
      known.erase(std::ranges::unique(known).begin(), known.end());
    });
    glt::detail::agree_on_round_bytes(host, failure, round_bytes);
    glt::detail::key_directory<key> const directory(host, {}, known, round_bytes);
    auto const found =
        directory.look_up(host, {}, known, [&](std::int64_t place) { return directory.first() + place; }, round_bytes);
    num_keys = directory.num_keys();
    run_together(host, [&] {
      for (auto const& each : keys) {
        numbers.push_back(found[std::ranges::lower_bound(known, glt::detail::key_view<key>(each)) - known.begin()]);
      }
    });
  }
};

} // namespace glt::dist
