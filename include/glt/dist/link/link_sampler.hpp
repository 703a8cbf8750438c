// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/link/detail/edge_queries.hpp>
#include <glt/dist/link/detail/exclusion_exchange.hpp>
#include <glt/dist/link/detail/negative_keys.hpp>
#include <glt/dist/link/detail/relation_part.hpp>
#include <glt/dist/link/detail/remote_candidates.hpp>
#include <glt/dist/link/detail/vertex_times.hpp>
#include <glt/dist/link/vertex_weights.hpp>
#include <glt/dist/sampling/detail/sampled_kind.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/sample/link/detail/exclusion_rule.hpp>
#include <glt/sample/link/detail/link_assembly.hpp>
#include <glt/sample/link/detail/negative_drawer.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/detail/validate_seed_edges.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/link_sample.hpp>

namespace glt::dist {

/// Sampler around seed edges across the parts of a graph: draws negative pairs, then samples the neighbourhood of all
/// ends by a draw rule.
///
/// For the same key, the result equals the serial `link_sampler` element by element, on any policy. Ids differ only by
/// the numbering of the parts. `Graph` may be a `hetero_graph`; seed edges are then of the edge type that the options
/// name. Concurrent calls: none on one object, nor on samplers that share a directory or weights.
///
/// @where  memory of `Policy`; waits for sizes that ranks send each other
/// @comm   per batch: with negatives one look-up of original ids, then rounds of one look-up, two if vertices have
///         times, and, if strict, one test of edges (each one header exchange and two payload exchanges) until no rank
///         has an open place, and a last header exchange; two look-ups instead of one for ends of two types; with
///         exclusions one header and one payload exchange per edge type from which edges are left out; with neither one
///         header exchange; then the messages of the `neighbor_sampler`
/// @source as the serial one
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id, class Rule = uniform_rule,
          class Graph = graph<Policy, Vertex>>
  requires draw_rule<Rule, csr_view<Policy::space, Vertex>>
class link_sampler {
  using kind = glt::detail::link_relations<Rule, Graph>;
  using sampler_type = neighbor_sampler<Comm, Policy, Vertex, detail::link_rule<Policy::space, Rule>, Policy, Graph>;

public:
  static constexpr memory_space space = Policy::space;
  using query_type = typename Rule::query_type;
  using options_type = typename kind::options_type;
  using read_counts = detail::read_counts; ///< of vertices by source: own, in_place, remote
  using sample_type = link_sample<Policy, Vertex, typename sampler_type::subgraph_type>;
  using sources_type = detail::link_sources<space, Vertex>; ///< a list of ids, or one with `offsets` of destinations
  using host_sources_type = detail::link_sources<memory_space::host, Vertex>; ///< likewise, in memory of the host
  using directory_type = vertex_directory<Comm, Policy, Vertex>;
  using weights_type = vertex_weights<Comm, Policy, Vertex>;
  using times_type = glt::detail::vertex_times<Comm, Policy, Vertex>; ///< of vertices, from which on they exist

  /// One of the batches that `sample_bulk` samples together.
  ///
  /// @shape  sources [S], destinations [P] global ids · labels [P], or empty · queries [S], or empty if the rule has
  ///         none
  struct bulk_item {
    sources_type sources;
    array_view<space, Vertex const> destinations;
    array_view<space, std::int64_t const> labels{};
    array_view<space, query_type const> queries{};
    sample_key key{};
    sample_type* out = nullptr;
  };

  /// Borrows the graph, the directories of the vertices at both ends, the data of the rules, and the weights; all must
  /// outlive the sampler. Ends of one type have one directory, `&directory`, ends of two types have two,
  /// `{&users, &items}`. Without weights all vertices are equally likely to be an end of a negative. With times its drawn ends
  /// exist at the time of the seed edge.
  ///
  /// @shape  rules: one, or with types [edge types]
  /// @comm   collective; two header exchanges
  /// @throws collective_error  on every rank, if the options of a rank are wrong, wrong for the rule, or differ from
  ///                           the options of rank 0, a directory is missing or of other vertices than the graph, or
  ///                           the graph was made for another rank or number of ranks
  /// @cost   O(local edges)
  template <std::same_as<typename kind::rules_type> SameRules> // so that {} is not a rule
  link_sampler(Comm comm, Graph const& graph, negative_options::of_both_ends<directory_type*> directories,
               options_type options, SameRules rules, negative_options::of_both_ends<weights_type*> weights = {},
               Policy policy = {}, negative_options::of_both_ends<times_type*> times = {})
      : types_(agree_on(comm, graph, directories, options, weights, times)), options_(std::move(options)),
        rules_(std::move(rules)), comm_(comm), relation_(glt::detail::part_of_relation(graph, types_.edge_type)),
        sampler_(comm, graph, options_.neighbors, kind::neighbor_rules(rules_), policy),
        edges_(comm, relation_, policy), candidates_(edges_, directories, weights, times),
        keys_(directories, types_, options_.negatives.mode, policy),
        drawer_(detail::negatives_between(options_.negatives, types_), policy),
        num_node_types_(kind::num_node_types(graph)), policy_(policy) {
    for (auto const& what : detail::excluded_relations(types_, options_.exclude)) {
      exclusions_.push_back({what, {comm, glt::detail::part_of_relation(graph, what.edge_type), policy}});
    }
    if (!exclusions_.empty()) {
      sampler_.set_rule_of([this](int rank, std::size_t batch, int edge_type, int part) {
        auto const& rule = kind::rule_of(rules_, edge_type);
        for (auto const& [what, edges] : exclusions_) {
          if (what.edge_type == edge_type) {
            auto const excluded = edges.in_part(part, rank, batch);
            return excluded ? std::optional(detail::make_link_rule<space>(rule, *excluded)) : std::nullopt;
          }
        }
        return std::optional(detail::make_link_rule<space>(rule));
      });
      exclude_in_place(graph.neighborhood());
    }
  }

  /// Samples uniformly.
  link_sampler(Comm comm, Graph const& graph, negative_options::of_both_ends<directory_type*> directories,
               options_type options, negative_options::of_both_ends<weights_type*> weights = {}, Policy policy = {})
    requires std::same_as<Rule, uniform_rule>
      : link_sampler(std::move(comm), graph, directories, std::move(options), kind::rules_without_data(graph), weights,
                     std::move(policy)) {}

  link_sampler(link_sampler const&) = delete; // members refer to each other
  link_sampler& operator=(link_sampler const&) = delete;

  [[nodiscard]] options_type const& options() const noexcept { return options_; }

  /// Samples rows of other ranks in place from now on, as `neighbor_sampler`. Finds excluded edges there, too; then it
  /// draws from no copies of hot edges.
  ///
  /// @comm   none
  /// @throws precondition_error  as `neighbor_sampler::read_in_place`
  /// @cost   with excluded edges O(edges of these ranks), to check whether rows ascend
  void read_in_place(node_views<typename graph_part<Policy, Vertex>::view_type> neighborhood)
    requires host_policy<Policy>
  {
    sampler_.read_in_place(neighborhood);
    exclude_in_place(neighborhood);
  }
  /// See `neighbor_sampler::sends_nothing`; pairs and negatives of links still travel.
  [[nodiscard]] bool sends_nothing() const noexcept { return sampler_.sends_nothing(); }
  /// Returns the reason why rows of some ranks are not sampled in place; empty if all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return sampler_.why_not_in_place(); }
  /// Counts the rows sampled so far.
  [[nodiscard]] read_counts counts() const noexcept { return sampler_.counts(); }

  /// Throws for seed edges that this sampler cannot take.
  ///
  /// @throws precondition_error  as `sample` on the rank that failed
  void check(host_sources_type sources, host_view<Vertex const> destinations,
             host_view<std::int64_t const> labels) const {
    device::cpu const host;
    detail::validate_seed_edges(host, sources, destinations, relation_.num_sources(), relation_.num_destinations());
    detail::validate_labels(host, labels, destinations.size(), options_.negatives);
  }

  /// Samples this rank's batch into `out`; a rank without seed edges joins with empty lists.
  ///
  /// @shape  sources [S], destinations [P] global ids, of any part, source by source · labels [P], classes from 0, or
  ///         empty
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  on every rank, if a rank passes lists that do not fit, an end that is no
  ///                           vertex of its type, a negative label, or labels for triplets, or the keys differ
  /// @cost   O(P log P + tested rows + sampled edges); allocates only when the batch is larger than every earlier batch
  void sample(sources_type sources, array_view<space, Vertex const> destinations,
              array_view<space, std::int64_t const> labels, sample_key key, sample_type& out)
    requires(!detail::has_query<Rule>)
  {
    bulk_item const batch{sources, destinations, labels, {}, key, &out};
    sample_bulk(std::span(&batch, 1));
  }
  /// Samples without labels.
  void sample(sources_type sources, array_view<space, Vertex const> destinations, sample_key key, sample_type& out)
    requires(!detail::has_query<Rule>)
  {
    sample(sources, destinations, {}, key, out);
  }
  /// Samples with one query per source of seed edges, such as their time; see the serial `link_sampler`.
  ///
  /// @shape  labels [P], or empty · queries [S]
  /// @comm   as without queries, plus sizeof(query_type) bytes per remote frontier vertex
  /// @throws collective_error  as without queries, or if a rank does not pass one query per source
  void sample(sources_type sources, array_view<space, Vertex const> destinations,
              array_view<space, std::int64_t const> labels, array_view<space, query_type const> queries, sample_key key,
              sample_type& out)
    requires(detail::has_query<Rule>)
  {
    bulk_item const batch{sources, destinations, labels, queries, key, &out};
    sample_bulk(std::span(&batch, 1));
  }

  /// Samples several batches in one sweep of messages, each as `sample` would; the number is the same on all ranks.
  ///
  /// @comm   collective; every rank with the same keys: messages as for the batch whose negatives take the most rounds
  /// @throws collective_error  on every rank, as `sample`; also if a rank has no batch, a batch without `out`, or
  ///                           another number of batches, or there are too many batches for the type of vertex ids
  void sample_bulk(std::span<bulk_item const> batches) {
    auto const failure = detail::failure_of([&] { prepare(batches); });
    auto const step = batches.empty() ? 0 : batches[0].key.step;
    positives_.clear();
    for (std::size_t b = 0; b < batches.size() && failure.empty(); ++b) {
      positives_.push_back(workers_[b].positives.view());
    }
    if (options_.negatives.amount > 0) {
      draw_negatives(batches, step, failure); // the first exchange carries the failure
    } else if (options_.exclude == seed_exclusion::none) {
      detail::agree(detail::host_comm(comm_), {.what = detail::operation::sample, .step = step}, failure);
    }
    for (auto& [what, edges] : exclusions_) {
      edges.exclude(positives_, what, {.what = detail::operation::exclude, .step = step}, failure);
    }
    items_.clear();
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto& [positives, negatives, assembly] = workers_[b];
      auto const seeds = assembly.seeds(positives.view(), negatives);
      items_.push_back({.seeds = seeds,
                        .queries = assembly.queries(positives.view(), batches[b].queries),
                        .key = batches[b].key,
                        .out = &assembly.subgraph_of(*batches[b].out)});
    }
    sampler_.sample_bulk(items_);
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto& [positives, negatives, assembly] = workers_[b];
      assembly.finish(positives.view(), negatives, batches[b].labels, *batches[b].out);
    }
  }

private:
  using assembly_type = glt::detail::link_assembly<Policy, Vertex, query_type, typename sampler_type::subgraph_type>;

  static detail::link_types agree_on(Comm& comm, Graph const& graph, detail::of_both_ends<directory_type*> directories,
                                     options_type const& options, detail::of_both_ends<weights_type*> weights,
                                     detail::of_both_ends<times_type*> times) {
    auto const& negatives = options.negatives;
    detail::link_types types;
    auto const failure = detail::failure_of([&] {
      types = kind::types(graph, options);
      detail::check_exclusion<Rule>(options.exclude);
      detail::check_times_of_vertices<Rule>(times.sources != nullptr || times.destinations != nullptr, negatives);
      check_directory(directories.sources, kind::book(graph, types.source));
      check_directory(directories.destinations, kind::book(graph, types.destination));
    });
    auto const kind_of = [](auto const& ends) { // which ends have something, and whether it is the same
      return (ends.sources != nullptr ? 1 : 0) + (ends.destinations != nullptr ? 2 : 0) +
             (ends.sources == ends.destinations ? 4 : 0);
    };
    auto const print = detail::fingerprint_of(negatives, options.exclude, types.edge_type, types.reverse_type,
                                              kind_of(weights), kind_of(times), kind_of(directories));
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler}, failure, print,
                  "samples links with other options than rank 0; pass the same negatives, exclusion, edge types, "
                  "weights and times of vertices on all ranks");
    return types;
  }
  void exclude_in_place(node_views<detail::part_view<space, Vertex>> const& neighborhood) {
    if constexpr (host_policy<Policy>) {
      for (auto& [what, edges] : exclusions_) {
        edges.read_in_place(neighborhood, what.edge_type, [&](int part) { return sampler_.reads_in_place(part); });
      }
    }
  }
  static void check_directory(directory_type const* directory, partition_book const& book) {
    if (directory == nullptr || !directory->partition().matches(book)) {
      throw precondition_error("no directory, or one of other vertices, for an end of seed edges; pass the "
                               "vertex_directory of the type of each end");
    }
  }

  void prepare(std::span<bulk_item const> batches) {
    detail::check_batches(batches, [&](bulk_item const& batch) {
      detail::validate_seed_edges(policy_, batch.sources, batch.destinations, relation_.num_sources(),
                                  relation_.num_destinations());
      detail::validate_labels(policy_, batch.labels, batch.destinations.size(), options_.negatives);
      if (detail::has_query<Rule>) {
        detail::check_queries(batch.sources.size(), batch.queries.size());
      }
    });
    while (workers_.size() < batches.size()) {
      workers_.push_back({glt::detail::seed_edges<Policy, Vertex>(policy_),
                          {},
                          assembly_type(options_.negatives, policy_, types_, num_node_types_)});
    }
    positives_.reserve(batches.size());
    wanted_.reserve(batches.size());
    items_.reserve(batches.size());
    for (std::size_t b = 0; b < batches.size(); ++b) {
      workers_[b].positives.assign(batches[b].sources, batches[b].destinations);
    }
  }

  void draw_negatives(std::span<bulk_item const> batches, std::int64_t step, std::string const& failure) {
    keys_.look_up(positives_, {.what = detail::operation::look_up, .step = step}, failure);
    wanted_.clear();
    for (std::size_t b = 0; b < positives_.size(); ++b) {
      wanted_.push_back({&workers_[b].positives, keys_.next(positives_[b], batches[b].key), &workers_[b].negatives});
      if constexpr (std::same_as<query_type, std::int64_t>) {
        wanted_.back().times = batches[b].queries;
      }
    }
    candidates_.begin(step);
    drawer_.draw_bulk(candidates_, std::span(std::as_const(wanted_)));
  }

  struct exclusion {
    detail::excluded_relation what;
    glt::detail::exclusion_exchange<Comm, Policy, Vertex> edges;
  };

  // Memory to make one batch of a bulk.
  struct worker {
    glt::detail::seed_edges<Policy, Vertex> positives;
    detail::negative_pairs<Policy, Vertex> negatives;
    assembly_type assembly;
  };

  detail::link_types types_;
  options_type options_;
  typename kind::rules_type rules_;
  Comm comm_;
  glt::detail::relation_part<space, Vertex> relation_;
  sampler_type sampler_;
  glt::detail::edge_queries<Comm, Policy, Vertex> edges_;
  glt::detail::remote_candidates<Comm, Policy, Vertex> candidates_;
  glt::detail::negative_keys<Comm, Policy, Vertex> keys_;
  glt::detail::negative_drawer<Policy, Vertex> drawer_;
  std::vector<exclusion> exclusions_;
  std::size_t num_node_types_;
  Policy policy_;
  std::vector<worker> workers_; // by batch
  std::vector<glt::detail::seed_edges_view<space, Vertex>> positives_;
  std::vector<glt::detail::negatives_to_draw<Policy, Vertex>> wanted_;
  std::vector<typename sampler_type::bulk_item> items_;
};

template <communicator Comm, device_policy Policy, vertex_id Vertex>
link_sampler(Comm, graph<Policy, Vertex> const&,
             negative_options::of_both_ends<vertex_directory<Comm, Policy, Vertex>*>, link_options,
             negative_options::of_both_ends<vertex_weights<Comm, Policy, Vertex>*> = {}, Policy = {})
    -> link_sampler<Comm, Policy, Vertex>;
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule, class... Times>
  requires draw_rule<Rule, csr_view<Policy::space, Vertex>>
link_sampler(Comm, graph<Policy, Vertex> const&,
             negative_options::of_both_ends<vertex_directory<Comm, Policy, Vertex>*>, link_options, Rule,
             negative_options::of_both_ends<vertex_weights<Comm, Policy, Vertex>*> = {}, Policy = {}, Times const&...)
    -> link_sampler<Comm, Policy, Vertex, Rule>;
template <communicator Comm, device_policy Policy, vertex_id Vertex>
link_sampler(Comm, hetero_graph<Policy, Vertex> const&,
             negative_options::of_both_ends<vertex_directory<Comm, Policy, Vertex>*>, hetero_link_options,
             negative_options::of_both_ends<vertex_weights<Comm, Policy, Vertex>*> = {}, Policy = {})
    -> link_sampler<Comm, Policy, Vertex, uniform_rule, hetero_graph<Policy, Vertex>>;
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule, class... Times>
link_sampler(Comm, hetero_graph<Policy, Vertex> const&,
             negative_options::of_both_ends<vertex_directory<Comm, Policy, Vertex>*>, hetero_link_options,
             std::vector<Rule>, negative_options::of_both_ends<vertex_weights<Comm, Policy, Vertex>*> = {}, Policy = {},
             Times const&...) -> link_sampler<Comm, Policy, Vertex, Rule, hetero_graph<Policy, Vertex>>;

} // namespace glt::dist
