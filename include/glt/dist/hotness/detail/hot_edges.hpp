// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/builder/exchange.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hotness/hottest_vertices.hpp>
#include <glt/dist/shared/detail/rule_data.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// In-edges of hot vertices of other parts, of which this rank has copies: one more part that it samples in place.
template <vertex_id Vertex>
struct hot_edges {
  static constexpr memory_space host = memory_space::host;

  std::vector<id_table<device::cpu>> vertices; ///< [node types], global ids in the order of the rows
  part_view<host, Vertex> part;                ///< the rows, in the memory below; data: weights and times
  node_views<part_view<host, Vertex>> own;     ///< of this rank alone, if it reads no other part in place
  std::int64_t bytes = 0;                      ///< of the copies and the look-up tables

  std::vector<csr_graph<device::cpu, Vertex>> graphs;
  std::vector<buffer<device::cpu, global_id>> original;
  std::vector<buffer<device::cpu, float>> weights;
  std::vector<buffer<device::cpu, std::int64_t>> times;
};

/// Rows of this rank by class: the heat of a vertex for each byte of its copy, in steps of 1/32 of a power of two.
class heat_classes {
public:
  static constexpr std::int64_t count = 2048;

  /// Returns the class of a row, 0 for the hottest; `count` for a row that is never touched.
  [[nodiscard]] static std::int64_t of(double heat, std::int64_t bytes) noexcept {
    constexpr int kept_bits = 47; // but 5 bits of the mantissa
    constexpr auto hottest = std::bit_cast<std::int64_t>(0x1p16) >> kept_bits;
    auto const at = std::bit_cast<std::int64_t>(heat / static_cast<double>(bytes)) >> kept_bits;
    return heat > 0 ? std::clamp<std::int64_t>(hottest - at, 0, count - 1) : count;
  }

  /// Last class from which a rank copies, and the bytes that it takes of that class from each rank.
  struct limit {
    std::int64_t last = count;
    std::vector<std::int64_t> bytes;
  };
  /// Returns the limit that fills a budget from the hottest class on.
  ///
  /// @shape  offered [R, count], bytes of the rows of each class; 0 for ranks that are not wanted
  [[nodiscard]] static limit fill(std::span<std::int64_t const> offered, std::int64_t budget) {
    auto const ranks = offered.size() / count;
    limit made{.last = count, .bytes = std::vector<std::int64_t>(ranks, 0)};
    for (std::int64_t c = 0; c < count; ++c) {
      auto const of_rank = [&](std::size_t rank) { return offered[rank * count + static_cast<std::size_t>(c)]; };
      std::int64_t all = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        all += of_rank(rank);
      }
      if (all > budget) { // each rank gives the same share of the class
        auto left = budget;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          auto const share = static_cast<double>(of_rank(rank)) / static_cast<double>(all);
          made.bytes[rank] = std::min(left, static_cast<std::int64_t>(share * static_cast<double>(budget)));
          left -= made.bytes[rank];
        }
        made.last = c;
        return made;
      }
      budget -= all;
    }
    return made;
  }
};

/// Maker of the `hot_edges` of all ranks: ranks offer the bytes of their rows by class, ask for classes, and send rows.
///
/// @shape  hotness [node types], each [rows of the part] or empty · values [edge types], or nothing without weights and
///         times
template <communicator Comm, class Graph>
class hot_edges_maker {
  using vertex_type = typename Graph::vertex_type;
  using edges_type = hot_edges<vertex_type>;
  static constexpr memory_space host = memory_space::host;

public:
  hot_edges_maker(Comm& comm, Graph const& graph, std::span<host_view<double const> const> hotness,
                  std::span<std::optional<edge_values_view<host>> const> values)
      : comm_(&comm), graph_(&graph), hotness_(hotness), values_(values) {}

  /// Returns the copies of this rank; none if there are none.
  ///
  /// @comm   collective; see `data_set::copy_hot_edges`
  [[nodiscard]] std::shared_ptr<edges_type const> make(std::int64_t budget) {
    auto const& schema = graph_->schema();
    auto const node_types = static_cast<std::size_t>(schema.num_node_types());
    auto const edge_types = static_cast<std::size_t>(schema.num_edge_types());
    std::shared_ptr<edges_type> made;
    auto const failure = failure_of([&] { // all memory but for the copies: a rank that fails later lets others wait
      check(budget);
      size_rows();
      made = std::make_shared<edges_type>();
      made->original.resize(node_types);
      made->weights.resize(edge_types);
      made->times.resize(edge_types);
      vertices_.resize(node_types);
      degrees_.resize(edge_types);
      sources_.resize(edge_types);
      ids_.resize(edge_types);
    });
    agree(*comm_, site(), failure);
    choose(budget);
    for (std::size_t t = 0; t < node_types; ++t) {
      auto const type = static_cast<int>(t);
      auto const first = graph_->book(type).begin(graph_->part());
      vertices_[t] = copies<global_id>(type, [&](local_id row, auto& to) { to.push_back(first + row); });
      auto const original = graph_->original(type);
      made->original[t] = copies<global_id>(type, [&](local_id row, auto& to) { to.push_back(original[row]); });
    }
    for (std::size_t e = 0; e < edge_types; ++e) {
      copy_edges(*made, e);
    }
    agree(*comm_, site(), failure_of([&] { complete(*made); }));
    return made->part.original.empty() ? nullptr : made;
  }

private:
  static call_site site() { return {.what = operation::share}; }

  void check(std::int64_t budget) const {
    auto const& schema = graph_->schema();
    if (budget < 0 || std::ssize(hotness_) != schema.num_node_types()) {
      throw precondition_error(message("copies of hot edges of ", budget, " bytes, by the hotness of ", hotness_.size(),
                                       " node types of ", schema.num_node_types(),
                                       "; give 0 bytes or more, and a list for each type"));
    }
    for (int t = 0; t < schema.num_node_types(); ++t) {
      auto const& heats = hotness_[static_cast<std::size_t>(t)];
      if (auto const rows = graph_->book(t).size(graph_->part()); !heats.empty() && heats.size() != rows) {
        throw precondition_error(message("hotness of ", heats.size(), " vertices for ", rows, " of type '",
                                         schema.node_types()[static_cast<std::size_t>(t)].name,
                                         "' in the part; give one for each, or none"));
      }
      if (auto const bad = std::ranges::find_if_not(heats, [](double heat) { return heat >= 0; }); bad != heats.end()) {
        throw precondition_error(
            message("hotness of vertex ", bad - heats.begin(), " of the part is ", *bad, "; it is 0 or more"));
      }
    }
  }

  [[nodiscard]] bool has_values(int edge_type) const noexcept {
    return values_[static_cast<std::size_t>(edge_type)].has_value();
  }
  [[nodiscard]] std::int64_t bytes_of_edge(int edge_type) const {
    return std::int64_t{sizeof(vertex_type)} + (graph_->local(edge_type).has_edge_ids() ? 8 : 0) +
           (has_values(edge_type) ? 12 : 0);
  }

  // Computes the most bytes that the copy of each row takes, and offers them by class.
  void size_rows() {
    constexpr std::int64_t of_vertex = 40; // its id, its slots in the table, its original id
    auto const& schema = graph_->schema();
    offered_.assign(static_cast<std::size_t>(heat_classes::count), 0);
    for (int t = 0; t < schema.num_node_types(); ++t) {
      auto const& heats = hotness_[static_cast<std::size_t>(t)];
      auto& sizes = sizes_.emplace_back(static_cast<std::size_t>(heats.size()), of_vertex);
      for (int e = 0; e < schema.num_edge_types(); ++e) {
        for (std::size_t row = 0; row < sizes.size() && schema.destination_type(e) == t; ++row) {
          sizes[row] += 8 + graph_->local(e).degree(static_cast<std::int64_t>(row)) * bytes_of_edge(e);
        }
      }
      for (std::size_t row = 0; row < sizes.size(); ++row) {
        if (auto const c = class_of(t, row); c < heat_classes::count) {
          offered_[static_cast<std::size_t>(c)] += sizes[row];
        }
      }
    }
  }
  [[nodiscard]] std::int64_t class_of(int type, std::size_t row) const {
    return heat_classes::of(hotness_[static_cast<std::size_t>(type)][static_cast<std::int64_t>(row)],
                            sizes_[static_cast<std::size_t>(type)][row]);
  }

  // Agrees with the other ranks on the rows that each copies: those that it neither has nor reads in place.
  void choose(std::int64_t budget) {
    committed(*comm_, [&] {
      auto const ranks = static_cast<std::size_t>(comm_->size());
      auto const classes = static_cast<std::size_t>(heat_classes::count);
      std::vector<std::int64_t> sent;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        sent.insert(sent.end(), offered_.begin(), offered_.end());
      }
      auto offers = exchange_words(*comm_, sent, heat_classes::count);
      auto const& readable = graph_->neighborhood().of_rank;
      std::vector<char> wanted(ranks, 1);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (static_cast<int>(rank) == comm_->rank() || (!readable.empty() && readable[rank])) {
          wanted[rank] = 0;
          std::fill_n(offers.begin() + static_cast<std::ptrdiff_t>(rank * classes), classes, 0);
        }
      }
      auto const limit =
          heat_classes::fill(offers, std::max<std::int64_t>(budget - 8 * graph_->schema().num_edge_types(), 0));
      sent.clear();
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        sent.push_back(wanted[rank] != 0 ? limit.last : -1);
        sent.push_back(limit.bytes[rank]);
      }
      auto const asked = exchange_words(*comm_, sent, 2);
      for (std::size_t type = 0; type < sizes_.size(); ++type) {
        rows_.emplace_back(ranks);
      }
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        take(rank, asked[2 * rank], asked[2 * rank + 1]);
      }
    });
  }
  // Lists the rows for a rank: all above its last class, and as many of that class as it takes.
  void take(std::size_t rank, std::int64_t last, std::int64_t left) {
    for (std::size_t type = 0; type < sizes_.size(); ++type) {
      for (std::size_t row = 0; row < sizes_[type].size(); ++row) {
        auto const c = class_of(static_cast<int>(type), row);
        bool const fits = c == last && c < heat_classes::count && sizes_[type][row] <= left;
        left -= fits ? sizes_[type][row] : 0;
        if (c < last || fits) {
          rows_[type][rank].push_back(static_cast<local_id>(row));
        }
      }
    }
  }

  // Sends the values of the rows of a type that ranks copy; returns the values that arrive. Calls append(row, values).
  template <class T, class Append>
  [[nodiscard]] buffer<device::cpu, T> copies(int type, Append append) {
    std::vector<T> sent;
    std::vector<std::int64_t> counts;
    auto failure = failure_of([&] {
      for (auto const& rows : rows_[static_cast<std::size_t>(type)]) {
        auto const before = std::ssize(sent);
        for (auto const row : rows) {
          append(row, sent);
        }
        counts.push_back(std::ssize(sent) - before);
      }
    });
    return exchange_lists<Comm, T>(*comm_, site(), std::move(failure), sent, counts, exchange_round_bytes).items;
  }

  void copy_edges(edges_type& made, std::size_t e) {
    auto const edge_type = static_cast<int>(e);
    auto const type = graph_->schema().destination_type(edge_type);
    auto const graph = graph_->local(edge_type);
    auto const of_edges = [&]<class T>(host_view<T const> values) {
      return copies<T>(type, [&](local_id row, std::vector<T>& to) {
        if (!values.empty()) {
          auto const of_row = values.subview(graph.offset(row), graph.degree(row));
          to.insert(to.end(), of_row.begin(), of_row.end());
        }
      });
    };
    degrees_[e] = copies<edge_offset>(type, [&](local_id row, auto& to) { to.push_back(graph.degree(row)); });
    sources_[e] = of_edges(graph.sources());
    ids_[e] = of_edges(graph.edge_ids());
    if (auto const& values = values_[e]) {
      made.weights[e] = of_edges(values->weights);
      made.times[e] = of_edges(values->times);
    }
  }

  // Makes tables, graphs and views, and counts the bytes.
  void complete(edges_type& made) {
    if (std::ranges::all_of(vertices_, [](auto const& of_type) { return of_type.empty(); })) {
      return;
    }
    for (std::size_t t = 0; t < vertices_.size(); ++t) {
      made.vertices.emplace_back(std::move(vertices_[t]), "hot vertex");
      made.part.original.push_back(std::as_const(made.original[t]).view());
      made.bytes += id_table<device::cpu>::bytes_of(made.vertices[t].size()) + 8 * made.original[t].size();
    }
    for (int e = 0; e < graph_->schema().num_edge_types(); ++e) {
      auto const at = static_cast<std::size_t>(e);
      buffer<device::cpu, edge_offset> offsets(degrees_[at].size() + 1);
      offsets[0] = 0;
      std::inclusive_scan(degrees_[at].begin(), degrees_[at].end(), offsets.begin() + 1);
      made.graphs.emplace_back(graph_->local(e).num_columns(), std::move(offsets), std::move(sources_[at]),
                               std::move(ids_[at]));
      auto const graph = made.part.graphs.emplace_back(made.graphs[at].view());
      made.bytes += 8 * graph.offsets().size() + std::int64_t{sizeof(vertex_type)} * graph.num_edges() +
                    8 * graph.edge_ids().size() + 4 * made.weights[at].size() + 8 * made.times[at].size();
      auto& data = made.part.data.emplace_back();
      auto const add = [&](auto const& values) { // all edges, or the data are missing
        bool const all = values.size() == graph.num_edges();
        data.push_back(all ? array_rows(values.view()) : any_rows<host>{});
        if (all && values.empty()) { // not missing: any address will do
          data.back().data = reinterpret_cast<std::byte const*>(graph.offsets().data());
        }
      };
      if (has_values(e)) {
        add(std::as_const(made.weights[at]));
        add(std::as_const(made.times[at]));
      }
    }
    if (graph_->neighborhood().of_rank.empty()) {
      made.own = own_view();
    }
  }
  [[nodiscard]] node_views<part_view<host, vertex_type>> own_view() const {
    part_view<host, vertex_type> own;
    for (int t = 0; t < graph_->schema().num_node_types(); ++t) {
      own.original.push_back(graph_->original(t));
    }
    for (int e = 0; e < graph_->schema().num_edge_types(); ++e) {
      own.graphs.push_back(graph_->local(e));
      auto& data = own.data.emplace_back();
      if (has_values(e)) {
        auto const& values = *values_[static_cast<std::size_t>(e)];
        data = {array_rows(values.weights), array_rows(values.times)};
      }
    }
    node_views<part_view<host, vertex_type>> views;
    views.reason = shared_rows().reason();
    views.of_rank.resize(static_cast<std::size_t>(comm_->size()));
    views.of_rank[static_cast<std::size_t>(comm_->rank())] = std::move(own);
    return views;
  }

  Comm* comm_;
  Graph const* graph_;
  std::span<host_view<double const> const> hotness_;
  std::span<std::optional<edge_values_view<host>> const> values_;
  std::vector<std::vector<std::int64_t>> sizes_;         // [node types], of the rows with a hotness
  std::vector<std::int64_t> offered_;                    // [classes], bytes
  std::vector<std::vector<std::vector<local_id>>> rows_; // [node types, R], that each rank copies
  // Received arrays, by node type and by edge type:
  std::vector<buffer<device::cpu, global_id>> vertices_;
  std::vector<buffer<device::cpu, edge_offset>> degrees_;
  std::vector<buffer<device::cpu, vertex_type>> sources_;
  std::vector<buffer<device::cpu, edge_id>> ids_;
};

} // namespace glt::detail
