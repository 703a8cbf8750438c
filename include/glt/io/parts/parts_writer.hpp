// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/detail/parts_content.hpp>
#include <glt/io/parts/detail/parts_paths.hpp>
#include <glt/io/parts/detail/parts_write.hpp>
#include <glt/io/parts/detail/raw_data_cutter.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/write_options.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/partition/relabel.hpp>

#include <filesystem>

namespace glt::io {

namespace detail {

/// New folder of parts, which appears under its name when all parts are written.
///
/// For programs that make the parts themselves; `write_parts` does all steps for a data set in memory.
///
/// Concurrent calls: none on one object.
class parts_writer {
public:
  /// @throws io_error  as `atomic_folder`
  explicit parts_writer(std::filesystem::path dir, std::string name, manifest::partitioner_note partitioner = {})
      : staged_(std::move(dir)) {
    manifest_.name = std::move(name);
    manifest_.partitioner = std::move(partitioner);
  }

  /// Returns the temporary folder, into which other processes may `write_part`; they send the manifest here.
  [[nodiscard]] std::filesystem::path const& folder() const noexcept { return staged_.path(); }

  /// Writes a part.
  ///
  /// @throws precondition_error  as `write_part` and `add` of manifests, or if the part was written before
  /// @throws io_error            as `write_part`
  void add(part_content const& part) { add(write_part(folder(), part)); }

  /// Adds the manifest of a part that was written to `folder()`.
  ///
  /// @throws precondition_error  as `add` of manifests, or if a file of the part was added before
  void add(manifest const& part) {
    detail::add(manifest_, part);
    ++num_added_;
  }

  /// Writes the manifest and gives the folder its name after all files have reached the disk.
  ///
  /// @throws precondition_error  if a part is missing, or a name is not UTF-8
  /// @throws io_error            if the manifest cannot be written, its text does not parse back to the same manifest,
  ///                             or as `atomic_folder::commit`
  void commit() {
    if (num_added_ == 0 || num_added_ != manifest_.num_parts()) {
      throw precondition_error(glt::detail::message(num_added_, " parts were written of a partition into ",
                                                    num_added_ == 0 ? 0 : manifest_.num_parts(),
                                                    "; write every part once"));
    }
    std::ranges::sort(manifest_.files, {}, &manifest_file::path);
    auto const twice = std::ranges::adjacent_find(manifest_.files, {}, &manifest_file::path);
    if (twice != manifest_.files.end()) {
      throw precondition_error(twice->path + " was written twice; write every part once");
    }
    auto const path = folder() / manifest_file_name;
    auto const text = to_json(manifest_);
    auto again = parse_manifest(text, path);
    again.partitioner.options = manifest_.partitioner.options; // sorted when they are read
    again.xxh3 = manifest_.xxh3;                               // of the text
    if (!(again == manifest_)) {
      throw io_error(path.string(), 0, "does not say what was meant; the folder is not written");
    }
    glt::detail::write_file(path, text);
    staged_.commit();
  }

private:
  atomic_folder staged_;
  manifest manifest_;
  int num_added_ = 0;
};

} // namespace detail

/// Writes a partitioned data set to a new folder, from which every rank can load its part alone.
///
/// The folder appears only when it is complete; a failed call leaves no folder. Edges go to the part of their
/// destination and keep their order in every row.
///
/// @shape  labels [node types], one for the vertices of each type, into the same number of parts
/// @throws precondition_error  naming the argument at fault: relabellings, an array without one row per vertex or edge,
///                             an id that its type does not have, types without names or of the same name
/// @throws io_error            if the folder exists and is not empty, or cannot be written, or an input file was
///                             changed meanwhile
/// @cost   O(P · V) for lists and at most about nine O(E) sweeps over the edges; memory of one part beside the input,
///         or of an eighth of the edges if that is more
inline void write_parts(std::filesystem::path const& dir, raw_data_view const& data,
                        std::span<relabelling const> labels, write_options const& options = {}) {
  detail::raw_data_cutter cutter(data, labels, options);
  detail::parts_writer writer(dir, data.name, options.partitioner);
  for (int part = 0; part < cutter.num_parts(); ++part) {
    if (options.on_progress) {
      options.on_progress({"writing parts", "parts", part, cutter.num_parts()});
    }
    detail::with_inputs(data.inputs, [&] { writer.add(cutter.cut(part)); });
  }
  writer.commit();
  if (options.on_progress) {
    options.on_progress({"writing parts", "parts", cutter.num_parts(), cutter.num_parts()});
  }
}

/// Writes a data set in memory.
///
/// @throws precondition_error  as for a view
/// @throws io_error            as for a view
inline void write_parts(std::filesystem::path const& dir, raw_data const& data, std::span<relabelling const> labels,
                        write_options const& options = {}) {
  write_parts(dir, view_of(data), labels, options);
}

} // namespace glt::io
