// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/shared/reading.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/array/detail/mapped_npy.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/parts/detail/checksum.hpp>
#include <glt/io/parts/detail/label_range.hpp>
#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/detail/parts_content.hpp>
#include <glt/io/parts/detail/parts_paths.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

#include <filesystem>

namespace glt::io::detail {

// Elements of a part to check.
struct load_checks {
  bool ranges = true;  // ids, offsets and labels
  bool finite = false; // features
};

// Reader that maps the files of one part and compares each with the manifest.
class part_reader {
public:
  part_reader(std::filesystem::path const& folder, manifest const& from, int part, map_options options,
              load_checks checks)
      : folder_(folder), manifest_(from), part_(part), options_(options), checks_(checks) {}

  [[nodiscard]] part_content read() {
    part_content made{
        .graph = {.schema = manifest_.schema(), .books = {}, .part = part_, .relations = {}, .original = {}},
        .nodes = {},
        .edges = {}};
    for (std::size_t t = 0; t < manifest_.nodes.size(); ++t) {
      made.graph.books.push_back(manifest_.book(static_cast<int>(t)));
      sub_ = part_folder(part_) + "/" + node_folder(manifest_.nodes[t].name);
      read_nodes(manifest_.nodes[t], made.graph.books[t], made);
    }
    auto const& schema = made.graph.schema;
    for (std::size_t e = 0; e < manifest_.edges.size(); ++e) {
      auto const type = static_cast<int>(e);
      sub_ = part_folder(part_) + "/" + edge_folder(manifest_.edges[e].type);
      read_edges(manifest_.edges[e], made.graph.books[static_cast<std::size_t>(schema.source_type(type))],
                 made.graph.books[static_cast<std::size_t>(schema.destination_type(type))], made);
    }
    return made;
  }

private:
  [[nodiscard]] std::filesystem::path path(std::string const& name) const { return folder_ / sub_ / name; }
  [[nodiscard]] std::int64_t own(std::vector<std::int64_t> const& by_part) const {
    return by_part[static_cast<std::size_t>(part_)];
  }

  [[noreturn]] void fail(std::string const& name, std::int64_t byte, std::string const& what) const {
    throw io_error(path(name).string(), byte, what + "; copy the folder again, or partition the data set again");
  }

  // Maps a file of a known type and shape.
  [[nodiscard]] array map(std::string const& name, element_type type, std::int64_t rows,
                          std::vector<std::int64_t> const& row_shape = {}) const {
    if (!is_listed(name)) {
      throw io_error(
          (folder_ / manifest_file_name).string(), 0,
          glt::detail::message("lists no file ", sub_, "/", name, ", which it needs; partition the data set again"));
    }
    auto made = map_npy(path(name), type, options_);
    std::vector<std::int64_t> wanted{rows};
    wanted.insert(wanted.end(), row_shape.begin(), row_shape.end());
    if (made.shape() != wanted) {
      fail(name, 0,
           glt::detail::message("has the shape ", shape_text(made.shape()), ", but the manifest asks for ",
                                shape_text(wanted)));
    }
    return made;
  }
  template <class T>
  [[nodiscard]] buffer<device::cpu, T> map_values(std::string const& name, std::int64_t count) const {
    return map(name, glt::detail::element_type_of<T>, count).template take<T>();
  }
  // An optional array without elements has no file.
  template <class T>
  [[nodiscard]] buffer<device::cpu, T> map_if(bool stored, std::string const& name, std::int64_t count) const {
    if (stored && count > 0) {
      return map_values<T>(name, count);
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
  [[nodiscard]] std::vector<raw_data::named_array> map(std::vector<manifest_array> const& arrays,
                                                       std::int64_t rows) const {
    std::vector<raw_data::named_array> made;
    for (auto const& array : arrays) {
      made.push_back({array.name, map(feature_file(array.name), array.type, rows, array.row_shape)});
      check_finite(feature_file(array.name), made.back().values);
    }
    return made;
  }

  void check_finite(std::string const& name, array const& values) const {
    if (auto const bad = checks_.finite ? find_not_finite(values) : std::nullopt) {
      auto const columns = values.columns();
      fail(name, byte_of(name, *bad, values),
           glt::detail::message("row ", *bad / columns, ", column ", *bad % columns, " is not finite"));
    }
  }

  void check_labels(array const& labels, std::optional<label_range> const& range) const {
    if (auto const bad = checks_.ranges && range ? find_outside(labels, *range) : std::nullopt) {
      fail("labels.npy", byte_of("labels.npy", bad->place, labels),
           glt::detail::message("element ", bad->place, " is ", bad->value, ", outside [", range->lowest, ", ",
                                range->classes, "), the labels that the manifest knows"));
    }
  }

  // Returns the byte of the file at which an element is stored.
  [[nodiscard]] std::int64_t byte_of(std::string const& name, std::int64_t place, array const& values) const {
    return io::detail::read_npy_header(path(name)).data_offset + place * glt::detail::size_of(values.type());
  }

  // Checks the elements of a one-dimensional file of 8-byte numbers; the error names the first bad one with its byte.
  void check_ids(std::string const& name, host_view<std::int64_t const> ids, std::int64_t first,
                 std::int64_t last) const {
    if (!checks_.ranges) {
      return;
    }
    auto const bad = std::ranges::find_if(ids, [=](auto id) { return id < first || id >= last; });
    if (bad != ids.end()) {
      auto const place = bad - ids.begin();
      fail(name, io::detail::read_npy_header(path(name)).data_offset + place * 8,
           glt::detail::message("element ", place, " is ", *bad, ", outside [", first, ", ", last, ")"));
    }
  }

  [[nodiscard]] std::vector<global_id> list(std::string const& name, std::int64_t count,
                                            partition_book const& book) const {
    auto const ids = map_if<global_id>(true, name, count);
    check_ids(name, ids.view(), book.begin(part_), book.end(part_));
    return {ids.begin(), ids.end()};
  }

  void read_nodes(manifest_nodes const& type, partition_book const& book, part_content& into) const {
    auto const rows = book.size(part_);
    into.graph.original.push_back(map_values<global_id>("original.npy", rows));
    check_ids("original.npy", into.graph.original.back().view(), 0, book.num_vertices());
    part_nodes made;
    made.features = map(type.features, rows);
    if (type.labels) {
      made.labels = map("labels.npy", type.labels->type, rows, type.labels->row_shape);
      check_labels(made.labels, type.label_values);
    }
    made.times = map_if<std::int64_t>(type.times, "times.npy", rows);
    made.train = list("train.npy", own(type.train), book);
    made.valid = list("valid.npy", own(type.valid), book);
    made.test = list("test.npy", own(type.test), book);
    made.hot.ids = map_if<global_id>(true, "hot_ids.npy", own(type.hot));
    check_ids("hot_ids.npy", made.hot.ids.view(), 0, book.num_vertices());
    for (auto const& name : type.hot_features) {
      auto const kind = std::ranges::find(type.features, name, &manifest_array::name);
      made.hot.features.push_back({name, map(hot_feature_file(name), kind->type, own(type.hot), kind->row_shape)});
      check_finite(hot_feature_file(name), made.hot.features.back().values);
    }
    into.nodes.push_back(std::move(made));
  }

  void read_edges(manifest_edges const& type, partition_book const& sources, partition_book const& destinations,
                  part_content& into) const {
    auto const count = own(type.edges);
    into.graph.relations.push_back(read_rows(count, sources, destinations));
    part_edges made;
    made.features = map(type.features, count);
    made.weights = map_if<float>(type.weights, "weights.npy", count);
    made.times = map_if<std::int64_t>(type.times, "times.npy", count);
    made.halo = map_if<global_id>(true, "halo.npy", own(type.halo));
    check_ids("halo.npy", made.halo.view(), 0, sources.num_vertices());
    for (auto const& split : type.links) {
      made.links.push_back({split.name, pairs(links_file(split.name, false), own(split.edges), sources, destinations),
                            pairs(links_file(split.name, true), own(split.negatives), sources, destinations)});
    }
    into.edges.push_back(std::move(made));
  }

  [[nodiscard]] csr_graph<device::cpu, global_id> read_rows(std::int64_t count, partition_book const& sources,
                                                            partition_book const& destinations) const {
    auto offsets = map_values<edge_offset>("offsets.npy", destinations.size(part_) + 1);
    auto columns = map_values<global_id>("sources.npy", count);
    auto edge_ids = map_values<edge_id>("edge_ids.npy", count);
    if (offsets[0] != 0 || offsets[offsets.size() - 1] != count) {
      fail("offsets.npy", 0,
           glt::detail::message("goes from ", offsets[0], " to ", offsets[offsets.size() - 1], ", but there are ",
                                count, " edges"));
    }
    check_ids("sources.npy", columns.cview(), 0, sources.num_vertices());
    check_ids("edge_ids.npy", edge_ids.cview(), 0, std::numeric_limits<edge_id>::max());
    if (checks_.ranges) {
      auto const* const down = std::adjacent_find(offsets.begin(), offsets.end(), std::greater());
      if (down != offsets.end()) {
        auto const place = down - offsets.begin() + 1;
        fail("offsets.npy", io::detail::read_npy_header(path("offsets.npy")).data_offset + place * 8,
             glt::detail::message("row offset ", place, " is ", offsets[place], ", less than the one before it, ",
                                  *down));
      }
    }
    return {sources.num_vertices(), std::move(offsets), std::move(columns), std::move(edge_ids)};
  }

  [[nodiscard]] link_split::pairs pairs(std::string const& name, std::int64_t count, partition_book const& sources,
                                        partition_book const& destinations) const {
    link_split::pairs made;
    if (count == 0) {
      expect_none(name);
      return made;
    }
    auto const rows = map(name, element_type::int64, count, {2});
    for (std::int64_t i = 0; i < count; ++i) {
      auto const pair = rows.matrix<std::int64_t>().row(i);
      if (checks_.ranges && (pair[0] < 0 || pair[0] >= sources.num_vertices() || pair[1] < destinations.begin(part_) ||
                             pair[1] >= destinations.end(part_))) {
        fail(name, io::detail::read_npy_header(path(name)).data_offset + i * 16,
             glt::detail::message("pair ", i, " is (", pair[0], ", ", pair[1], "), which this part cannot have"));
      }
      made.sources.push_back(pair[0]);
      made.destinations.push_back(pair[1]);
    }
    return made;
  }

  std::filesystem::path const& folder_;
  manifest const& manifest_;
  int part_;
  map_options options_;
  load_checks checks_;
  std::string sub_; // folder of the type that is being read
};

} // namespace glt::io::detail

namespace glt::io {

/// Options of loading a part.
struct load_options {
  bool verify = false;   ///< compare the checksums of the part's files first; reads all of them
  bool validate = true;  ///< check that every id, offset and label is in range; reads the files of ids and labels.
                         ///< Without it only lengths, types and ends are checked: for folders that were verified before
  bool finite = false;   ///< check that no feature is NaN or infinite; reads the files of features
  bool populate = false; ///< read all files into memory now instead of at first use
  bool huge_pages = false;
  std::string features{};    ///< the array that becomes the tensor "x"; if empty, "x" or the first of two dimensions
  bool edge_tensors = false; ///< for `dist::data_set`: keep features of edges, and their times as "time", as tensors
  dist::reading reading = dist::reading::in_place; ///< of `dist::data_set`: how ranks of one machine read parts
};

/// Folder of a partitioned data set, as written by `write_parts`.
///
/// Concurrent calls: const members may run concurrently.
class parts_folder {
public:
  /// Reads the manifest and compares the length of every file.
  ///
  /// @throws io_error  if there is no manifest, it is damaged or of another version, or a file is missing or of another
  ///                   length
  explicit parts_folder(std::filesystem::path dir) : path_(std::move(dir)), manifest_(detail::read_manifest(path_)) {
    std::ranges::sort(manifest_.files, {}, &detail::manifest_file::path);
    auto const twice = std::ranges::adjacent_find(manifest_.files, {}, &detail::manifest_file::path);
    if (twice != manifest_.files.end()) {
      throw io_error((path_ / detail::manifest_file_name).string(), 0, "lists " + twice->path + " twice");
    }
    for (auto const& file : manifest_.files) {
      auto const bytes = detail::input_file(path_ / file.path).size();
      if (bytes != file.bytes) {
        throw io_error((path_ / file.path).string(), std::min(bytes, file.bytes),
                       glt::detail::message("has ", bytes, " bytes, but the manifest says ", file.bytes,
                                            "; copy the folder again"));
      }
    }
  }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  /// Returns the manifest.
  [[nodiscard]] manifest const& info() const noexcept { return manifest_; }
  [[nodiscard]] int num_parts() const noexcept { return manifest_.num_parts(); }

  /// Returns the owners of the vertices of a type.
  ///
  /// @throws precondition_error  if there is no such node type
  [[nodiscard]] partition_book book(int node_type = 0) const {
    static_cast<void>(manifest_.schema().num_vertices(node_type));
    return manifest_.book(node_type);
  }

  /// Compares the checksum of every file.
  ///
  /// @throws io_error  naming the first file that cannot be read or whose checksum differs
  /// @cost   one read of all files
  void verify(progress::callback const& on_progress = {}) const { verify_below("", on_progress); }
  /// Compares the checksums of one part's files.
  ///
  /// @throws precondition_error  if there is no such part
  /// @throws io_error            as for all files
  void verify(int part, progress::callback const& on_progress = {}) const {
    check_part(part);
    verify_below(detail::part_folder(part) + "/", on_progress);
  }

  /// Loads one part; its arrays are mapped files, and nothing is copied.
  ///
  /// Every load finds files that are missing or of another length, type or shape. By default it also finds ids, offsets
  /// and labels out of range. Labels range from 0 up to the count of classes, or from the lowest negative label of the
  /// data set (such as -1 for "unlabelled"). A folder of an older version has no count of classes and may have any
  /// label. `finite` finds features that are NaN or infinite. Only `verify` finds changed numbers that are still in
  /// range, in features, weights and times as well.
  ///
  /// @throws precondition_error  if there is no such part
  /// @throws io_error            naming the file that is missing or contradicts the manifest, and the element that is
  ///                             out of range or not finite
  /// @cost   one mapping a file; `validate` reads the files of ids and labels, `finite` the features, `verify` all
  ///         files
  [[nodiscard]] detail::part_content load(int part, load_options const& options = {}) const {
    check_part(part);
    if (options.verify) {
      verify(part);
    }
    detail::map_options const mapping{.populate = options.populate, .huge_pages = options.huge_pages};
    return detail::part_reader(path_, manifest_, part, mapping, {.ranges = options.validate, .finite = options.finite})
        .read();
  }

private:
  void check_part(int part) const {
    if (part < 0 || part >= num_parts()) {
      throw precondition_error(glt::detail::message(path_.string(), " holds a partition into ", num_parts(),
                                                    " parts and no part ", part, "; parts count from 0"));
    }
  }

  void verify_below(std::string const& start, progress::callback const& on_progress) const {
    progress state{"checking files", "bytes", 0, 0};
    auto const wanted = [&](detail::manifest_file const& file) { return file.path.starts_with(start); };
    for (auto const& file : manifest_.files) {
      state.total += wanted(file) ? file.bytes : 0;
    }
    for (auto const& file : manifest_.files) {
      if (!wanted(file)) {
        continue;
      }
      if (auto const sum = detail::checksum_of_file(path_ / file.path); sum != file.xxh3) {
        throw io_error((path_ / file.path).string(), 0,
                       glt::detail::message("is damaged: its checksum is ", detail::checksum_text(sum),
                                            ", but the manifest says ", detail::checksum_text(file.xxh3),
                                            "; copy the folder again"));
      }
      state.done += file.bytes;
      if (on_progress) {
        on_progress(state);
      }
    }
  }

  std::filesystem::path path_;
  manifest manifest_;
};

} // namespace glt::io
