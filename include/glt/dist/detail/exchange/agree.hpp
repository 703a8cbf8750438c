// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

/// Checks that no rank has a failure.
///
/// @comm   collective; one header exchange
/// @throws collective_error  on every rank, if `failure` is not empty on one
template <communicator Comm>
void agree(Comm& comm, call_site site, std::string const& failure) {
  exchange_values(comm, site, failure);
}

/// Checks that no rank has a failure and that all ranks have the same value.
///
/// @comm   collective; one header exchange
/// @throws collective_error  on every rank, if `failure` is not empty on one, or if the values differ
template <communicator Comm, class Difference>
void agree(Comm& comm, call_site site, std::string const& failure, std::int64_t value, Difference difference) {
  check_same(comm, exchange_values(comm, site, failure, value), &call_header::value, difference);
}

/// Returns true if any rank passed a value above 0.
[[nodiscard]] inline bool any_above_zero(std::span<call_header const> headers) {
  return std::ranges::any_of(headers, [](call_header const& header) { return header.value > 0; });
}

/// Number that almost certainly differs between different values; for `agree`.
class fingerprint {
public:
  fingerprint& add(std::int64_t value) noexcept {
    key_ = key_.fold(static_cast<std::uint64_t>(value));
    return *this;
  }
  [[nodiscard]] std::int64_t value() const noexcept { return static_cast<std::int64_t>(key_.bits()); }

private:
  random_key key_{0};
};

/// Returns the fingerprint of a partition.
///
/// @cost   O(P)
[[nodiscard]] inline std::int64_t book_fingerprint(partition_book const& book) {
  fingerprint print;
  for (int part = 0; part < book.num_parts(); ++part) {
    print.add(book.end(part));
  }
  if (book.partitioning() != 0) {
    print.add(book.partitioning());
  }
  return print.value();
}

} // namespace glt::detail
