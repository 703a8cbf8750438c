// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Gathers the elements of `from` at the given places; none if `from` is empty. The memory of `to` is reused. A place
/// has `length` elements, one behind the other.
template <class T>
void gather_places(std::vector<T> const& from, std::span<std::int64_t const> places, std::vector<T>& to,
                   std::int64_t length = 1) {
  to.clear();
  if (!from.empty()) {
    for (auto const place : places) {
      for (auto i = place * length; i < (place + 1) * length; ++i) {
        to.push_back(from[static_cast<std::size_t>(i)]);
      }
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

/// Seed edges for link prediction. A source may have several destinations, one behind the other, all sources as many as
/// `negative_options::positives` says; a batch then counts sources.
///
/// @shape  sources [S], destinations [S · positives] global ids, of any part · labels [S], classes from 0, or empty ·
///         times [S] for rules that use them, else empty
template <vertex_id Vertex = global_id>
struct edge_seeds {
  std::vector<Vertex> sources;
  std::vector<Vertex> destinations;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> times{};

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(sources.size()); }

  /// @throws precondition_error  if the lengths of the lists do not fit
  void check() const {
    auto const fits = [](auto const& list, auto const& of) { return list.empty() || list.size() == of.size(); };
    bool const whole = sources.empty() ? destinations.empty() : destinations.size() % sources.size() == 0;
    if (!whole || destinations.size() < sources.size() || !fits(labels, destinations) || !fits(times, sources)) {
      throw precondition_error(glt::detail::message("seed edges of ", sources.size(), " sources, ", destinations.size(),
                                                    " destinations, ", labels.size(), " labels and ", times.size(),
                                                    " times; give one of each per edge, or no labels and no times, "
                                                    "and several destinations to all sources or to none"));
    }
  }
  void gather(std::span<std::int64_t const> places, edge_seeds& to) const {
    glt::detail::gather_places(sources, places, to.sources);
    auto const positives = sources.empty() ? 0 : std::ssize(destinations) / size(); // of a source
    glt::detail::gather_places(destinations, places, to.destinations, positives);
    glt::detail::gather_places(labels, places, to.labels, positives);
    glt::detail::gather_places(times, places, to.times);
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.sources, self.destinations, self.labels, self.times);
  }
};

} // namespace glt::dist
