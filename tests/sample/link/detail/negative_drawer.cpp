// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/negative_drawer.hpp>

#include <glt/sample/link/detail/local_candidates.hpp>

#include "support/naive_links.hpp"
#include "support/statistics.hpp"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using glt::negative_mode;
using glt::device::cpu;
using glt_test::draw_naively;
using glt_test::pair_list;

static_assert(
    glt::detail::resident_candidates<glt::detail::local_candidates<cpu, glt::local_id>::view_type, glt::local_id>);

glt_test::naive_negatives plain(glt::detail::negative_pairs<cpu, glt::local_id> const& pairs) {
  glt_test::naive_negatives out;
  for (std::int64_t i = 0; i < pairs.sources.size(); ++i) {
    out.pairs.emplace_back(pairs.sources[i], pairs.destinations[i]);
  }
  out.verified.assign(pairs.verified.begin(), pairs.verified.end());
  return out;
}

// Draws again and again into the same memory.
class repeated_drawer {
public:
  repeated_drawer(glt_test::edge_list const& list, glt::negative_options options, int threads = 1,
                  std::vector<double> const& weights = {})
      : graph_(glt::make_csr<cpu>(list.view())), table_(glt::host_view<double const>(weights)),
        candidates_(graph_.view(), table_.view(), {}, cpu(threads)), drawer_(options, cpu(threads)) {}

  glt_test::naive_negatives operator()(pair_list const& positives, glt::sample_key key) {
    std::vector<glt::local_id> sources;
    std::vector<glt::local_id> destinations;
    for (auto const& [source, destination] : positives) {
      sources.push_back(static_cast<glt::local_id>(source));
      destinations.push_back(static_cast<glt::local_id>(destination));
    }
    seeds_.assign(glt::host_view<glt::local_id const>(sources), glt::host_view<glt::local_id const>(destinations));
    std::vector<glt::random_key> keys;
    for (std::int64_t i = 0; i < seeds_.size(); ++i) {
      keys.push_back(glt::detail::positive_key(glt::detail::negatives_key(key), sources[static_cast<std::size_t>(i)],
                                               destinations[static_cast<std::size_t>(i)],
                                               seeds_.view().occurrences[i]));
    }
    drawer_.draw(candidates_, seeds_, glt::host_view<glt::random_key const>(keys), out_);
    return plain(out_);
  }

private:
  glt::csr_graph<cpu> graph_;
  glt::vertex_weights<cpu> table_;
  glt::detail::local_candidates<cpu, glt::local_id> candidates_;
  glt::detail::negative_drawer<cpu, glt::local_id> drawer_;
  glt::detail::seed_edges<cpu, glt::local_id> seeds_;
  glt::detail::negative_pairs<cpu, glt::local_id> out_;
};

std::vector<double> some_weights(std::int64_t size) {
  std::vector<double> weights;
  for (std::int64_t v = 0; v < size; ++v) {
    weights.push_back(v % 7 == 2 ? 0 : std::pow(static_cast<double>(v % 11), 0.75) + 0.1);
  }
  return weights;
}

std::vector<std::int64_t> shares_of(std::vector<double> const& weights) {
  glt::host_view<double const> const view(weights);
  glt::detail::weight_scale const scale(glt::detail::largest_weight(glt::device::cpu(), view), view.size());
  std::vector<std::int64_t> shares;
  for (auto const weight : weights) {
    shares.push_back(scale(weight));
  }
  return shares;
}

} // namespace

TEST_CASE("negatives equal the naive ones: every graph, mode, weight and number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    for (auto const& option : glt_test::link_options_to_try()) {
      auto const weights = some_weights(list.num_vertices);
      repeated_drawer uniform(list, option.negatives);
      repeated_drawer threads(list, option.negatives, 3);
      repeated_drawer weighted(list, option.negatives, 1, weights);
      for (std::int64_t const size : {17, 0, 1, 90}) {
        auto const positives = glt_test::some_positives(list, size, static_cast<std::uint64_t>(size));
        glt::sample_key const key{.seed = 5, .epoch = 1, .step = size};
        auto const expected = draw_naively(list, positives, key, option.negatives);
        CAPTURE(list.name);
        CHECK(uniform(positives, key) == expected);
        CHECK(threads(positives, key) == expected);
        CHECK(weighted(positives, key) == draw_naively(list, positives, key, option.negatives, shares_of(weights)));
      }
    }
  }
}

TEST_CASE("places that draw by themselves, as on a GPU, draw the same as in rounds, also among vertices with times") {
  auto const list = glt_test::random_graph(101, 1700);
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const exist = glt_test::some_vertex_times(101);
  auto const positives = glt_test::ragged(glt_test::some_positives(list, 30, 4));
  std::vector<glt::local_id> const sources(positives.sources.begin(), positives.sources.end());
  std::vector<glt::local_id> const destinations(positives.destinations.begin(), positives.destinations.end());
  std::vector<std::int64_t> times;
  for (auto const source : positives.sources) {
    times.push_back(source * 23 % 120 - 5);
  }
  glt::detail::seed_edges<cpu, glt::local_id> seeds;
  seeds.assign({sources, positives.offsets}, destinations);
  auto const view = seeds.view();
  for (bool const limited : {false, true}) {
    glt::detail::local_candidates<cpu, glt::local_id> const candidates(
        graph.view(), {}, {}, {}, true,
        limited ? glt::host_view<std::int64_t const>(exist) : glt::host_view<std::int64_t const>());
    for (auto const& option : glt_test::link_options_to_try()) {
      auto const mode = option.negatives.mode;
      std::vector<glt::random_key> keys(static_cast<std::size_t>(view.num_groups(mode)), glt::random_key(0));
      glt::detail::key_of_group<glt::memory_space::host, glt::memory_space::host, glt::local_id> const key_of{
          glt::detail::negatives_key({}), view, mode, {}, {}, keys};
      for (std::int64_t group = 0; group < std::ssize(keys); ++group) {
        key_of(group);
      }
      glt::host_view<glt::random_key const> const key_list(keys);
      glt::detail::negative_drawer<cpu, glt::local_id> drawer(option.negatives);
      glt::detail::negative_pairs<cpu, glt::local_id> out;
      drawer.draw(candidates, seeds, key_list, out, times);
      auto const in_rounds = plain(out);
      glt::detail::draw_negative<glt::memory_space::host, glt::local_id, decltype(candidates.view())> const draw{
          candidates.view(),  view, key_list, times, option.negatives, out.sources.view(), out.destinations.view(),
          out.verified.view()};
      for (std::int64_t place = 0; place < out.sources.size(); ++place) {
        out.sources.view()[place] = -1;
        draw(place);
      }
      CHECK(plain(out) == in_rounds);
      if (option.negatives.strict) {
        CHECK(in_rounds == draw_naively(list, positives, {}, option.negatives, {},
                                        limited ? exist : std::vector<std::int64_t>(), times));
      }
    }
  }
}

TEST_CASE("where every pair is an edge, strict negatives end after their attempts and say so") {
  glt_test::edge_list list{"complete", 5, {}, {}};
  for (int v = 0; v < 25; ++v) {
    list.add(v % 5, v / 5);
  }
  for (auto const mode : {negative_mode::binary, negative_mode::triplet}) {
    repeated_drawer draw(list, {.mode = mode, .amount = 3, .attempts = 50});
    auto const negatives = draw({{0, 1}, {2, 2}}, {});
    CHECK(negatives.pairs.size() == 6);
    CHECK(negatives.verified == std::vector<bool>(6, false));
  }
}

TEST_CASE("strict negatives miss edges, positives of the batch and, unless told otherwise, self pairs") {
  // Vertex 0 reaches all but 5 and 6; 5 is a positive that is not in the graph; only 6 remains, and 0 itself.
  glt_test::edge_list const list{"", 7, {0, 0, 0, 0}, {1, 2, 3, 4}};
  pair_list const positives{{0, 1}, {0, 5}};
  repeated_drawer draw(list, {.mode = negative_mode::triplet, .amount = 40, .attempts = 200});
  for (auto const& [source, destination] : draw(positives, {}).pairs) {
    CHECK(source == 0);
    CHECK(destination == 6);
  }
  repeated_drawer with_self(list, {.mode = negative_mode::triplet, .amount = 40, .self_pairs = true, .attempts = 200});
  std::vector<std::int64_t> count(7, 0);
  for (auto const& pair : with_self(positives, {}).pairs) {
    ++count[static_cast<std::size_t>(pair.second)];
  }
  CHECK(count[0] + count[6] == 80);
  CHECK(count[0] > 20);
  CHECK(count[6] > 20);
}

TEST_CASE("the negatives of a positive are the same in any batch") {
  auto const list = glt_test::random_graph(257, 4099);
  repeated_drawer draw(list, {.mode = negative_mode::triplet, .amount = 4});
  auto const together = draw({{3, 9}, {7, 8}, {3, 9}, {100, 2}}, {.step = 4});
  auto const apart = draw({{100, 2}, {3, 9}}, {.step = 4});
  CHECK(pair_list(apart.pairs.begin(), apart.pairs.begin() + 4) ==
        pair_list(together.pairs.begin() + 12, together.pairs.end()));
  CHECK(pair_list(apart.pairs.begin() + 4, apart.pairs.end()) ==
        pair_list(together.pairs.begin(), together.pairs.begin() + 4));
  CHECK(pair_list(together.pairs.begin(), together.pairs.begin() + 4) !=
        pair_list(together.pairs.begin() + 8, together.pairs.begin() + 12));
}

TEST_CASE("both ends of binary negatives are uniform over the non-edges") {
  // 6 vertices without self pairs have 30 pairs; 10 are edges.
  glt_test::edge_list const list{"", 6, {0, 0, 0, 1, 2, 3, 4, 5, 5, 5}, {1, 2, 3, 0, 0, 5, 5, 0, 1, 2}};
  repeated_drawer draw(list, {.amount = 30000, .attempts = 60});
  auto const negatives = draw({{0, 1}}, {.seed = 8});
  std::vector<std::int64_t> counts(36, 0);
  for (auto const& [source, destination] : negatives.pairs) {
    ++counts[static_cast<std::size_t>(6 * source + destination)];
  }
  std::vector<std::int64_t> observed;
  for (auto const count : counts) {
    if (count > 0) {
      observed.push_back(count);
    }
  }
  CHECK(observed.size() == 20);
  CHECK(glt_test::chi_square_deviation(observed) < 4);
}

TEST_CASE("vertices are drawn in proportion to their weights") {
  glt_test::edge_list const list{"isolated", 8, {}, {}};
  std::vector<double> const weights{1, 2, 0, 4, 0.5, 8, 0.25, 1.75};
  repeated_drawer draw(list, {.amount = 40000, .strict = false}, 1, weights);
  auto const negatives = draw({{0, 1}}, {.seed = 2});
  for (int end = 0; end < 2; ++end) {
    std::vector<double> counts(8, 0);
    for (auto const& [source, destination] : negatives.pairs) {
      ++counts[static_cast<std::size_t>(end == 0 ? source : destination)];
    }
    double statistic = 0;
    for (std::size_t v = 0; v < 8; ++v) {
      auto const expected = 40000 * weights[v] / 17.5;
      statistic += weights[v] > 0 ? (counts[v] - expected) * (counts[v] - expected) / expected : counts[v];
    }
    CHECK(counts[2] == 0);
    CHECK(statistic < 27); // chi-square with 6 degrees of freedom: less but once in 7000 keys
  }
}

namespace {

// A source of candidates with nothing but what the concept lists: four vertices, all with an edge to vertex 2.
struct minimal_candidates {
  using ids = glt::host_view<glt::local_id const>;
  std::int64_t num_numbers(glt::detail::pair_end) { return 4; }
  bool limited() { return false; }
  bool find(glt::host_view<std::int64_t const> numbers, glt::host_view<glt::local_id> vertices,
            glt::host_view<std::int64_t>, negative_mode) {
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
      vertices[i] = static_cast<glt::local_id>(numbers[i]);
    }
    return !numbers.empty();
  }
  void test(ids, ids destinations, glt::host_view<std::uint8_t> found) {
    for (std::int64_t i = 0; i < destinations.size(); ++i) {
      found[i] = destinations[i] == 2 ? 1 : 0;
    }
  }
};
static_assert(glt::detail::candidate_source<minimal_candidates, cpu, glt::local_id>);

} // namespace

TEST_CASE("drawing needs no more of a source than the concept lists") {
  minimal_candidates candidates;
  glt::detail::negative_drawer<cpu, glt::local_id> drawer(
      {.mode = negative_mode::triplet, .amount = 50, .attempts = 100});
  glt::detail::seed_edges<cpu, glt::local_id> positives;
  std::vector<glt::local_id> const source{0};
  std::vector<glt::local_id> const destination{1};
  positives.assign(glt::host_view<glt::local_id const>(source), glt::host_view<glt::local_id const>(destination));
  std::vector<glt::random_key> const keys{glt::random_key(1)};
  glt::detail::negative_pairs<cpu, glt::local_id> out;
  drawer.draw(candidates, positives, glt::host_view<glt::random_key const>(keys), out);
  CHECK(out.destinations.size() == 50);
  for (auto const vertex : out.destinations) {
    CHECK(vertex == 3);
  }
}

TEST_CASE("wrong options are refused before anything is drawn") {
  CHECK_THROWS_AS((glt::detail::negative_drawer<cpu, glt::local_id>({.amount = -2})), glt::precondition_error);
}
