// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hashed_words.hpp"
#include "wordnet_database.hpp"

#include <glt/core/element_type.hpp>
#include <glt/core/error.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

namespace glt_partition {

/// How a data set is made of WordNet.
struct wordnet_options {
  std::int64_t columns = 256;   ///< of the features
  std::uint64_t split_seed = 1; ///< of the random split into 60 % training, 20 % validation and 20 % test vertices
};

namespace detail {

inline glt::io::array hash_texts(std::vector<std::string> const& texts, std::int64_t columns) {
  auto const rows = static_cast<std::int64_t>(texts.size());
  glt::buffer<glt::device::cpu, std::byte> bytes(rows * columns * static_cast<std::int64_t>(sizeof(float)));
  glt::host_matrix<float> const features(reinterpret_cast<float*>(bytes.data()), rows, columns);
  for (std::int64_t v = 0; v < rows; ++v) {
    hash_words(texts[static_cast<std::size_t>(v)], features.row(v));
  }
  return {glt::element_type::float32, {rows, columns}, std::move(bytes)};
}

} // namespace detail

/// A data set for node classification: vertices are synsets, edges their relations (both ways, each once, without
/// self-loops), features hashed words of lemmas and gloss, labels the lexicographer files.
///
/// @throws glt::precondition_error  if the features are to have no column
[[nodiscard]] inline glt::io::raw_data make_data_set(wordnet_database const& database,
                                                     wordnet_options const& options = {}) {
  if (options.columns < 1) {
    throw glt::precondition_error(
        glt::detail::message("WordNet with ", options.columns, " columns of features; ask for 1 or more"));
  }
  auto const num_synsets = database.num_synsets();
  glt::coo_view<glt::memory_space::host> const pointers(num_synsets, database.sources, database.targets);
  auto const graph = glt::remove_duplicates(glt::symmetrize(pointers).view(), glt::self_loop_handling::remove);
  glt::io::raw_data::edge_table edges;
  edges.sources.assign(graph.view().sources().begin(), graph.view().sources().end());
  edges.destinations.assign(graph.view().destinations().begin(), graph.view().destinations().end());

  glt::io::raw_data::node_table nodes;
  nodes.num_nodes = num_synsets;
  nodes.features.push_back({"node_feat", detail::hash_texts(database.texts, options.columns)});
  nodes.labels = glt::io::array::of(glt::host_view<std::int64_t const>(database.classes));

  auto const order =
      glt::detail::make_random_permutation<glt::global_id>(num_synsets, glt::random_key(options.split_seed));
  auto const train_end = order.begin() + num_synsets * 6 / 10;
  auto const valid_end = order.begin() + num_synsets * 8 / 10;
  nodes.train.assign(order.begin(), train_end);
  nodes.valid.assign(train_end, valid_end);
  nodes.test.assign(valid_end, order.end());
  for (auto* const split : {&nodes.train, &nodes.valid, &nodes.test}) {
    std::ranges::sort(*split);
  }

  glt::io::raw_data data{"wordnet", {}, {}};
  data.nodes.push_back(std::move(nodes));
  data.edges.push_back(std::move(edges));
  return data;
}

/// Reads WordNet's database from a folder such as /usr/share/wordnet, as `make_data_set` makes it a data set.
///
/// @throws glt::io_error  naming file and byte of what is missing, cut off or contradictory
[[nodiscard]] inline glt::io::raw_data read_wordnet(std::filesystem::path const& folder,
                                                    wordnet_options const& options = {}) {
  return make_data_set(read_wordnet_database(folder), options);
}

} // namespace glt_partition
