// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/arithmetic.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/core/detail/random_lanes.hpp>
#include <glt/exec/detail/team.hpp>
#include <glt/sample/detail/pick/smallest_keys.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/rule/weight_tables.hpp>
#include <glt/sample/rule/weights.hpp>

namespace glt::detail {

// Draws from one row by its alias table: a place, and a coin that chooses between the place's edge and its alias. Draw
// i is a pure function of the stream and i; four draws share a block of places and a block of coins.
template <memory_space Space>
struct table_draws {
  static constexpr std::uint64_t coins = std::uint64_t{1} << 32; // first block of the coins
  static constexpr std::uint64_t extras = std::uint64_t{2} << 32;
  random_stream stream;
  array_view<Space, alias_slot const> row;

  // Returns the words of eight draws for the places (0) or the coins; the first draw is a multiple of 4.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::array<std::uint32_t, 8> eight(std::uint64_t kind,
                                                                             std::int64_t first) const noexcept {
    auto const block = kind + static_cast<std::uint64_t>(first / 4);
    return two_blocks(stream, block, block + 1);
  }

  // Returns the integer part of the degree times a 64-bit fraction, whose lower 32 bits are seldom needed.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint32_t place(std::int64_t draw, std::uint32_t word) const noexcept {
    auto const degree = static_cast<std::uint32_t>(row.size());
    std::uint64_t product = std::uint64_t{word} * degree;
    if (static_cast<std::uint32_t>(product) > 0U - degree) {
      auto const i = static_cast<std::uint64_t>(draw);
      product += (std::uint64_t{stream.block(extras + i / 4)[i % 4]} * degree) >> 32;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Chooses without a branch, which would be mispredicted half of the time.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint32_t edge(std::uint32_t at, std::uint32_t coin) const noexcept {
    auto const slot = row[at];
    std::uint32_t const to_alias = 0U - static_cast<std::uint32_t>(coin >= slot.threshold);
    return at ^ ((at ^ slot.alias) & to_alias);
  }
};

// Distinct edges among the edges added, in `out`; most are told apart by the last six bits of their number.
template <class Position>
struct distinct_edges {
  Position* out;
  std::int64_t size = 0;
  std::uint64_t seen = 0;

  GLT_HOST_DEVICE constexpr void add(std::uint32_t edge) noexcept {
    std::uint64_t const bit = std::uint64_t{1} << (edge % 64);
    if ((seen & bit) == 0 || !contains(out, size, edge)) {
      seen |= bit;
      out[size++] = static_cast<Position>(edge);
    }
  }
};

/// First half of a draw by an alias table: writes the places of `count` draws and prefetches their cache lines.
///
/// For many rows, call the second half of each some rows later.
///
/// @shape  row [degree] slots of the row · out [count], written
/// @pre    degree is above 0 and fits `Position`; not checked
/// @cost   a quarter of a Philox call a draw
template <memory_space Space, class Position>
GLT_HOST_DEVICE void draw_places(random_stream const& stream, array_view<Space, alias_slot const> row,
                                 std::int64_t count, Position* out) noexcept {
  table_draws<Space> const draws{stream, row};
  for (std::int64_t first = 0; first < count; first += 8) {
    auto const words = draws.eight(0, first);
    for (std::int64_t i = first; i < count && i < first + 8; ++i) {
      auto const place = draws.place(i, words[static_cast<std::size_t>(i - first)]);
      out[i] = static_cast<Position>(place);
      prefetch(row.data() + place);
    }
  }
}

/// Second half of a draw: picks edges of a row with replacement, in proportion to their weights.
///
/// @shape  row [degree] slots of the row · out [count], from places of `draw_places` to edges
/// @pre    the row has an edge of positive weight; not checked
/// @cost   O(count); a quarter of a Philox call and one random access a pick; no memory beside out
/// @source Walker, ACM TOMS 3(3), 1977
template <memory_space Space, class Position>
GLT_HOST_DEVICE constexpr void pick_by_table(random_stream const& stream, array_view<Space, alias_slot const> row,
                                             std::int64_t count, Position* out) noexcept {
  table_draws<Space> const draws{stream, row};
  for (std::int64_t first = 0; first < count; first += 8) {
    auto const coins = draws.eight(draws.coins, first);
    for (std::int64_t i = first; i < count && i < first + 8; ++i) {
      out[i] = static_cast<Position>(
          draws.edge(static_cast<std::uint32_t>(out[i]), coins[static_cast<std::size_t>(i - first)]));
    }
  }
}

/// Second half of a draw: picks edges of a row without replacement, each next edge in proportion to its weight among
/// the edges not yet picked.
///
/// Repeated draws are rejected. After `count` + degree draws, `pick_smallest_keys` picks the rest from the stream
/// `rest`. The picks so far do not influence which edge comes next, so the distribution is the same.
///
/// @shape  row [degree] slots of the row · weights [degree] · out [count], from places of `draw_places` to
///         edges
/// @pre    more than `count` edges of the row have positive weight; not checked
/// @cost   O(count + rejected draws), with few rejections unless a weight is far above the others; O(degree · count) at
///         worst, and for more than 64 picks also O(count²) comparisons; no memory beside out
/// @source Walker, ACM TOMS 3(3), 1977; rejection: Wong & Easton, "An efficient method for weighted sampling
///         without replacement", SIAM J. Comput. 9(1), 1980
template <memory_space Space, class Position>
GLT_HOST_DEVICE constexpr void
pick_distinct_by_table(random_stream const& stream, random_stream const& rest, array_view<Space, alias_slot const> row,
                       array_view<Space, float const> weights, std::int64_t count, Position* out) noexcept {
  table_draws<Space> const draws{stream, row};
  distinct_edges<Position> picked{out};
  for (std::int64_t first = 0; first < count; first += 8) {
    auto const coins = draws.eight(draws.coins, first);
    for (std::int64_t i = first; i < count && i < first + 8; ++i) {
      // A place is read before its edge, or the edge of an earlier draw, overwrites it.
      picked.add(draws.edge(static_cast<std::uint32_t>(out[i]), coins[static_cast<std::size_t>(i - first)]));
    }
  }
  std::array<std::uint32_t, 8> words{}; // of four draws: places, then coins
  for (std::int64_t i = count; picked.size < count && i < count + row.size(); ++i) {
    if (i % 4 == 0 || i == count) {
      auto const block = static_cast<std::uint64_t>(i / 4);
      words = two_blocks(stream, block, draws.coins + block);
    }
    auto const j = static_cast<std::size_t>(i % 4);
    picked.add(draws.edge(draws.place(i, words[j]), words[j + 4]));
  }
  if (picked.size < count) {
    pick_smallest_keys(rest, weights, picked.size, count, out);
  }
}

// Exponential variates of a stream, one after the other.
class exponential_sequence {
public:
  GLT_HOST_DEVICE constexpr explicit exponential_sequence(random_stream const& stream) noexcept : stream_(stream) {}

  GLT_HOST_DEVICE constexpr double next() noexcept {
    if (next_ % 2 == 0) {
      pair_ = word_pair(stream_, next_ / 2);
    }
    return static_cast<double>(minus_log2(pair_[static_cast<std::size_t>(next_++ % 2)]));
  }

private:
  random_stream stream_;
  std::uint64_t next_ = 0;
  std::array<std::uint64_t, 2> pair_{};
};

/// Picks `count` edges of a row with replacement, in proportion to their weights; in row order.
///
/// Sorted uniform numbers, which are sums of exponential variates over their total, are found in the prefix
/// sums of the weights in one pass.
///
/// @shape  row [degree] · out [count], written
/// @pre    the row has an edge of positive weight, and degree fits `Position`; not checked
/// @cost   O(degree + count), two passes over the row, which a team (exec/detail/team.hpp) reads together, and 2 ·
///         count variates; no memory beside out
/// @source sorted uniform numbers by spacings: Devroye, "Non-uniform random variate generation", Springer
///         1986, V.3.1
template <class Weights, class Position, class Team = serial_team<>>
GLT_HOST_DEVICE constexpr void pick_by_prefix_sums(random_stream const& stream, Weights row, std::int64_t count,
                                                   Position* out, Team const& team = {}) noexcept {
  auto const weight_of = [row](std::int64_t i) { return static_cast<double>(row[i]); };
  double weight = 0; // sums of doubles, in row order: sums of floats may overflow
  std::int64_t last = 0;
  team.in_order(row.size(), weight_of, [&](std::int64_t i, double each) {
    weight += each;
    last = each > 0 ? i : last;
    return true;
  });
  double time = 0;
  exponential_sequence spacings(stream);
  for (std::int64_t i = 0; i <= count; ++i) {
    time += spacings.next();
  }
  spacings = exponential_sequence(stream);
  double arrival = 0;
  auto const next_wanted = [&] {
    arrival += spacings.next();
    return weight * (arrival / time);
  };
  double wanted = next_wanted();
  double prefix = 0;
  std::int64_t picked = 0;
  auto const take = [&](std::int64_t i) {
    team.once([&] { out[picked] = static_cast<Position>(i); });
    return ++picked < count;
  };
  team.in_order(count > 0 ? last : 0, weight_of, [&](std::int64_t i, double each) {
    for (prefix += each; prefix > wanted; wanted = next_wanted()) {
      if (!take(i)) {
        return false;
      }
    }
    return true;
  });
  while (picked < count) {
    take(last);
  }
}

} // namespace glt::detail

namespace glt {

/// Draws in proportion to the weights of a row's edges, without or with replacement; never an edge of weight 0.
///
/// With tables a draw costs O(1), without them a row costs O(degree). Both give the same distribution, but not the same
/// picks. Rows from which seed edges are excluded are drawn without tables. A row gives all its edges of positive
/// weight, in row order, if the fanout allows. With replacement and without tables the picks are in row order, else in
/// order of draw.
///
/// @shape  weights [E], in row order · tables made of the same graph and weights, or empty
/// @pre    the weights passed `validate`; not checked
/// @cost   as `pick_distinct_by_table` and `pick_by_table`, or `pick_smallest_keys` and `pick_by_prefix_sums`
template <memory_space Space>
struct weighted_rule {
  using query_type = no_query;
  static constexpr bool allows_exclusion = true;

  array_view<Space, float const> weights;
  detail::weight_tables_view<Space> tables{};

  template <class Self>
  [[nodiscard]] static constexpr auto members(Self& self) noexcept {
    return std::tie(self.weights, self.tables);
  }

  /// Checks the arguments; samplers call it once.
  ///
  /// @throws precondition_error  if there is not one weight per edge, or the tables belong to another graph
  template <class Graph>
  void check(Graph const& graph, hop_options) const {
    detail::check_num_weights(graph, weights);
    bool const fit = tables.slots.size() == graph.num_edges() && tables.num_positive.size() == graph.num_rows();
    if (!tables.empty() && !fit) {
      throw precondition_error(detail::message("weight tables of ", tables.num_positive.size(), " rows and ",
                                               tables.slots.size(), " edges for a graph of ", graph.num_rows(), " and ",
                                               graph.num_edges(), "; make weight_tables of this graph"));
    }
  }

  /// Prefetches the number of positive weights of a row.
  template <class Graph>
  GLT_HOST_DEVICE void prefetch(Graph const&, std::int64_t row) const noexcept {
    if (!tables.empty()) {
      detail::prefetch(tables.num_positive.data() + row);
    }
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t
  count(Graph const& graph, std::int64_t row, no_query, hop_options options, random_key, std::uint64_t) const noexcept {
    auto const positive =
        draws_by_table(graph) ? num_positive(row) : detail::count_positive(weights_of(graph, row), enough(options));
    return detail::num_picked(positive, options);
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE void pick(Graph const& graph, std::int64_t row, no_query query, hop_options options, random_key key,
                            std::uint64_t subject, std::int64_t count, Position* out) const noexcept {
    prepare(graph, row, query, options, key, subject, count, out);
    finish(graph, row, query, options, key, subject, count, out);
  }

  /// First half of `pick`, which prefetches the memory that `finish` reads.
  template <class Graph, class Position>
  GLT_HOST_DEVICE void prepare(Graph const& graph, std::int64_t row, no_query, hop_options options, random_key key,
                               std::uint64_t subject, std::int64_t count, Position* out) const noexcept {
    if constexpr (whole_rows<Graph>) {
      if (draws_by_table(graph) && (options.replace || count < num_positive(row))) {
        detail::draw_places(random_stream(key, subject), slots_of(graph, row), count, out);
      }
    }
  }

  /// Second half of `pick`; `out` is unchanged since `prepare`.
  template <class Graph, class Position>
  GLT_HOST_DEVICE void finish(Graph const& graph, std::int64_t row, no_query, hop_options options, random_key key,
                              std::uint64_t subject, std::int64_t count, Position* out) const noexcept {
    random_stream const stream(key, subject);
    if (count == 0) {
      return;
    }
    if (!options.replace && count == graph.degree(row)) {
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<Position>(i);
      }
    } else if (options.fanout < 0) {
      detail::pick_positive(weights_of(graph, row), out);
    } else if (!draws_by_table(graph)) {
      if (options.replace) {
        detail::pick_by_prefix_sums(stream, weights_of(graph, row), count, out);
      } else {
        detail::pick_smallest_keys(stream, weights_of(graph, row), 0, count, out);
      }
    } else if constexpr (whole_rows<Graph>) {
      if (options.replace) {
        detail::pick_by_table(stream, slots_of(graph, row), count, out);
      } else if (count == num_positive(row)) {
        detail::pick_positive(weights_of(graph, row), out);
      } else {
        detail::pick_distinct_by_table(stream, random_stream(key.fold(1), subject), slots_of(graph, row),
                                       weights_of(graph, row), count, out);
      }
    }
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t work(Graph const& graph, std::int64_t row) const noexcept {
    return draws_by_table(graph) ? 0 : graph.degree(row);
  }
  template <class Team, class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count_by(Team const& team, Graph const& graph, std::int64_t row,
                                                                no_query, hop_options options, random_key,
                                                                std::uint64_t) const noexcept {
    auto const positive = draws_by_table(graph)
                              ? num_positive(row)
                              : team.select_if(graph.degree(row), enough(options), positive_weights(graph, row),
                                               [](std::int64_t, std::int64_t) {});
    return detail::num_picked(positive, options);
  }
  template <class Team, class Graph, class Position, class Emit>
  GLT_HOST_DEVICE void pick_by(Team const& team, Graph const& graph, std::int64_t row, [[maybe_unused]] no_query query,
                               hop_options options, random_key key, std::uint64_t subject, std::int64_t count,
                               Position* out, Emit emit) const noexcept {
    auto const degree = graph.degree(row);
    if (!options.replace && count == degree) {
      team.for_each(count, [&](std::int64_t i) { emit(i, i); });
      return;
    }
    if (options.fanout < 0) {
      team.select_if(degree, count, positive_weights(graph, row), emit);
      return;
    }
    random_stream const stream(key, subject);
    if constexpr (Team::size == 1) { // always so with tables, whose draws are few
      pick(graph, row, query, options, key, subject, count, out);
    } else if (options.replace) {
      detail::pick_by_prefix_sums(stream, weights_of(graph, row), count, out, team);
    } else {
      detail::pick_smallest_keys_by(team, stream, weights_of(graph, row), count, out);
    }
    team.for_each(count, [&](std::int64_t i) { emit(i, out[i]); });
  }

private:
  // Returns the number of positive edges that must be counted.
  [[nodiscard]] GLT_HOST_DEVICE static constexpr std::int64_t enough(hop_options options) noexcept {
    return options.fanout < 0 ? std::numeric_limits<std::int64_t>::max() : options.replace ? 1 : options.fanout;
  }
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto positive_weights(Graph const& graph, std::int64_t row) const noexcept {
    return [row_weights = weights_of(graph, row)](std::int64_t i) { return row_weights[i] > 0; };
  }
  // True if the data of a row lie one behind the other: no edge is excluded.
  template <class Graph>
  static constexpr bool whole_rows = requires(Graph const& graph) { graph.offset(0); };
  // Tables are of whole rows.
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool draws_by_table(Graph const&) const noexcept {
    return whole_rows<Graph> && !tables.empty();
  }
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto weights_of(Graph const& graph, std::int64_t row) const noexcept {
    if constexpr (whole_rows<Graph>) {
      return weights.subview(graph.offset(row), graph.degree(row));
    } else {
      auto const edges = graph.edges_of(row);
      return detail::weights_of_row<Space, std::remove_const_t<decltype(edges)>>{weights, edges, graph.degree(row)};
    }
  }
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto slots_of(Graph const& graph, std::int64_t row) const noexcept {
    return tables.slots.subview(graph.offset(row), graph.degree(row));
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_positive(std::int64_t row) const noexcept {
    return tables.num_positive[row];
  }
};

} // namespace glt
