// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/detail/exchange/agree.hpp>

namespace glt::detail {

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

} // namespace glt::detail
