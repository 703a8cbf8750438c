// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/parcels.hpp>
#include <glt/dist/detail/exchange/part_check.hpp>
#include <glt/dist/detail/exchange/queries.hpp>
#include <glt/dist/graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Equal shares of V consecutive ids; sizes differ by at most one.
///
/// @throws precondition_error  if num_parts < 1
[[nodiscard]] inline partition_book make_equal_book(std::int64_t num_vertices, int num_parts) {
  std::vector<global_id> offsets{0};
  for (int part = 1; part <= num_parts; ++part) {
    offsets.push_back(num_vertices / num_parts * part + std::min<std::int64_t>(num_vertices % num_parts, part));
  }
  return partition_book(std::move(offsets));
}

/// Translates between original ids and the global ids of a graph in parts, both ways and for any vertex.
///
/// Programs know vertices by the ids of their input files; a graph in parts numbers them anew. Seeds that are
/// known by their original ids are looked up here before they are sampled from, and results can be named by
/// them again. Rank r keeps the global ids of the r-th of R equal ranges of original ids: V / R ids of
/// memory, also where one rank owns most vertices.
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class vertex_directory {
  static_assert(host_accessible(Policy::space),
                "vertex_directory packs messages on the host: use a host-accessible policy");

public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the graph, which must outlive the directory.
  ///
  /// @comm   collective; two header exchanges and one variable exchange of 8 bytes a vertex
  /// @throws collective_error  on every rank, if the graph was made for another rank or number of ranks, or
  ///                           the original ids of all ranks together are no permutation of [0, V)
  /// @cost   O(V / R) where original ids are spread evenly
  vertex_directory(Comm comm, graph<Policy, Vertex> const& graph)
      : graph_(&graph), find_(comm), name_(std::move(comm)) {
    call_site const site{.what = operation::make_directory};
    parcels<Comm, entry> entries(find_.comm());
    auto const failure = failure_of([&] { announce(entries); });
    entries.send(site, 0, failure);
    auto const clash = failure_of([&] { enter(entries); });
    agree(find_.comm(), site, clash, 0, [](auto, auto) { return std::string(); });
  }

  [[nodiscard]] graph<Policy, Vertex> const& of() const noexcept { return *graph_; }
  /// Which rank keeps which original ids.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  /// The global ids of the original ids that this rank keeps, by their place in its range.
  [[nodiscard]] array_view<space, Vertex const> kept() const noexcept { return kept_.view(); }

  /// Looks the global ids of original ids up.
  ///
  /// Returns false if no rank asked anything.
  ///
  /// @shape  originals [n] · vertices [n], written
  /// @comm   collective; one header exchange and, if any rank asks another, two payload exchanges: 4 bytes an
  ///         id out, sizeof(Vertex) back
  /// @throws collective_error  on every rank, if an id of a rank is not in [0, V), or the lengths differ
  bool look_up(array_view<space, global_id const> originals, array_view<space, Vertex> vertices,
               call_site site = {.what = operation::look_up}) {
    return run(find_, book_, originals, vertices, site, {}, [this](local_id place) { return kept_[place]; });
  }

  /// Looks the original ids of vertices up, at their owners; a rank that has something to report passes a
  /// `failure` instead of staying away.
  ///
  /// Returns false if no rank asked anything.
  ///
  /// @shape  vertices [n] global ids · originals [n], written
  /// @comm   as `look_up`, 8 bytes an id back
  /// @throws collective_error  on every rank, if an id of a rank is not in [0, V), the lengths differ, or a
  ///                           rank reports a failure
  bool originals_of(array_view<space, Vertex const> vertices, array_view<space, global_id> originals,
                    call_site site = {.what = operation::look_up}, std::string const& failure = {}) {
    return run(name_, graph_->book(), vertices, originals, site, failure,
               [this](local_id row) { return graph_->original()[row]; });
  }

private:
  // What the owner of a vertex tells the keeper of its original id.
  struct entry {
    local_id place;
    local_id row;
  };

  void announce(parcels<Comm, entry>& entries) {
    auto const& comm = find_.comm();
    check_own_part(comm, graph_->part(), graph_->book().num_parts(), "directory of part", "made by");
    book_ = make_equal_book(graph_->num_vertices(), comm.size());
    auto const original = graph_->original();
    validate_vertices("original id", original, graph_->num_vertices());
    kept_.resize(book_.size(comm.rank()));
    entries.route(
        original.size(),
        [&](std::int64_t row) { return entry{book_.local(original[row]), static_cast<local_id>(row)}; },
        [&](std::int64_t row) { return book_.owner(original[row]); });
  }

  void enter(parcels<Comm, entry> const& entries) {
    std::fill(kept_.begin(), kept_.end(), Vertex{-1});
    for (int rank = 0; rank < book_.num_parts(); ++rank) {
      for (auto const [place, row] : entries.received_of(rank)) {
        if (kept_[place] >= 0) {
          throw precondition_error(detail::message("original id ", book_.begin(find_.comm().rank()) + place,
                                                   " belongs to two vertices; original ids are a permutation"));
        }
        kept_[place] = static_cast<Vertex>(graph_->book().begin(rank) + row);
      }
    }
  }

  template <class From, class To, class AnswerTo>
  static bool run(queries<Comm, local_id, To>& queries, partition_book const& book,
                  array_view<space, From const> from, array_view<space, To> to, call_site site,
                  std::string failure, AnswerTo answer_to) {
    if (failure.empty()) {
      failure = failure_of([&] {
        if (from.size() != to.size()) {
          throw precondition_error(detail::message("look-up of ", from.size(), " ids into ", to.size(), " places"));
        }
        queries.route(
            from.size(), [&](std::int64_t i) { return book.local(from[i]); },
            [&](std::int64_t i) { return book.owner(from[i]); });
      });
    }
    queries.send(site, from.size(), failure);
    for (std::size_t i = 0; i < queries.received().size(); ++i) {
      queries.answers()[i] = answer_to(queries.received()[i]);
    }
    queries.finish([&](std::int64_t i, To answer) { to[i] = answer; });
    return std::ranges::any_of(queries.headers(), [](call_header const& header) { return header.value > 0; });
  }

  graph<Policy, Vertex> const* graph_;
  partition_book book_;
  buffer<Policy, Vertex> kept_;
  queries<Comm, local_id, Vertex> find_;
  queries<Comm, local_id, global_id> name_;
};

} // namespace glt::dist
