// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a data set for node classification of WordNet's plain-text database:
//   prepare_wordnet /usr/share/wordnet OUT
// Vertices are synsets, edges their relations (both ways), features hashed words of lemmas and gloss, classes
// the lexicographer files.
#include "database.hpp"
#include "hashed_words.hpp"

#include <glt/core/random.hpp>
#include <glt/graph/coo.hpp>
#include <glt/graph/dedupe.hpp>
#include <glt/graph/random_permutation.hpp>
#include <glt/graph/symmetrize.hpp>
#include <glt/io/npy.hpp>
#include <glt/io/staging.hpp>
#include <glt/memory/buffer.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

namespace {

constexpr std::int64_t num_columns = 256;
constexpr std::uint64_t split_seed = 1;

/// Writes edge_index.npy and returns the number of edges.
std::int64_t write_edges(std::filesystem::path const& folder, wordnet::database const& data) {
  glt::coo_view<glt::memory_space::host> const pointers(data.num_synsets(), data.sources, data.targets);
  auto const graph = glt::remove_duplicates(glt::symmetrize(pointers).view(),
                                            {.self_loops = glt::self_loop_handling::remove});
  auto const edges = graph.view();
  std::vector<std::int64_t> index(edges.sources().begin(), edges.sources().end());
  index.insert(index.end(), edges.destinations().begin(), edges.destinations().end());
  glt::io::write_npy(folder / "edge_index.npy",
                     glt::host_matrix<std::int64_t>(index.data(), 2, edges.num_edges()));
  return edges.num_edges();
}

void write_features(std::filesystem::path const& folder, wordnet::database const& data) {
  glt::buffer<glt::device::cpu, float> values(data.num_synsets() * num_columns);
  glt::host_matrix<float> const features(values.data(), data.num_synsets(), num_columns);
  for (std::int64_t v = 0; v < features.rows(); ++v) {
    wordnet::hash_words(data.texts[static_cast<std::size_t>(v)], features.row(v));
  }
  glt::io::write_npy(folder / "node_feat.npy", features);
}

/// 60 % of the vertices to train, 20 % to validate, the rest to test.
void write_splits(std::filesystem::path const& folder, std::int64_t num_vertices) {
  auto const order = glt::make_random_permutation<std::int64_t>(num_vertices, glt::random_key(split_seed));
  std::array const ends{num_vertices * 6 / 10, num_vertices * 8 / 10, num_vertices};
  std::array const names{"train_idx.npy", "valid_idx.npy", "test_idx.npy"};
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::int64_t> vertices(order.begin() + begin, order.begin() + ends[i]);
    std::ranges::sort(vertices);
    glt::io::write_npy(folder / names[i], vertices);
    begin = ends[i];
  }
}

void prepare(std::filesystem::path const& input, std::filesystem::path const& output) {
  glt::io::staged_folder staged(output); // first: nobody waits for a folder that cannot be written
  auto const data = wordnet::reader::read(input);
  auto const num_edges = write_edges(staged.path(), data);
  write_features(staged.path(), data);
  glt::io::write_npy(staged.path() / "node_label.npy", data.classes);
  write_splits(staged.path(), data.num_synsets());
  staged.commit();
  std::printf("%lld synsets, %zu pointers, %lld edges, %lld columns, %lld classes\n",
              static_cast<long long>(data.num_synsets()), data.sources.size(),
              static_cast<long long>(num_edges), static_cast<long long>(num_columns),
              static_cast<long long>(wordnet::num_classes));
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(
        stderr, "usage: prepare_wordnet WORDNET_FOLDER OUT (for example /usr/share/wordnet build/wordnet)\n");
    return 2;
  }
  try {
    prepare(argv[1], argv[2]);
    return 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "prepare_wordnet: %s\n", failure.what());
    return 1;
  }
}
