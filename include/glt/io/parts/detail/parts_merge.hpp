// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/parts/detail/parts_content.hpp>
#include <glt/io/parts/detail/parts_cut.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

#include <unordered_set>

namespace glt::io::detail {

// Merger that joins the same member of several parts, one part after the other.
class part_merger {
public:
  explicit part_merger(std::span<part_content const> parts) : parts_(parts) {}

  template <class T, class Member>
  [[nodiscard]] buffer<device::cpu, T> values(Member member) const {
    std::int64_t size = 0;
    for (auto const& part : parts_) {
      size += static_cast<std::int64_t>(member(part).size());
    }
    buffer<device::cpu, T> made(size);
    auto* next = made.data();
    for (auto const& part : parts_) {
      next = std::copy(member(part).begin(), member(part).end(), next);
    }
    return made;
  }
  template <class Member>
  [[nodiscard]] std::vector<global_id> ids(Member member) const {
    std::vector<global_id> made;
    for (auto const& part : parts_) {
      made.insert(made.end(), member(part).begin(), member(part).end());
    }
    return made;
  }
  template <class Member>
  [[nodiscard]] array rows(Member member) const {
    auto shape = member(parts_[0]).shape();
    if (shape.empty()) {
      return {};
    }
    auto const type = member(parts_[0]).type();
    shape[0] = 0;
    std::int64_t size = 0;
    for (auto const& part : parts_) {
      shape[0] += member(part).rows();
      size += member(part).bytes().size();
    }
    buffer<device::cpu, std::byte> bytes(size);
    auto* next = bytes.data();
    for (auto const& part : parts_) {
      auto const from = member(part).bytes();
      glt::detail::copy_bytes(next, from.data(), from.size());
      next += from.size();
    }
    return {type, std::move(shape), std::move(bytes)};
  }
  template <class Member>
  [[nodiscard]] std::vector<raw_data::named_array> named_rows(Member member) const {
    std::vector<raw_data::named_array> made;
    for (std::size_t i = 0; i < member(parts_[0]).size(); ++i) {
      made.push_back(
          {member(parts_[0])[i].name, rows([&](auto const& part) -> auto const& { return member(part)[i].values; })});
    }
    return made;
  }

  [[nodiscard]] part_nodes nodes(std::size_t type, partition_book const& book, int part) const {
    auto const member = [type](auto of) {
      return [=](part_content const& content) -> auto const& { return content.nodes[type].*of; };
    };
    part_nodes made;
    made.features = named_rows(member(&part_nodes::features));
    made.labels = rows(member(&part_nodes::labels));
    made.times = values<std::int64_t>(member(&part_nodes::times));
    made.train = ids(member(&part_nodes::train));
    made.valid = ids(member(&part_nodes::valid));
    made.test = ids(member(&part_nodes::test));
    made.hot = hot(type, book, part);
    return made;
  }

  [[nodiscard]] csr_graph<device::cpu, global_id> relation(std::size_t type) const {
    auto const view = [&](part_content const& part) { return part.graph.relations[type].view(); };
    std::int64_t num_rows = 0;
    for (auto const& part : parts_) {
      num_rows += view(part).num_rows();
    }
    buffer<device::cpu, edge_offset> offsets(num_rows + 1);
    offsets[0] = 0;
    std::int64_t row = 0;
    for (auto const& part : parts_) {
      auto const shift = offsets[row];
      for (std::int64_t r = 0; r < view(part).num_rows(); ++r) {
        offsets[++row] = view(part).offset(r + 1) + shift;
      }
    }
    auto const columns = view(parts_[0]).num_columns();
    return {columns, std::move(offsets), values<global_id>([&](auto const& part) { return view(part).sources(); }),
            values<edge_id>([&](auto const& part) { return view(part).edge_ids(); })};
  }

  [[nodiscard]] part_edges edges(std::size_t type, partition_book const& sources, int part) const {
    auto const member = [type](auto of) {
      return [=](part_content const& content) -> auto const& { return content.edges[type].*of; };
    };
    part_edges made;
    made.features = named_rows(member(&part_edges::features));
    made.weights = values<float>(member(&part_edges::weights));
    made.times = values<std::int64_t>(member(&part_edges::times));
    auto halo = ids(member(&part_edges::halo));
    std::erase_if(halo, [&](global_id id) { return id >= sources.begin(part) && id < sources.end(part); });
    std::ranges::sort(halo);
    halo.erase(std::unique(halo.begin(), halo.end()), halo.end());
    made.halo = make_buffer<device::cpu>(halo);
    for (std::size_t i = 0; i < parts_[0].edges[type].links.size(); ++i) {
      auto const link = [=](auto pairs, auto ends) {
        return [=](part_content const& content) -> auto const& { return content.edges[type].links[i].*pairs.*ends; };
      };
      made.links.push_back({parts_[0].edges[type].links[i].name,
                            {ids(link(&link_split::edges, &link_split::pairs::sources)),
                             ids(link(&link_split::edges, &link_split::pairs::destinations))},
                            {ids(link(&link_split::negatives, &link_split::pairs::sources)),
                             ids(link(&link_split::negatives, &link_split::pairs::destinations))}});
    }
    return made;
  }

private:
  // Joins the hot rows, each once, without vertices that one of the parts owns.
  [[nodiscard]] part_hot hot(std::size_t type, partition_book const& book, int part) const {
    auto const all = ids([=](part_content const& content) -> auto const& { return content.nodes[type].hot.ids; });
    std::unordered_set<global_id> seen;
    std::vector<global_id> kept;
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((all[i] < book.begin(part) || all[i] >= book.end(part)) && seen.insert(all[i]).second) {
        kept.push_back(all[i]);
        places.push_back(static_cast<std::int64_t>(i));
      }
    }
    auto const rows_of_all =
        named_rows([=](part_content const& content) -> auto const& { return content.nodes[type].hot.features; });
    return {make_buffer<device::cpu>(kept), cut_rows(rows_of_all, places)};
  }

  std::span<part_content const> parts_;
};

/// Merges several neighbouring parts into part `part` of `books`, as if the graph had been cut into fewer parts.
///
/// @shape  parts [1 or more], consecutive parts of one folder · books [node types], in which one part covers them all
/// @throws precondition_error  if there is no part, they are not consecutive, or the books have other vertices
/// @cost   a copy of all arrays
[[nodiscard]] inline part_content merge_parts(std::span<part_content const> parts, std::vector<partition_book> books,
                                              int part) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const& graph = parts[i].graph;
    bool fits = books.size() == graph.books.size() && graph.part == parts[0].graph.part + static_cast<int>(i);
    for (std::size_t t = 0; fits && t < books.size(); ++t) {
      fits = part >= 0 && part < books[t].num_parts() &&
             books[t].begin(part) == graph.books[t].begin(parts[0].graph.part) &&
             books[t].end(part) == graph.books[t].end(parts.back().graph.part) &&
             books[t].num_vertices() == graph.books[t].num_vertices();
    }
    if (!fits) {
      throw precondition_error(glt::detail::message(
          "part ", graph.part, " at place ", i, " of ", parts.size(), " does not belong into part ", part,
          " of the new books; give consecutive parts and books that join them"));
    }
  }
  if (parts.empty()) {
    throw precondition_error("merge of no part; give 1 or more");
  }
  part_merger const merger(parts);
  auto const& schema = parts[0].graph.schema;
  part_content made{
      .graph = {.schema = schema, .books = std::move(books), .part = part, .relations = {}, .original = {}},
      .nodes = {},
      .edges = {}};
  for (std::size_t t = 0; t < parts[0].nodes.size(); ++t) {
    made.graph.original.push_back(merger.values<global_id>(
        [=](part_content const& content) -> auto const& { return content.graph.original[t]; }));
    made.nodes.push_back(merger.nodes(t, made.graph.books[t], part));
  }
  for (std::size_t e = 0; e < parts[0].edges.size(); ++e) {
    auto const source = static_cast<std::size_t>(schema.source_type(static_cast<int>(e)));
    made.graph.relations.push_back(merger.relation(e));
    made.edges.push_back(merger.edges(e, made.graph.books[source], part));
  }
  return made;
}

} // namespace glt::io::detail
