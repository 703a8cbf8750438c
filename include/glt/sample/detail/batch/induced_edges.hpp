// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/batch_numbering.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/row_draws.hpp>

namespace glt::detail {

// Rows are cut into pieces of equal length, but for the last piece of each: equal work for threads.
inline constexpr std::int64_t edges_of_piece = 32;

template <class Graph, memory_space Space, class Row>
struct count_pieces {
  Graph graph;
  array_view<Space, Row const> rows;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return (graph.degree(rows[i]) + edges_of_piece - 1) / edges_of_piece;
  }
};

template <class Graph, memory_space Space, class Row>
struct row_pieces {
  Graph graph;
  array_view<Space, Row const> rows;
  array_view<Space, std::int64_t const> first_pieces; // [S + 1]

  struct piece {
    edge_offset begin;
    edge_offset end;
  };
  [[nodiscard]] GLT_HOST_DEVICE piece operator[](std::int64_t p) const {
    auto const i = row_of_edge(first_pieces, p);
    auto const begin = graph.offset(rows[i]) + (p - first_pieces[i]) * edges_of_piece;
    auto const end = graph.offset(rows[i] + 1);
    return {begin, end - begin < edges_of_piece ? end : begin + edges_of_piece};
  }
};

template <class Graph, memory_space Space, class Row, class PositionOf>
struct count_known {
  row_pieces<Graph, Space, Row> pieces;
  PositionOf position_of;
  array_view<Space, std::int64_t> counts;
  GLT_HOST_DEVICE void operator()(std::int64_t p) const {
    auto const [begin, end] = pieces[p];
    std::int64_t count = 0;
    for (auto e = begin; e < end; ++e) {
      count += position_of(pieces.graph.source(e)) >= 0 ? 1 : 0;
    }
    counts[p] = count;
  }
};

template <memory_space Space>
struct offset_of_row {
  array_view<Space, std::int64_t const> first_pieces;
  array_view<Space, std::int64_t const> before; // known edges before a piece
  array_view<Space, edge_offset> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { offsets[i] = before[first_pieces[i]]; }
};

template <class Graph, memory_space Space, class Row, class PositionOf>
struct write_known {
  row_pieces<Graph, Space, Row> pieces;
  PositionOf position_of;
  array_view<Space, std::int64_t const> before;
  array_view<Space, local_id> sources;
  array_view<Space, edge_id> edge_ids;
  GLT_HOST_DEVICE void operator()(std::int64_t p) const {
    auto const [begin, end] = pieces[p];
    auto next = before[p];
    for (auto e = begin; e < end; ++e) {
      if (auto const position = position_of(pieces.graph.source(e)); position >= 0) {
        sources[next] = static_cast<local_id>(position);
        if (!edge_ids.empty()) {
          edge_ids[next] = pieces.graph.id_of_edge(e);
        }
        ++next;
      }
    }
  }
};

/// Selection of edges whose sources belong to a set of vertices, with all threads of a policy; reusable.
///
/// Looks up every edge twice instead of storing it; threads share long rows.
template <device_policy Policy, vertex_id Vertex>
class parallel_induced_edges {
  static constexpr memory_space space = Policy::space;

public:
  explicit parallel_induced_edges(Policy policy = {})
      : policy_(policy), counts_(0, policy), first_pieces_(0, policy), before_(0, policy) {}

  /// Writes, for every row of a list, the positions in the set of its sources that belong to the set.
  ///
  /// @shape  rows [S] · set [N], not read · out.offsets [S + 1], written, with sources and, on request, edge ids
  /// @units  out.sources are the results of the functor `position_of` for the sources; results below 0 are left out
  /// @where  waits twice, for the number of pieces of rows and for the number of edges found
  /// @pre    every row is in [0, graph.num_rows()); not checked
  /// @cost   two look-ups per edge of the rows; 16 bytes for each of S rows and for each 32 edges of a row
  template <memory_space GraphSpace, class Row, class PositionOf>
  void select(csr_view<GraphSpace, Vertex> graph, array_view<space, Row const> rows, array_view<space, Vertex const>,
              PositionOf position_of, bool edge_ids, hop_sample<Policy, local_id>& out) {
    using graph_type = csr_view<GraphSpace, Vertex>;
    auto const ex = policy_.executor();
    adopt_policy(policy_, out.offsets, out.sources, out.edge_ids);
    first_pieces_.resize(rows.size() + 1);
    ex.exclusive_scan(rows.size(), count_pieces<graph_type, space, Row>{graph, rows}, first_pieces_.view());
    auto const first_pieces = std::as_const(first_pieces_).view();
    auto const num_pieces = read_element(policy_, first_pieces, rows.size());
    row_pieces<graph_type, space, Row> const pieces{graph, rows, first_pieces};
    counts_.clear(); // nothing to keep
    counts_.resize(num_pieces);
    before_.resize(num_pieces + 1);
    ex.for_each(num_pieces, count_known<graph_type, space, Row, PositionOf>{pieces, position_of, counts_.view()});
    ex.exclusive_scan(std::as_const(counts_).view(), before_.view());
    auto const before = std::as_const(before_).view();
    out.offsets.resize(rows.size() + 1);
    ex.for_each(out.offsets.size(), offset_of_row<space>{first_pieces, before, out.offsets.view()});
    auto const num_known = read_element(policy_, before, num_pieces);
    out.sources.resize(num_known);
    out.edge_ids.resize(edge_ids ? num_known : 0);
    ex.for_each(num_pieces, write_known<graph_type, space, Row, PositionOf>{pieces, position_of, before,
                                                                            out.sources.view(), out.edge_ids.view()});
  }

private:
  Policy policy_;
  buffer<Policy, std::int64_t> counts_;
  buffer<Policy, std::int64_t> first_pieces_;
  buffer<Policy, std::int64_t> before_;
};

/// Filter that tells most vertices outside a set from possible members: fits a first-level cache, and has no branch;
/// reusable.
///
/// @cost   8 to 16 bits a vertex of the set; at most one in 8 random vertices outside the set passes
/// @source Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13(7), 1970, with one hash
///         function
template <vertex_id Vertex>
class vertex_filter {
public:
  /// Forgets the last set.
  ///
  /// @shape  set [N]
  /// @cost   O(N)
  template <memory_space Space>
    requires(host_accessible(Space))
  void fill(array_view<Space, Vertex const> set) {
    auto words = min_words;
    shift_ = min_words_shift;
    for (; words * 8 < static_cast<std::size_t>(set.size()); words *= 2) {
      --shift_;
    }
    words_.assign(words, 0);
    for (auto const vertex : set) {
      auto const bit = bit_of(vertex);
      words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }

  /// Returns 0 only if the vertex is not in the set, else 1.
  [[nodiscard]] std::int64_t perhaps(Vertex vertex) const noexcept {
    auto const bit = bit_of(vertex);
    return static_cast<std::int64_t>((words_[bit / 64] >> (bit % 64)) & 1U);
  }

private:
  static constexpr std::size_t min_words = 8;
  static constexpr int min_words_shift = 64 - 9; // 8 words have 2⁹ bits

  // Fibonacci hashing: the high bits of the product depend on every bit of the id.
  [[nodiscard]] std::size_t bit_of(Vertex vertex) const noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(vertex) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(min_words, 0);
  int shift_ = min_words_shift;
};

template <memory_space Space, class Vertex, class PositionOf>
struct look_up_range {
  array_view<Space, Vertex const> vertices;
  vertex_filter<Vertex> const* filter;
  PositionOf position_of;
  array_view<Space, local_id> left; // scratch
  array_view<Space, local_id> positions;

  void operator()(std::int64_t first, std::int64_t last) const {
    auto end = first;
    for (auto i = first; i < last; ++i) {
      positions[i] = -1;
      left[end] = static_cast<local_id>(i);
      end += filter->perhaps(vertices[i]);
    }
    for (auto i = first; i < end; ++i) {
      positions[left[i]] = static_cast<local_id>(position_of(vertices[left[i]]));
    }
  }
};

/// Selection of the edges of rows whose sources belong to a set of vertices, on the host; reusable.
///
/// Reads the edges in blocks of fixed size, for any lengths of rows. Memory beside the result does not depend on
/// degrees, and threads share the look-ups of one long row as well.
template <host_policy Policy, vertex_id Vertex>
class host_induced_edges {
  static constexpr memory_space space = Policy::space;

public:
  /// Number of edges that are read at a time.
  static constexpr std::int64_t block_size = std::int64_t{1} << 15;

  explicit host_induced_edges(Policy policy = {}) : policy_(std::move(policy)) {}

  /// Writes, for every row of a list, the positions in the set of its sources that belong to the set.
  ///
  /// @shape  rows [S] · set [N] · out.offsets [S + 1], written, with sources and, on request, edge ids
  /// @units  out.sources are the results of `position_of` for the sources; results below 0 are left out
  /// @pre    every row is in [0, graph.num_rows()), and several threads may call position_of; not checked
  /// @cost   O(S + N + sum of degrees), with a look-up only if a source seems to belong to the set; at most 16 bits a
  ///         vertex of the set and 12 bytes for each of 2¹⁵ edges beside the result
  template <memory_space GraphSpace, class Row, class PositionOf>
  void select(csr_view<GraphSpace, Vertex> graph, array_view<space, Row const> rows,
              array_view<space, Vertex const> set, PositionOf position_of, bool edge_ids,
              hop_sample<Policy, local_id>& out) {
    filter_.fill(set);
    candidates_.resize(block_size);
    left_.resize(block_size);
    positions_.resize(block_size);
    pieces_.clear();
    used_ = 0;
    out.sources.clear();
    out.edge_ids.clear();
    out.offsets.resize(rows.size() + 1);
    out.offsets[0] = 0;
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      out.offsets[i + 1] = 0;
      for (auto e = graph.offset(rows[i]); e < graph.offset(rows[i] + 1);) {
        auto const count = std::min(graph.offset(rows[i] + 1) - e, block_size - used_);
        copy(graph.sources().subview(e, count), candidates_.view().subview(used_, count));
        pieces_.push_back({i, e, count});
        e += count;
        used_ += count;
        if (used_ == block_size) {
          keep_known(graph, position_of, edge_ids, out);
        }
      }
    }
    keep_known(graph, position_of, edge_ids, out);
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      out.offsets[i + 1] += out.offsets[i];
    }
  }

private:
  struct piece {
    std::int64_t row; ///< place in the list
    edge_offset first;
    std::int64_t count;
  };

  // Appends the known edges among those read so far; out.offsets counts them one place after their row.
  template <memory_space GraphSpace, class PositionOf>
  void keep_known(csr_view<GraphSpace, Vertex> graph, PositionOf position_of, bool edge_ids,
                  hop_sample<Policy, local_id>& out) {
    policy_.executor().for_ranges(used_, 4096,
                                  look_up_range<space, Vertex, PositionOf>{std::as_const(candidates_).view(), &filter_,
                                                                           position_of, left_.view(),
                                                                           positions_.view()});
    auto num_kept = out.sources.size();
    out.sources.resize(num_kept + used_);
    out.edge_ids.resize(edge_ids ? num_kept + used_ : 0);
    std::int64_t next = 0;
    for (auto const& [row, first, count] : pieces_) {
      auto const before = num_kept;
      for (std::int64_t j = 0; j < count; ++j, ++next) {
        if (edge_ids) {
          out.edge_ids[num_kept] = graph.id_of_edge(first + j);
        }
        out.sources[num_kept] = positions_[next];
        num_kept += positions_[next] >= 0 ? 1 : 0;
      }
      out.offsets[row + 1] += num_kept - before;
    }
    out.sources.resize(num_kept);
    out.edge_ids.resize(edge_ids ? num_kept : 0);
    pieces_.clear();
    used_ = 0;
  }

  Policy policy_;
  buffer<Policy, Vertex> candidates_;
  vertex_filter<Vertex> filter_;
  buffer<Policy, local_id> left_;
  buffer<Policy, local_id> positions_;
  std::vector<piece> pieces_;
  std::int64_t used_ = 0;
};

template <device_policy Policy, vertex_id Vertex, bool OnHost = host_policy<Policy>>
struct induced_edges_on {
  using type = parallel_induced_edges<Policy, Vertex>;
};
template <device_policy Policy, vertex_id Vertex>
struct induced_edges_on<Policy, Vertex, true> {
  using type = host_induced_edges<Policy, Vertex>;
};

/// Selection of the edges of rows whose sources belong to a set of vertices. Hosts look up each edge once, after a
/// filter, which is several times faster there.
template <device_policy Policy, vertex_id Vertex>
using induced_edges = typename induced_edges_on<Policy, Vertex>::type;

/// Selector of the edges of rows whose sources are in a set of distinct vertices, on any policy; reusable.
template <device_policy Policy, vertex_id Vertex>
class set_selector {
  static constexpr memory_space space = Policy::space;

public:
  explicit set_selector(Policy policy = {}) : selector_(policy), numbering_(policy) {}

  /// @shape  rows [S] · set [N] · out.offsets [S + 1], written, with sources and, if requested, edge ids
  /// @units  sources are places in the set
  template <memory_space GraphSpace, class Row>
  void select(csr_view<GraphSpace, Vertex> graph, array_view<space, Row const> rows,
              array_view<space, Vertex const> set, bool edge_ids, hop_sample<Policy, local_id>& out) {
    numbering_.enter(set);
    selector_.select(graph, rows, set, numbering_.look_up(set), edge_ids, out);
  }

private:
  induced_edges<Policy, Vertex> selector_;
  batch_numbering<Policy, Vertex> numbering_;
};

} // namespace glt::detail
