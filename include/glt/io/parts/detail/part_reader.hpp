// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/io/parts/detail/parts_files.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/partition/book.hpp>

#include <filesystem>

namespace glt::io::detail {

// Elements of a part to check.
struct load_checks {
  bool ranges = true;  // ids, offsets and labels
  bool finite = false; // features
};

// Features of a part that later reads take from its files.
struct part_on_disk {
  bool vertices = false;
  bool edges = false;
};

// Reader that maps the files of one part and compares each with the manifest. It reads the rows of one rank.
class part_reader {
public:
  part_reader(std::filesystem::path const& folder, manifest const& from, int part,
              std::vector<partition_book> const& books, int rank, map_options options, load_checks checks,
              part_on_disk disk = {})
      : folder_(folder), manifest_(from), part_(part), books_(books), rank_(rank), options_(options), checks_(checks),
        disk_(disk) {}

  [[nodiscard]] part_content read() {
    part_content made{
        .graph = {.schema = manifest_.schema(), .books = books_, .part = rank_, .relations = {}, .original = {}},
        .nodes = {},
        .edges = {}};
    for (std::size_t t = 0; t < manifest_.nodes.size(); ++t) {
      sub_ = part_folder(part_) + "/" + node_folder(manifest_.nodes[t].name);
      read_nodes(manifest_.nodes[t], rows_of(static_cast<int>(t)), made);
    }
    auto const& schema = made.graph.schema;
    for (std::size_t e = 0; e < manifest_.edges.size(); ++e) {
      auto const type = static_cast<int>(e);
      sub_ = part_folder(part_) + "/" + edge_folder(manifest_.edges[e].type);
      read_edges(manifest_.edges[e], schema.num_vertices(schema.source_type(type)),
                 rows_of(schema.destination_type(type)), made);
    }
    return made;
  }

  /// Returns how many first rows of a node type have the number of in-edges, of all types, nearest to `edges`.
  [[nodiscard]] std::int64_t rows_with(int node_type, std::int64_t edges) {
    auto const schema = manifest_.schema();
    auto const rows = rows_of(node_type).rows;
    std::vector<array> offsets;
    for (std::size_t e = 0; e < manifest_.edges.size(); ++e) {
      if (schema.destination_type(static_cast<int>(e)) == node_type) {
        sub_ = part_folder(part_) + "/" + edge_folder(manifest_.edges[e].type);
        offsets.push_back(map("offsets.npy", element_type::int64, rows + 1));
      }
    }
    auto const wanted = static_cast<std::uint64_t>(edges);
    auto const before = [&](std::int64_t row) {
      std::uint64_t sum = 0; // offsets are not checked yet
      for (auto const& of_type : offsets) {
        sum += static_cast<std::uint64_t>(of_type.values<edge_offset>()[row]);
      }
      return sum;
    };
    auto const row = glt::detail::first_where(0, rows, [&](std::int64_t at) { return before(at) >= wanted; });
    return row > 0 && before(row) - wanted > wanted - before(row - 1) ? row - 1 : row;
  }

private:
  // Rows of a file, and the piece of them to read.
  struct row_piece {
    std::int64_t rows;
    std::int64_t first;
    std::int64_t count;
  };
  // Vertices of the part, and the piece that the rank owns.
  struct vertex_piece : row_piece {
    global_id begin; // of the part
    [[nodiscard]] bool has(global_id id) const noexcept { return id >= begin && id < begin + rows; }
    [[nodiscard]] bool takes(global_id id) const noexcept { return id >= begin + first && id < begin + first + count; }
  };

  [[nodiscard]] vertex_piece rows_of(int node_type) const {
    auto const type = static_cast<std::size_t>(node_type);
    auto const begin = own(manifest_.nodes[type].offsets);
    auto const end = manifest_.nodes[type].offsets[static_cast<std::size_t>(part_) + 1];
    auto const first = std::clamp(books_[type].begin(rank_), begin, end);
    return {{end - begin, first - begin, std::clamp(books_[type].end(rank_), begin, end) - first}, begin};
  }
  [[nodiscard]] std::filesystem::path path(std::string const& name) const { return folder_ / sub_ / name; }
  [[nodiscard]] static row_piece whole(std::int64_t rows) noexcept { return {rows, 0, rows}; }
  [[nodiscard]] std::int64_t own(std::vector<std::int64_t> const& by_part) const {
    return by_part[static_cast<std::size_t>(part_)];
  }

  [[noreturn]] void fail(std::string const& name, std::int64_t byte, std::string const& what) const {
    throw io_error(path(name).string(), byte, what + "; copy the folder again, or partition the data set again");
  }

  // Maps a file of a known type and shape.
  [[nodiscard]] array map(std::string const& name, element_type type, std::int64_t rows,
                          std::vector<std::int64_t> const& row_shape = {}, bool random = false) const {
    if (!is_listed(name)) {
      throw io_error(
          (folder_ / manifest_file_name).string(), 0,
          glt::detail::message("lists no file ", sub_, "/", name, ", which it needs; partition the data set again"));
    }
    auto how = options_;
    how.random = random;
    auto made = map_npy(path(name), type, how);
    std::vector<std::int64_t> wanted{rows};
    wanted.insert(wanted.end(), row_shape.begin(), row_shape.end());
    if (made.shape() != wanted) {
      fail(name, 0,
           glt::detail::message("has the shape ", shape_text(made.shape()), ", but the manifest asks for ",
                                shape_text(wanted)));
    }
    return made;
  }
  [[nodiscard]] array map(std::string const& name, element_type type, row_piece piece,
                          std::vector<std::int64_t> const& row_shape = {}, bool random = false) const {
    auto made = map(name, type, piece.rows, row_shape, random);
    made.keep_rows(piece.first, piece.count);
    return made;
  }
  template <class T>
  [[nodiscard]] buffer<device::cpu, T> map_values(std::string const& name, row_piece piece) const {
    return map(name, glt::detail::element_type_of<T>, piece).template take<T>();
  }
  // An optional array without elements has no file.
  template <class T>
  [[nodiscard]] buffer<device::cpu, T> map_if(bool stored, std::string const& name, row_piece piece) const {
    if (stored && piece.rows > 0) {
      return map_values<T>(name, piece);
    }
    expect_none(name);
    return {};
  }
  void expect_none(std::string const& name) const {
    if (is_listed(name)) {
      throw io_error((folder_ / manifest_file_name).string(), 0,
                     glt::detail::message("lists the file ", sub_, "/", name, ", and says that it has no elements; ",
                                          "copy the folder again"));
    }
  }
  [[nodiscard]] bool is_listed(std::string const& name) const {
    return std::ranges::binary_search(manifest_.files, sub_ + "/" + name, {}, &manifest_file::path);
  }
  [[nodiscard]] std::vector<raw_data::named_array> map(std::vector<manifest_array> const& arrays, row_piece piece,
                                                       bool from_disk) const {
    std::vector<raw_data::named_array> made;
    for (auto const& array : arrays) {
      auto const name = feature_file(array.name);
      made.push_back({array.name, map(name, array.type, piece, array.row_shape, options_.random)});
      check_finite(name, made.back().values, piece.first);
      if (from_disk) {
        auto const row_bytes = made.back().values.columns() * glt::detail::size_of(array.type);
        made.back().values.read_from({path(name), byte_of(name, 0) + piece.first * row_bytes, piece.count});
      }
    }
    return made;
  }

  // Checks rows of a file from row `first` on; likewise all checks.
  void check_finite(std::string const& name, array const& values, std::int64_t first) const {
    if (auto const bad = checks_.finite ? find_not_finite(values) : std::nullopt) {
      auto const columns = values.columns();
      auto const place = first * columns + *bad;
      fail(name, byte_of(name, place, values.type()),
           glt::detail::message("row ", place / columns, ", column ", place % columns, " is not finite"));
    }
  }

  void check_labels(array const& labels, std::optional<label_range> const& range, std::int64_t first) const {
    if (auto const bad = checks_.ranges && range ? find_outside(labels, *range) : std::nullopt) {
      auto const place = first * labels.columns() + bad->place;
      fail("labels.npy", byte_of("labels.npy", place, labels.type()),
           glt::detail::message("element ", place, " is ", bad->value, ", outside [", range->lowest, ", ",
                                range->classes, "), the labels that the manifest knows"));
    }
  }

  // Returns the byte of the file at which an element is stored.
  [[nodiscard]] std::int64_t byte_of(std::string const& name, std::int64_t place,
                                     element_type type = element_type::int64) const {
    return io::detail::read_npy_header(path(name)).data_offset + place * glt::detail::size_of(type);
  }

  // Checks that ids are in [begin, end); the error names the first bad one with its byte.
  void check_ids(std::string const& name, host_view<std::int64_t const> ids, std::int64_t begin, std::int64_t end,
                 std::int64_t first = 0) const {
    if (!checks_.ranges) {
      return;
    }
    auto const bad = std::ranges::find_if(ids, [=](auto id) { return id < begin || id >= end; });
    if (bad != ids.end()) {
      auto const place = first + (bad - ids.begin());
      fail(name, byte_of(name, place),
           glt::detail::message("element ", place, " is ", *bad, ", outside [", begin, ", ", end, ")"));
    }
  }

  // Returns the vertices of a list of the part that are the rank's.
  [[nodiscard]] std::vector<global_id> list(std::string const& name, std::int64_t count, vertex_piece const& of) const {
    auto const ids = map_if<global_id>(true, name, whole(count));
    check_ids(name, ids.view(), of.begin, of.begin + of.rows);
    std::vector<global_id> made;
    std::ranges::copy_if(ids, std::back_inserter(made), [&](global_id id) { return of.takes(id); });
    return made;
  }

  void read_nodes(manifest_nodes const& type, vertex_piece const& piece, part_content& into) const {
    into.graph.original.push_back(map_values<global_id>("original.npy", piece));
    check_ids("original.npy", into.graph.original.back().view(), 0, type.num_vertices(), piece.first);
    part_nodes made;
    made.features = map(type.features, piece, disk_.vertices);
    if (type.labels) {
      made.labels = map("labels.npy", type.labels->type, piece, type.labels->row_shape);
      check_labels(made.labels, type.label_values, piece.first);
    }
    made.times = map_if<std::int64_t>(type.times, "times.npy", piece);
    made.train = list("train.npy", own(type.train), piece);
    made.valid = list("valid.npy", own(type.valid), piece);
    made.test = list("test.npy", own(type.test), piece);
    made.hot.ids = map_if<global_id>(true, "hot_ids.npy", whole(own(type.hot)));
    check_ids("hot_ids.npy", made.hot.ids.view(), 0, type.num_vertices());
    for (auto const& name : type.hot_features) {
      auto const kind = std::ranges::find(type.features, name, &manifest_array::name);
      made.hot.features.push_back({name, map(hot_feature_file(name), kind->type, own(type.hot), kind->row_shape)});
      check_finite(hot_feature_file(name), made.hot.features.back().values, 0);
    }
    into.nodes.push_back(std::move(made));
  }

  void read_edges(manifest_edges const& type, std::int64_t num_sources, vertex_piece const& rows,
                  part_content& into) const {
    row_piece piece = whole(own(type.edges));
    auto offsets = read_offsets(rows, piece);
    auto columns = map_values<global_id>("sources.npy", piece);
    auto edge_ids = map_values<edge_id>("edge_ids.npy", piece);
    check_ids("sources.npy", columns.cview(), 0, num_sources, piece.first);
    check_ids("edge_ids.npy", edge_ids.cview(), 0, std::numeric_limits<edge_id>::max(), piece.first);
    into.graph.relations.emplace_back(num_sources, std::move(offsets), std::move(columns), std::move(edge_ids));
    part_edges made;
    made.features = map(type.features, piece, disk_.edges);
    made.weights = map_if<float>(type.weights, "weights.npy", piece);
    made.times = map_if<std::int64_t>(type.times, "times.npy", piece);
    made.halo = map_if<global_id>(true, "halo.npy", whole(own(type.halo)));
    check_ids("halo.npy", made.halo.view(), 0, num_sources);
    for (auto const& split : type.links) {
      made.links.push_back({split.name, pairs(links_file(split.name, false), own(split.edges), num_sources, rows),
                            pairs(links_file(split.name, true), own(split.negatives), num_sources, rows)});
    }
    into.edges.push_back(std::move(made));
  }

  // Returns the offsets of the rank's rows, from 0 on; `edges` becomes the piece of their edges.
  [[nodiscard]] buffer<device::cpu, edge_offset> read_offsets(row_piece const& rows, row_piece& edges) const {
    auto all = map("offsets.npy", element_type::int64, rows.rows + 1);
    auto const ends = all.values<edge_offset>();
    auto const begin = ends[rows.first];
    auto const end = ends[rows.first + rows.count];
    if (ends[0] != 0 || ends[rows.rows] != edges.rows) {
      fail("offsets.npy", 0,
           glt::detail::message("goes from ", ends[0], " to ", ends[rows.rows], ", but there are ", edges.rows,
                                " edges"));
    }
    all.keep_rows(rows.first, rows.count + 1);
    auto offsets = std::move(all).take<edge_offset>();
    if (checks_.ranges) {
      auto const* const down = std::adjacent_find(offsets.begin(), offsets.end(), std::greater());
      if (down != offsets.end()) {
        auto const place = rows.first + (down - offsets.begin()) + 1;
        fail("offsets.npy", byte_of("offsets.npy", place),
             glt::detail::message("row offset ", place, " is ", down[1], ", less than the one before it, ", *down));
      }
    }
    if (begin < 0 || end < begin || end > edges.rows) {
      fail("offsets.npy", byte_of("offsets.npy", rows.first),
           glt::detail::message("gives rows the edges from ", begin, " to ", end, " of ", edges.rows));
    }
    edges = {edges.rows, begin, end - begin};
    if (begin > 0) {
      buffer<device::cpu, edge_offset> moved(offsets.size());
      std::ranges::transform(offsets, moved.begin(), [=](edge_offset offset) { return offset - begin; });
      return moved;
    }
    return offsets;
  }

  // Returns the pairs of the part whose destination is the rank's.
  [[nodiscard]] link_split::pairs pairs(std::string const& name, std::int64_t count, std::int64_t num_sources,
                                        vertex_piece const& destinations) const {
    link_split::pairs made;
    if (count == 0) {
      expect_none(name);
      return made;
    }
    auto const rows = map(name, element_type::int64, count, {2});
    for (std::int64_t i = 0; i < count; ++i) {
      auto const pair = rows.matrix<std::int64_t>().row(i);
      if (checks_.ranges && (pair[0] < 0 || pair[0] >= num_sources || !destinations.has(pair[1]))) {
        fail(name, byte_of(name, 2 * i),
             glt::detail::message("pair ", i, " is (", pair[0], ", ", pair[1], "), which this part cannot have"));
      }
      if (destinations.takes(pair[1])) {
        made.sources.push_back(pair[0]);
        made.destinations.push_back(pair[1]);
      }
    }
    return made;
  }

  std::filesystem::path const& folder_;
  manifest const& manifest_;
  int part_;
  std::vector<partition_book> const& books_; // of the ranks
  int rank_;
  map_options options_;
  load_checks checks_;
  part_on_disk disk_;
  std::string sub_; // folder of the type that is being read
};

} // namespace glt::io::detail
