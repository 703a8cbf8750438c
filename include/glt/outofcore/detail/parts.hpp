// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/broadcast_text.hpp>
#include <glt/comm/detail/gather_lists.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/detail/parts_input.hpp>
#include <glt/io/parts/detail/parts_write.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/io/parts/write_options.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/part_builder.hpp>
#include <glt/partition/relabel.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

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
  progress::callback on_progress{};
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
/// @cost   24 bytes sent an edge; memory as planned, or 40 bytes for every edge of one row if that is more. Beside it:
///         labels, lists of vertices, and of one part its hot lists, its pairs of link splits and its halo, with a bit
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
