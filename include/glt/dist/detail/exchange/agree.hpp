// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/detail/members.hpp>
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
void agree(Comm& comm, call_site site, std::string const& failure, std::int64_t value, Difference const& difference) {
  check_same(comm, exchange_values(comm, site, failure, value), &call_header::value, difference);
}

[[nodiscard]] inline bool any_above_zero(std::span<call_header const> headers) {
  return std::ranges::any_of(headers, [](call_header const& header) { return header.value > 0; });
}

/// Number that almost certainly differs between different values; for `agree`.
class fingerprint {
public:
  /// Adds a number, a list, or a structure with `members`, element by element.
  template <class X>
  fingerprint& add(X const& x) {
    if constexpr (requires { x.for_each_in_fingerprint([](auto const&) {}); }) {
      x.for_each_in_fingerprint([this](auto const& list) { this->add(list); });
    } else if constexpr (has_members<X>) {
      std::apply([&](auto const&... members) { (add(members), ...); }, member_access::of(x));
    } else if constexpr (requires {
                           x.size();
                           x.begin();
                         }) {
      add(static_cast<std::int64_t>(x.size()));
      for (auto const& element : x) {
        add(element);
      }
    } else if constexpr (std::is_floating_point_v<X>) {
      static_assert(std::numeric_limits<X>::digits <= std::numeric_limits<double>::digits);
      add(std::bit_cast<std::int64_t>(static_cast<double>(x)));
    } else {
      static_assert(std::is_integral_v<X> || std::is_enum_v<X>, "give numbers, lists, or structures with `members`");
      key_ = key_.fold(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
    }
    return *this;
  }
  [[nodiscard]] std::int64_t value() const noexcept { return static_cast<std::int64_t>(key_.bits()); }

private:
  random_key key_{0};
};

template <class... X>
[[nodiscard]] std::int64_t fingerprint_of(X const&... x) {
  fingerprint print;
  (print.add(x), ...);
  return print.value();
}

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

[[nodiscard]] inline std::string join_lines(std::vector<std::string> const& lines) {
  std::string joined;
  for (auto const& line : lines) {
    joined += line + '\n';
  }
  return joined;
}

// Returns a sentence with the first line of `own` that differs from the line of `first` in the same place.
[[nodiscard]] inline std::string first_difference(std::string_view own, std::string_view first, int first_rank,
                                                  std::string_view before, std::string_view after) {
  auto const next_line = [](std::string_view& text) {
    auto const line = text.empty() ? std::string_view("nothing") : text.substr(0, text.find('\n'));
    text.remove_prefix(text.empty() ? 0 : std::min(line.size() + 1, text.size()));
    return line;
  };
  for (;;) {
    auto const mine = next_line(own);
    auto const theirs = next_line(first);
    if (mine != theirs || (own.empty() && first.empty())) {
      return message(before, mine, " where rank ", first_rank, " has ", theirs, after);
    }
  }
}

/// Checks that no rank has a failure and that all ranks have the same lines of text.
///
/// A rank with other lines fails with this text: `before`, its first line that differs, rank 0's line, and `after`.
///
/// @comm   collective; two header exchanges and two broadcasts
/// @throws collective_error  on every rank, if `failure` is not empty on one, or if the lines differ
template <communicator Comm>
void agree_on_text(Comm& comm, call_site site, std::string const& failure, std::vector<std::string> const& lines,
                   std::string_view before, std::string_view after) {
  auto const joined = join_lines(lines);
  auto first = joined;
  agree(comm, site, failure);
  broadcast_text(comm, first);
  auto const differs =
      joined == first ? std::string() : first_difference(joined, first, world_rank(comm, 0), before, after);
  agree(comm, site, differs);
}

/// Refuses a part of another rank, or of a partition with another number of parts than there are ranks.
///
/// @param  `what`, `use`  texts around the part in an error: "part" 3 of 4 "sampled by" rank 0 of 2
/// @throws precondition_error  naming part and rank
template <communicator Comm>
void check_own_part(Comm const& comm, int part, int num_parts, std::string_view what, std::string_view use) {
  if (num_parts != comm.size() || part != comm.rank()) {
    throw precondition_error(message(what, ' ', part, " of ", num_parts, ' ', use, ' ', own_rank_text(comm),
                                     "; use the communicator that the graph was made with"));
  }
}

} // namespace glt::detail
