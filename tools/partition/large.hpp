// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "console.hpp"
#include "options.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/io/array.hpp>
#include <glt/io/array_values.hpp>
#include <glt/io/assignment.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/edge_shuffle.hpp>
#include <glt/io/large_stream.hpp>
#include <glt/io/mapped_npy.hpp>
#include <glt/io/memory_plan.hpp>
#include <glt/io/npy_folder_counts.hpp>
#include <glt/io/npy_folder_files.hpp>
#include <glt/io/parallel_parts.hpp>
#include <glt/io/staging.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

/// A data set without types whose edges and features stay in its files until they are needed.
struct large_input {
  glt::io::node_table nodes;
  glt::io::array edge_index; ///< int64 [2, E]
  glt::io::array weights;    ///< float32 [E] or empty
  glt::io::array times;      ///< int64 [E] or empty
  std::string name;

  [[nodiscard]] glt::io::edge_columns columns() const {
    auto const edges = edge_index.matrix<std::int64_t>();
    return {.sources = edges.row(0),
            .destinations = edges.row(1),
            .weights = weights.empty() ? glt::host_view<float const>() : weights.values<float>(),
            .times = times.empty() ? glt::host_view<std::int64_t const>() : times.values<std::int64_t>()};
  }
};

/// Maps the arrays of a folder of .npy files, of which `read_npy_folder` makes the same data set in memory.
inline large_input map_input(std::filesystem::path const& folder) {
  namespace io = glt::io;
  io::detail::npy_folder_files const files(folder);
  if (files.node_types().size() != 1 || files.edge_types().size() != 1) {
    throw glt::precondition_error(folder.string() + " holds a graph with types; start one process without --memory");
  }
  auto const& nodes_suffix = files.node_types()[0].suffix;
  auto const& edges_suffix = files.edge_types()[0].suffix;
  for (auto const* const kind :
       {"edge_feat", "train_edge", "valid_edge", "test_edge", "train_edge_neg", "valid_edge_neg", "test_edge_neg"}) {
    if (auto const file = files.find(kind, edges_suffix)) {
      throw glt::precondition_error(file->string() +
                                    " belongs to edges, of which only weights and times go with a graph " +
                                    "that stays on disk; start one process without --memory");
    }
  }
  auto const map = [](std::optional<std::filesystem::path> const& file) {
    return file ? std::optional(io::map_npy_any(*file)) : std::nullopt;
  };
  large_input made;
  made.name = files.name();
  auto const edge_file = *files.find("edge_index", edges_suffix);
  made.edge_index = io::map_npy(edge_file, glt::element_type::int64);
  if (made.edge_index.shape().size() != 2 || made.edge_index.rows() != 2) {
    throw glt::io_error(edge_file.string(), 0, "is no edge list: its shape is not [2, E]");
  }
  if (auto const file = files.find("edge_weight", edges_suffix)) {
    made.weights = io::map_npy(*file, glt::element_type::float32);
  }
  if (auto const file = files.find("edge_time", edges_suffix)) {
    made.times = io::map_npy(*file, glt::element_type::int64);
  }
  auto& nodes = made.nodes;
  nodes.name = files.node_types()[0].name;
  auto const list = [&](char const* kind, std::vector<std::int64_t>& out) {
    auto const file = files.find(kind, nodes_suffix);
    if (auto const ids = map(file)) {
      out = io::integers_of(*ids, file->string());
    }
  };
  nodes.num_nodes = -1;
  if (auto features = map(files.find("node_feat", nodes_suffix))) {
    nodes.num_nodes = features->rows();
    nodes.features.push_back({"node_feat", std::move(*features)});
  }
  if (auto labels = map(files.find("node_label", nodes_suffix))) {
    nodes.num_nodes = labels->rows();
    nodes.labels = std::move(*labels);
  }
  list("node_time", nodes.times);
  list("train_idx", nodes.train);
  list("valid_idx", nodes.valid);
  list("test_idx", nodes.test);
  std::vector<std::int64_t> number;
  list("num_nodes", number);
  auto const counts = io::detail::read_node_counts(files.meta());
  if (auto const stated = counts.find(nodes.name); stated != counts.end()) {
    nodes.num_nodes = stated->second;
  } else if (!number.empty()) {
    nodes.num_nodes = number[0];
  } else if (nodes.num_nodes < 0) {
    auto const ids = made.edge_index.values<std::int64_t>();
    nodes.num_nodes = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end()) + 1;
  }
  return made;
}

/// A folder for what waits on disk, which goes away with everything in it.
class scratch_folder {
public:
  explicit scratch_folder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
  }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
};

/// Assigns the vertices of a graph that stays on disk.
template <glt::communicator Comm>
assignment assign_large(Comm comm, options const& chosen, large_input const& input, glt::io::memory_plan const& plan,
                        console& out) {
  auto const num_vertices = input.nodes.num_nodes;
  auto const of_each = [&](auto part_of) {
    assignment parts(num_vertices);
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      parts[v] = part_of(v);
    }
    return parts;
  };
  // Partitioners that look at no edge see a graph without any.
  auto const edgeless = [&](auto const& partitioner) {
    glt::buffer<cpu, glt::edge_offset> offsets(num_vertices + 1);
    std::ranges::fill(offsets, 0);
    return partitioner(host_csr(num_vertices, std::as_const(offsets).view(), {}), chosen.parts);
  };
  auto const streamed = [&](auto make_stream) {
    auto const out_folder = glt::io::detail::without_trailing_separator(chosen.out);
    scratch_folder const scratch(out_folder.string() + ".scratch" + std::to_string(comm.rank()));
    return glt::io::assign_by_stream(
        comm, make_stream, num_vertices, input.columns(),
        {.passes = chosen.passes, .plan = plan, .scratch = scratch.path(), .on_progress = out.progress()});
  };
  auto const& method = chosen.method;
  if (method == "contiguous") {
    return edgeless(glt::contiguous_partitioner{});
  }
  if (method == "random") {
    return edgeless(glt::random_partitioner{.seed = chosen.key});
  }
  if (method == "hash") {
    glt::hash_partitioner const hash{.seed = chosen.key};
    return of_each([&](std::int64_t v) { return hash.part_of(v, chosen.parts); });
  }
  if (method == "file") {
    return glt::io::read_assignment(chosen.assignment);
  }
  if (chosen.balance != std::vector<std::string>{"vertices"}) {
    throw glt::precondition_error(
        "--balance of other things than vertices, for a graph that stays on disk; leave it out, "
        "or raise --memory and start one process");
  }
  if (method == "ldg") {
    return streamed([&] { return make_ldg(chosen).stream(num_vertices, chosen.parts); });
  }
  if (method == "fennel") {
    return streamed(
        [&] { return make_fennel(chosen).stream(num_vertices, input.columns().sources.size(), chosen.parts); });
  }
  throw glt::precondition_error("--method " + method +
                                " needs the whole graph in one process; use ldg, fennel, hash, "
                                "random, contiguous or file, or raise --memory and start one process");
}

/// Edges by the parts of their ends, every rank those of its slice.
///
/// @pre    ends and parts were checked, as `write_parts_together` does; not checked
template <glt::communicator Comm>
std::vector<std::int64_t> count_edges_between(Comm comm, large_input const& input,
                                              glt::host_view<glt::local_id const> part_of, int num_parts) {
  std::vector<std::int64_t> between(static_cast<std::size_t>(num_parts) * static_cast<std::size_t>(num_parts), 0);
  auto const edges = input.columns();
  auto const [first, last] = glt::io::slice_of(edges.sources.size(), comm.size(), comm.rank());
  for (auto e = first; e < last; ++e) {
    ++between[static_cast<std::size_t>(part_of[edges.sources[e]]) * static_cast<std::size_t>(num_parts) +
              static_cast<std::size_t>(part_of[edges.destinations[e]])];
  }
  comm.all_reduce(std::span<std::int64_t>(between), glt::reduction::sum);
  return between;
}

} // namespace glt_partition
