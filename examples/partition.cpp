// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitions a data set for node classification, a part for every rank that will load it:
//   partition DATASET PARTS OUT [--method ldg|random|contiguous] [--normalize]
// DATASET holds edge_index.npy int64 [2, E], node_feat.npy float32 [V, F], node_label.npy int64 [V], and
// train_idx.npy, valid_idx.npy, test_idx.npy int64.
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/graph/validate.hpp>
#include <glt/io/npy.hpp>
#include <glt/io/parts.hpp>
#include <glt/partition/contiguous.hpp>
#include <glt/partition/ldg.hpp>
#include <glt/partition/quality.hpp>
#include <glt/partition/random.hpp>
#include <glt/partition/relabel.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using glt::device::cpu;
using graph_view = glt::csr_view<glt::memory_space::host, glt::global_id>;

constexpr char const* usage = "usage: partition DATASET PARTS OUT [--method ldg|random|contiguous] "
                              "[--normalize]; --normalize divides every row of"
                              " the features by its sum";

struct options {
  std::filesystem::path dataset;
  int parts = 0;
  std::filesystem::path out;
  std::string method = "ldg";
  bool normalize = false;
};

options parse(std::span<char const* const> arguments) {
  options parsed;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view const text = arguments[i];
    if (text == "--normalize") {
      parsed.normalize = true;
    } else if (text == "--method" && i + 1 < arguments.size()) {
      parsed.method = arguments[++i];
    } else if (text.starts_with("--")) {
      throw glt::precondition_error(
          glt::detail::message("unknown option or missing value at ", text, "; ", usage));
    } else {
      names.push_back(text);
    }
  }
  if (names.size() != 3) {
    throw glt::precondition_error(glt::detail::message(names.size(), " arguments instead of 3; ", usage));
  }
  auto const [end, fault] = std::from_chars(names[1].data(), names[1].data() + names[1].size(), parsed.parts);
  if (fault != std::errc() || end != names[1].data() + names[1].size() || parsed.parts < 1) {
    throw glt::precondition_error(glt::detail::message(names[1], " parts; ask for 1 or more"));
  }
  if (parsed.method != "ldg" && parsed.method != "random" && parsed.method != "contiguous") {
    throw glt::precondition_error(glt::detail::message("no method ", parsed.method, "; ", usage));
  }
  parsed.dataset = names[0];
  parsed.out = names[2];
  return parsed;
}

glt::buffer<cpu, glt::local_id> assign(std::string const& method, graph_view graph, int parts) {
  if (method == "ldg") {
    return glt::ldg_partitioner{}(graph, parts);
  }
  return method == "random" ? glt::random_partitioner{}(graph, parts)
                            : glt::contiguous_partitioner{}(graph, parts);
}

/// Divides every row by its sum; a row of sum 0 stays.
void normalize(glt::host_matrix<float> features) {
  for (std::int64_t v = 0; v < features.rows(); ++v) {
    auto const row = features.row(v);
    auto const sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (auto& value : row) {
      value = sum != 0 ? static_cast<float>(value / sum) : value;
    }
  }
}

/// The in-edges of a data set's graph; the position of an edge in the file is its id.
glt::csr_graph<cpu, glt::global_id> read_graph(std::filesystem::path const& path, std::int64_t num_vertices) {
  auto const index = glt::io::read_npy<std::int64_t>(path, 2);
  if (index.shape[0] != 2) {
    throw glt::io_error(path.string(), 0,
                        glt::detail::message("has ", index.shape[0], " rows; an edge list has 2"));
  }
  auto const edges = index.matrix();
  glt::coo_view<glt::memory_space::host, glt::global_id> const list(num_vertices, edges.row(0), edges.row(1));
  try {
    glt::validate(list);
  } catch (glt::precondition_error const& fault) {
    throw glt::io_error(path.string(), 0, fault.what());
  }
  return glt::make_csr<cpu>(list, {.edge_ids = true});
}

void run(options const& chosen) {
  auto const& folder = chosen.dataset;
  auto features = glt::io::read_npy<float>(folder / "node_feat.npy", 2);
  auto const graph = read_graph(folder / "edge_index.npy", features.shape[0]);
  auto const labels = glt::io::read_npy<std::int64_t>(folder / "node_label.npy", 1);
  auto const train = glt::io::read_npy<std::int64_t>(folder / "train_idx.npy", 1);
  auto const valid = glt::io::read_npy<std::int64_t>(folder / "valid_idx.npy", 1);
  auto const test = glt::io::read_npy<std::int64_t>(folder / "test_idx.npy", 1);
  if (chosen.normalize) {
    normalize({features.data.data(), features.shape[0], features.shape[1]});
  }
  auto const part_of = assign(chosen.method, graph.view(), chosen.parts);
  auto const relabelling = glt::make_relabelling(part_of.view(), chosen.parts);
  glt::io::write_parts(chosen.out, relabelling, graph.view(),
                       {.features = features.matrix(),
                        .labels = labels.data.view(),
                        .train = train.data.view(),
                        .valid = valid.data.view(),
                        .test = test.data.view()});

  auto const quality = glt::measure_partition(graph.view(), part_of.view(), chosen.parts);
  auto const cut = quality.num_edges > 0 ? 100.0 * static_cast<double>(quality.num_cut_edges) /
                                               static_cast<double>(quality.num_edges)
                                         : 0;
  std::printf("%d parts by %s: %.1f %% of %lld edges cut; vertices by part:", chosen.parts,
              chosen.method.c_str(), cut, static_cast<long long>(quality.num_edges));
  for (int part = 0; part < chosen.parts; ++part) {
    std::printf(" %lld", static_cast<long long>(relabelling.book.size(part)));
  }
  std::printf("\n");
}

} // namespace

int main(int argc, char** argv) {
  try {
    run(parse(std::span<char const* const>(argv + 1, static_cast<std::size_t>(argc - 1))));
    return 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "partition: %s\n", failure.what());
    return 1;
  }
}
