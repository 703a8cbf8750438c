// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/detail/exchange/agree.hpp>

namespace glt::detail {

/// Counts the heats above a bound; heats are in descending order.
[[nodiscard]] inline std::int64_t hotter_than(std::span<std::int64_t const> heats, std::int64_t bound) {
  return std::ranges::lower_bound(heats, bound, std::greater<>()) - heats.begin();
}

/// Vertices of this rank from the hottest to the coldest; the lower id is first among equals. Vertices that are never
/// touched are left out.
class vertices_by_heat {
public:
  /// @throws precondition_error  if a hotness is negative or not a number
  explicit vertices_by_heat(host_view<double const> hotness) {
    for (std::int64_t v = 0; v < hotness.size(); ++v) {
      if (!(hotness[v] >= 0)) {
        throw precondition_error(message("hotness of vertex ", v, " of the part is ", hotness[v], "; it is 0 or more"));
      }
      if (hotness[v] > 0) {
        vertices_.push_back(static_cast<local_id>(v));
      }
    }
    std::ranges::sort(vertices_, {}, [&](local_id v) { return std::pair(-hotness[v], v); });
    for (auto const v : vertices_) {
      heats_.push_back(std::bit_cast<std::int64_t>(hotness[v])); // bits of non-negative numbers have the same order
    }
  }

  [[nodiscard]] std::span<local_id const> vertices() const noexcept { return vertices_; }
  /// Returns the bits of their hotness, in descending order, all above 0.
  [[nodiscard]] std::span<std::int64_t const> heats() const noexcept { return heats_; }

private:
  std::vector<local_id> vertices_;
  std::vector<std::int64_t> heats_;
};

/// Summary that a rank sends to others: every `step(count)`-th heat of its `count` hottest vertices.
class frequency_histogram {
public:
  /// Takes so many points that a rank receives few vertices beyond its count.
  explicit frequency_histogram(int ranks) : points_(std::clamp(ranks, 32, 256)) {}

  /// Words of a summary.
  [[nodiscard]] std::int64_t size() const noexcept { return points_ + 1; }

  /// @shape  words [size()], written: number of vertices that the rank offers, then the heat of every step-th
  void write(std::span<std::int64_t const> heats, std::int64_t count, std::span<std::int64_t> words) const {
    auto const wanted = std::min(count, std::ssize(heats));
    std::ranges::fill(words, 0);
    words[0] = wanted;
    for (std::int64_t point = 0; point * step(wanted) < wanted; ++point) {
      auto const last = std::min((point + 1) * step(wanted), wanted) - 1;
      words[static_cast<std::size_t>(point) + 1] = heats[static_cast<std::size_t>(last)];
    }
  }

  /// Returns a heat that at least `count` vertices of all summaries reach; few more than `count` exceed it. Returns 0
  /// if there are fewer vertices.
  ///
  /// @shape  words [R * size()]
  [[nodiscard]] std::int64_t bound(std::span<std::int64_t const> words, std::int64_t count) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> points; // heat, vertices with this heat or more
    for (std::size_t first = 0; first < words.size(); first += static_cast<std::size_t>(size())) {
      auto const wanted = words[first];
      for (std::int64_t point = 0; point * step(wanted) < wanted; ++point) {
        points.emplace_back(words[first + static_cast<std::size_t>(point) + 1],
                            std::min(step(wanted), wanted - point * step(wanted)));
      }
    }
    std::ranges::sort(points, std::greater<>());
    std::int64_t sum = 0;
    for (auto const& [heat, vertices] : points) {
      sum += vertices;
      if (sum >= count) {
        return heat;
      }
    }
    return 0;
  }

private:
  [[nodiscard]] std::int64_t step(std::int64_t wanted) const noexcept {
    return std::max<std::int64_t>(1, (wanted + points_ - 1) / points_);
  }

  std::int64_t points_;
};

/// Computes how many of its hottest vertices every rank sends, `count` in all. Vertices above the bound come first,
/// then vertices at the bound, lower ranks first.
///
/// @shape  above, ties [R] → [R]
[[nodiscard]] inline std::vector<std::int64_t> select_hottest(std::vector<std::int64_t> above,
                                                              std::span<std::int64_t const> ties, std::int64_t count) {
  auto left = count - std::accumulate(above.begin(), above.end(), std::int64_t{0});
  for (std::size_t rank = 0; rank < above.size(); ++rank) {
    auto const more = std::min(left, ties[rank]);
    above[rank] += more;
    left -= more;
  }
  return above;
}

/// Sends `words` numbers to every rank and receives `words` numbers from every rank.
template <communicator Comm>
[[nodiscard]] std::vector<std::int64_t> exchange_words(Comm& comm, std::span<std::int64_t const> sent,
                                                       std::int64_t words) {
  std::vector<std::int64_t> received(sent.size());
  comm.all_to_all(reinterpret_cast<std::byte const*>(sent.data()), reinterpret_cast<std::byte*>(received.data()),
                  words * std::int64_t{sizeof(std::int64_t)});
  return received;
}

/// Sends the first given[p] items to rank p, and receives the first received_counts[p] items of rank p.
template <communicator Comm, bytes_copyable T>
[[nodiscard]] std::vector<T> exchange_first(Comm& comm, std::span<T const> items, std::span<std::int64_t const> given,
                                            std::span<std::int64_t const> received_counts) {
  byte_counts sent;
  byte_counts received;
  sent.set(given, sizeof(T));
  received.set(received_counts, sizeof(T));
  std::vector<T> out(static_cast<std::size_t>(received.total()) / sizeof(T));
  auto outgoing = sent.out(items.data());
  std::vector<std::int64_t> const from_the_first(given.size(), 0);
  outgoing.offsets = from_the_first;
  comm.all_to_all_v(outgoing, received.in(out.data()));
  return out;
}

} // namespace glt::detail

namespace glt::dist {

/// Returns the `count` hottest vertices of other ranks, whose rows are worth a copy here. Vertices that are never
/// touched are left out, so the result may be shorter. Among equals the lower global id is first.
///
/// Pass the hotness for the batches of all ranks. Or call once per rank: all pass the hotness for the batches of this
/// rank, and only this rank passes a `count` above 0.
///
/// @shape  hotness [rows of this part] → global ids, by owner, the hottest of an owner first
/// @comm   collective; one header exchange, five small exchanges (at most 2.1 KiB a rank in all) and two variable ones:
///         8 bytes per vertex of the result and a few more, and 4 bytes per vertex of the result
/// @throws collective_error  on every rank, if the book of a rank is not for these ranks or differs, there is not one
///                           hotness per vertex of the part, a hotness is negative or not a number, or a count is
///                           negative
/// @cost   O(n log n) for n vertices of the part; memory O(n + result · (1 + R / 256))
template <communicator Comm>
[[nodiscard]] std::vector<global_id> hottest_vertices(Comm& comm, partition_book const& book,
                                                      host_view<double const> hotness, std::int64_t count) {
  std::optional<detail::vertices_by_heat> sorted;
  auto const failure = detail::failure_of([&] {
    if (book.num_parts() != comm.size() || hotness.size() != book.size(comm.rank())) {
      throw precondition_error(detail::message("hotness of ", hotness.size(), " vertices for a book of ",
                                               book.num_parts(), " parts on ", detail::own_rank_text(comm),
                                               "; give one number per vertex of the part"));
    }
    if (count < 0) {
      throw precondition_error(detail::message(count, " hottest vertices; ask for 0 or more"));
    }
    sorted.emplace(hotness);
  });
  detail::agree(comm, {.what = detail::operation::estimate_hotness}, failure, detail::book_fingerprint(book),
                "chooses hot vertices by another partition book than rank 0; load parts of one partition on all ranks");
  auto const ranks = static_cast<std::size_t>(comm.size());
  auto const self = static_cast<std::size_t>(comm.rank());
  auto const own = sorted->heats();

  // Every rank gets a bound that is computed from a few heats of all; a rank asks itself for 0 vertices.
  auto wanted = detail::exchange_words(comm, std::vector(ranks, count), 1);
  wanted[self] = 0;
  detail::frequency_histogram const summary(comm.size());
  std::vector<std::int64_t> words(ranks * static_cast<std::size_t>(summary.size()));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    summary.write(own, wanted[rank],
                  std::span(words).subspan(rank * static_cast<std::size_t>(summary.size()),
                                           static_cast<std::size_t>(summary.size())));
  }
  auto const bound = summary.bound(detail::exchange_words(comm, words, summary.size()), count);

  // Number of vertices above the bound, and of vertices at the bound.
  auto const bounds = detail::exchange_words(comm, std::vector(ranks, bound), 1);
  std::vector<std::int64_t> pairs(2 * ranks, 0);
  std::vector<std::int64_t> given(ranks, 0);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (wanted[rank] > 0) {
      given[rank] = detail::hotter_than(own, bounds[rank]);
      pairs[2 * rank] = given[rank];
      pairs[2 * rank + 1] = detail::hotter_than(own, bounds[rank] - 1) - given[rank];
    }
  }
  pairs = detail::exchange_words(comm, pairs, 2);
  std::vector<std::int64_t> above(ranks);
  std::vector<std::int64_t> ties(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    above[rank] = pairs[2 * rank];
    ties[rank] = pairs[2 * rank + 1];
  }
  auto const heats = detail::exchange_first(comm, own, given, above);
  if (std::ssize(heats) > count) { // the bound was too low; the exact bound is known now
    auto all = heats;
    std::ranges::nth_element(all, all.begin() + std::max<std::int64_t>(count - 1, 0), std::greater<>());
    auto const exact = all[static_cast<std::size_t>(std::max<std::int64_t>(count - 1, 0))];
    auto rest = std::span(heats);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const of_rank = rest.first(static_cast<std::size_t>(above[rank]));
      rest = rest.subspan(of_rank.size());
      above[rank] = detail::hotter_than(of_rank, exact);
      ties[rank] = detail::hotter_than(of_rank, exact - 1) - above[rank];
    }
  }
  auto const selected = detail::select_hottest(std::move(above), ties, count);
  auto const rows =
      detail::exchange_first(comm, sorted->vertices(), detail::exchange_words(comm, selected, 1), selected);
  std::vector<global_id> hottest;
  hottest.reserve(rows.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::int64_t i = 0; i < selected[rank]; ++i) {
      hottest.push_back(book.begin(static_cast<int>(rank)) + rows[hottest.size()]);
    }
  }
  return hottest;
}

} // namespace glt::dist
