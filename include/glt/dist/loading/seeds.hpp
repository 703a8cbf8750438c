// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/link/detail/validate_seed_edges.hpp>

namespace glt::detail {

/// Gathers the elements of `from` at the given places; none if `from` is empty. The memory of `to` is reused. With
/// offsets, a place has the elements from offsets[place] to offsets[place + 1].
template <class T>
void gather_places(std::vector<T> const& from, std::span<std::int64_t const> places, std::vector<T>& to,
                   std::vector<std::int64_t> const& offsets = {}) {
  to.clear();
  if (!from.empty()) {
    for (auto const place : places) {
      auto const at = static_cast<std::size_t>(place);
      auto const first = from.begin() + (offsets.empty() ? place : offsets[at]);
      to.insert(to.end(), first, offsets.empty() ? first + 1 : from.begin() + offsets[at + 1]);
    }
  }
}

} // namespace glt::detail

namespace glt::dist {

/// Seed vertices of batches.
///
/// @shape  vertices [S] global ids, of any part · times [S] for rules that use them, else empty
template <vertex_id Vertex = global_id>
struct vertex_seeds {
  std::vector<Vertex> vertices;
  std::vector<std::int64_t> times;

  vertex_seeds() = default;
  vertex_seeds(std::vector<Vertex> ids, std::vector<std::int64_t> times_of_ids = {})
      : vertices(std::move(ids)), times(std::move(times_of_ids)) {}
  vertex_seeds(host_view<Vertex const> ids) : vertices(ids.begin(), ids.end()) {}

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(vertices.size()); }

  /// @throws precondition_error  if there are times, but not one per vertex
  void check() const {
    if (!times.empty() && times.size() != vertices.size()) {
      throw precondition_error(
          glt::detail::message(times.size(), " times for ", vertices.size(), " seeds; give one per seed, or none"));
    }
  }
  /// Gathers the seeds at some places; the memory of `to` is reused.
  void gather(std::span<std::int64_t const> places, vertex_seeds& to) const {
    glt::detail::gather_places(vertices, places, to.vertices);
    glt::detail::gather_places(times, places, to.times);
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.vertices, self.times);
  }
};

/// Seed vertices of one type of a heterogeneous graph.
///
/// @shape  vertices [S] global ids of the type, of any part · times [S] for rules that use them, else empty
template <vertex_id Vertex = global_id>
struct typed_seeds : vertex_seeds<Vertex> {
  int node_type = 0;

  typed_seeds() = default;
  typed_seeds(int type, vertex_seeds<Vertex> seeds) : vertex_seeds<Vertex>(std::move(seeds)), node_type(type) {}

  void gather(std::span<std::int64_t const> places, typed_seeds& to) const {
    vertex_seeds<Vertex>::gather(places, to);
    to.node_type = node_type;
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.vertices, self.times, self.node_type);
  }
};

/// Seed edges for link prediction, source by source; a batch counts sources. Without offsets every source has one
/// destination; with them, source i has those from offsets[i] to offsets[i + 1]: none, one or many.
///
/// @shape  sources [S], destinations [P] global ids, of any part · labels [P], classes from 0, or empty · times [S] for
///         rules that use them, else empty · offsets [S + 1], ascending from 0 to P, or empty if S = P
template <vertex_id Vertex = global_id>
struct edge_seeds {
  std::vector<Vertex> sources;
  std::vector<Vertex> destinations;
  std::vector<std::int64_t> labels{};
  std::vector<std::int64_t> times{};
  std::vector<std::int64_t> offsets{};

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(sources.size()); }

  /// @throws precondition_error  if the lengths of the lists or the offsets do not fit
  void check() const {
    glt::detail::validate_offsets(device::cpu(), host_view<std::int64_t const>(offsets), size(),
                                  std::ssize(destinations));
    auto const fits = [](auto const& list, auto const& of) { return list.empty() || list.size() == of.size(); };
    if (!fits(labels, destinations) || !fits(times, sources)) {
      throw precondition_error(glt::detail::message("seed edges of ", sources.size(), " sources, ", destinations.size(),
                                                    " destinations, ", labels.size(), " labels and ", times.size(),
                                                    " times; give one label per destination and one time per source, "
                                                    "or none"));
    }
  }
  void gather(std::span<std::int64_t const> places, edge_seeds& to) const {
    glt::detail::gather_places(sources, places, to.sources);
    glt::detail::gather_places(destinations, places, to.destinations, offsets);
    glt::detail::gather_places(labels, places, to.labels, offsets);
    glt::detail::gather_places(times, places, to.times);
    to.offsets.assign(offsets.empty() ? 0 : 1, 0);
    for (std::size_t i = 0; i < places.size() && !offsets.empty(); ++i) {
      auto const at = static_cast<std::size_t>(places[i]);
      to.offsets.push_back(to.offsets.back() + offsets[at + 1] - offsets[at]);
    }
  }

  /// Appends other seeds; if either list has offsets, this one has them afterwards.
  void append(edge_seeds const& more) {
    if (!offsets.empty() || !more.offsets.empty()) {
      auto const edges = std::ssize(destinations);
      set_offsets();
      for (std::int64_t i = 0; i < more.size(); ++i) {
        offsets.push_back(edges + (more.offsets.empty() ? i + 1 : more.offsets[static_cast<std::size_t>(i) + 1]));
      }
    }
    auto const append = [](auto& to, auto const& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(sources, more.sources);
    append(destinations, more.destinations);
    append(labels, more.labels);
    append(times, more.times);
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.sources, self.destinations, self.labels, self.times, self.offsets);
  }
  /// Calls `add` for the lists on which shuffling depends: offsets count if there are any.
  template <class Add>
  void for_each_in_fingerprint(Add add) const {
    add(sources);
    add(destinations);
    add(labels);
    add(times);
    if (!offsets.empty()) {
      add(offsets);
    }
  }

private:
  // Gives the offsets of one destination for each source, unless there are some.
  void set_offsets() {
    if (offsets.empty()) {
      offsets.resize(sources.size() + 1);
      std::iota(offsets.begin(), offsets.end(), std::int64_t{0});
    }
  }
};

} // namespace glt::dist
