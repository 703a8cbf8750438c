// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/request_reply.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/graph/validate.hpp>
#include <glt/sample/detail/arguments.hpp>

namespace glt::detail {

// Message from the owner of a vertex to the rank that keeps its original id.
struct directory_entry {
  local_id place;
  local_id row;
};

struct make_directory_entry {
  GLT_HOST_DEVICE directory_entry operator()(std::int64_t row, local_id place) const {
    return {place, static_cast<local_id>(row)};
  }
};

// Functor that enters vertices announced by one rank; of two vertices with the same original id one stays.
template <memory_space Space, class Vertex>
struct enter_vertex {
  array_view<Space, directory_entry const> entries;
  std::int64_t first; // vertex of the sender
  array_view<Space, Vertex> kept;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    static_cast<void>(
        atomic_compare_exchange(&kept[entries[i].place], Vertex{-1}, static_cast<Vertex>(first + entries[i].row)));
  }
};

// Functor that returns i if another vertex has the original id of entry i.
template <memory_space Space, class Vertex>
struct position_if_taken {
  array_view<Space, directory_entry const> entries;
  std::int64_t first;
  array_view<Space, Vertex const> kept;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return kept[entries[i].place] == first + entries[i].row ? entries.size() : i;
  }
};

/// Makes equal shares of V consecutive ids; sizes differ by at most one.
///
/// @throws precondition_error  if num_parts < 1
[[nodiscard]] inline partition_book make_equal_book(std::int64_t num_vertices, int num_parts) {
  std::vector<global_id> offsets{0};
  for (int part = 1; part <= num_parts; ++part) {
    offsets.push_back(num_vertices / num_parts * part + std::min<std::int64_t>(num_vertices % num_parts, part));
  }
  return partition_book(std::move(offsets));
}

} // namespace glt::detail

namespace glt::dist {

/// Translation between original ids and the global ids of a graph in parts, both ways and for any vertex; of a graph
/// with types, for the vertices of one type.
///
/// Programs know vertices by the ids of their input files; a graph in parts numbers them anew. Look up seeds here if
/// their original ids are known, and name results by original ids again. Rank r keeps the global ids of the r-th of R
/// equal ranges of original ids: V / R ids of memory, even if one rank owns most vertices. Concurrent calls: none on
/// one object, since look-ups communicate; const members may run concurrently.
///
/// @where  memory of `Policy`; look-ups wait for the sizes that ranks exchange
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class vertex_directory {
public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the graph, which must outlive the directory.
  ///
  /// @comm   collective; two header exchanges and one variable exchange of 8 bytes a vertex
  /// @throws collective_error  on every rank, if the graph was made for another rank or number of ranks, or the
  ///                           original ids of all ranks together are not a permutation of [0, V)
  /// @cost   O(V / R) if original ids are spread evenly
  explicit vertex_directory(Comm comm, graph<Policy, Vertex> const& graph, Policy policy = {})
      : vertex_directory(std::move(comm), graph.book(), graph.original(), graph.part(), std::move(policy)) {}
  /// Borrows the vertices of one type of a graph with types.
  ///
  /// @pre    the node type exists; not checked
  vertex_directory(Comm comm, hetero_graph<Policy, Vertex> const& graph, int node_type, Policy policy = {})
      : vertex_directory(std::move(comm), graph.book(node_type), graph.original(node_type), graph.part(),
                         std::move(policy)) {}

  [[nodiscard]] std::int64_t num_vertices() const noexcept { return partition_.num_vertices(); }
  /// Returns the partition of the vertices among their owners.
  [[nodiscard]] partition_book const& partition() const noexcept { return partition_; }
  /// Returns the original id of every vertex of this part, by local id.
  [[nodiscard]] array_view<space, global_id const> original() const noexcept { return original_; }
  [[nodiscard]] int part() const noexcept { return part_; }
  /// Returns the partition of the original ids among the ranks that keep them.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  /// Returns the global ids of the original ids that this rank keeps, by their place in its range.
  [[nodiscard]] array_view<space, Vertex const> kept() const noexcept { return kept_.view(); }

  /// Looks up the global ids of original ids.
  ///
  /// Returns false if no rank requested anything.
  ///
  /// @shape  originals [n] · vertices [n], written
  /// @comm   collective; one header exchange and, if any rank requests from another, two payload exchanges: 4 bytes an
  ///         id out, sizeof(Vertex) back
  /// @throws collective_error  on every rank, if an id of a rank is not in [0, V), or the lengths differ
  bool look_up(array_view<space, global_id const> originals, array_view<space, Vertex> vertices,
               detail::call_site site = {.what = detail::operation::look_up}) {
    return run(find_, book_, originals, vertices, kept(), site, {});
  }

  /// Looks up the original ids of vertices at their owners. A rank that has a failure passes it as `failure` instead of
  /// staying away.
  ///
  /// Returns false if no rank requested anything.
  ///
  /// @shape  vertices [n] global ids · originals [n], written
  /// @comm   as `look_up`, 8 bytes an id back
  /// @throws collective_error  on every rank, if an id of a rank is not in [0, V), the lengths differ, or a
  ///                           rank reports a failure
  bool originals_of(array_view<space, Vertex const> vertices, array_view<space, global_id> originals,
                    detail::call_site site = {.what = detail::operation::look_up}, std::string const& failure = {}) {
    return run(name_, partition_, vertices, originals, original_, site, failure);
  }

private:
  using entries_type = glt::detail::routed_list<Comm, Policy, glt::detail::directory_entry>;
  template <class To>
  using look_up_of = glt::detail::request_reply<Comm, Policy, local_id, To>;

  vertex_directory(Comm comm, partition_book partition, array_view<space, global_id const> original, int part,
                   Policy policy)
      : partition_(std::move(partition)), original_(original), part_(part), policy_(policy), kept_(0, policy),
        find_(comm, policy), name_(comm, policy) {
    detail::call_site const site{.what = detail::operation::make_directory};
    entries_type entries(std::move(comm), policy);
    entries.send(site, 0, detail::failure_of([&] { announce(entries); }));
    detail::agree(find_.host(), site, detail::failure_of([&] { enter(entries); }));
  }

  void announce(entries_type& entries) {
    detail::check_own_part(find_.host(), part_, partition_.num_parts(), "directory of part", "made by");
    book_ = detail::make_equal_book(num_vertices(), entries.size());
    detail::validate_vertices(policy_, "original id", original_, num_vertices());
    kept_.resize(book_.size(entries.rank()));
    entries.route(book_, original_, glt::detail::make_directory_entry{});
  }

  void enter(entries_type const& entries) {
    auto const ex = policy_.executor();
    auto const kept = kept_.view();
    ex.for_each(kept.size(), glt::detail::fill_elements<space, Vertex>{kept, -1});
    for (int rank = 0; rank < book_.num_parts(); ++rank) {
      auto const received = entries.received_of(rank);
      ex.for_each(received.size(), glt::detail::enter_vertex<space, Vertex>{received, first_of(rank), kept});
    }
    for (int rank = 0; rank < book_.num_parts(); ++rank) {
      auto const received = entries.received_of(rank);
      glt::detail::position_if_taken<space, Vertex> const taken{received, first_of(rank), kept};
      if (auto const i = ex.reduce(received.size(), received.size(), taken, glt::detail::smaller{});
          i < received.size()) {
        throw precondition_error(glt::detail::message(
            "original id ", book_.begin(entries.rank()) + detail::read_element(policy_, received, i).place,
            " belongs to two vertices; original ids are a permutation"));
      }
    }
  }

  [[nodiscard]] std::int64_t first_of(int rank) const noexcept { return partition_.begin(rank); }

  // Looks up elements of `from`, which the owners of the keys hold.
  template <class Key, class To>
  static bool run(look_up_of<To>& look_up, partition_book const& book, array_view<space, Key const> keys,
                  array_view<space, To> to, array_view<space, To const> from, detail::call_site site,
                  std::string failure) {
    if (failure.empty()) {
      failure = detail::failure_of([&] {
        if (keys.size() != to.size()) {
          throw precondition_error(
              glt::detail::message("look-up of ", keys.size(), " ids into ", to.size(), " places"));
        }
        look_up.route(book, keys, glt::detail::row_alone{});
      });
    }
    bool const any = detail::any_above_zero(look_up.send(site, keys.size(), failure));
    look_up.reply(glt::detail::element_at<space, To>{from}, to);
    return any;
  }

  partition_book partition_;
  array_view<space, global_id const> original_;
  int part_;
  Policy policy_;
  partition_book book_;
  buffer<Policy, Vertex> kept_;
  look_up_of<Vertex> find_;
  look_up_of<global_id> name_;
};

} // namespace glt::dist
