// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/link/detail/edge_queries.hpp>
#include <glt/dist/link/detail/vertex_times.hpp>
#include <glt/dist/link/vertex_weights.hpp>
#include <glt/dist/vertex_directory.hpp>
#include <glt/sample/link/negatives.hpp>

namespace glt::detail {

/// Candidates for negatives from a graph in parts; `local_candidates` is the version for a whole graph.
///
/// @comm   a round of draws is one look-up, or two if both ends are drawn and differ in type or weights, one of times,
///         or two, if vertices have times, and, if negatives are strict, one test of edges, for all open places
///         together
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class remote_candidates {
  static constexpr memory_space space = Policy::space;

  using directory_type = dist::vertex_directory<Comm, Policy, Vertex>;
  using weights_type = dist::vertex_weights<Comm, Policy, Vertex>;

public:
  /// Borrows all; without weights all vertices are equally likely, and without times they always exist.
  remote_candidates(edge_queries<Comm, Policy, Vertex>& edges, of_both_ends<directory_type*> directories,
                    of_both_ends<weights_type*> weights,
                    of_both_ends<vertex_times<Comm, Policy, Vertex>*> times = {}) noexcept
      : edges_(&edges), sources_{directories.sources, weights.sources},
        destinations_{directories.destinations, weights.destinations}, times_(times),
        alike_(directories.sources == directories.destinations && weights.sources == weights.destinations) {}

  /// Begins a batch; its calls carry the step and a round number.
  void begin(std::int64_t step) noexcept {
    step_ = step;
    round_ = 0;
  }

  [[nodiscard]] std::int64_t num_numbers(pair_end end) const noexcept {
    return (end == pair_end::source ? sources_ : destinations_).num_numbers();
  }

  [[nodiscard]] bool limited() const noexcept { return times_.sources != nullptr || times_.destinations != nullptr; }

  /// @shape  numbers [n] · vertices [n], written · times [n] if limited, written
  /// @comm   collective
  bool find(array_view<space, std::int64_t const> numbers, array_view<space, Vertex> vertices,
            array_view<space, std::int64_t> times, negative_mode mode) {
    call_site const site{.what = operation::look_up, .step = step_, .hop = ++round_};
    bool const any = find_vertices(numbers, vertices, mode, site);
    if (any && limited()) {
      find_times(vertices, times, mode, site);
    }
    return any;
  }

  /// @shape  sources, destinations [n] · found [n], written
  /// @comm   collective
  void test(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
            array_view<space, std::uint8_t> found) {
    edges_->test(sources, destinations, found, {.what = operation::test_edges, .step = step_, .hop = round_});
  }

private:
  bool find_vertices(array_view<space, std::int64_t const> numbers, array_view<space, Vertex> vertices,
                     negative_mode mode, call_site site) {
    if (alike_ || mode == negative_mode::triplet) {
      return destinations_.find(numbers, vertices, site);
    }
    auto const half = numbers.size() / 2;
    return sources_.find(numbers.subview(0, half), vertices.subview(0, half), site) &&
           destinations_.find(numbers.subview(half, half), vertices.subview(half, half), site);
  }
  void find_times(array_view<space, Vertex const> vertices, array_view<space, std::int64_t> times, negative_mode mode,
                  call_site site) {
    auto const num_sources = mode == negative_mode::triplet ? 0 : vertices.size() / 2;
    if (mode == negative_mode::triplet || times_.sources == times_.destinations) {
      find_times(times_.destinations, vertices, times, site);
    } else {
      find_times(times_.sources, vertices.subview(0, num_sources), times.subview(0, num_sources), site);
      find_times(times_.destinations, vertices.subview(num_sources, num_sources),
                 times.subview(num_sources, num_sources), site);
    }
  }
  void find_times(vertex_times<Comm, Policy, Vertex>* of, array_view<space, Vertex const> vertices,
                  array_view<space, std::int64_t> times, call_site site) {
    if (of != nullptr) {
      of->look_up(vertices, times, site);
    } else {
      (times_.sources != nullptr ? times_.sources : times_.destinations)->set_to_earliest(times);
    }
  }

  // Vertices from which one end is drawn.
  struct end_vertices {
    directory_type* directory;
    weights_type* weights;

    [[nodiscard]] std::int64_t num_numbers() const noexcept {
      return weights == nullptr ? directory->num_vertices() : weights->total();
    }
    bool find(array_view<space, std::int64_t const> numbers, array_view<space, Vertex> vertices, call_site site) {
      return weights == nullptr ? directory->look_up(numbers, vertices, site) : weights->find(numbers, vertices, site);
    }
  };

  edge_queries<Comm, Policy, Vertex>* edges_;
  end_vertices sources_;
  end_vertices destinations_;
  of_both_ends<vertex_times<Comm, Policy, Vertex>*> times_;
  bool alike_; // both ends are drawn from the same vertices in the same way
  std::int64_t step_ = 0;
  std::int32_t round_ = 0;
};

} // namespace glt::detail
