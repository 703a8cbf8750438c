// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/disk/disk_rows.hpp>
#include <glt/io/parts/detail/books_of_ranks.hpp>
#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/partition/book.hpp>

#include <filesystem>
#include <unordered_set>

namespace glt::io {

namespace detail {

// Merger that joins the rows that one rank has of several parts, one part after the other.
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
    std::vector<file_rows> files;
    for (auto const& part : parts_) {
      shape[0] += member(part).rows();
      size += member(part).bytes().size();
      std::ranges::copy(member(part).files(), std::back_inserter(files));
    }
    if (!files.empty()) {
      return array::of_files(type, std::move(shape), std::move(files));
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

  [[nodiscard]] part_nodes nodes(std::size_t type) const {
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
    made.hot = hot(type);
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

  [[nodiscard]] part_edges edges(std::size_t type) const {
    auto const member = [type](auto of) {
      return [=](part_content const& content) -> auto const& { return content.edges[type].*of; };
    };
    part_edges made;
    made.features = named_rows(member(&part_edges::features));
    made.weights = values<float>(member(&part_edges::weights));
    made.times = values<std::int64_t>(member(&part_edges::times));
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
  // Joins the hot rows, each once, without vertices that the rank owns.
  [[nodiscard]] part_hot hot(std::size_t type) const {
    auto const& graph = parts_[0].graph;
    auto const all = ids([=](part_content const& content) -> auto const& { return content.nodes[type].hot.ids; });
    std::unordered_set<global_id> seen;
    std::vector<global_id> kept;
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!owns(graph.books[type], graph.part, all[i]) && seen.insert(all[i]).second) {
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

/// Merges the rows that one rank has of neighbouring parts; without a halo.
///
/// @shape  parts [1 or more], as `parts_folder::load_rows` gives them; not checked
/// @cost   a copy of all arrays, but not of rows that are read from files
[[nodiscard]] inline part_content merge_parts(std::span<part_content const> parts) {
  part_merger const merger(parts);
  auto const& graph = parts[0].graph;
  part_content made{
      .graph = {.schema = graph.schema, .books = graph.books, .part = graph.part, .relations = {}, .original = {}},
      .nodes = {},
      .edges = {}};
  for (std::size_t t = 0; t < parts[0].nodes.size(); ++t) {
    made.graph.original.push_back(merger.values<global_id>(
        [=](part_content const& content) -> auto const& { return content.graph.original[t]; }));
    made.nodes.push_back(merger.nodes(t));
  }
  for (std::size_t e = 0; e < parts[0].edges.size(); ++e) {
    made.graph.relations.push_back(merger.relation(e));
    made.edges.push_back(merger.edges(e));
  }
  return made;
}

// Opener of arrays that are read from files; they share the cache by their bytes.
class file_opener {
public:
  file_opener(part_content const& content, std::optional<disk_options> const& options)
      : options_(options.value_or(disk_options{})) {
    auto const add = [this](std::vector<raw_data::named_array> const& arrays) {
      for (auto const& each : arrays) {
        all_bytes_ += each.values.files().empty() ? 0 : bytes_of(each.values);
      }
    };
    std::ranges::for_each(content.nodes, add, &part_nodes::features);
    std::ranges::for_each(content.edges, add, &part_edges::features);
  }

  // Returns null if the rows are read at their addresses.
  [[nodiscard]] std::shared_ptr<glt::detail::row_storage const> operator()(array const& values) const {
    if (values.files().empty()) {
      return nullptr;
    }
    auto options = options_;
    auto const share = bytes_of(values) / std::max(all_bytes_, 1.0);
    options.cache_bytes = static_cast<std::int64_t>(
        std::min(static_cast<double>(options.cache_bytes) * share, 0x1p62)); // 2⁶³ − 1 is none of double
    return std::make_shared<disk_rows>(values.files(), values.columns() * glt::detail::size_of(values.type()), options);
  }

private:
  [[nodiscard]] static double bytes_of(array const& values) noexcept {
    return static_cast<double>(values.rows() * values.columns() * glt::detail::size_of(values.type()));
  }

  disk_options options_;
  double all_bytes_ = 0;
};

// Adds an array in its type and without a copy. Rows of arrays with more than two dimensions are flattened.
inline void add_array(feature_table<device::cpu>& table, std::string name, array values,
                      std::shared_ptr<glt::detail::row_storage const> storage = nullptr) {
  auto const rows = values.rows();
  auto const columns = values.columns();
  glt::detail::visit_element(values.type(), [&]<class T>(std::type_identity<T>) {
    table.add(std::move(name), feature_store<device::cpu, T>(rows, columns, std::move(values).template take<T>(), {},
                                                             {}, std::move(storage)));
  });
}

// Makes one table of arrays of the same vertices or edges. The array `x` becomes "x", as float32 if asked for
// and the rows are in memory.
inline feature_table<device::cpu> make_table(std::int64_t num_rows, std::vector<raw_data::named_array> arrays,
                                             file_opener const& open, std::string const& x = {},
                                             bool as_float = false) {
  feature_table<device::cpu> table(num_rows);
  for (auto& [name, values] : arrays) {
    auto storage = open(values);
    if (name == x && as_float && values.type() != element_type::float32 && storage == nullptr) {
      auto const columns = values.columns();
      table.add("x", feature_store<device::cpu, float>(num_rows, columns, convert<float>(std::move(values))));
    } else {
      add_array(table, name == x ? "x" : std::move(name), std::move(values), std::move(storage));
    }
  }
  return table;
}

// Returns the name of the array that becomes the features "x": the requested name, else "x", else the first array of
// two dimensions; empty if there is none.
inline std::string name_of_x(std::vector<raw_data::named_array> const& all, std::string const& wanted) {
  auto const named = [&](std::string const& name) {
    return std::ranges::find(all, name, &raw_data::named_array::name);
  };
  auto found = named(wanted.empty() ? "x" : wanted);
  if (found == all.end() && wanted.empty()) {
    found = std::ranges::find_if(all, [](raw_data::named_array const& one) { return one.values.shape().size() == 2; });
  }
  return found == all.end() ? std::string() : found->name;
}

// Adds labels as "y": of int64 if they are one whole number a vertex.
inline void add_labels(feature_table<device::cpu>& table, array labels) {
  auto const type = labels.type();
  bool const whole = type != element_type::float16 && type != element_type::bfloat16 && type != element_type::float32 &&
                     type != element_type::float64;
  if (labels.shape().empty()) {
    return;
  }
  if (whole && labels.columns() == 1) {
    table.add("y",
              feature_store<device::cpu, std::int64_t>(table.num_rows(), 1, convert<std::int64_t>(std::move(labels))));
  } else {
    add_array(table, "y", std::move(labels));
  }
}

inline glt::detail::vertex_data<device::cpu> make_vertex_data(std::int64_t num_rows, part_nodes nodes,
                                                              file_opener const& open, std::string const& x,
                                                              bool as_float) {
  glt::detail::vertex_data<device::cpu> made{.tensors =
                                                 make_table(num_rows, std::move(nodes.features), open, x, as_float),
                                             .splits = {},
                                             .times = std::move(nodes.times)};
  add_labels(made.tensors, std::move(nodes.labels));
  if (!nodes.train.empty() || !nodes.valid.empty() || !nodes.test.empty()) {
    made.splits = {
        {"train", std::move(nodes.train)}, {"valid", std::move(nodes.valid)}, {"test", std::move(nodes.test)}};
  }
  if (!nodes.hot.ids.empty()) {
    made.hot_tensors = make_table(nodes.hot.ids.size(), std::move(nodes.hot.features), open, x, as_float);
    made.hot_vertices = std::move(nodes.hot.ids);
  }
  return made;
}

/// Makes the part of a `dist::data_set` of a part that was loaded. Features without types become float32, without a
/// copy if they are.
///
/// @throws precondition_error  listing the names, if no type has the features that `options` name
/// @throws io_error            if a file that rows are read from cannot be opened
/// @cost   a copy of features and labels that are converted, and of the times if they become tensors
[[nodiscard]] inline dist::data_part<device::cpu> make_data_part(part_content content, manifest const& info,
                                                                 parts_folder::load_options const& options) {
  std::vector<std::string> names;
  std::vector<std::string> xs;
  for (auto const& nodes : content.nodes) {
    xs.push_back(name_of_x(nodes.features, options.features));
    for (auto const& each : nodes.features) {
      names.push_back(each.name);
    }
  }
  if (!options.features.empty() && std::ranges::find(names, options.features) == names.end()) {
    throw precondition_error(
        glt::detail::message("no features \"", options.features, "\"; there are ", glt::detail::name_list(names)));
  }
  file_opener const open(content, options.disk);
  dist::data_part<device::cpu> made(std::move(content.graph));
  for (std::size_t t = 0; t < xs.size(); ++t) {
    made.vertices[t] = make_vertex_data(made.graph.books[t].size(made.graph.part), std::move(content.nodes[t]), open,
                                        xs[t], xs.size() == 1);
  }
  for (std::size_t e = 0; e < made.edges.size(); ++e) {
    auto& edges = content.edges[e];
    if (options.edge_tensors) {
      made.edges[e].tensors = make_table(made.graph.relations[e].view().num_edges(), std::move(edges.features), open);
      if (info.edges[e].times) { // also on a rank without edges
        add_array(made.edges[e].tensors, "time", array::of(std::as_const(edges.times).view()));
      }
    }
    made.edges[e].weights = std::move(edges.weights);
    made.edges[e].times = std::move(edges.times);
    made.edges[e].links = std::move(edges.links);
  }
  return made;
}

[[nodiscard]] inline part_content load_content_for_rank(parts_folder const& folder, int rank, int num_ranks,
                                                        parts_folder::load_options const& options) {
  auto const num_parts = folder.num_parts();
  if (rank < 0 || rank >= num_ranks) {
    throw precondition_error(glt::detail::message("rank ", rank, " of ", num_ranks, "; ranks count from 0"));
  }
  auto const books = books_of_ranks(folder, num_ranks, options.balance_edges);
  if (books == folder.books()) {
    return folder.load(rank, options);
  }
  std::vector<int> numbers;
  for (int part = 0; part < num_parts; ++part) {
    for (std::size_t t = 0; t < books.size(); ++t) {
      auto const& offsets = folder.info().nodes[t].offsets;
      auto const of_part = static_cast<std::size_t>(part);
      if (std::max(offsets[of_part], books[t].begin(rank)) < std::min(offsets[of_part + 1], books[t].end(rank))) {
        numbers.push_back(part);
        break;
      }
    }
  }
  if (numbers.empty()) {
    numbers.push_back(static_cast<int>(std::int64_t{num_parts} * rank / num_ranks)); // for its types and hot rows
  }
  auto mapping = options;
  mapping.populate = false;                  // would read rows of other ranks; copies are read now anyway
  mapping.reading = dist::reading::in_place; // which reads ahead
  std::vector<part_content> parts;
  for (int const part : numbers) {
    parts.push_back(folder.load_rows(part, books, rank, mapping));
  }
  return parts.size() == 1 && !options.populate ? std::move(parts[0]) : merge_parts(parts);
}

} // namespace detail

inline dist::data_part<device::cpu> parts_folder::load_for_rank(int rank, int num_ranks,
                                                                load_options const& options) const {
  return detail::make_data_part(detail::load_content_for_rank(*this, rank, num_ranks, options), manifest_, options);
}

} // namespace glt::io
