// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/data_part.hpp>
#include <glt/dist/shared/reading.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/disk/disk_rows.hpp>
#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/detail/part_reader.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/partition/book.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Options of loading a part.
struct load_options {
  bool verify = false;   ///< compare the checksums of the part's files first; reads all of them
  bool validate = true;  ///< check that every id, offset and label is in range; reads the files of ids and labels.
                         ///< Without it only lengths, types and ends are checked: for folders that were verified before
  bool finite = false;   ///< check that no feature is NaN or infinite; reads the files of features
  bool populate = false; ///< read all files into memory now instead of at first use
  bool huge_pages = false;
  /// Share out in-edges evenly over ranks, instead of parts; see `load_for_rank`. The same on all ranks.
  bool balance_edges = false;
  std::string features{};    ///< the array that becomes the tensor "x"; if empty, "x" or the first of two dimensions
  bool edge_tensors = false; ///< for `dist::data_set`: keep features of edges, and their times as "time", as tensors
  /// Read features of vertices, and of edges that are kept, from disk row by row: for parts larger than memory. Their
  /// cache is shared out over the arrays. Rows then travel by messages, and features keep their type. Rows of several
  /// parts have no addresses.
  std::optional<disk_options> disk{};
  /// Of `dist::data_set`: how ranks of one machine read parts. By messages, features stay in mapped files, and the
  /// system reads nothing ahead of them, unless `populate` or `finite` reads all.
  dist::reading reading = dist::reading::in_place;
  dist::topology topology = dist::topology::divided; ///< of `dist::data_set`: where the graph lies
};

} // namespace glt::io::detail

namespace glt::io {

/// Folder of a partitioned data set, as written by `write_parts`.
///
/// Concurrent calls: const members may run concurrently.
class parts_folder {
public:
  using load_options = detail::load_options; ///< options of loading a part
  using part_type = detail::part_content;    ///< graphs, tables, splits and books of a part

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

  /// Returns the owners of the vertices of each type.
  [[nodiscard]] std::vector<partition_book> books() const {
    std::vector<partition_book> made;
    for (std::size_t t = 0; t < manifest_.nodes.size(); ++t) {
      made.push_back(manifest_.book(static_cast<int>(t)));
    }
    return made;
  }

  /// Compares the checksum of every file.
  ///
  /// @throws io_error  naming the first file that cannot be read or whose checksum differs
  /// @cost   one read of all files
  void verify(task_progress::callback const& on_progress = {}) const { verify_below("", on_progress); }
  /// Compares the checksums of one part's files.
  ///
  /// @throws precondition_error  if there is no such part
  /// @throws io_error            as for all files
  void verify(int part, task_progress::callback const& on_progress = {}) const {
    check_part(part);
    verify_below(detail::part_folder(part) + "/", on_progress);
  }

  /// Loads a rank's share of the parts, for any number of ranks; for `dist::data_set`. Defined in `<glt/io/parts/open_data_set.hpp>`.
  ///
  /// With as many ranks as parts, rank r has part r. With R ranks and P parts, rank r has the vertices from part P · r / R
  /// to part P · (r + 1) / R: several parts, and shares of parts where R does not divide P. Vertices keep their global
  /// ids, so samples are the same for any R. The books describe R parts, some of them empty if there are more ranks than
  /// vertices. Each rank checks the rows that it takes; `verify` compares whole files. A rank has the hot rows of all its
  /// parts; rows of other ranks of a part are not among them.
  ///
  /// With `balance_edges`, ranks have ranges of vertices with about equal numbers of in-edges instead: no rank exceeds
  /// the mean by more than the in-edges of one vertex. A vertex type without in-edges is divided as above.
  ///
  /// The array of features that `options` name becomes the tensor "x", the labels become "y". All other arrays keep their
  /// names and types.
  ///
  /// @throws precondition_error  if the rank is outside [0, num_ranks), or no type has features of the requested name
  /// @throws io_error            as `load`
  /// @cost   as `load_rows` for each part of the rank, and a copy of its rows if these are several, except for features
  ///         on disk; a copy of labels that are not int64 and, without types, of features that are not float32
  [[nodiscard]] dist::data_part<device::cpu> load_for_rank(int rank, int num_ranks,
                                                           load_options const& options = {}) const;

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
  [[nodiscard]] part_type load(int part, load_options const& options = {}) const {
    return load_rows(part, books(), part, options);
  }
  /// Loads the rows of one part that a rank owns by other books of the same vertices. Only these are checked, but
  /// `verify` compares the part's files as a whole.
  ///
  /// @shape  books [node types]
  /// @throws precondition_error  if there is no such part
  /// @throws io_error            as `load`
  /// @cost   as `load` of these rows, and one read of the part's splits; a copy of splits and row offsets
  [[nodiscard]] part_type load_rows(int part, std::vector<partition_book> const& books, int rank,
                                    load_options const& options = {}) const {
    check_part(part);
    if (options.verify) {
      verify(part);
    }
    // Rows that stay in their files are read in no order.
    bool const stay = options.reading == dist::reading::by_messages && !options.populate && !options.finite;
    detail::map_options const mapping{.populate = options.populate, .huge_pages = options.huge_pages, .random = stay};
    return detail::part_reader(
               path_, manifest_, part, books, rank, mapping, {.ranges = options.validate, .finite = options.finite},
               {.vertices = options.disk.has_value(), .edges = options.disk.has_value() && options.edge_tensors})
        .read();
  }

  /// Returns how many of a part's first vertices of a type have together the number of in-edges nearest to `edges`.
  ///
  /// @throws precondition_error  if there is no such part
  /// @throws io_error            if a file of row offsets cannot be read or has another shape than the manifest says
  /// @cost   a bisection in mapped files
  [[nodiscard]] std::int64_t rows_with(int part, int node_type, std::int64_t edges) const {
    check_part(part);
    auto const owners = books();
    return detail::part_reader(path_, manifest_, part, owners, part, {}, {}).rows_with(node_type, edges);
  }

private:
  void check_part(int part) const {
    if (part < 0 || part >= num_parts()) {
      throw precondition_error(glt::detail::message(path_.string(), " holds a partition into ", num_parts(),
                                                    " parts and no part ", part, "; parts count from 0"));
    }
  }

  void verify_below(std::string const& start, task_progress::callback const& on_progress) const {
    task_progress state{"checking files", "bytes", 0, 0};
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
