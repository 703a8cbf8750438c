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
#include <glt/io/npy_header.hpp>
#include <glt/io/parallel_parts.hpp>

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
  std::string name;

  [[nodiscard]] glt::io::edge_columns columns() const {
    auto const edges = edge_index.matrix<std::int64_t>();
    return {.sources = edges.row(0), .destinations = edges.row(1)};
  }
};

/// The element type of an .npy file.
inline glt::element_type type_of(std::filesystem::path const& path) {
  auto const header = glt::io::read_npy_header(path);
  for (std::size_t i = 0; i < glt::detail::element_table.size(); ++i) {
    auto const type = static_cast<glt::element_type>(i);
    if (glt::io::detail::npy_name_of(type) == header.type) {
      return type;
    }
  }
  throw glt::io_error(path.string(), 0, "holds elements of type '" + header.type + "'; convert it with NumPy's astype");
}

/// Maps the arrays of a folder of .npy files.
inline large_input map_input(std::filesystem::path const& folder) {
  namespace io = glt::io;
  auto const find = [&](char const* file) -> std::optional<io::array> {
    auto const path = folder / file;
    return std::filesystem::exists(path) ? std::optional(io::map_npy(path, type_of(path))) : std::nullopt;
  };
  large_input made;
  made.name = folder.filename().string();
  made.edge_index = io::map_npy(folder / "edge_index.npy", glt::element_type::int64);
  if (made.edge_index.shape().size() != 2 || made.edge_index.rows() != 2) {
    throw glt::io_error((folder / "edge_index.npy").string(), 0, "is no edge list: its shape is not [2, E]");
  }
  auto& nodes = made.nodes;
  if (auto features = find("node_feat.npy")) {
    nodes.num_nodes = features->rows();
    nodes.features.push_back({"node_feat", std::move(*features)});
  }
  if (auto labels = find("node_label.npy")) {
    nodes.num_nodes = std::max(nodes.num_nodes, labels->rows());
    nodes.labels = std::move(*labels);
  }
  if (auto const number = find("num_nodes.npy")) {
    nodes.num_nodes = io::integers_of(*number, (folder / "num_nodes.npy").string()).at(0);
  }
  if (nodes.num_nodes == 0) {
    auto const ids = made.edge_index.values<std::int64_t>();
    nodes.num_nodes = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end()) + 1;
  }
  auto const list = [&](char const* file, std::vector<glt::global_id>& out) {
    if (auto const ids = find(file)) {
      out = io::integers_of(*ids, (folder / file).string());
    }
  };
  list("train_idx.npy", nodes.train);
  list("valid_idx.npy", nodes.valid);
  list("test_idx.npy", nodes.test);
  return made;
}

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
    auto const scratch = std::filesystem::path(chosen.out.string() + ".scratch" + std::to_string(comm.rank()));
    std::filesystem::create_directories(scratch);
    auto parts = glt::io::assign_by_stream(
        comm, make_stream, num_vertices, input.columns(),
        {.passes = chosen.passes, .plan = plan, .scratch = scratch, .on_progress = out.progress()});
    std::filesystem::remove_all(scratch);
    return parts;
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
