// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/detail/row_lists.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/owner_buckets.hpp>

namespace glt::detail {

/// Key of an edge in a message to the owner of its destination: the destination's row, flagged or not, and the edge's
/// id.
using edge_key = row_with<edge_id>;

/// Functor that lists the keys of edges in sorted order.
///
/// @shape  edges [n] · rows, places [n] · keys [n], written
template <memory_space Space>
struct list_edge_keys {
  edge_id const* edges;
  array_view<Space, local_id const> rows;
  array_view<Space, std::int64_t const> places;
  edge_key* keys;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { keys[i] = {rows[i], edges[places[i]]}; }
};

inline constexpr local_id no_edge_row = std::numeric_limits<local_id>::min(); // no row, flagged or not

/// Functor that finds the rows of edges, flagged like their keys.
template <memory_space Space>
struct find_edge_keys {
  edge_key const* keys;
  id_table_view<Space> table;
  local_id* found;
  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    for (auto i = first; i < last; ++i) {
      auto const ahead = i + table.ahead;
      table.prefetch(keys[ahead < last ? ahead : last - 1].value());
      auto const row = static_cast<local_id>(table.find(keys[i].value()));
      found[i] = row < 0 ? no_edge_row : keys[i].row() < 0 ? ~row : row;
    }
  }
};

struct first_without_row {
  local_id const* found;
  std::int64_t size;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return found[i] == no_edge_row ? i : size; }
};

/// Finds the rows of edges.
///
/// @shape  keys [n] · found [n], written
/// @where  memory that the policy's executor reaches; synchronises
/// @throws precondition_error  naming the first edge that is not in the table
template <device_policy Policy, memory_space Space>
void find_edge_rows(Policy const& policy, edge_key const* keys, std::int64_t size, id_table_view<Space> table,
                    local_id* found) {
  policy.executor().for_ranges(size, 1024, find_edge_keys<Space>{keys, table, found});
  auto const bad = policy.executor().reduce(size, size, first_without_row{found, size}, smaller{});
  if (bad < size) {
    array_view<Policy::space, edge_key const> const all(keys, size);
    refuse_edge(bad, read_element(policy, all, bad).value(), table.size());
  }
}

/// Keys to look up: vertices, or edge ids with their destinations, which determine the owners.
///
/// @shape  vertices [n] global ids · edges [n] global ids, or empty for vertices
template <memory_space Space, class Vertex>
struct row_keys {
  array_view<Space, Vertex const> vertices;
  array_view<Space, edge_id const> edges{};

  /// Returns the id by which the row is looked up.
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t id(std::int64_t i) const {
    return edges.empty() ? static_cast<std::int64_t>(vertices[i]) : edges[i];
  }
};

/// Functor that lists the ids of remote rows. For other rows, and ids that no row has, it lists numbers below 0, each
/// once.
template <memory_space Space, memory_space IndexSpace, class Vertex>
struct list_remote_ids {
  row_keys<Space, Vertex> keys;
  book_view<IndexSpace> book;
  char const* is_local; // [P]
  std::int64_t* ids;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const id = keys.id(i);
    ids[i] = id >= 0 && is_local[book.owner(keys.vertices[i])] == 0 ? id : ~i;
  }
};

/// Functor that replaces keys of remote rows in the hot rows by vertices of a part behind all others.
template <memory_space Space, memory_space IndexSpace, class Vertex>
struct replace_hot_keys {
  row_keys<Space, Vertex> keys;
  id_table_view<Space> hot;
  book_view<IndexSpace> book; // the last part is the part of the hot rows
  char const* is_local;       // [P]
  std::int64_t num_never_hot;
  global_id* replaced;

  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    for (auto i = first; i < last; ++i) {
      auto const ahead = i + hot.ahead;
      hot.prefetch(keys.id(ahead < last ? ahead : last - 1));
      global_id const vertex = keys.vertices[i];
      replaced[i] = vertex;
      if (i >= num_never_hot && is_local[book.owner(vertex)] == 0) {
        auto const row = hot.find(keys.id(i));
        replaced[i] = row >= 0 ? book.begin(book.num_parts() - 1) + row : vertex;
      }
    }
  }
};

/// Sources of the rows of a batch; sorts keys by source. Source p is rank p: its rows are local, read in place or
/// requested. The last source is the hot rows.
///
/// Reusable; the memory is kept.
///
/// @where  lists are in memory of the policy, or in ordinary memory if it is a host policy
template <device_policy Policy>
class row_sources {
  static constexpr memory_space space = Policy::space;

public:
  /// Policy of the lists; for a host policy they are in ordinary memory, not in memory of its resource.
  using index_policy = std::conditional_t<host_policy<Policy>, device::cpu, Policy>;
  static constexpr memory_space index_space = index_policy::space;

  /// Starts with only this rank's rows local.
  row_sources(partition_book const& book, int rank, bool by_edge, Policy policy)
      : num_parts_(book.num_parts()), by_edge_(by_edge), policy_(std::move(policy)), index_(index_policy_of(policy_)),
        buckets_(with_hot_part(book, 0), index_), tables_(static_cast<std::size_t>(num_parts_) + 1),
        is_local_(static_cast<std::size_t>(num_parts_), 0), local_flags_(make_buffer<index_policy>(is_local_, index_)),
        unflagged_(index_), replaced_places_(0, index_), replaced_(0, index_), keys_(0, index_), found_(0, index_) {
    is_local_[static_cast<std::size_t>(rank)] = 1;
    set_local(is_local_);
  }

  [[nodiscard]] int num_sources() const noexcept { return num_parts_ + 1; }
  /// Returns the source of the hot rows.
  [[nodiscard]] int hot() const noexcept { return num_parts_; }
  [[nodiscard]] bool is_local(int source) const noexcept {
    return source == num_parts_ || is_local_[static_cast<std::size_t>(source)] != 0;
  }
  [[nodiscard]] index_policy const& index() const noexcept { return index_; }
  [[nodiscard]] bool by_edge() const noexcept { return by_edge_; }

  /// Sets the ranks whose rows are read without messages from now on; this rank is among them.
  void set_local(std::vector<char> is_local) {
    is_local_ = std::move(is_local);
    copy_in(index_, host_view<char const>(is_local_), local_flags_.view());
  }
  /// Sets the table that finds the rows of a source: edges by id, or all keys of the hot rows.
  void set_table(int source, id_table_view<space> table) {
    tables_[static_cast<std::size_t>(source)] = table;
    if (source == hot()) {
      auto const offsets = buckets_.book().offsets();
      buckets_ = owner_buckets<index_policy>(
          with_hot_part(partition_book({offsets.begin(), offsets.end() - 1}), table.size()), index_);
    }
  }
  [[nodiscard]] id_table_view<space> table(int source) const { return tables_[static_cast<std::size_t>(source)]; }

  /// Returns true if rows are requested by messages unless they are hot.
  [[nodiscard]] bool any_remote() const noexcept { return std::ranges::find(is_local_, 0) != is_local_.end(); }
  /// Lists the ids of keys whose rows are requested by messages unless they are hot; other keys get distinct numbers
  /// below 0.
  ///
  /// @shape  ids [n], written
  /// @where  enqueues only
  /// @pre    vertices are in [0, V); not checked
  template <class Vertex>
  void list_remote(row_keys<space, Vertex> const& keys, std::int64_t* ids) const {
    index_.executor().for_each(keys.vertices.size(), list_remote_ids<space, index_space, Vertex>{
                                                         keys, buckets_.view_of_book(), local_flags_.data(), ids});
  }

  /// Sorts keys. The first `num_flagged` are flagged; the first `num_never_hot` are not looked up among the hot rows.
  /// Lists have the places of the keys; `places_of_keys` replaces them if it is not empty.
  ///
  /// @shape  places_of_keys [n], ascending, or empty
  /// @where  waits for the sizes of the lists
  /// @pre    vertices are in [0, V); not checked
  /// @throws precondition_error  if an edge is missing in the local source that owns it
  template <class Vertex>
  void sort(row_keys<space, Vertex> const& keys, std::int64_t num_flagged, std::int64_t num_never_hot,
            array_view<index_space, std::int64_t const> places_of_keys = {}) {
    auto const size = keys.vertices.size();
    if (table(hot()).size() > 0) {
      replaced_.clear();
      replaced_.resize(size);
      policy_.executor().for_ranges(
          size, smallest_range,
          replace_hot_keys<space, index_space, Vertex>{keys, table(hot()), buckets_.view_of_book(), local_flags_.data(),
                                                       num_never_hot, replaced_.data()});
      offsets_ = buckets_.sort(std::as_const(replaced_).view(), num_flagged);
    } else {
      offsets_ = buckets_.sort(array_view<index_space, Vertex const>(keys.vertices.data(), size), num_flagged);
    }
    flags_end_ = num_flagged > 0 ? unflagged_.find(rows(), offsets_, first_unflagged) : std::span<std::int64_t const>();
    places_ = buckets_.places().data();
    if (!places_of_keys.empty()) {
      replaced_places_.clear();
      replaced_places_.resize(size);
      index_.executor().for_each(size, permute_elements<index_space, std::int64_t, std::int64_t>{
                                           places_of_keys, buckets_.places(), replaced_places_.view()});
      places_ = replaced_places_.data();
    }
    if (by_edge_) {
      find_edges(keys.edges);
    }
  }

  /// Returns the rows that the last batch needs of a source.
  [[nodiscard]] row_list list(int source) const {
    auto const s = static_cast<std::size_t>(source);
    auto const first = offsets_[s];
    auto const* const rows = by_edge_ && is_local(source) ? found_.data() : buckets_.rows().data();
    return {rows + first, places_ + first, offsets_[s + 1] - first, flags_end_.empty() ? 0 : flags_end_[s] - first};
  }
  /// Returns the start of every source's list among all rows, places and edge keys.
  ///
  /// @shape  [P + 2]
  [[nodiscard]] std::span<std::int64_t const> offsets() const noexcept { return offsets_; }
  [[nodiscard]] local_id const* rows() const noexcept { return buckets_.rows().data(); }
  [[nodiscard]] edge_key const* edge_keys() const noexcept { return keys_.data(); }

private:
  static constexpr std::int64_t smallest_range = 1024;

  [[nodiscard]] static index_policy index_policy_of(Policy const& policy) {
    if constexpr (std::same_as<index_policy, Policy>) {
      return policy;
    } else {
      return {};
    }
  }

  [[nodiscard]] static partition_book with_hot_part(partition_book const& book, std::int64_t size) {
    std::vector<global_id> offsets(book.offsets().begin(), book.offsets().end());
    offsets.push_back(offsets.back() + size);
    return partition_book(std::move(offsets));
  }

  void find_edges(array_view<space, edge_id const> edges) {
    keys_.clear();
    keys_.resize(edges.size());
    found_.clear();
    found_.resize(edges.size());
    index_.executor().for_each(
        edges.size(), list_edge_keys<index_space>{edges.data(), buckets_.rows(), buckets_.places(), keys_.data()});
    for (int source = 0; source < num_sources(); ++source) {
      if (auto const first = offsets_[static_cast<std::size_t>(source)]; is_local(source)) {
        find_edge_rows(index_, keys_.data() + first, list(source).size, table(source), found_.data() + first);
      }
    }
  }

  int num_parts_;
  bool by_edge_;
  Policy policy_;
  index_policy index_;
  owner_buckets<index_policy> buckets_;
  std::vector<id_table_view<space>> tables_; // [P + 1]
  std::vector<char> is_local_;               // [P]
  buffer<index_policy, char> local_flags_;
  slice_bounds<index_policy> unflagged_;
  std::span<std::int64_t const> offsets_;   // [P + 2]
  std::span<std::int64_t const> flags_end_; // [P + 1], end of each source's flagged rows; empty if there are none
  std::int64_t const* places_ = nullptr;    // of the keys of all sources
  buffer<index_policy, std::int64_t> replaced_places_;
  buffer<index_policy, global_id> replaced_;
  buffer<index_policy, edge_key> keys_;
  buffer<index_policy, local_id> found_;
};

} // namespace glt::detail
