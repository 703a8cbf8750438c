// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/partition/book.hpp>

namespace glt {

namespace detail {

/// Number of edges of a part, of a type, or of a graph.
struct edge_counts {
  std::int64_t num_edges = 0;     ///< of a part: into its vertices
  std::int64_t num_cut_edges = 0; ///< edges of these whose ends are in different parts

  /// Returns cut edges by edges; 0 without edges.
  [[nodiscard]] double cut_fraction() const noexcept {
    return num_edges == 0 ? 0 : static_cast<double>(num_cut_edges) / static_cast<double>(num_edges);
  }

  edge_counts& operator+=(edge_counts const& other) noexcept {
    num_edges += other.num_edges;
    num_cut_edges += other.num_cut_edges;
    return *this;
  }
  friend bool operator==(edge_counts const&, edge_counts const&) = default;
};

/// Counts of a part: its vertices and edges, its halo, and its rows in the halos of other parts.
struct part_counts : detail::edge_counts {
  std::int64_t num_vertices = 0;
  std::int64_t num_boundary_vertices = 0; ///< vertices at an end of a cut edge, in either direction
  std::int64_t halo_size = 0;             ///< distinct remote sources of its edges
  std::int64_t communication_volume = 0;  ///< summed over its vertices: other parts that have the vertex in their halo
  std::int64_t num_train = 0;
  std::int64_t num_valid = 0;
  std::int64_t num_test = 0;

  part_counts& operator+=(part_counts const& other) noexcept {
    detail::edge_counts::operator+=(other);
    num_vertices += other.num_vertices;
    num_boundary_vertices += other.num_boundary_vertices;
    halo_size += other.halo_size;
    communication_volume += other.communication_volume;
    num_train += other.num_train;
    num_valid += other.num_valid;
    num_test += other.num_test;
    return *this;
  }
  friend bool operator==(part_counts const&, part_counts const&) = default;
};

/// Counts of all parts together, and of every part.
///
/// @shape  parts [P]
struct part_table : part_counts {
  std::vector<part_counts> parts{};

  /// Returns the average number of copies of a vertex: vertices and halos by vertices; 1 without vertices.
  [[nodiscard]] double replication_factor() const noexcept {
    return num_vertices == 0 ? 1 : static_cast<double>(num_vertices + halo_size) / static_cast<double>(num_vertices);
  }

  /// Returns the largest count of a part by the mean of all parts, such as balance(&part_counts::num_train); 1 if all
  /// are 0.
  template <class Counts>
  [[nodiscard]] double balance(std::int64_t Counts::* count) const noexcept {
    std::int64_t largest = 0;
    for (auto const& part : parts) {
      largest = std::max(largest, part.*count);
    }
    auto const total = static_cast<double>(this->*count);
    return largest == 0 ? 1 : static_cast<double>(largest) * static_cast<double>(parts.size()) / total;
  }

  friend bool operator==(part_table const&, part_table const&) = default;
};

/// Counts of the vertices of one type and of the edges into them.
///
/// The halo and the boundary are vertices of this type.
struct node_type_quality : part_table {
  std::string name;

  friend bool operator==(node_type_quality const&, node_type_quality const&) = default;
};

/// Counts of the edges of one type, in total and by part.
///
/// @shape  parts [P]
struct edge_type_quality : edge_counts {
  hetero_schema::edge_type type;
  std::vector<edge_counts> parts{};

  friend bool operator==(edge_type_quality const&, edge_type_quality const&) = default;
};

} // namespace detail

/// Measures of the quality of an assignment of vertices to parts.
///
/// The communication volume is the number of rows that parts send if each needs the sources of its edges once: Σ over
/// vertices u of the number of parts, other than the part of u, that have an edge from u. It is the sum of the halos; a
/// part sends its volume and receives its halo.
///
/// @shape  edges_between [P * P], row-major
/// @source Hendrickson and Kolda, "Graph partitioning models for parallel computing", Parallel Computing 26,
///         2000: communication volume and boundary vertices, beside the edge cut
struct partition_quality : detail::part_table {
  /// Splits of the vertices, by id; a vertex that is listed twice counts twice.
  struct vertex_splits {
    host_view<global_id const> train{};
    host_view<global_id const> valid{};
    host_view<global_id const> test{};
  };

  /// Splits and types of the vertices of a graph whose partition is measured.
  ///
  /// @shape  type_of [V] or empty, in [0, types.size())
  struct options {
    vertex_splits splits{};
    host_view<local_id const> type_of{};
    std::vector<std::string> types{}; ///< names
  };

  using node_type_quality = detail::node_type_quality; ///< counts of the vertices of a type
  using edge_type_quality = detail::edge_type_quality; ///< counts of the edges of a type

  /// Splits of the vertices of a heterogeneous graph whose partition is measured.
  ///
  /// @shape  splits [node types] or empty
  struct hetero_options {
    std::vector<vertex_splits> splits{};
  };

  std::int64_t smallest_part = 0;              ///< vertices
  std::int64_t largest_part = 0;               ///< vertices
  std::vector<std::int64_t> edges_between{};   ///< from part i to part j; on the diagonal, edges inside of a part
  std::vector<node_type_quality> node_types{}; ///< empty if the vertices have no types
  std::vector<edge_type_quality> edge_types{}; ///< empty if the edges have no types

  [[nodiscard]] int num_parts() const noexcept { return static_cast<int>(parts.size()); }

  /// Returns the number of edges from vertices of one part to vertices of another or the same part.
  ///
  /// @pre    parts are in [0, num_parts()); not checked
  [[nodiscard]] std::int64_t edges(int from, int to) const noexcept {
    return edges_between[static_cast<std::size_t>(from) * parts.size() + static_cast<std::size_t>(to)];
  }

  friend bool operator==(partition_quality const&, partition_quality const&) = default;
};

} // namespace glt

namespace glt::detail {

/// Vertices that share a numbering, grouped by part.
template <vertex_id Vertex>
struct measured_vertices {
  static constexpr local_id unseen = -1;
  static constexpr local_id has_remote_source = -2;

  struct state {
    local_id part;
    local_id seen_by; ///< last part that found it in its halo, or a constant above
  };

  /// Groups vertices whose types are the `count` types from `first` on.
  ///
  /// @shape  part_of [V] · type_of_vertex [V], in [0, count), or empty for all 0
  /// @throws precondition_error  as `make_partition_book`
  measured_vertices(host_view<local_id const> part_of, int num_parts, std::size_t first, std::size_t count,
                    host_view<local_id const> type_of_vertex = {})
      : book(make_partition_book(part_of, num_parts)), by_part(part_of.size()), states(part_of.size()),
        first_type(first), num_types(count), types_(type_of_vertex) {
    std::vector<global_id> next(book.offsets().begin(), book.offsets().end());
    for (std::int64_t v = 0; v < part_of.size(); ++v) {
      by_part[next[static_cast<std::size_t>(part_of[v])]++] = static_cast<Vertex>(v);
      states[v] = {part_of[v], unseen};
    }
  }

  /// Returns the type of a vertex, counted from first_type.
  [[nodiscard]] std::size_t type_of(std::int64_t vertex) const noexcept {
    return types_.empty() ? 0 : static_cast<std::size_t>(types_[vertex]);
  }

  partition_book book;
  buffer<device::cpu, Vertex> by_part;
  buffer<device::cpu, state> states;
  std::size_t first_type;
  std::size_t num_types;

private:
  host_view<local_id const> types_;
};

/// Counts by part and node type, which add up while the edges are read part by part.
class quality_pass {
public:
  quality_pass(int num_parts, std::size_t num_types)
      : num_parts_(static_cast<std::size_t>(num_parts)), num_types_(num_types), counts_(num_parts_ * num_types),
        edges_between_(num_parts_ * num_parts_) {}

  /// Counts the edges of a relation into the vertices of a part, and returns their number. All relations of a part come
  /// before the next part. Row 0 of the relation is vertex `first_vertex`.
  ///
  /// @shape  relation [V of rows] rows, or the part's rows only · [V of columns] columns
  /// @cost   O(rows + edges) of the part + O(P · types of the columns)
  template <vertex_id Vertex, reaches<memory_space::host> Executor>
  edge_counts count_edges(csr_view<memory_space::host, Vertex> relation, measured_vertices<Vertex>& rows,
                          measured_vertices<Vertex>& columns, int part, Executor const& ex,
                          std::int64_t first_vertex = 0) {
    auto const first_row = rows.book.begin(part);
    std::atomic<std::int64_t> num_edges{0};
    std::atomic<std::int64_t> num_cut_edges{0};
    ex.for_ranges(rows.book.size(part), rows_worth_a_thread, [&](std::int64_t first, std::int64_t last) {
      tally counted{std::vector<edge_counts>(rows.num_types), std::vector<std::int64_t>(num_parts_),
                    std::vector<std::int64_t>(num_parts_ * columns.num_types)};
      for (auto place = first_row + first; place < first_row + last; ++place) {
        if (place + 1 < first_row + last) {
          auto const next = relation.row(rows.by_part[place + 1] - first_vertex);
          for (std::int64_t i = 0; i < std::min(next.size(), lookahead); ++i) {
            prefetch(&columns.states[next[i]]);
          }
        }
        auto const v = rows.by_part[place];
        auto const row = v - first_vertex;
        auto const cut = count_row(relation.row(row), columns, part, counted);
        counted.of_type[rows.type_of(v)] += {relation.degree(row), cut};
        // No other thread flags the vertices of this part.
        std::atomic_ref<local_id> const seen_by(rows.states[v].seen_by);
        if (cut > 0 && seen_by.load(std::memory_order_relaxed) == measured_vertices<Vertex>::unseen) {
          seen_by.store(measured_vertices<Vertex>::has_remote_source, std::memory_order_relaxed);
        }
      }
      for (std::size_t type = 0; type < rows.num_types; ++type) {
        auto& of_part = counts(part, rows.first_type + type);
        add(of_part.num_edges, counted.of_type[type].num_edges);
        add(of_part.num_cut_edges, counted.of_type[type].num_cut_edges);
        num_edges += counted.of_type[type].num_edges;
        num_cut_edges += counted.of_type[type].num_cut_edges;
      }
      for (std::size_t from = 0; from < num_parts_; ++from) {
        add(edges_between_[from * num_parts_ + static_cast<std::size_t>(part)], counted.edges_from[from]);
        for (std::size_t type = 0; type < columns.num_types; ++type) {
          auto const halo = counted.halo_from[from * columns.num_types + type];
          add(counts(static_cast<int>(from), columns.first_type + type).communication_volume, halo);
          add(counts(part, columns.first_type + type).halo_size, halo);
        }
      }
    });
    return {num_edges, num_cut_edges};
  }

  /// Counts vertices, after all their edges.
  template <vertex_id Vertex>
  void count_vertices(measured_vertices<Vertex> const& vertices) {
    for (std::int64_t v = 0; v < vertices.states.size(); ++v) {
      auto& of_part = counts(vertices.states[v].part, vertices.first_type + vertices.type_of(v));
      ++of_part.num_vertices;
      of_part.num_boundary_vertices += vertices.states[v].seen_by != measured_vertices<Vertex>::unseen ? 1 : 0;
    }
  }

  /// Counts seeds; `of` completes the name of a list in errors, such as " of type 'paper'".
  ///
  /// @throws precondition_error  naming list, place and vertex, if there is no such vertex
  template <vertex_id Vertex>
  void count_splits(measured_vertices<Vertex> const& vertices, partition_quality::vertex_splits const& splits,
                    std::string const& of) {
    auto const count = [&](host_view<global_id const> list, std::int64_t part_counts::* counted, char const* name) {
      for (std::int64_t i = 0; i < list.size(); ++i) {
        if (list[i] < 0 || list[i] >= vertices.states.size()) {
          throw precondition_error(message("vertex ", i, " of the list ", name, of, " is ", list[i], ", outside [0, ",
                                           vertices.states.size(), "), the ids of the graph"));
        }
        ++(counts(vertices.states[list[i]].part, vertices.first_type + vertices.type_of(list[i])).*counted);
      }
    };
    count(splits.train, &part_counts::num_train, "train");
    count(splits.valid, &part_counts::num_valid, "valid");
    count(splits.test, &part_counts::num_test, "test");
  }

  /// Returns the sums, with a table for every type that has a name.
  ///
  /// @shape  type_names [types] or empty
  [[nodiscard]] partition_quality result(std::vector<std::string> type_names) && {
    partition_quality quality;
    quality.parts.resize(num_parts_);
    quality.edges_between = std::move(edges_between_);
    for (std::size_t part = 0; part < num_parts_; ++part) {
      for (std::size_t type = 0; type < num_types_; ++type) {
        quality.parts[part] += counts(static_cast<int>(part), type);
      }
      static_cast<part_counts&>(quality) += quality.parts[part];
    }
    auto const [smallest, largest] = std::ranges::minmax(quality.parts, {}, &part_counts::num_vertices);
    quality.smallest_part = smallest.num_vertices;
    quality.largest_part = largest.num_vertices;
    for (std::size_t type = 0; type < type_names.size(); ++type) {
      auto& of_type = quality.node_types.emplace_back();
      of_type.name = std::move(type_names[type]);
      for (std::size_t part = 0; part < num_parts_; ++part) {
        of_type.parts.push_back(counts(static_cast<int>(part), type));
        static_cast<part_counts&>(of_type) += of_type.parts.back();
      }
    }
    return quality;
  }

private:
  // Counts of one thread before they are added to the total.
  struct tally {
    std::vector<edge_counts> of_type;
    std::vector<std::int64_t> edges_from; // by part
    std::vector<std::int64_t> halo_from;  // by part and type of the source
  };

  static constexpr std::int64_t lookahead = 16; // edges
  static constexpr std::int64_t rows_worth_a_thread = 1024;

  // Counts the edges from all parts and the sources that are new to this part; returns the cut edges.
  template <vertex_id Vertex>
  static std::int64_t count_row(host_view<Vertex const> row, measured_vertices<Vertex>& columns, local_id part,
                                tally& counted) {
    std::int64_t cut = 0;
    for (std::int64_t i = 0; i < row.size(); ++i) {
      if (i + lookahead < row.size()) {
        prefetch(&columns.states[row[i + lookahead]]);
      }
      auto& source = columns.states[row[i]];
      std::atomic_ref<local_id> const seen_by(source.seen_by);
      bool const remote = source.part != part;
      bool const unseen = seen_by.load(std::memory_order_relaxed) != part;
      ++counted.edges_from[static_cast<std::size_t>(source.part)];
      cut += remote ? 1 : 0;
      // One branch, rarely taken, instead of two. Threads share the rows of a part and may meet at its sources: only
      // the first to set the mark counts.
      if ((static_cast<int>(remote) & static_cast<int>(unseen)) != 0 &&
          seen_by.exchange(part, std::memory_order_relaxed) != part) {
        ++counted.halo_from[static_cast<std::size_t>(source.part) * columns.num_types + columns.type_of(row[i])];
      }
    }
    return cut;
  }

  static void add(std::int64_t& count, std::int64_t value) noexcept {
    if (value != 0) {
      std::atomic_ref<std::int64_t>(count).fetch_add(value, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] part_counts& counts(int part, std::size_t type) noexcept {
    return counts_[static_cast<std::size_t>(part) * num_types_ + type];
  }

  std::size_t num_parts_;
  std::size_t num_types_;
  std::vector<part_counts> counts_; // by part and type
  std::vector<std::int64_t> edges_between_;
};

} // namespace glt::detail
