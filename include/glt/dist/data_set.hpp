// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/threads_node.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/hot_data.hpp>
#include <glt/dist/detail/list_agreement.hpp>
#include <glt/dist/detail/usual_tensors.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/dist/shared/reading.hpp>

namespace glt::dist {

/// Graph, tensors of vertices and edges, splits, weights and times, of which every rank owns one part.
///
///     auto const data = glt::io::open_data_set(comm, "parts"); // or glt::dist::data_set(comm, std::move(part))
///     glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, {.fanouts = {15, 10}}), data.split("train"));
///
/// A data set has node types and edge types with names; without types it has one of each. Functions that take a type
/// mean the only type if none is given. The tensor "x" of a type is its matrix of features, the tensor "y" its labels.
/// Recipes, samplers and servers borrow graphs and tensors, which stay valid while the data set is moved.
///
/// Ranks of one machine read each other's edges, their weights and times, and tensors in place: the data set moves them
/// to memory that the ranks share, where samplers and collectors find them. If the system has no such memory, or with
/// `reading::by_messages`, rows travel by messages. Batches are the same; `loader::report` counts rows of either kind.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy Policy = device::cpu, vertex_id Vertex = global_id>
class data_set {
public:
  using policy_type = Policy;
  using vertex_type = Vertex;
  using vertex_split = detail::vertex_split; ///< `name` and `vertices`
  static constexpr memory_space space = Policy::space;
  static constexpr int only_type = -1; ///< stands for the only type of a graph

  /// Takes over this rank's part and joins it with the parts of the other ranks.
  ///
  /// @comm   collective; the exchanges of `hetero_graph` and, without types, of `graph`; four header exchanges and a
  ///         variable exchange; for each node type the exchanges of `named_features` and `feature_store`, and a header
  ///         exchange; for each edge type with tensors the exchanges of `named_features`, and a header exchange; if
  ///         ranks share a machine, the exchanges of `share` for the graph, for each of these types, and for each edge type
  ///         with weights or times; over a replicated topology also the exchanges of `replicate_parts`
  /// @throws collective_error  on every rank, if a rank has the part of another rank or of another partition, its data
  ///                           do not fit its graph, a split has an id that is not a vertex, two lists have one name,
  ///                           or tensors differ from rank 0; if the topology is `replicated`, also if a machine has no
  ///                           memory for all parts
  /// @cost   for tensors of edges, 20 to 32 bytes an edge; for reading in place a copy of graph and tensors, and memory
  ///         of the largest of them twice while it is copied
  template <communicator Comm>
  data_set(Comm& comm, data_part<Policy, Vertex>&& part, reading how = reading::in_place,
           topology where = topology::divided)
      : how_(how), where_(where) {
    graph_ = std::make_shared<dist::hetero_graph<Policy, Vertex>>(comm, std::move(part.graph));
    auto const names = detail::agree_on_lists(comm, *graph_, part);
    auto memory = detail::memory_to_share<Policy>(detail::host_comm(comm), how, where);
    if (where == topology::replicated && comm.size() > 1) {
      graph_->replicate(detail::host_comm(comm), memory);
    } else {
      share(memory, *graph_);
    }
    take_vertices(comm, std::move(part.vertices), names, memory);
    take_edges(comm, std::move(part.edges), names, memory);
    if (schema().num_node_types() == 1 && schema().num_edge_types() == 1) {
      auto plain = std::make_unique<dist::graph<Policy, Vertex>>(comm, part_without_types());
      plain->neighborhood_ = graph_->neighborhood();
      plain_ = std::move(plain);
    }
  }

  template <communicator Comm, class Reason = detail::a_part_is_taken_over_so_move_it>
  data_set(Comm&, data_part<Policy, Vertex> const&) = delete;

  /// Returns the types.
  [[nodiscard]] hetero_schema const& schema() const noexcept { return graph_->schema(); }
  /// Returns the graph without types.
  ///
  /// @throws precondition_error  if there are several node types or edge types
  [[nodiscard]] dist::graph<Policy, Vertex> const& graph() const {
    if (plain_ == nullptr) {
      throw precondition_error(detail::message(
          "a graph of the node types ", detail::name_list(schema().node_types(), &hetero_schema::node_type::name),
          " is not one without types; use hetero_graph()"));
    }
    return *plain_;
  }
  /// Returns the graph with its types, of which there may be one of each.
  [[nodiscard]] dist::hetero_graph<Policy, Vertex> const& hetero_graph() const noexcept { return *graph_; }
  /// Returns the partition of the vertices of a type.
  ///
  /// @throws precondition_error  listing the types, if there is no such type, or no type is given and there are
  ///                             several; as all functions below that take a type
  [[nodiscard]] partition_book const& book(int node_type = only_type) const { return graph_->book(place(node_type)); }
  /// Returns the original ids of this part's vertices of a type, by local id.
  [[nodiscard]] array_view<space, global_id const> original(int node_type = only_type) const {
    return graph_->original(place(node_type));
  }

  /// Returns the tensors of the vertices of a type.
  [[nodiscard]] named_features<Policy> const& tensors(int node_type = only_type) const {
    return *of(node_type).tensors;
  }
  /// Returns the matrix of features "x" with the labels "y" of the vertices of a type; 0 columns without "x".
  ///
  /// @throws precondition_error  if "x" are not float32
  [[nodiscard]] dist::feature_store<Policy, float> const& features(int node_type = only_type) const {
    auto const& vertices = of(node_type);
    if (vertices.features == nullptr) {
      auto const type = detail::name_of(vertices.tensors->local().type("x"));
      throw precondition_error(detail::message("the features \"x\" are ", type,
                                               ", not float32; collect them as a named tensor of tensors()"));
    }
    return *vertices.features;
  }
  /// Returns one more than the largest label of all ranks; labels below 0, as of missing rows, do not count.
  ///
  /// @throws precondition_error  if there are no labels "y" of one int64 a vertex, or no network has room for a label
  [[nodiscard]] std::int64_t num_classes(int node_type = only_type) const {
    auto const classes = of(node_type).num_classes;
    detail::check_num_classes(classes, book(node_type).num_vertices(), tensors(node_type).local().tensors());
    return classes;
  }
  /// Returns the times of this part's vertices of a type, or none.
  [[nodiscard]] array_view<space, std::int64_t const> times(int node_type = only_type) const {
    return of(node_type).times.view();
  }
  /// Returns the global ids of this part's vertices of a type, ascending, as seeds of all vertices.
  [[nodiscard]] std::vector<global_id> vertices(int node_type = only_type) const {
    std::vector<global_id> made(static_cast<std::size_t>(original(node_type).size()));
    std::iota(made.begin(), made.end(), book(node_type).begin(graph_->part()));
    return made;
  }
  /// Returns this rank's vertices of a split; none if only other ranks have some.
  ///
  /// @throws precondition_error  listing the names, if no rank has a split of that name
  [[nodiscard]] std::vector<global_id> const& split(std::string_view name, int node_type = only_type) const {
    return detail::list_named("split", of(node_type).splits, name).vertices;
  }
  /// Adds a split. Each rank gives its vertices of the split; ranks without any give an empty list.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is a split of that name, or an id is not a vertex
  void add_split(std::string name, std::vector<global_id> vertices, int node_type = only_type) {
    auto const type = place(node_type);
    vertex_split added{std::move(name), std::move(vertices)};
    detail::check_vertex_split(added, graph_->book(type));
    auto& splits = vertices_[static_cast<std::size_t>(type)].splits;
    auto const after = std::ranges::lower_bound(splits, added.name, {}, &vertex_split::name);
    if (after != splits.end() && after->name == added.name) {
      throw precondition_error(detail::message("a second split \"", added.name, "\"; give it another name"));
    }
    splits.insert(after, std::move(added));
  }
  /// Returns the splits of the vertices of a type, in the order of their names.
  [[nodiscard]] std::span<vertex_split const> splits(int node_type = only_type) const { return of(node_type).splits; }

  /// Returns the rows of "x" of vertices of other parts that came with the part, for `loader::use`; or none.
  ///
  /// @throws precondition_error  if there are hot vertices, but not their float32 rows of "x"
  /// @cost   the table that finds them
  [[nodiscard]] dist::hot_rows<Policy, float> hot_rows(int node_type = only_type) const {
    return detail::hot_matrix(of(node_type).hot, book(node_type), graph_->part());
  }
  /// Returns the rows of all tensors of those vertices, for `loader::use` with a type; 0 rows if there are none.
  [[nodiscard]] dist::named_hot_rows<Policy> named_hot_rows(int node_type = only_type) const {
    return detail::hot_tensors(of(node_type).hot, book(node_type));
  }

  /// Returns the tensors of the edges of a type.
  ///
  /// @throws precondition_error  if there are none
  [[nodiscard]] named_features<Policy> const& edge_tensors(int edge_type = only_type) const {
    auto const& edges = of_edges(edge_type);
    if (edges.tensors == nullptr) {
      throw precondition_error("this data set has no tensors of edges; open a folder with {.edge_tensors = true}, or "
                               "give some with the part");
    }
    return *edges.tensors;
  }
  /// Returns the weights of this part's edges of a type by position in the rows of the graph, or none.
  [[nodiscard]] array_view<space, float const> edge_weights(int edge_type = only_type) const {
    return of_edges(edge_type).weights.view();
  }
  /// Returns the times of this part's edges of a type by position, or none; ascending within a row if glt made the part.
  [[nodiscard]] array_view<space, std::int64_t const> edge_times(int edge_type = only_type) const {
    return of_edges(edge_type).times.view();
  }
  /// Copies the data of a rule, such as `weight_tables`, to the memory of the parts that ranks read in place; returns
  /// the rule with views of the copies. Samplers and recipes made afterwards draw by the rule in place, as they do by
  /// `edge_weights()` and `edge_times()`. If the ranks share no memory, the rule stays as it is.
  ///
  /// @comm   collective; none if the ranks share no memory; else two header exchanges and the exchanges of `share_rule`,
  ///         over a replicated topology also of `replicate_parts`
  /// @throws precondition_error  as `edge_weights`
  /// @throws collective_error    on every rank, if a machine has no memory for the data
  /// @cost   a copy of the data for each call, as long as the data set lives; over a replicated topology of all parts
  template <communicator Comm, class Rule>
    requires detail::shows_data<Rule>
  [[nodiscard]] Rule share_rule(Comm& comm, Rule rule, int edge_type = only_type) {
    auto const type = edge_place(edge_type);
    if (!graph_->neighborhood().of_rank.empty()) {
      auto memory = detail::memory_to_share<Policy>(detail::host_comm(comm), how_, where_);
      graph_->share_data(detail::host_comm(comm), memory, rule, type);
      if (plain_ != nullptr) {
        plain_->neighborhood_ = graph_->neighborhood();
      }
    }
    return rule;
  }
  /// Copies in-edges of hot vertices of ranks that are not read in place, with weights and times. Samplers made
  /// afterwards draw the same edges, but from copies without a message. Chooses rows by hotness for each byte, up to a
  /// budget. Replaces earlier copies, unless the budget is 0.
  ///
  /// A call makes copies for the ranks that pass a budget; other ranks pass 0. Pass the hotness for the batches which
  /// these ranks will make. If parts are random, one call is enough, with the hotness for the batches of all ranks. Else
  /// make a call for each rank, with the hotness for its batches.
  ///
  /// @shape  hotness [node types], each [rows of the part], or empty to copy none; see `estimate_hotness`
  /// @units  a vertex takes up to 40 bytes, and 8 for each edge type into it; an edge sizeof(Vertex), 8 with an id, 12
  ///         with weights or times
  /// @comm   collective; header exchanges, 16 KiB for each pair of ranks, and the copies
  /// @throws collective_error  on every rank, if a budget or a hotness is negative, lists do not fit, or memory lacks
  /// @cost   memory O(rows of the part + bytes)
  template <communicator Comm>
    requires host_policy<Policy>
  void copy_hot_edges(Comm& comm, std::vector<host_view<double const>> const& hotness, std::int64_t bytes) {
    graph_->copy_hot_edges(detail::host_comm(comm), hotness, bytes, edge_values_);
    if (plain_ != nullptr) {
      plain_->hot_edges_ = graph_->hot_edges_;
    }
  }
  /// Returns this rank's pairs of a link split.
  ///
  /// @throws precondition_error  listing the names, if no rank has a link split of that name
  [[nodiscard]] link_split const& links(std::string_view name, int edge_type = only_type) const {
    return detail::list_named("link split", of_edges(edge_type).links, name);
  }

private:
  struct vertices_of_type {
    std::shared_ptr<named_features<Policy> const> tensors;
    std::unique_ptr<dist::feature_store<Policy, float> const> features; // none if "x" are not float32
    std::vector<vertex_split> splits;
    buffer<Policy, std::int64_t> times;
    std::shared_ptr<detail::hot_data<Policy> const> hot;
    std::int64_t num_classes = 0;
  };
  struct edges_of_type {
    std::unique_ptr<named_features<Policy> const> tensors;
    buffer<Policy, float> weights;
    buffer<Policy, std::int64_t> times;
    std::vector<link_split> links;
  };

  template <class Memory, class Shared>
  static void share(Memory& memory, Shared& of, bool wanted = true) {
    if constexpr (!std::same_as<Memory, std::nullopt_t>) {
      if (memory && wanted) {
        of.share(*memory);
      }
    }
  }

  template <communicator Comm, class Vertices, class Memory>
  void take_vertices(Comm& comm, Vertices all, detail::listed_names const& names, Memory& memory) {
    for (int t = 0; t < schema().num_node_types(); ++t) {
      auto& data = all[static_cast<std::size_t>(t)];
      auto& made = vertices_.emplace_back();
      if (data.tensors.tensors().empty()) {
        data.tensors = feature_table<Policy>(graph_->book(t).size(graph_->part()), data.tensors.policy());
      }
      auto const tensors = std::make_shared<named_features<Policy>>(comm, graph_->book(t), std::move(data.tensors));
      share(memory, *tensors, how_ == reading::in_place);
      made.tensors = tensors;
      made.features = matrix_of(comm, made.tensors);
      made.splits = std::move(data.splits);
      detail::complete_lists(made.splits, names.splits[static_cast<std::size_t>(t)]);
      made.times = std::move(data.times);
      if (!data.hot_vertices.empty()) {
        made.hot = std::make_shared<detail::hot_data<Policy> const>(
            detail::hot_data<Policy>{std::move(data.hot_vertices), std::move(data.hot_tensors)});
      }
      std::int64_t own_classes = 0;
      auto const failure = detail::failure_of([&] { own_classes = detail::num_classes_of(made.tensors->local()); });
      for (auto const& header : detail::exchange_values(
               detail::host_comm(comm), {.what = detail::operation::make_features}, failure, own_classes)) {
        made.num_classes = std::max(made.num_classes, header.value);
      }
    }
  }
  template <communicator Comm, class Edges, class Memory>
  void take_edges(Comm& comm, Edges all, detail::listed_names const& names, Memory& memory) {
    for (int e = 0; e < schema().num_edge_types(); ++e) {
      auto& data = all[static_cast<std::size_t>(e)];
      auto& made = edges_.emplace_back();
      if (names.edge_tensors[static_cast<std::size_t>(e)] != 0) {
        std::optional<feature_table<Policy>> table;
        run_together(detail::host_comm(comm), [&] {
          auto const& policy = data.tensors.policy();
          auto ids = detail::second_owner<Policy, edge_id>(graph_->local(e).edge_ids(), graph_, policy);
          if (data.tensors.tensors().empty()) { // other ranks have some: `named_features` tells
            data.tensors = feature_table<Policy>(ids.size(), policy);
          }
          table.emplace(std::move(ids), std::move(data.tensors));
        });
        auto tensors = std::make_unique<named_features<Policy>>(comm, graph_->book(schema().destination_type(e)),
                                                                std::move(*table));
        share(memory, *tensors, how_ == reading::in_place);
        made.tensors = std::move(tensors);
      }
      made.weights = std::move(data.weights);
      made.times = std::move(data.times);
      bool const valued = names.edge_values[static_cast<std::size_t>(e)] != 0;
      if (valued && !graph_->neighborhood().of_rank.empty()) {
        detail::edge_values_view<space> shared{made.weights.view(), made.times.view()};
        graph_->share_data(detail::host_comm(comm), memory, shared, e);
        made.weights = detail::second_owner<Policy, float>(shared.weights, graph_->neighborhood().keeper, Policy());
        made.times = detail::second_owner<Policy, std::int64_t>(shared.times, graph_->neighborhood().keeper, Policy());
      }
      if (auto& values = edge_values_.emplace_back(); valued) {
        values = {made.weights.view(), made.times.view()};
      }
      made.links = std::move(data.links);
      detail::complete_lists(made.links, names.links[static_cast<std::size_t>(e)]);
    }
  }

  // Makes a store of the tensors "x" and "y" in the memory of a table; none if "x" are not float32.
  template <communicator Comm>
  [[nodiscard]] static std::unique_ptr<dist::feature_store<Policy, float> const>
  matrix_of(Comm& comm, std::shared_ptr<named_features<Policy> const> const& of) {
    auto const tensors = of->local().tensors();
    auto const& policy = of->local().policy();
    auto const* const x = detail::find_rows(tensors, "x", element_type::float32);
    auto const names = of->local().names();
    if (x == nullptr && std::ranges::find(names, "x") != names.end()) {
      return nullptr;
    }
    detail::any_rows<space> const no_columns{.type = element_type::float32, .num_rows = of->local().num_rows()};
    auto made = std::make_unique<dist::feature_store<Policy, float>>(
        comm, of->book(),
        detail::second_owner<Policy, float>(x == nullptr ? no_columns : *x, detail::labels_of(tensors), of, policy));
    made->neighborhood_ = {.of_rank = {}, .reason = of->neighborhood().reason, .keeper = of->neighborhood().keeper};
    for (auto const& table : of->neighborhood().of_rank) {
      auto& view = made->neighborhood_.of_rank.emplace_back();
      if (table) {
        auto const* const rows = detail::find_rows(table->rows, "x", element_type::float32);
        auto const part = static_cast<int>(std::ssize(made->neighborhood_.of_rank)) - 1;
        view = {.features = rows == nullptr ? matrix_view<space, float const>(nullptr, of->book().size(part), 0)
                                            : rows->template as<float>(),
                .labels = detail::labels_of(table->rows),
                .scales = made->local().scales};
      }
    }
    return made;
  }
  // Returns a part in the memory of the only relation.
  [[nodiscard]] graph_part<Policy, Vertex> part_without_types() const {
    auto const rows = graph_->local(0);
    auto const& policy = vertices_[0].tensors->local().policy();
    return {graph_->book(0), graph_->part(),
            csr_graph<Policy, Vertex>(rows.num_columns(),
                                      detail::second_owner<Policy, edge_offset>(rows.offsets(), graph_, policy),
                                      detail::second_owner<Policy, Vertex>(rows.sources(), graph_, policy),
                                      detail::second_owner<Policy, edge_id>(rows.edge_ids(), graph_, policy)),
            detail::second_owner<Policy, global_id>(graph_->original(0), graph_, policy)};
  }

  [[nodiscard]] int place(int node_type) const {
    auto const type = detail::number_of_type(node_type, "node", schema().node_types());
    static_cast<void>(schema().num_vertices(type)); // checks it
    return type;
  }
  [[nodiscard]] vertices_of_type const& of(int node_type) const {
    return vertices_[static_cast<std::size_t>(place(node_type))];
  }
  [[nodiscard]] edges_of_type const& of_edges(int edge_type) const {
    return edges_[static_cast<std::size_t>(edge_place(edge_type))];
  }
  [[nodiscard]] int edge_place(int edge_type) const {
    auto const type = detail::number_of_type(edge_type, "edge", schema().edge_types());
    static_cast<void>(schema().source_type(type)); // checks it
    return type;
  }

  reading how_;
  topology where_;
  std::shared_ptr<dist::hetero_graph<Policy, Vertex>> graph_;
  std::unique_ptr<dist::graph<Policy, Vertex>> plain_; // of one type
  std::vector<vertices_of_type> vertices_;
  std::vector<edges_of_type> edges_;
  std::vector<std::optional<detail::edge_values_view<space>>> edge_values_; // of edge types with weights or times
};

} // namespace glt::dist
