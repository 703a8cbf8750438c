// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/exchange.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/agree.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/edge_shuffle.hpp>
#include <glt/io/edge_spill.hpp>
#include <glt/io/manifest.hpp>
#include <glt/io/manifest_json.hpp>
#include <glt/io/manifest_parser.hpp>
#include <glt/io/memory_plan.hpp>
#include <glt/io/parts_content.hpp>
#include <glt/io/parts_cut.hpp>
#include <glt/io/parts_write.hpp>
#include <glt/io/parts_writer.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/record_shuffle.hpp>
#include <glt/io/scratch_array.hpp>
#include <glt/io/shuffle_rounds.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/relabel.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace glt::io {

/// What `write_parts_together` is to do.
struct together_options {
  std::string name{};
  partitioner_note partitioner{};
  bool halo = false; ///< store which remote vertices a part touches; takes memory of the sources of a part
  memory_plan plan{};
  progress_callback on_progress{};
};

namespace detail {

// Makes the parts of one rank; see `write_parts_together`.
template <communicator Comm>
class parts_of_rank {
public:
  parts_of_rank(Comm comm, node_table const& nodes, edge_columns const& edges, relabelling const& labels,
                together_options const& options, std::filesystem::path scratch)
      : comm_(std::move(comm)), nodes_(nodes), edges_(edges), labels_(labels), options_(options),
        own_(slice_of(labels.book.num_parts(), comm_.size(), comm_.rank())), scratch_(std::move(scratch)) {
    for (int rank = 0; rank < comm_.size(); ++rank) {
      auto const [first, last] = slice_of(labels.book.num_parts(), comm_.size(), rank);
      rank_of_part_.insert(rank_of_part_.end(), static_cast<std::size_t>(last - first), rank);
    }
  }

  // Moves edges and features to the ranks of their parts.
  void gather() {
    auto const row_of = [&](global_id vertex) { return labels_.renumbered[vertex]; };
    auto const counts = count_in_edges(comm_, edges_, nodes_.num_nodes, row_of);
    std::vector<global_id> bounds;
    for (auto part = own_.first; part < own_.last; ++part) {
      append_bounds(counts, begin_of(part), end_of(part), edges_of_range(options_.plan), bounds);
    }
    bounds.push_back(bounds.empty() ? 0 : end_of(own_.last - 1));
    if (bounds.size() == 1) {
      bounds.push_back(bounds.front());
    }
    spill_.emplace(scratch_, std::move(bounds), options_.plan.for_edges / 8);
    spill_edges(
        comm_, edges_, options_.plan, options_.on_progress, row_of, [&](global_id row) { return rank_of_row(row); },
        *spill_);
    for (auto const& feature : nodes_.features) {
      gather_rows(feature.values);
    }
  }

  // Writes the parts of this rank and returns what their manifests say.
  [[nodiscard]] std::vector<manifest> write(std::filesystem::path const& folder) {
    std::vector<manifest> made;
    int range = 0;
    for (auto part = own_.first; part < own_.last; ++part) {
      if (options_.on_progress) {
        options_.on_progress({"writing parts", "parts", part - own_.first, own_.last - own_.first});
      }
      made.push_back(write_part(folder, content_of(static_cast<int>(part), range)));
    }
    return made;
  }

private:
  [[nodiscard]] global_id begin_of(std::int64_t part) const { return labels_.book.begin(static_cast<int>(part)); }
  [[nodiscard]] global_id end_of(std::int64_t part) const { return labels_.book.end(static_cast<int>(part)); }
  [[nodiscard]] int rank_of_row(global_id row) const {
    return rank_of_part_[static_cast<std::size_t>(labels_.book.owner(row))];
  }

  // Every rank reads its slice of the rows; those of a part come from each rank in the order of their places there.
  void gather_rows(array const& values) {
    auto const row_bytes = values.columns() * size_of(values.type());
    auto& of_parts = rows_.emplace_back();
    auto const failure = dist::failure_of([&] {
      for (auto part = own_.first; part < own_.last; ++part) {
        of_parts.emplace_back(scratch_ / ("rows-" + std::to_string(rows_.size()) + "-" + std::to_string(part)));
      }
    });
    dist::agree(comm_, {.what = operation::shuffle}, failure, row_bytes, [](auto own, auto first) {
      return glt::detail::message("has feature rows of ", own, " bytes, but rank 0 of ", first,
                                  "; give all ranks the same data set");
    });
    std::vector<std::byte> record(static_cast<std::size_t>(row_bytes) + sizeof(global_id));
    record_shuffle shuffle(comm_, std::ssize(record));
    shuffle_in_rounds(
        comm_, shuffle, nodes_.num_nodes, options_.plan.items_a_round(std::ssize(record)),
        {.what = "moving features to their parts", .unit = "rows"}, options_.on_progress,
        [&](std::int64_t first, std::int64_t last) {
          for (auto v = first; v < last; ++v) {
            auto const id = labels_.renumbered[v];
            std::memcpy(record.data(), &id, sizeof(id));
            glt::detail::copy_bytes(record.data() + sizeof(id), values.bytes().data() + v * row_bytes, row_bytes);
            shuffle.add(rank_of_row(id), record.data());
          }
        },
        [&](std::byte const* arrived) {
          global_id id = 0;
          std::memcpy(&id, arrived, sizeof(id));
          auto const part = labels_.book.owner(id);
          of_parts[static_cast<std::size_t>(part - own_.first)].put((id - begin_of(part)) * row_bytes,
                                                                    {arrived + sizeof(id), row_bytes});
        });
  }

  // The arrays of a part wait in files until they are written, range after range.
  [[nodiscard]] part_content content_of(int part, int& range) {
    buffer<device::cpu, edge_offset> offsets(labels_.book.size(part) + 1);
    scratch_array<global_id> columns(scratch_ / "columns");
    scratch_array<edge_id> ids(scratch_ / "ids");
    scratch_array<float> weights(scratch_ / "weights");
    scratch_array<std::int64_t> times(scratch_ / "times");
    offsets[0] = 0;
    for (; range < spill_->num_ranges() && spill_->end(range) <= end_of(part); ++range) {
      auto const first = spill_->begin(range);
      auto const taken = spill_->take(range);
      auto const rows = compress_range(taken.view(), first, spill_->end(range));
      for (std::int64_t r = 0; r + 1 < rows.offsets.size(); ++r) {
        offsets[first - begin_of(part) + r + 1] = columns.size() + rows.offsets[r + 1];
      }
      columns.append(rows.columns.view());
      ids.append(rows.ids.view());
      append_values(edges_.weights, rows.ids.view(), weights);
      append_values(edges_.times, rows.ids.view(), times);
    }
    hetero_schema schema({{nodes_.name, nodes_.num_nodes}}, {{nodes_.name, "edge", nodes_.name}});
    part_content made{
        .graph = {.schema = std::move(schema), .books = {labels_.book}, .part = part, .relations = {}, .original = {}},
        .nodes = {},
        .edges = {}};
    made.graph.relations.emplace_back(nodes_.num_nodes, std::move(offsets), std::move(columns).take(),
                                      std::move(ids).take());
    auto const original = labels_.original.view().subview(begin_of(part), labels_.book.size(part));
    made.graph.original.push_back(make_buffer<device::cpu>(original));
    auto& edges = made.edges.emplace_back();
    edges.weights = std::move(weights).take();
    edges.times = std::move(times).take();
    if (options_.halo) {
      edges.halo = make_halo(made.graph.relations[0].view(), labels_.book, part);
    }
    made.nodes.push_back(nodes_of(part, original));
    return made;
  }

  template <class T>
  static void append_values(host_view<T const> values, host_view<edge_id const> ids, scratch_array<T>& out) {
    if (!values.empty()) {
      std::vector<T> taken;
      taken.reserve(static_cast<std::size_t>(ids.size()));
      for (auto const id : ids) {
        taken.push_back(values[id]);
      }
      out.append(host_view<T const>(taken));
    }
  }

  [[nodiscard]] part_nodes nodes_of(int part, host_view<global_id const> original) {
    part_nodes made;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      auto const& [name, values] = nodes_.features[i];
      auto shape = values.shape();
      shape[0] = original.size();
      auto& rows = rows_[i][static_cast<std::size_t>(part - own_.first)];
      made.features.push_back({name, {values.type(), std::move(shape), std::move(rows).take()}});
    }
    if (!nodes_.labels.shape().empty()) {
      made.labels = cut_rows(nodes_.labels, original);
    }
    made.times = cut_values(nodes_.times, original);
    made.train = own_ids(nodes_.train, labels_, part);
    made.valid = own_ids(nodes_.valid, labels_, part);
    made.test = own_ids(nodes_.test, labels_, part);
    return made;
  }

  Comm comm_;
  node_table const& nodes_;
  edge_columns const& edges_;
  relabelling const& labels_;
  together_options const& options_;
  item_range own_; // parts of this rank
  std::filesystem::path scratch_;
  std::vector<int> rank_of_part_;
  std::optional<edge_spill> spill_;
  std::vector<std::vector<scratch_array<std::byte>>> rows_; // by feature array, by part of this rank
};

// Sends a text of every rank to rank 0.
template <communicator Comm>
std::vector<std::string> gather_texts(Comm& comm, std::string const& text) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> send(ranks, 0);
  send[0] = comm.rank() == 0 ? 0 : std::ssize(text);
  std::vector<call_header> headers(ranks);
  exchange_headers(comm, {.what = operation::shuffle}, send, 0, {}, headers);
  std::vector<std::int64_t> receive;
  for (auto const& header : headers) {
    receive.push_back(header.count);
  }
  std::string arrived(static_cast<std::size_t>(std::accumulate(receive.begin(), receive.end(), std::int64_t{0})), ' ');
  exchange_rows(comm, host_view<char const>(text.data(), send[0]), send,
                host_view<char>(arrived.data(), std::ssize(arrived)), receive);
  std::vector<std::string> texts;
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    texts.push_back(rank == 0 ? text : arrived.substr(next, static_cast<std::size_t>(receive[rank])));
    next += static_cast<std::size_t>(receive[rank]);
  }
  return texts;
}

// The text of rank 0 on all ranks.
template <communicator Comm>
void broadcast_text(Comm& comm, std::string& text) {
  auto size = std::ssize(text);
  comm.broadcast(reinterpret_cast<std::byte*>(&size), sizeof(size), 0);
  text.resize(static_cast<std::size_t>(size));
  comm.broadcast(reinterpret_cast<std::byte*>(text.data()), size, 0);
}

} // namespace detail

/// Writes a partitioned graph without types to a new folder, all ranks together, within a limit of memory.
///
/// Every rank reads a slice of the edges and features, sends them to the ranks of their parts, and writes some of the
/// parts; what does not fit memory waits in the folder. The files are those that `write_parts` writes. The folder must
/// be one for all ranks; it appears when it is complete, and after a failure nothing is there.
///
/// @shape  nodes, edges: the same on all ranks · part_of [V], in [0, num_parts), the same on all ranks
/// @comm   collective; per round of `plan` one exchange of edges or feature rows
/// @throws collective_error  on every rank, naming an edge whose end no vertex is, an array without one row per
///                           vertex or edge, a listed vertex that does not exist, or a file that cannot be written
/// @cost   24 bytes moved an edge; memory as planned, beside labels and lists of vertices
template <communicator Comm>
void write_parts_together(Comm comm, std::filesystem::path const& dir, node_table const& nodes,
                          edge_columns const& edges, host_view<local_id const> part_of, int num_parts,
                          together_options const& options) {
  std::optional<parts_writer> writer;
  std::optional<relabelling> labels;
  std::string folder;
  call_site const site{.what = operation::shuffle};
  auto const agreed = [&](auto work) {
    dist::agree(comm, site, dist::failure_of(work), num_parts, [](auto own, auto first) {
      return glt::detail::message("makes ", own, " parts, but rank 0 ", first, "; ask for the same on all ranks");
    });
  };
  agreed([&] {
    if (part_of.size() != nodes.num_nodes) {
      throw precondition_error(glt::detail::message("parts of ", part_of.size(), " vertices for ", nodes.num_nodes,
                                                    "; give one part per vertex"));
    }
    detail::check_nodes(nodes);
    labels = make_relabelling(part_of, num_parts);
    if (comm.rank() == 0) {
      writer.emplace(dir, options.name, options.partitioner);
      folder = writer->folder().string();
    }
  });
  detail::broadcast_text(comm, folder);
  auto const scratch = std::filesystem::path(folder) / ("scratch-" + std::to_string(comm.rank()));
  agreed([&] { std::filesystem::create_directory(scratch); });

  std::string texts;
  {
    detail::parts_of_rank<Comm> own(comm, nodes, edges, *labels, options, scratch);
    own.gather();
    agreed([&] {
      for (auto const& made : own.write(folder)) {
        texts += to_json(made);
        texts += '\0';
      }
    });
  }
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  auto const all = detail::gather_texts(comm, texts);
  agreed([&] {
    if (comm.rank() == 0) {
      for (auto const& of_rank : all) {
        for (std::size_t begin = 0; begin < of_rank.size();) {
          auto const end = of_rank.find('\0', begin);
          writer->add(parse_manifest(of_rank.substr(begin, end - begin), dir));
          begin = end + 1;
        }
      }
      writer->commit();
    }
  });
}

} // namespace glt::io
