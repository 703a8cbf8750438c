// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

#include "graphs.hpp"
#include "naive_positives.hpp"
#include "naive_rules.hpp"
#include "naive_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

namespace glt_test {

/// Negative pairs in plain vectors.
struct naive_negatives {
  pair_list pairs;
  std::vector<bool> verified;
  bool operator==(naive_negatives const&) const = default;
};

/// The vertices from which one end of negatives is drawn. A vertex stands for as many numbers as `shares` says, or for
/// one if there are none, and exists from its time on.
class naive_end {
public:
  explicit naive_end(std::int64_t num_vertices, std::vector<std::int64_t> const& shares = {},
                     std::vector<std::int64_t> times = {})
      : num_vertices_(num_vertices), ends_(shares.size()), times_(std::move(times)) {
    std::partial_sum(shares.begin(), shares.end(), ends_.begin());
  }

  [[nodiscard]] std::int64_t draw(glt::random_stream& draws) const {
    auto const bound = ends_.empty() ? num_vertices_ : ends_.back();
    auto const number = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(bound)));
    return ends_.empty() ? number : static_cast<std::int64_t>(std::ranges::upper_bound(ends_, number) - ends_.begin());
  }

  [[nodiscard]] bool exists(std::int64_t vertex, std::int64_t time) const {
    return times_.empty() || times_[static_cast<std::size_t>(vertex)] <= time;
  }

private:
  std::int64_t num_vertices_;
  std::vector<std::int64_t> ends_; // the first number of the next vertex
  std::vector<std::int64_t> times_;
};

/// Draws negatives one by one from the definition, with sets; all in ids of the list of edges.
inline naive_negatives draw_naively(pair_list const& edge_pairs, naive_end const& sources,
                                    naive_end const& destinations, naive_positives const& of_batch,
                                    glt::random_key batch, glt::negative_options const& options,
                                    std::vector<std::int64_t> const& times_of_sources = {}) {
  std::set<std::pair<std::int64_t, std::int64_t>> const edges(edge_pairs.begin(), edge_pairs.end());
  auto const positives = of_batch.pairs();
  std::set<std::pair<std::int64_t, std::int64_t>> const seeds(positives.begin(), positives.end());
  std::vector<glt::random_key> keys;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> seen;
  for (auto const& positive : positives) {
    keys.push_back(glt::detail::positive_key(batch, positive.first, positive.second, seen[positive]++));
  }
  naive_negatives out;
  bool const binary = options.mode == glt::negative_mode::binary;
  auto const places = of_batch.places_of_sources();
  auto const groups = binary ? positives.size() : of_batch.sources.size();
  auto const size = static_cast<std::size_t>(std::ceil(static_cast<double>(groups) * options.amount));
  for (std::size_t place = 0; place < size; ++place) {
    auto const per = static_cast<std::size_t>(options.amount);
    auto const group = binary ? place % groups : place / per;
    auto const index = binary ? place / groups : place % per;
    auto const source = binary ? places[group] : group;
    auto const first = binary ? group : static_cast<std::size_t>(std::ranges::find(places, group) - places.begin());
    auto const key =
        first < keys.size() ? keys[first] : glt::detail::positive_key(batch, of_batch.sources[source], -1, 0);
    std::pair<std::int64_t, std::int64_t> pair;
    bool good = false;
    for (int attempt = 0; attempt < (options.strict ? options.attempts : 1) && !good; ++attempt) {
      glt::random_stream draws(key.fold(index), static_cast<std::uint64_t>(attempt));
      pair.first = binary ? sources.draw(draws) : of_batch.sources[source];
      pair.second = destinations.draw(draws);
      good = !edges.contains(pair) && !seeds.contains(pair) && (pair.first != pair.second || options.self_pairs);
      if (!times_of_sources.empty()) {
        auto const time = times_of_sources[source];
        good = good && destinations.exists(pair.second, time) && (!binary || sources.exists(pair.first, time));
      }
    }
    out.pairs.push_back(pair);
    if (options.strict) {
      out.verified.push_back(good);
    }
  }
  return out;
}

/// The same among the vertices of a graph without types.
inline naive_negatives draw_naively(edge_list const& graph, naive_positives const& positives, glt::sample_key key,
                                    glt::negative_options const& options, std::vector<std::int64_t> const& shares = {},
                                    std::vector<std::int64_t> const& times = {},
                                    std::vector<std::int64_t> const& times_of_sources = {}) {
  naive_end const any(graph.num_vertices, shares, times);
  return draw_naively(pairs_of(graph.view()), any, any, positives, glt::detail::negatives_key(key), options,
                      times_of_sources);
}

/// What a link sampler returns beside the subgraph, in plain vectors; ends are ids of the edge list instead of
/// positions.
struct naive_link_pairs {
  pair_list labelled; ///< edge_label_index, as pairs
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> offsets;           ///< of the positives of every source
  std::vector<std::int64_t> sources;           ///< of triplets
  pair_list triplets;                          ///< source and destination of the positives
  std::vector<std::vector<std::int64_t>> rows; ///< dst_neg_index, by source
  std::vector<bool> verified;

  bool operator==(naive_link_pairs const&) const = default;
};

/// What a link sampler returns.
struct naive_link_sample : naive_link_pairs {
  naive_subgraph subgraph;

  bool operator==(naive_link_sample const&) const = default;
};

/// Ends around which a link sampler samples, and the place of the source that each belongs to.
struct naive_link_seeds {
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> destinations;
  std::vector<std::size_t> edge_of_source;
  std::vector<std::size_t> edge_of_destination;
};

/// Writes pairs and labels from the definition, and returns their ends.
inline naive_link_seeds join_naively(naive_link_pairs& out, naive_positives const& of_batch,
                                     std::vector<std::int64_t> const& labels, naive_negatives const& negatives,
                                     glt::negative_options const& options) {
  bool const binary = options.mode == glt::negative_mode::binary;
  bool const shifted = options.amount > 0;
  auto const amount = static_cast<std::size_t>(options.amount);
  auto const positives = of_batch.pairs();
  naive_link_seeds seeds;
  pair_list all = positives;
  seeds.edge_of_destination = of_batch.places_of_sources();
  for (std::size_t i = 0; i < positives.size(); ++i) {
    out.labels.push_back((labels.empty() ? 0 : labels[i]) + (shifted || labels.empty() ? 1 : 0));
  }
  std::vector<std::int64_t> triplet_ends;
  for (std::size_t n = 0; n < negatives.pairs.size(); ++n) {
    bool const good = negatives.verified.empty() || negatives.verified[n];
    bool const taken = good || options.padding;
    if (taken) {
      all.push_back(negatives.pairs[n]);
      seeds.edge_of_destination.push_back(binary ? seeds.edge_of_destination[n % positives.size()] : n / amount);
      out.labels.push_back(0);
    }
    if (!negatives.verified.empty() && (taken || !binary)) {
      out.verified.push_back(good);
    }
    triplet_ends.push_back(taken ? negatives.pairs[n].second : -1);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (binary) {
      seeds.sources.push_back(all[i].first);
      seeds.edge_of_source.push_back(seeds.edge_of_destination[i]);
    }
    seeds.destinations.push_back(all[i].second);
  }
  out.offsets = of_batch.offsets;
  if (binary) {
    out.labelled = all;
  } else {
    out.labels.clear();
    out.sources = of_batch.sources;
    out.triplets = positives;
    for (std::size_t i = 0; i < of_batch.sources.size(); ++i) {
      seeds.sources.push_back(of_batch.sources[i]);
      seeds.edge_of_source.push_back(i);
      auto const first = triplet_ends.begin() + static_cast<std::ptrdiff_t>(i * amount);
      out.rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(amount));
    }
  }
  return seeds;
}

/// Samples links from the definition: edges to be excluded are taken out of the list before anything is sampled.
/// `around(rest, ids, seeds, edge_of_seed)` samples around the seeds, ends of these seed edges or of their negatives;
/// `ids` are the positions of the edges of `rest` in the list.
template <class Around>
naive_link_sample sample_links_naively(edge_list const& graph, naive_positives const& positives,
                                       std::vector<std::int64_t> const& labels, glt::link_options const& options,
                                       glt::sample_key key, std::vector<std::int64_t> const& shares,
                                       Around const& around, std::vector<std::int64_t> const& times = {},
                                       std::vector<std::int64_t> const& times_of_sources = {}) {
  auto const negatives = draw_naively(graph, positives, key, options.negatives, shares, times, times_of_sources);
  std::set<std::pair<std::int64_t, std::int64_t>> excluded;
  for (auto const& [source, destination] : positives.pairs()) {
    if (options.exclude != glt::seed_exclusion::none) {
      excluded.insert({source, destination});
    }
    if (options.exclude == glt::seed_exclusion::edges_and_reverses) {
      excluded.insert({destination, source});
    }
  }
  edge_list rest{graph.name, graph.num_vertices, {}, {}};
  std::vector<std::int64_t> id_in_graph;
  auto const pairs = pairs_of(graph.view());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!excluded.contains(pairs[i])) {
      rest.add(pairs[i].first, pairs[i].second);
      id_in_graph.push_back(static_cast<std::int64_t>(i));
    }
  }
  naive_link_sample out;
  auto ends = join_naively(out, positives, labels, negatives, options.negatives);
  auto& seeds = ends.sources;
  seeds.insert(seeds.end(), ends.destinations.begin(), ends.destinations.end());
  auto& edge_of_seed = ends.edge_of_source;
  edge_of_seed.insert(edge_of_seed.end(), ends.edge_of_destination.begin(), ends.edge_of_destination.end());
  out.subgraph = around(rest, id_in_graph, seeds, edge_of_seed);
  for (auto& id : out.subgraph.edge_ids) {
    id = id_in_graph[static_cast<std::size_t>(id)];
  }
  return out;
}

/// Samples links uniformly.
inline naive_link_sample sample_links_naively(edge_list const& graph, naive_positives const& positives,
                                              std::vector<std::int64_t> const& labels, glt::link_options const& options,
                                              glt::sample_key key, std::vector<std::int64_t> const& shares = {}) {
  return sample_links_naively(graph, positives, labels, options, key, shares,
                              [&](edge_list const& rest, auto const&, std::vector<std::int64_t> const& seeds,
                                  auto const&) { return naive_sample(rest, seeds, options.neighbors, key); });
}

/// Samples links by time: edges around the ends of a seed edge and of its negatives are not later than the seed edge,
/// and neither are drawn ends if vertices have times.
///
/// @shape  times [E], by position in the list · edge_times [S] · times_of_vertices [V], or empty
inline naive_link_sample sample_timed_links_naively(edge_list const& graph, std::vector<std::int64_t> const& times,
                                                    naive_positives const& positives,
                                                    std::vector<std::int64_t> const& edge_times,
                                                    glt::link_options const& options, glt::sample_key key,
                                                    std::vector<std::int64_t> const& times_of_vertices = {}) {
  return sample_links_naively(
      graph, positives, {}, options, key, {},
      [&](edge_list const& rest, std::vector<std::int64_t> const& ids, std::vector<std::int64_t> const& seeds,
          std::vector<std::size_t> const& edge_of_seed) {
        std::vector<std::int64_t> seed_times;
        std::vector<std::int64_t> times_of_rest;
        for (auto const id : ids) {
          times_of_rest.push_back(times[static_cast<std::size_t>(id)]);
        }
        for (auto const edge : edge_of_seed) {
          seed_times.push_back(edge_times[edge]);
        }
        return naive_temporal_sample(rest, times_of_rest, glt::temporal_strategy::uniform, seeds, seed_times,
                                     options.neighbors, key);
      },
      times_of_vertices, edge_times);
}

/// Times from which on vertices exist, some of them after all edges of tests with times.
inline std::vector<std::int64_t> some_vertex_times(std::int64_t num_vertices) {
  std::vector<std::int64_t> times;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    times.push_back(v * 31 % 130);
  }
  return times;
}

/// Options of every mode for seed edges with times.
inline std::vector<glt::link_options> timed_link_options_to_try() {
  std::vector<glt::link_options> options = {
      {.negatives = {.amount = 0}},
      {.negatives = {.amount = 1.5, .attempts = 3}, .exclude = glt::seed_exclusion::edges},
      {.negatives = {.mode = glt::negative_mode::triplet, .amount = 2, .attempts = 1, .padding = true},
       .exclude = glt::seed_exclusion::edges_and_reverses},
      {.negatives = {.mode = glt::negative_mode::triplet, .amount = 3, .attempts = 1}}};
  for (auto& option : options) {
    option.neighbors = {.fanouts = {3, 2}, .edge_ids = true, .disjoint = true};
  }
  return options;
}

/// Copies pairs and labels of a link sample, whose positions are among the vertices at each end.
template <class Sample>
void copy_pairs(naive_link_pairs& out, Sample const& sample, std::vector<std::int64_t> const& sources,
                std::vector<std::int64_t> const& destinations) {
  auto const vertex = [](std::vector<std::int64_t> const& vertices, std::int64_t position) {
    return position < 0 ? -1 : vertices.at(static_cast<std::size_t>(position));
  };
  auto const index = sample.edge_label_index();
  for (std::int64_t i = 0; i < index.columns(); ++i) {
    out.labelled.emplace_back(vertex(sources, index(0, i)), vertex(destinations, index(1, i)));
  }
  out.labels.assign(sample.edge_label().begin(), sample.edge_label().end());
  auto const offsets = sample.pos_offsets();
  out.offsets.assign(offsets.begin(), offsets.end());
  for (std::int64_t i = 0; i < sample.src_index().size(); ++i) {
    auto const source = out.sources.emplace_back(vertex(sources, sample.src_index()[i]));
    auto const end = offsets.empty() ? i + 1 : offsets[i + 1];
    for (auto at = offsets.empty() ? i : offsets[i]; at < end; ++at) {
      out.triplets.emplace_back(source, vertex(destinations, sample.dst_pos_index()[at]));
    }
    std::vector<std::int64_t> row;
    for (auto const position : sample.dst_neg_index().row(i)) {
      row.push_back(vertex(destinations, position));
    }
    out.rows.push_back(std::move(row));
  }
  out.verified.assign(sample.verified().begin(), sample.verified().end());
}

/// A link sample in plain vectors, its vertices mapped through `original` (by node id) if that is given.
template <class Sample, class Original = std::vector<std::int64_t>>
naive_link_sample plain_links(Sample const& sample, Original const& original = {}) {
  naive_link_sample out;
  out.subgraph = plain(sample.subgraph(), original);
  copy_pairs(out, sample, out.subgraph.nodes, out.subgraph.nodes);
  return out;
}

/// Positives of a batch: some of the pairs, one of them twice, and pairs of any vertices.
inline pair_list some_positives(pair_list const& pairs, std::int64_t num_sources, std::int64_t num_destinations,
                                std::int64_t size, glt::random_stream draws) {
  pair_list chosen;
  auto const any = [&](std::int64_t count) {
    return static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(count)));
  };
  for (std::int64_t i = 0; i < size && num_sources > 0 && num_destinations > 0; ++i) {
    if (i % 5 == 3) {
      chosen.push_back(chosen.front());
    } else if (pairs.empty() || i % 5 == 4) {
      auto const source = any(num_sources);
      chosen.emplace_back(source, any(num_destinations));
    } else {
      chosen.push_back(pairs[draws.below(pairs.size())]);
    }
  }
  return chosen;
}
/// The same for a graph without types.
inline pair_list some_positives(edge_list const& graph, std::int64_t size, std::uint64_t seed) {
  return some_positives(pairs_of(graph.view()), graph.num_vertices, graph.num_vertices, size,
                        {glt::random_key(77), seed});
}

/// Options of every mode, with exclusion, replacement, padding and gaps.
inline std::vector<glt::link_options> link_options_to_try() {
  std::vector<glt::link_options> options;
  using glt::negative_mode;
  using glt::seed_exclusion;
  options.push_back({.neighbors = {.fanouts = {3, 2}}, .negatives = {.amount = 0}});
  options.push_back({.neighbors = {.fanouts = {4}, .edge_ids = true},
                     .negatives = {.amount = 2.5, .strict = false},
                     .exclude = seed_exclusion::edges});
  options.push_back({.neighbors = {.fanouts = {3, 2}, .edge_ids = true},
                     .negatives = {.amount = 1, .attempts = 3},
                     .exclude = seed_exclusion::edges_and_reverses});
  options.push_back({.neighbors = {.fanouts = {-1, 3}, .expand = glt::frontier::all, .edge_ids = true},
                     .negatives = {.amount = 0.7, .self_pairs = true, .attempts = 2, .padding = true},
                     .exclude = seed_exclusion::edges});
  options.push_back({.neighbors = {.fanouts = {3, 3}, .replace = true, .edge_ids = true},
                     .negatives = {.mode = negative_mode::triplet, .amount = 3, .attempts = 2},
                     .exclude = seed_exclusion::edges_and_reverses});
  options.push_back({.neighbors = {.fanouts = {2}},
                     .negatives = {.mode = negative_mode::triplet, .amount = 2, .attempts = 1, .padding = true}});
  options.push_back(
      {.neighbors = {.fanouts = {2}, .disjoint = true}, .negatives = {.mode = negative_mode::triplet, .amount = 0}});
  return options;
}

} // namespace glt_test
