// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/link/detail/edge_queries.hpp>
#include <glt/dist/link/detail/exclusion_exchange.hpp>
#include <glt/dist/link/detail/remote_candidates.hpp>
#include <glt/dist/link/vertex_weights.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/vertex_directory.hpp>
#include <glt/graph/convert.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/link/detail/exclusion_rule.hpp>
#include <glt/sample/link/detail/link_assembly.hpp>
#include <glt/sample/link/detail/negative_drawer.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/detail/validate_seed_edges.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/link_sample.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/options.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace glt::dist {

/// Samples from seed edges across the parts of a graph: negative pairs, and the neighbourhood of all ends.
///
/// Element by element what the serial `link_sampler` returns for the same key, up to the numbering of the
/// parts, on any policy. Concurrent calls: none on one object, nor on samplers that share a directory or weights.
///
/// @where  memory of `Policy`; waits for the sizes that ranks tell each other
/// @comm   per batch: with negatives one look-up of original ids, then rounds of one look-up and, if strict,
///         one test of edges (each one header exchange and two payload exchanges) until all ranks are
///         content, and a last header exchange; with exclusions one header and one payload exchange; with
///         neither one header exchange; then that of the `neighbor_sampler`
/// @source as the serial one
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class link_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using rule_type = detail::excluding_rule<space>;

  /// Borrows the directory, with its graph, and the weights, if there are any: without them every vertex is
  /// drawn alike. All must outlive the sampler.
  ///
  /// @comm   collective; two header exchanges
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from those of rank
  ///                           0, or the graph was made for another rank or number of ranks
  /// @cost   O(local edges)
  link_sampler(Comm comm, vertex_directory<Comm, Policy, Vertex>& directory, link_options options,
               vertex_weights<Comm, Policy, Vertex>* weights = nullptr, Policy policy = {})
      : graph_((agree_on(comm, options, weights != nullptr), &directory.of())), directory_(&directory),
        options_(std::move(options)), comm_(comm), sampler_(comm, *graph_, options_.neighbors, rule_type{}, policy),
        edges_(comm, *graph_, policy), candidates_(directory, edges_, weights),
        drawer_(options_.negatives, policy), exclusions_(comm, *graph_, policy), assembly_(options_.negatives, policy),
        positives_(policy), policy_(policy), ends_(0, policy), originals_(0, policy), keys_(0, policy) {
    if (options_.exclude != seed_exclusion::none) {
      sampler_.set_rule_of([this](int rank) { return rule_type{.excluded = exclusions_.of(rank), .inner = {}}; });
    }
  }

  link_sampler(link_sampler const&) = delete; // parts of it refer to each other
  link_sampler& operator=(link_sampler const&) = delete;

  [[nodiscard]] link_options const& options() const noexcept { return options_; }

  /// Samples this rank's batch into `out`; a rank without seed edges joins with empty lists.
  ///
  /// @shape  sources, destinations [P] global ids, of any part · labels [P], classes from 0, or empty
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  on every rank, if a rank passes lists of different lengths, an end outside [0,
  ///                           V), a negative label, or labels for triplets, or the keys differ
  /// @cost   O(P log P + tested rows + sampled edges); allocates only while the batch is larger than any
  ///         before
  void sample(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
              array_view<space, std::int64_t const> labels, sample_key key, link_sample<Policy, Vertex>& out) {
    auto const failure = detail::failure_of([&] {
      detail::validate_seed_edges(policy_, sources, destinations, graph_->num_vertices());
      detail::validate_labels(policy_, labels, sources.size(), options_.negatives);
      positives_.assign(sources, destinations);
    });
    if (options_.negatives.amount > 0) {
      draw_negatives(key, failure); // the first exchange carries the failure
    } else if (options_.exclude == seed_exclusion::none) {
      detail::agree(detail::host_comm(comm_), {.what = detail::operation::sample, .step = key.step}, failure);
    }
    if (options_.exclude != seed_exclusion::none) {
      exclusions_.exclude(positives_.view(), options_.exclude == seed_exclusion::edges_and_reverses,
                          {.what = detail::operation::exclude, .step = key.step}, failure);
    }
    sampler_.sample(assembly_.seeds(positives_.view(), negatives_), key, assembly_.subgraph_of(out));
    assembly_.finish(positives_.view(), negatives_, labels, out);
  }

  /// The same without labels.
  void sample(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations, sample_key key,
              link_sample<Policy, Vertex>& out) {
    sample(sources, destinations, {}, key, out);
  }

private:
  static void agree_on(Comm& comm, link_options const& options, bool weighted) {
    auto const& negatives = options.negatives;
    detail::fingerprint print;
    print.add(static_cast<std::int64_t>(negatives.mode)).add(std::bit_cast<std::int64_t>(negatives.amount));
    print.add(negatives.strict).add(negatives.self_pairs).add(negatives.attempts).add(negatives.padding);
    print.add(static_cast<std::int64_t>(options.exclude)).add(weighted);
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler},
          detail::failure_of([&] { validate(negatives); }), print.value(), [](auto, auto) {
            return "samples links with other options than rank 0; pass the same negatives, exclusion and weights on "
                   "all ranks";
          });
  }

  void draw_negatives(sample_key key, std::string const& failure) {
    auto const ex = policy_.executor();
    auto const seeds = positives_.view();
    auto const size = failure.empty() ? seeds.size() : 0;
    ends_.resize(2 * size);
    originals_.resize(2 * size);
    ex.for_each(size, glt::detail::copy_elements<space, Vertex>{seeds.sources, ends_.view()});
    ex.for_each(size, glt::detail::copy_elements<space, Vertex>{seeds.destinations, ends_.view().subview(size, size)});
    directory_->originals_of(std::as_const(ends_).view(), originals_.view(),
                             {.what = detail::operation::look_up, .step = key.step}, failure);
    keys_.resize(size);
    auto const originals = std::as_const(originals_).view();
    glt::detail::seed_edges_view<space, global_id> const original_seeds{.sources = originals.subview(0, size),
                                                                        .destinations = originals.subview(size, size),
                                                                        .occurrences = seeds.occurrences,
                                                                        .sorted_sources = {},
                                                                        .sorted_destinations = {}};
    ex.for_each(size, glt::detail::key_of_positive<space, space, global_id>{
                          detail::negatives_key(key), original_seeds, {}, keys_.view()});
    candidates_.begin(key.step);
    drawer_.draw(candidates_, positives_, std::as_const(keys_).view(), negatives_);
  }

  graph<Policy, Vertex> const* graph_;
  vertex_directory<Comm, Policy, Vertex>* directory_;
  link_options options_;
  Comm comm_;
  neighbor_sampler<Comm, Policy, Vertex, rule_type> sampler_;
  glt::detail::edge_queries<Comm, Policy, Vertex> edges_;
  glt::detail::remote_candidates<Comm, Policy, Vertex> candidates_;
  glt::detail::negative_drawer<Policy, Vertex> drawer_;
  glt::detail::exclusion_exchange<Comm, Policy, Vertex> exclusions_;
  glt::detail::link_assembly<Policy, Vertex> assembly_;
  glt::detail::seed_edges<Policy, Vertex> positives_;
  Policy policy_;
  buffer<Policy, Vertex> ends_;
  buffer<Policy, global_id> originals_;
  buffer<Policy, random_key> keys_;
  detail::negative_pairs<Policy, Vertex> negatives_;
};

} // namespace glt::dist
