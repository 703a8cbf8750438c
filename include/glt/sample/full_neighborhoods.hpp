// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// Limits of a batch of rows.
struct row_batch_limits {
  std::int64_t max_edges = std::int64_t{1} << 20; ///< edges of a batch
  std::int64_t max_rows = std::int64_t{1} << 16;  ///< rows (destinations) of a batch
};

/// @throws precondition_error  if a limit is below 1
inline void validate(row_batch_limits const& limits) {
  if (limits.max_edges < 1 || limits.max_rows < 1) {
    throw precondition_error(message("batches of at most ", limits.max_edges, " edges and ", limits.max_rows,
                                     " vertices; give limits of 1 or more"));
  }
}

/// Consecutive rows with all their edges, or one piece of a single row that is too long for a batch.
struct row_batch {
  std::int64_t first = 0;      ///< first row
  std::int64_t num_rows = 0;   ///< 0 at the end; 1 if it is a piece
  std::int64_t first_edge = 0; ///< position of its first edge within the first row: 0 unless it is a later piece
  std::int64_t num_edges = 0;
  bool first_piece = true; ///< no edge of its rows came in an earlier batch
  bool last_piece = true;  ///< no edge of its rows comes in a later batch

  friend bool operator==(row_batch const&, row_batch const&) = default;
};

/// Returns the batch after `last`, which is `{}` before the first one; without rows at the end.
///
/// A row that fits in a batch is never cut. A longer row gets several batches, all full but the last.
///
/// @pre    limits are valid, and degree_of(row) ≥ 0 for every row in [0, num_rows); not checked
/// @cost   O(rows of the batch)
template <std::invocable<std::int64_t> DegreeOf>
[[nodiscard]] constexpr row_batch next_row_batch(row_batch const& last, std::int64_t num_rows, DegreeOf degree_of,
                                                 row_batch_limits const& limits) {
  if (!last.last_piece) {
    auto const done = last.first_edge + last.num_edges;
    auto const rest = degree_of(last.first) - done;
    return {.first = last.first,
            .num_rows = 1,
            .first_edge = done,
            .num_edges = std::min(rest, limits.max_edges),
            .first_piece = false,
            .last_piece = rest <= limits.max_edges};
  }
  row_batch next{.first = last.first + last.num_rows};
  while (next.num_rows < limits.max_rows && next.first + next.num_rows < num_rows) {
    std::int64_t const degree = degree_of(next.first + next.num_rows);
    if (degree > limits.max_edges && next.num_rows == 0) {
      return {.first = next.first, .num_rows = 1, .num_edges = limits.max_edges, .last_piece = false};
    }
    if (degree > limits.max_edges - next.num_edges) {
      break;
    }
    next.num_edges += degree;
    ++next.num_rows;
  }
  return next;
}

/// Vertices of a walk by place, with their rows: a list of vertices, or all rows.
template <memory_space Space, class Vertex>
struct walked_rows {
  csr_view<Space, Vertex> graph;
  array_view<Space, Vertex const> list;
  bool all;                  ///< all rows, in their order
  std::int64_t first_vertex; ///< vertex of row 0

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size() const noexcept { return all ? graph.num_rows() : list.size(); }
  [[nodiscard]] GLT_HOST_DEVICE Vertex vertex(std::int64_t place) const noexcept {
    return all ? static_cast<Vertex>(first_vertex + place) : list[place];
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row(std::int64_t place) const noexcept {
    return vertex(place) - first_vertex;
  }
};

template <memory_space Space, class Vertex>
struct list_walked_vertices {
  walked_rows<Space, Vertex> rows;
  std::int64_t first;
  array_view<Space, Vertex> vertices;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { vertices[i] = rows.vertex(first + i); }
};

template <memory_space Space, class Vertex>
struct list_walked_degrees {
  walked_rows<Space, Vertex> rows;
  std::int64_t first;
  array_view<Space, std::int64_t> degrees;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { degrees[i] = rows.graph.degree(rows.row(first + i)); }
};

template <memory_space Space, class Vertex>
struct subtract_first_vertex {
  array_view<Space, Vertex const> vertices;
  std::int64_t first_vertex;
  array_view<Space, Vertex> rows;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { rows[i] = static_cast<Vertex>(vertices[i] - first_vertex); }
};

// Returns the place of a vertex of the list if it has no row; else the size of the list.
template <memory_space Space, class Vertex>
struct place_without_row {
  walked_rows<Space, Vertex> rows;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    auto const row = rows.row(i);
    return row >= 0 && row < rows.graph.num_rows() ? rows.size() : i;
  }
};

// Copies some edges of one row.
template <memory_space Space, class Vertex>
struct copy_piece {
  walked_rows<Space, Vertex> rows;
  std::int64_t place;
  std::int64_t first_edge;
  array_view<Space, Vertex> sources;
  array_view<Space, edge_id> edge_ids; // empty if not requested
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const edge = rows.graph.offset(rows.row(place)) + first_edge + i;
    sources[i] = rows.graph.source(edge);
    if (!edge_ids.empty()) {
      edge_ids[i] = rows.graph.id_of_edge(edge);
    }
  }
};

/// Degrees of walked rows for the host, which reads them in ascending order; reusable.
///
/// @where  hosts read them in place; other policies fetch many at a time and wait for them
template <device_policy Policy, class Vertex>
class walked_degrees {
public:
  /// @param most  number of degrees that are fetched at a time
  explicit walked_degrees(Policy policy = {}, std::int64_t most = std::int64_t{1} << 16)
      : policy_(policy), most_(most), fetched_(0, policy) {}

  [[nodiscard]] std::int64_t of(walked_rows<Policy::space, Vertex> const& rows, std::int64_t place) {
    if constexpr (host_policy<Policy>) {
      return rows.graph.degree(rows.row(place));
    } else {
      if (place < first_ || place - first_ >= std::ssize(known_)) {
        first_ = place;
        fetched_.resize(std::min(most_, rows.size() - place));
        policy_.executor().for_each(fetched_.size(),
                                    list_walked_degrees<Policy::space, Vertex>{rows, first_, fetched_.view()});
        known_ = to_vector(policy_, std::as_const(fetched_).view());
      }
      return known_[static_cast<std::size_t>(place - first_)];
    }
  }

private:
  Policy policy_;
  std::int64_t most_;
  std::int64_t first_ = 0;
  buffer<Policy, std::int64_t> fetched_;
  std::vector<std::int64_t> known_; // from place `first_` on
};

/// Options of a walk over full neighbourhoods.
struct full_neighborhood_options {
  row_batch_limits limits;         ///< `.max_edges` and `.max_rows`: edges and destinations of a batch
  edge_id_choice edge_ids = false; ///< return the id of every edge, which the graph must have
};

/// Some vertices with all their in-edges, or one vertex with a piece of them.
///
/// A consumer that adds messages up starts a sum at `first_piece` and completes it after `last_piece`.
///
/// @shape  nodes() [N], the destinations first · subgraph.seed_index() [rows.num_rows]
template <device_policy Policy, vertex_id Vertex>
struct full_neighborhood {
  std::int64_t step = 0;
  detail::row_batch rows; ///< covered places of the list of vertices, and the piece
  sampled_subgraph<Policy, Vertex> subgraph;

  [[nodiscard]] array_view<Policy::space, Vertex const> nodes() const noexcept { return subgraph.nodes(); }
  [[nodiscard]] block_view<Policy::space> block() const {
    auto made = subgraph.block(0);
    made.is_piece = !rows.first_piece || !rows.last_piece;
    return made;
  }
};

} // namespace glt::detail

namespace glt {

/// Range of vertices with all their in-edges, in batches of bounded size: one layer of layer-wise inference.
///
/// Iterate over it once per layer, with the output of the previous layer as features:
///
///     for (auto const& batch : neighborhoods) { … batch.nodes() … batch.block() … }
///
/// A vertex with more in-edges than a batch may hold gets several batches; see `row_batch`.
///
/// Concurrent calls: none on one object; several walks may share a graph.
///
/// @where  memory of `Policy`; policies that are not host policies wait for degrees and for the sizes of every batch
/// @cost   O(V + E) a walk; memory of one batch, at most max_rows + max_edges vertices and max_edges edges
/// @source layer-wise inference, Hamilton et al., "Inductive representation learning on large graphs",
///         NeurIPS 2017, Alg. 1
template <device_policy Policy, vertex_id Vertex = local_id>
class full_neighborhoods {
public:
  static constexpr memory_space space = Policy::space;
  using batch_type = detail::full_neighborhood<Policy, Vertex>;
  using options_type = detail::full_neighborhood_options; ///< `.limits` of a batch, and whether it has `.edge_ids`

  /// Walks over all rows of a graph, which must outlive the walk; row r is vertex `first_vertex` + r.
  ///
  /// @throws precondition_error  if a limit is below 1, or the rows are not vertices of the graph
  explicit full_neighborhoods(csr_view<space, Vertex> graph, options_type options = {}, Policy policy = {},
                              Vertex first_vertex = 0)
      : full_neighborhoods(graph, {}, true, options, std::move(policy), first_vertex) {}

  /// Walks over a list of vertices, in its order; graph and list must outlive the walk.
  ///
  /// A vertex that comes twice in a batch is one destination of it; seed_index() gives its position.
  ///
  /// @throws precondition_error  also if a vertex of the list has no row
  full_neighborhoods(csr_view<space, Vertex> graph, array_view<space, Vertex const> vertices, options_type options = {},
                     Policy policy = {}, Vertex first_vertex = 0)
      : full_neighborhoods(graph, vertices, false, options, std::move(policy), first_vertex) {}

  /// Returns the number of vertices of the walk.
  [[nodiscard]] std::int64_t num_vertices() const noexcept { return walked_.size(); }
  /// Returns the number of batches of a walk.
  [[nodiscard]] std::int64_t num_batches() const noexcept { return num_batches_; }
  [[nodiscard]] options_type const& options() const noexcept { return options_; }

  /// Appends empty batches until there are `num_batches`, so that ranks can iterate in step.
  ///
  /// @throws precondition_error  if there are more batches already
  void pad_to(std::int64_t num_batches) {
    if (num_batches < num_batches_) {
      throw precondition_error(detail::message("padding of ", num_batches_, " batches to ", num_batches,
                                               "; give at least as many as there are"));
    }
    num_batches_ = num_batches;
  }

  class iterator;
  /// Starts again at the first batch; a batch is valid until the iterator advances.
  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

private:
  full_neighborhoods(csr_view<space, Vertex> graph, array_view<space, Vertex const> vertices, bool all,
                     options_type options, Policy policy, Vertex first_vertex)
      : walked_{graph, vertices, all, first_vertex}, options_(options), policy_(policy), degrees_(policy),
        destinations_(0, policy), rows_(0, policy), builder_(policy), drawer_(policy) {
    detail::validate(options_.limits);
    detail::check_edge_ids(graph, options_.edge_ids);
    auto const end = first_vertex + graph.num_rows();
    if (first_vertex < 0 || end > graph.num_columns()) {
      throw precondition_error(detail::message("rows of the vertices [", first_vertex, ", ", end, ") of a graph of ",
                                               graph.num_columns(), "; give rows of vertices that the graph has"));
    }
    auto const bad = policy_.executor().reduce(vertices.size(), vertices.size(),
                                               detail::place_without_row<space, Vertex>{walked_}, detail::smaller{});
    if (bad < vertices.size()) {
      throw precondition_error(detail::message(
          "vertex ", bad, " of the list is ", detail::read_element(policy_, vertices, bad),
          ", but there are rows for [", first_vertex, ", ", end, "); list vertices whose rows are here"));
    }
    for (auto rows = after({}); rows.num_rows > 0; rows = after(rows)) {
      ++num_batches_;
    }
  }

  [[nodiscard]] detail::row_batch after(detail::row_batch const& last) {
    return detail::next_row_batch(
        last, num_vertices(), [&](std::int64_t place) { return degrees_.of(walked_, place); }, options_.limits);
  }

  void load(std::int64_t step) {
    batch_.step = step;
    batch_.rows = after(step == 0 ? detail::row_batch{} : batch_.rows);
    auto const& rows = batch_.rows;
    auto const ex = policy_.executor();
    destinations_.resize(rows.num_rows);
    ex.for_each(rows.num_rows, detail::list_walked_vertices<space, Vertex>{walked_, rows.first, destinations_.view()});
    builder_.begin(std::as_const(destinations_).view(), frontier::fresh, batch_.subgraph);
    auto const distinct = builder_.next_frontier();
    if (rows.first_piece && rows.last_piece) {
      rows_.resize(distinct.size());
      ex.for_each(distinct.size(),
                  detail::subtract_first_vertex<space, Vertex>{distinct, walked_.first_vertex, rows_.view()});
      detail::hop_request<space, Vertex> const all{
          .rows = std::as_const(rows_).view(), .original = {}, .options = {.fanout = -1}, .key = random_key(0)};
      drawer_.draw(walked_.graph, all, options_.edge_ids, edges_);
    } else {
      load_piece(rows);
    }
    builder_.add_hop(edges_);
    builder_.finish();
  }

  void load_piece(detail::row_batch const& piece) {
    std::array<edge_offset, 2> const offsets{0, piece.num_edges};
    detail::adopt_policy(policy_, edges_.offsets, edges_.sources, edges_.edge_ids);
    edges_.offsets.resize(2);
    detail::copy_in(policy_, host_view<edge_offset const>(offsets), edges_.offsets.view());
    edges_.sources.resize(piece.num_edges);
    edges_.edge_ids.resize(options_.edge_ids ? piece.num_edges : 0);
    policy_.executor().for_each(piece.num_edges,
                                detail::copy_piece<space, Vertex>{walked_, piece.first, piece.first_edge,
                                                                  edges_.sources.view(), edges_.edge_ids.view()});
  }

  detail::walked_rows<space, Vertex> walked_;
  options_type options_;
  Policy policy_;
  detail::walked_degrees<Policy, Vertex> degrees_;
  std::int64_t num_batches_ = 0;
  buffer<Policy, Vertex> destinations_;
  buffer<Policy, Vertex> rows_;
  detail::subgraph_builder<Policy, Vertex> builder_;
  detail::hop_drawer<Policy> drawer_;
  detail::hop_sample<Policy, Vertex> edges_;
  batch_type batch_;
};

/// Input iterator over the batches of a walk; its constructor and increment load a batch.
template <device_policy Policy, vertex_id Vertex>
class full_neighborhoods<Policy, Vertex>::iterator {
public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = batch_type;
  using difference_type = std::ptrdiff_t;

  explicit iterator(full_neighborhoods& source) : source_(&source) { load(); }
  [[nodiscard]] batch_type const& operator*() const noexcept { return source_->batch_; }
  iterator& operator++() {
    ++step_;
    load();
    return *this;
  }
  void operator++(int) { ++*this; }
  [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return step_ >= source_->num_batches_; }

private:
  void load() {
    if (step_ < source_->num_batches_) {
      source_->load(step_);
    }
  }

  full_neighborhoods* source_;
  std::int64_t step_ = 0;
};

} // namespace glt
