// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pickle_writer.hpp"

namespace glt_test {

using peer_ids = std::vector<std::int64_t>;

/// A graph and where a peer put its vertices and edges, as an oracle for what comes back from the peer's folder.
struct peer_graph {
  struct nodes {
    std::string name;
    peer_ids part;               ///< of every vertex
    std::vector<float> features; ///< two for each vertex, or none
  };
  struct edges {
    std::size_t source; ///< types of vertices
    std::string name;
    std::size_t destination;
    peer_ids rows;
    peer_ids cols;
    peer_ids part;
    std::vector<float> features; ///< one for each edge, or none
  };

  bool typed = false;
  int num_parts = 1;
  std::vector<nodes> node_types{};
  std::vector<edges> edge_types{};

  [[nodiscard]] std::string type_of(edges const& table) const {
    return node_types[table.source].name + "__" + table.name + "__" + node_types[table.destination].name;
  }
  [[nodiscard]] std::string triple_of(edges const& table) const {
    return pickled::tuple({pickled::text(node_types[table.source].name), pickled::text(table.name),
                           pickled::text(node_types[table.destination].name)});
  }
};

/// Edges belong to the part of their source or destination; ids of a part come in any order.
inline peer_graph random_peer_graph(bool typed, int num_parts, std::int64_t num_nodes, std::int64_t num_edges,
                                    bool by_source, unsigned seed) {
  std::mt19937 random(seed);
  auto const below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
  };
  peer_graph made;
  made.typed = typed;
  made.num_parts = num_parts;
  auto const add_nodes = [&](std::string name, std::int64_t count, bool features) {
    peer_graph::nodes table{std::move(name), {}, {}};
    for (std::int64_t i = 0; i < count; ++i) {
      table.part.push_back(below(num_parts));
      for (int k = 0; features && k < 2; ++k) {
        table.features.push_back(static_cast<float>(100 * i + k));
      }
    }
    made.node_types.push_back(std::move(table));
  };
  auto const add_edges = [&](std::size_t source, std::string name, std::size_t destination, std::int64_t count,
                             bool features) {
    peer_graph::edges table{source, std::move(name), destination, {}, {}, {}, {}};
    auto const& from = made.node_types[source].part;
    auto const& to = made.node_types[destination].part;
    for (std::int64_t i = 0; i < (from.empty() || to.empty() ? 0 : count); ++i) {
      table.rows.push_back(below(std::ssize(from)));
      table.cols.push_back(i % 7 == 0 && source == destination ? table.rows.back() : below(std::ssize(to)));
      table.part.push_back(by_source ? from[static_cast<std::size_t>(table.rows.back())]
                                     : to[static_cast<std::size_t>(table.cols.back())]);
      if (features) {
        table.features.push_back(static_cast<float>(i) / 2);
      }
    }
    made.edge_types.push_back(std::move(table));
  };
  add_nodes(typed ? "paper" : "node", num_nodes, true);
  if (typed) {
    add_nodes("author", num_nodes / 2 + 1, false);
    add_edges(1, "writes", 0, num_edges, false);
    add_edges(0, "cites", 0, num_edges / 2, true);
  } else {
    add_edges(0, "edge", 0, num_edges, true);
  }
  return made;
}

/// What belongs to a part, in an order that is not that of the ids.
inline peer_ids peer_members(peer_ids const& part, int p) {
  peer_ids own;
  for (std::int64_t i = std::ssize(part) - 1; i >= 0; --i) {
    if (part[static_cast<std::size_t>(i)] == p) {
      own.push_back(i);
    }
  }
  return own;
}

template <class T>
std::vector<T> peer_rows(std::vector<T> const& all, peer_ids const& ids, std::int64_t width = 1) {
  std::vector<T> own;
  for (auto const id : ids) {
    own.insert(own.end(), all.begin() + id * width, all.begin() + (id + 1) * width);
  }
  return own;
}

inline peer_ids peer_plus(peer_ids ids, std::int64_t offset) {
  for (auto& id : ids) {
    id += offset;
  }
  return ids;
}

/// Saves values as pickled chunks of two rows.
template <class T>
void save_chunks(std::filesystem::path const& path, std::vector<T> const& values, std::int64_t width, bool column) {
  std::string all;
  for (std::int64_t i = 0; i < std::ssize(values); i += 2 * width) {
    auto const end = std::min<std::int64_t>(i + 2 * width, std::ssize(values));
    auto const rows = (end - i) / width;
    all += pickle_tensor(std::vector<T>(values.begin() + i, values.begin() + end),
                         column ? peer_ids{rows} : peer_ids{rows, width});
  }
  write_bytes(path, all);
}

/// What the partitioners of GraphLearn-for-PyTorch write; `chunks` as versions from 0.2.2 on do.
inline void write_graphlearn(std::filesystem::path const& dir, peer_graph const& graph, bool chunks) {
  namespace fs = std::filesystem;
  using namespace pickled;
  auto const of_type = [&](fs::path const& folder, std::string const& type) {
    auto const path = graph.typed ? folder / type : folder;
    fs::create_directories(path);
    return path;
  };
  auto const book = [&](std::string const& stem, std::string const& type) {
    if (!graph.typed) {
      return dir / (stem + ".pt");
    }
    fs::create_directories(dir / stem);
    return dir / stem / (type + ".pt");
  };
  auto const save_rows = [&](fs::path const& folder, peer_ids const& ids, std::vector<float> const& rows,
                             std::int64_t width) {
    if (ids.empty()) {
      fs::remove(folder); // no chunk, no file
    } else if (chunks) {
      save_chunks(folder / "feats.pkl", rows, width, false);
      save_chunks(folder / "ids.pkl", ids, 1, true);
    } else {
      save_tensor(folder / "feats.pt", rows, {std::ssize(ids), width});
      save_tensor(folder / "ids.pt", ids);
    }
  };
  fs::create_directories(dir);
  std::vector<std::string> nodes;
  std::vector<std::string> edges;
  for (auto const& table : graph.node_types) {
    nodes.push_back(text(table.name));
    save_tensor(book("node_pb", table.name), table.part);
  }
  for (auto const& table : graph.edge_types) {
    edges.push_back(graph.triple_of(table));
    save_tensor(book("edge_pb", graph.type_of(table)), table.part);
  }
  for (int p = 0; p < graph.num_parts; ++p) {
    auto const part = dir / ("part" + std::to_string(p));
    for (auto const& table : graph.node_types) {
      if (!table.features.empty()) {
        auto const ids = peer_members(table.part, p);
        save_rows(of_type(part / "node_feat", table.name), ids, peer_rows(table.features, ids, 2), 2);
      }
    }
    for (auto const& table : graph.edge_types) {
      auto const ids = peer_members(table.part, p);
      auto const folder = of_type(part / "graph", graph.type_of(table));
      save_tensor(folder / "rows.pt", peer_rows(table.rows, ids));
      save_tensor(folder / "cols.pt", peer_rows(table.cols, ids));
      save_tensor(folder / "eids.pt", ids);
      if (!table.features.empty()) {
        save_tensor(folder / "weights.pt", peer_rows(table.features, ids));
        save_rows(of_type(part / "edge_feat", graph.type_of(table)), ids, peer_rows(table.features, ids), 1);
      }
    }
  }
  write_bytes(dir / "META", whole(dict({{text("num_parts"), integer(graph.num_parts)},
                                        {text("data_cls"), text(graph.typed ? "hetero" : "homo")},
                                        {text("node_types"), graph.typed ? list(nodes) : none()},
                                        {text("edge_types"), graph.typed ? list(edges) : none()}})));
}

/// What the Partitioner of PyTorch Geometric writes; `through` numbers as release 2.4 did with types.
inline void write_pyg(std::filesystem::path const& dir, peer_graph const& graph, bool through, bool times = false) {
  namespace fs = std::filesystem;
  using namespace pickled;
  fs::create_directories(dir / (graph.typed ? "node_map" : ""));
  fs::create_directories(dir / (graph.typed ? "edge_map" : ""));
  auto const book = [&](std::string const& stem, std::string const& type) {
    return graph.typed ? dir / stem / (type + ".pt") : dir / (stem + ".pt");
  };
  std::string nodes;
  std::string edges;
  peer_ids first_node{0};
  peer_ids first_edge{0};
  for (auto const& table : graph.node_types) {
    nodes += (nodes.empty() ? "\"" : ", \"") + table.name + "\"";
    save_tensor(book("node_map", table.name), table.part);
    first_node.push_back(first_node.back() + std::ssize(table.part));
  }
  for (auto const& table : graph.edge_types) {
    edges += std::string(edges.empty() ? "" : ", ") + "[\"" + graph.node_types[table.source].name + "\", \"" +
             table.name + "\", \"" + graph.node_types[table.destination].name + "\"]";
    save_tensor(book("edge_map", graph.type_of(table)), table.part);
    first_edge.push_back(first_edge.back() + std::ssize(table.part));
  }
  for (int p = 0; p < graph.num_parts; ++p) {
    auto const part = dir / ("part_" + std::to_string(p));
    fs::create_directories(part);
    torch_writer node_file;
    torch_writer edge_file;
    torch_writer graph_file;
    std::vector<std::pair<std::string, std::string>> node_feats;
    std::vector<std::pair<std::string, std::string>> edge_feats;
    std::vector<std::pair<std::string, std::string>> tables;
    for (std::size_t t = 0; t < graph.node_types.size(); ++t) {
      auto const& table = graph.node_types[t];
      auto const ids = peer_members(table.part, p);
      // torch.save keeps the storage of all parts with the ids of each.
      auto padded = peer_plus(ids, first_node[t]);
      padded.insert(padded.begin(), 3, -77);
      std::vector<std::pair<std::string, std::string>> entries{
          {text("global_id"), torch_writer::tensor(node_file.storage(padded), 3, {std::ssize(ids)}, {1})},
          {text("feats"), dict({{text("x"), table.features.empty() ? none()
                                                                   : node_file.tensor(peer_rows(table.features, ids, 2),
                                                                                      {std::ssize(ids), 2})}})}};
      if (graph.typed && !through) {
        entries.emplace_back(text("id"), node_file.tensor(ids));
      }
      if (times) {
        peer_ids all;
        for (std::int64_t i = 0; i < std::ssize(table.part); ++i) {
          all.push_back(3 * i);
        }
        entries.emplace_back(text("time"), node_file.tensor(all));
      }
      node_feats.emplace_back(text(table.name), dict(entries));
    }
    for (std::size_t t = 0; t < graph.edge_types.size(); ++t) {
      auto const& table = graph.edge_types[t];
      auto const ids = peer_members(table.part, p);
      auto const rows = peer_plus(peer_rows(table.rows, ids), through ? first_node[table.source] : 0);
      auto const cols = peer_plus(peer_rows(table.cols, ids), through ? first_node[table.destination] : 0);
      tables.emplace_back(graph.triple_of(table),
                          dict({{text("edge_id"), graph_file.tensor(peer_plus(ids, first_edge[t]))},
                                {text("row"), graph_file.tensor(rows)},
                                {text("col"), graph_file.tensor(cols)},
                                {text("size"), integers({0, 0})}}));
      std::vector<std::pair<std::string, std::string>> entries;
      if (!table.features.empty()) {
        entries.emplace_back(text("global_id"), edge_file.tensor(peer_plus(ids, through ? first_edge[t] : 0)));
        entries.emplace_back(
            text("feats"),
            dict({{text("edge_attr"), edge_file.tensor(peer_rows(table.features, ids), {std::ssize(ids), 1})}}));
      }
      if (times) {
        entries.emplace_back(text("edge_time"), edge_file.tensor(peer_plus(ids, 1000)));
      }
      auto const factory = name("collections", "defaultdict");
      edge_feats.emplace_back(graph.triple_of(table), call(factory, {}) + items(entries));
    }
    auto const save = [&](torch_writer const& writer, std::string const& name, auto const& entries) {
      writer.save(part / name, graph.typed ? dict(entries) : entries.front().second);
    };
    save(node_file, "node_feats.pt", node_feats);
    save(edge_file, "edge_feats.pt", edge_feats);
    save(graph_file, "graph.pt", tables);
  }
  std::ofstream(dir / "META.json") << "{\"num_parts\": " << graph.num_parts
                                   << ", \"node_types\": " << (graph.typed ? "[" + nodes + "]" : "null")
                                   << ", \"edge_types\": " << (graph.typed ? "[" + edges + "]" : "null")
                                   << ", \"is_hetero\": " << (graph.typed ? "true" : "false")
                                   << (through ? "" : ", \"node_offset\": null, \"is_sorted\": true") << "}";
}

} // namespace glt_test
