// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/io/parts/detail/parts_files.hpp>
#include <glt/io/parts/detail/parts_input.hpp>
#include <glt/io/parts/detail/parts_write.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/partition/book.hpp>

#include <filesystem>

namespace glt::io {

namespace detail {

// Cutter of the edges of one type into the rows of parts. It cuts several parts at a time, which have together about an
// eighth of the edges, so that a few passes over the list suffice for any number of parts.
class edge_cutter {
public:
  edge_cutter(edge_table_view table, relabelling const& sources, relabelling const& destinations)
      : table_(std::move(table)), sources_(sources), destinations_(destinations),
        num_edges_(static_cast<std::size_t>(destinations.book.num_parts()), 0) {
    auto const name = "edges '" + table_.name + "'";
    auto const& columns = table_.columns;
    check_rows(columns.destinations.size(), columns.sources.size(), name + ": destinations");
    checked_pairs const ends{.sources = columns.sources,
                             .destinations = columns.destinations,
                             .num_sources = sources.book.num_vertices(),
                             .num_destinations = destinations.book.num_vertices(),
                             .of_type = " of " + name,
                             .file = table_.file,
                             .source_type = table_.source,
                             .destination_type = table_.destination};
    ends.for_each(0, columns.sources.size(), [&](std::int64_t, global_id, global_id destination) {
      ++num_edges_[static_cast<std::size_t>(destinations.book.owner(destinations.renumbered[destination]))];
    });
    most_ = std::max(columns.sources.size() / 8, num_edges_.empty() ? 0 : std::ranges::max(num_edges_));
  }

  // Returns the rows of a part; cheapest for parts in ascending order.
  [[nodiscard]] csr_graph<device::cpu, global_id> cut(int part) {
    if (part < first_ || part >= last_) {
      compress(part);
    }
    auto const& book = destinations_.book;
    auto const row = book.begin(part) - book.begin(first_);
    auto const begin = rows_->offsets[row];
    auto const count = rows_->offsets[row + book.size(part)] - begin;
    buffer<device::cpu, edge_offset> offsets(book.size(part) + 1);
    for (std::int64_t r = 0; r < offsets.size(); ++r) {
      offsets[r] = rows_->offsets[row + r] - begin;
    }
    return {sources_.book.num_vertices(), std::move(offsets),
            buffer<device::cpu, global_id>::adopt(rows_->sources.data() + begin, count, rows_),
            buffer<device::cpu, edge_id>::adopt(rows_->edge_ids.data() + begin, count, rows_)};
  }

private:
  struct compressed_rows {
    buffer<device::cpu, edge_offset> offsets;
    buffer<device::cpu, global_id> sources;
    buffer<device::cpu, edge_id> edge_ids;
  };

  void compress(int part) {
    rows_.reset(); // before the next rows take memory
    auto const& book = destinations_.book;
    auto count = num_edges_[static_cast<std::size_t>(part)];
    first_ = part;
    last_ = part + 1;
    while (last_ < book.num_parts() && count + num_edges_[static_cast<std::size_t>(last_)] <= most_) {
      count += num_edges_[static_cast<std::size_t>(last_++)];
    }
    auto const begin = book.begin(first_);
    auto const end = book.end(last_ - 1);
    auto made = std::make_shared<compressed_rows>();
    made->sources.resize(count);
    made->edge_ids.resize(count);
    glt::detail::row_places rows(end - begin);
    auto const each_own = [&](auto use) {
      auto const targets = table_.columns.destinations;
      for (std::int64_t e = 0; e < targets.size(); ++e) {
        auto const id = destinations_.renumbered[targets[e]];
        if (id >= begin && id < end) {
          use(e, id - begin);
        }
      }
    };
    each_own([&](std::int64_t, std::int64_t row) { rows.count(row); });
    rows.finish_counting();
    each_own([&](edge_id e, std::int64_t row) {
      auto const place = rows.place(row);
      made->sources[place] = sources_.renumbered[table_.columns.sources[e]];
      made->edge_ids[place] = e;
    });
    made->offsets = std::move(rows).offsets();
    if (!table_.columns.times.empty()) {
      auto const times = cut_values(table_.columns.times, made->edge_ids.cview());
      glt::detail::sort_rows(made->offsets.cview(), made->sources.view(), made->edge_ids.view(), times.cview());
    }
    rows_ = std::move(made);
  }

  edge_table_view table_;
  relabelling const& sources_;
  relabelling const& destinations_;
  std::vector<std::int64_t> num_edges_; // by part
  std::int64_t most_ = 0;
  int first_ = 0; // parts in rows_
  int last_ = 0;
  std::shared_ptr<compressed_rows> rows_;
};

/// Cutter of a data set in memory into parts.
class raw_data_cutter {
public:
  /// @where  borrows all arguments, which must outlive this object
  /// @throws precondition_error  as `parts_input`, and for ids of edges
  raw_data_cutter(raw_data_view data, std::span<relabelling const> labels, write_options const& options)
      : input_(std::move(data), labels, options.hot, options.halo) {
    auto const& tables = input_.data().edges;
    for (std::size_t e = 0; e < tables.size(); ++e) {
      cutters_.emplace_back(tables[e], input_.of_source(e), input_.of_destination(e));
    }
    input_.check_links();
  }

  [[nodiscard]] int num_parts() const { return input_.num_parts(); }
  [[nodiscard]] part_content cut(int part) { return part_assembly(input_, *this).make(part); }

  // Members that `part_assembly` calls.
  [[nodiscard]] csr_graph<device::cpu, global_id> relation(std::size_t type, int part) {
    return cutters_[type].cut(part);
  }
  [[nodiscard]] std::vector<raw_data::named_array> features(std::size_t type, int,
                                                            host_view<global_id const> original) const {
    return cut_rows(input_.data().nodes[type].features, original);
  }
  [[nodiscard]] static array rows(array const& from, host_view<std::int64_t const> numbers) {
    return cut_rows(from, numbers);
  }
  template <class T>
  [[nodiscard]] static buffer<device::cpu, T> values(host_view<T const> from, host_view<std::int64_t const> numbers) {
    return cut_values(from, numbers);
  }
  [[nodiscard]] static buffer<device::cpu, global_id> ids(host_view<global_id const> list) {
    return make_buffer<device::cpu>(list);
  }

private:
  parts_input input_;
  std::vector<edge_cutter> cutters_;
};

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
/// destination. A row is in order of the times of its edges, if they have times, and then in the order of `data`.
///
/// @shape  labels [node types], one for the vertices of each type, into the same number of parts
/// @throws precondition_error  naming the argument at fault: relabellings, an array without one row per vertex or edge,
///                             an id that its type does not have, types without names or of the same name
/// @throws io_error            if the folder exists and is not empty, or cannot be written, or an input file was
///                             changed meanwhile
/// @cost   O(P · V) for lists and at most about nine O(E) sweeps over the edges; memory of one part beside the input,
///         or of an eighth of the edges if that is more, with 8 bytes an edge for times
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
  write_parts(dir, data.view(), labels, options);
}

} // namespace glt::io
