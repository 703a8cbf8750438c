// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/io/parts/detail/parts_input.hpp>
#include <glt/io/parts/detail/parts_write.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/partition/book.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

/// Moves rows of vertices to the ranks that make their parts, each to its vertex's place in the part.
///
/// Every rank reads its slice of the rows.
///
/// @shape  values [V, …], the same on all ranks · of_parts: one array for every part of this rank
/// @comm   collective; as `shuffle_in_rounds`, and a header exchange
/// @throws collective_error  on every rank, if an array cannot be written
template <communicator Comm>
void shuffle_rows(Comm& comm, array const& values, relabelling const& labels, part_owners const& owners,
                  memory_plan const& plan, task_progress::callback const& on_progress,
                  std::span<scratch_array<std::byte>> of_parts) {
  auto const row_bytes = values.columns() * glt::detail::size_of(values.type());
  auto const first_part = owners.parts_of(comm.rank()).first;
  std::vector<std::byte> record(static_cast<std::size_t>(row_bytes) + sizeof(global_id));
  glt::detail::record_shuffle shuffle(comm, std::ssize(record));
  shuffle_in_rounds(
      comm, shuffle, values.rows(), plan.items_a_round(std::ssize(record)),
      {.what = "moving features to their parts", .unit = "rows"}, on_progress,
      [&](std::int64_t first, std::int64_t last) {
        for (auto v = first; v < last; ++v) {
          auto const id = labels.renumbered[v];
          std::memcpy(record.data(), &id, sizeof(id));
          glt::detail::copy_bytes(record.data() + sizeof(id), values.bytes().data() + v * row_bytes, row_bytes);
          shuffle.add(owners.rank_of(labels.book.owner(id)), record.data());
        }
      },
      [&](std::byte const* arrived) {
        global_id id = 0;
        std::memcpy(&id, arrived, sizeof(id));
        auto const part = labels.book.owner(id);
        of_parts[static_cast<std::size_t>(part - first_part)].write((id - labels.book.begin(part)) * row_bytes,
                                                                    {arrived + sizeof(id), row_bytes});
      });
  auto const failure = glt::detail::failure_of([&] {
    for (auto& rows : of_parts) {
      rows.flush();
    }
  });
  glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure);
}

// Does the same as `cut_rows`, into a file.
inline array cut_rows_to_scratch(array const& from, host_view<std::int64_t const> rows,
                                 std::filesystem::path const& path) {
  auto const row_bytes = from.columns() * glt::detail::size_of(from.type());
  scratch_array<std::byte> made(path);
  for (auto const row : rows) {
    made.append(from.bytes().subview(row * row_bytes, row_bytes));
  }
  auto shape = from.shape();
  shape[0] = rows.size();
  return {from.type(), std::move(shape), std::move(made).take()};
}

// Does the same as `cut_values`, into a file.
template <class T>
buffer<device::cpu, T> cut_values_to_scratch(host_view<T const> from, host_view<std::int64_t const> rows,
                                             std::filesystem::path const& path) {
  if (from.empty()) {
    return {};
  }
  scratch_array<T> made(path);
  for (auto const row : rows) {
    made.append(from.subview(row, 1));
  }
  return std::move(made).take();
}

/// Builder of one rank's parts: gathers edges and features from all ranks, and keeps pending data in a folder.
class part_builder {
public:
  /// @where  borrows the input; the folder must exist and be empty
  /// @throws io_error  if no file can be created there
  part_builder(parts_input const& input, int ranks, int rank, memory_plan const& plan, std::filesystem::path folder)
      : input_(input), owners_(input.num_parts(), ranks), own_(owners_.parts_of(rank)), plan_(plan),
        folder_(std::move(folder)), spills_(input.data().edges.size()), next_range_(spills_.size(), 0) {
    auto const waiting =
        std::clamp<std::int64_t>(plan.for_edges / 8 / std::max<std::int64_t>(own_.last - own_.first, 1), 0,
                                 scratch_array<std::byte>::usual_bytes);
    for (std::size_t t = 0; t < input.data().nodes.size(); ++t) {
      auto& of_type = rows_.emplace_back();
      for (std::size_t f = 0; f < input.data().nodes[t].features.size(); ++f) {
        auto& of_parts = of_type.emplace_back();
        for (auto part = own_.first; part < own_.last; ++part) {
          of_parts.emplace_back(folder_ / glt::detail::message("rows-", t, '-', f, '-', part), waiting);
        }
      }
    }
    for (std::size_t e = 0; e < spills_.size(); ++e) {
      std::filesystem::create_directory(spill_folder(e));
    }
  }

  [[nodiscard]] item_range parts() const noexcept { return own_; }

  /// Moves edges and features to the ranks of their parts.
  ///
  /// @comm   collective; as `count_in_edges`, `spill_edges` and `shuffle_rows` of every type
  /// @throws collective_error  on every rank, as these
  template <communicator Comm>
  void gather(Comm& comm, task_progress::callback const& on_progress) {
    for (std::size_t e = 0; e < spills_.size(); ++e) {
      gather_edges(comm, e, on_progress);
    }
    for (std::size_t t = 0; t < rows_.size(); ++t) {
      for (std::size_t f = 0; f < rows_[t].size(); ++f) {
        shuffle_rows(comm, input_.data().nodes[t].features[f].values, input_.labels()[t], owners_, plan_, on_progress,
                     std::span(rows_[t][f]));
      }
    }
  }

  /// Makes a part of this rank; call it once for each part, in ascending order.
  ///
  /// @pre    `gather` was called
  /// @throws io_error  if the stored data cannot be read back
  [[nodiscard]] part_content make(int part) { return part_assembly(input_, *this).make(part); }

  // Members that `part_assembly` calls.
  [[nodiscard]] csr_graph<device::cpu, global_id> relation(std::size_t type, int part) {
    auto const& book = input_.of_destination(type).book;
    auto& spill = *spills_[type];
    auto& range = next_range_[type];
    scratch_array<edge_offset> offsets(next_file());
    scratch_array<global_id> columns(next_file());
    scratch_array<edge_id> ids(next_file());
    edge_offset first = 0;
    offsets.append({&first, 1});
    for (; range < spill.num_ranges() && spill.end(range) <= book.end(part); ++range) {
      auto rows = [&] {
        auto const taken = spill.take(range);
        return compress_range(taken.view(), spill.begin(range), spill.end(range),
                              input_.data().edges[type].columns.times);
      }();
      for (auto& offset : rows.offsets) {
        offset += columns.size();
      }
      offsets.append(std::as_const(rows.offsets).view().subview(1, rows.offsets.size() - 1));
      columns.append(rows.columns.view());
      ids.append(rows.ids.view());
    }
    return {input_.of_source(type).book.num_vertices(), std::move(offsets).take(), std::move(columns).take(),
            std::move(ids).take()};
  }
  [[nodiscard]] std::vector<raw_data::named_array> features(std::size_t type, int part,
                                                            host_view<global_id const> original) {
    std::vector<raw_data::named_array> made;
    for (std::size_t f = 0; f < rows_[type].size(); ++f) {
      auto const& [name, values] = input_.data().nodes[type].features[f];
      auto shape = values.shape();
      shape[0] = original.size();
      auto& rows = rows_[type][f][static_cast<std::size_t>(part - own_.first)];
      made.push_back({name, {values.type(), std::move(shape), std::move(rows).take()}});
    }
    return made;
  }
  [[nodiscard]] array rows(array const& from, host_view<std::int64_t const> numbers) {
    return cut_rows_to_scratch(from, numbers, next_file());
  }
  template <class T>
  [[nodiscard]] buffer<device::cpu, T> values(host_view<T const> from, host_view<std::int64_t const> numbers) {
    return cut_values_to_scratch(from, numbers, next_file());
  }
  [[nodiscard]] buffer<device::cpu, global_id> ids(host_view<global_id const> list) {
    scratch_array<global_id> copied(next_file());
    copied.append(list);
    return std::move(copied).take();
  }

private:
  [[nodiscard]] std::filesystem::path spill_folder(std::size_t type) const {
    return folder_ / ("edges-" + std::to_string(type));
  }
  [[nodiscard]] std::filesystem::path next_file() { return folder_ / ("cut-" + std::to_string(num_files_++)); }

  template <communicator Comm>
  void gather_edges(Comm& comm, std::size_t type, task_progress::callback const& on_progress) {
    auto const& edges = input_.data().edges[type].columns;
    auto const& from = input_.of_source(type);
    auto const& to = input_.of_destination(type);
    auto ends = checked_ends(input_.data().edges[type], input_.data());
    ends.of_type = spills_.size() == 1 ? "" : " of type " + input_.schema().name_of_edge_type(static_cast<int>(type));
    auto const counts = count_in_edges(comm, edges, ends, [&](global_id vertex) { return to.renumbered[vertex]; });
    auto const failure = glt::detail::failure_of([&] {
      std::vector<global_id> bounds;
      for (auto part = static_cast<int>(own_.first); part < own_.last; ++part) {
        append_bounds(counts, to.book.begin(part), to.book.end(part), edges_of_range(plan_, edges.times), bounds);
      }
      bounds.push_back(bounds.empty() ? 0 : to.book.end(static_cast<int>(own_.last) - 1));
      if (bounds.size() == 1) {
        bounds.push_back(bounds.front());
      }
      auto const buffer_bytes = plan_.for_edges / 8 / static_cast<std::int64_t>(spills_.size()); // all exist at once
      spills_[type].emplace(spill_folder(type), std::move(bounds), buffer_bytes);
    });
    glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure);
    spill_edges(
        comm, ends,
        [&](edge_id e, global_id source, global_id destination) {
          return moving_edge{to.renumbered[destination], from.renumbered[source], e};
        },
        plan_, on_progress, [&](global_id row) { return owners_.rank_of(to.book.owner(row)); }, *spills_[type]);
  }

  parts_input const& input_;
  part_owners owners_;
  item_range own_;
  memory_plan plan_;
  std::filesystem::path folder_;
  std::vector<std::optional<edge_spill>> spills_; // by edge type
  std::vector<int> next_range_;                   // by edge type, the first range that no part has taken
  std::vector<std::vector<std::vector<scratch_array<std::byte>>>> rows_; // by node type, feature, part of this rank
  std::int64_t num_files_ = 0;
};

/// Folder for temporary data on disk, which is removed with all its content.
class scratch_folder {
public:
  /// @throws io_error  if the folder exists already, or cannot be created
  explicit scratch_folder(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code fault;
    bool const made = std::filesystem::create_directory(path_, fault);
    if (fault || !made) {
      throw io_error(path_.string(), 0,
                     fault ? "cannot be created: " + fault.message() + "; choose a folder that can be written"
                           : "is there already; remove it or choose another");
    }
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

/// Options of `write_parts_collective`.
struct together_options {
  manifest::partitioner_note partitioner{};
  std::vector<write_options::hot_vertices>
      hot{};         ///< types and features the same on all ranks, lists of the `part_owners` parts of this rank
  bool halo = false; ///< store the remote vertices that a part's edges touch
  detail::memory_plan plan{};
  task_progress::callback on_progress{};
};

// Returns a fingerprint of the inputs that must be equal on all ranks.
inline std::int64_t fingerprint_of(parts_input const& input, memory_plan const& plan) {
  glt::detail::fingerprint inputs;
  inputs.add(plan.for_edges).add(input.halo() ? 1 : 0);
  for (auto const& labels : input.labels()) {
    inputs.add(glt::detail::book_fingerprint(labels.book));
  }
  for (auto const& nodes : input.data().nodes) {
    inputs.add(std::ssize(nodes.features));
    for (auto const& feature : nodes.features) {
      inputs.add(feature.values.bytes().size());
    }
  }
  for (auto const& edges : input.data().edges) {
    inputs.add(edges.columns.sources.size()).add(std::ssize(edges.features)).add(std::ssize(edges.links));
  }
  return inputs.value();
}

/// Writes a partitioned data set to a new folder, all ranks together, within a limit of memory.
///
/// Every rank reads a slice of the edges and of the features of vertices, and sends them to the ranks of their parts.
/// It then writes its parts, and looks up the data of edges and the hot rows itself. Data that does not fit in
/// memory waits beside the folder. The files are equal to the files of `write_parts`. The folder must be the same for
/// all ranks; it appears only when it is complete, and a failed call leaves no folder.
///
/// @shape  data, labels [node types]: the same on all ranks
/// @comm   collective; per type and round of `plan` one exchange of edges or feature rows
/// @throws collective_error  on every rank, naming an edge whose end does not exist, an array without one row per
///                           vertex or edge, a listed vertex that does not exist, an input file that was changed
///                           meanwhile, or a file that cannot be written
/// @cost   24 bytes sent an edge; memory as planned, or 40 bytes for every edge of one row if that is more, 80 if edges
///         have times. Beside it: labels, lists of vertices, and of one part its hot lists, its pairs of link splits and its halo, with a bit
///         for every vertex
template <communicator Comm>
void write_parts_collective(Comm comm, std::filesystem::path const& dir, raw_data_view const& data,
                            std::span<relabelling const> labels, detail::together_options const& options) {
  std::optional<detail::parts_input> input;
  std::optional<parts_writer> writer;
  std::optional<detail::scratch_folder> scratch;
  std::string folder;
  std::int64_t inputs = 0;
  auto const agreed = [&](auto work) {
    auto const failure = glt::detail::failure_of(work);
    glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure, inputs, [](auto, auto) {
      return "has another data set, partition or memory plan than rank 0; give all ranks the same";
    });
  };
  agreed([&] {
    input.emplace(data, labels, options.hot, options.halo);
    input->check_links(comm.size(), comm.rank());
    inputs = detail::fingerprint_of(*input, options.plan);
    if (comm.rank() == 0) {
      writer.emplace(dir, data.name, options.partitioner);
      folder = writer->folder().string();
    }
  });
  glt::detail::broadcast_text(comm, folder);
  std::string texts;
  {
    std::optional<detail::part_builder> own;
    agreed([&] {
      scratch.emplace(std::filesystem::path(folder) / ("scratch-" + std::to_string(comm.rank())));
      own.emplace(*input, comm.size(), comm.rank(), options.plan, scratch->path());
    });
    own->gather(comm, options.on_progress);
    agreed([&] {
      detail::with_inputs(data.inputs, [&] { // no part of the program reads the inputs after this
        auto const [first, last] = own->parts();
        for (auto part = first; part < last; ++part) {
          if (options.on_progress) {
            options.on_progress({"writing parts", "parts", part - first, last - first});
          }
          texts += detail::to_json(detail::write_part(folder, own->make(static_cast<int>(part))));
          texts += '\0';
        }
      });
    });
  }
  scratch.reset();
  auto const all = glt::detail::gather_lists(comm, {.what = glt::detail::operation::shuffle}, {}, texts,
                                             [](int rank) { return rank == 0; });
  agreed([&] {
    if (comm.rank() == 0) {
      for (auto const& of_rank : all) {
        for (std::size_t begin = 0; begin < of_rank.size();) {
          auto const end = of_rank.find('\0', begin);
          writer->add(detail::parse_manifest(of_rank.substr(begin, end - begin), dir));
          begin = end + 1;
        }
      }
      writer->commit();
    }
  });
}

} // namespace glt::io::detail
