// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/request_reply.hpp>
#include <glt/dist/vertex_directory.hpp>
#include <glt/exec/sequential.hpp>
#include <glt/sample/link/negatives.hpp>

namespace glt::detail {

/// Times from which on the vertices of a graph in parts, or of one type, exist. Owners hold the times of their
/// vertices.
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class vertex_times {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the times and the directory, whose partition it uses.
  ///
  /// @shape  times [rows of the part]
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if a rank does not pass one time per vertex of its part
  vertex_times(Comm comm, dist::vertex_directory<Comm, Policy, Vertex> const& directory,
               array_view<space, std::int64_t const> times, Policy policy = {})
      : partition_(directory.partition()), times_(times), policy_(policy), ask_(std::move(comm), policy) {
    agree(ask_.host(), {.what = operation::make_times}, failure_of([&] {
            if (times.size() != directory.original().size()) {
              throw precondition_error(message(times.size(), " times for ", directory.original().size(),
                                               " vertices of the part; give one per vertex"));
            }
          }));
  }

  /// Looks up the times of vertices at their owners.
  ///
  /// @shape  vertices [n] global ids · times [n], written
  /// @comm   collective; one header exchange and, if any rank requests from another, two payload exchanges: 4 bytes a
  ///         vertex out, 8 back
  void look_up(array_view<space, Vertex const> vertices, array_view<space, std::int64_t> times, call_site site) {
    ask_.send(site, vertices.size(), failure_of([&] { ask_.route(partition_, vertices, row_alone{}); }));
    ask_.reply(element_at<space, std::int64_t>{times_}, times);
  }

  /// Writes the time of vertices that always exist.
  void set_to_earliest(array_view<space, std::int64_t> times) const {
    policy_.executor().for_each(times.size(),
                                fill_elements<space, std::int64_t>{times, std::numeric_limits<std::int64_t>::min()});
  }

private:
  partition_book partition_;
  array_view<space, std::int64_t const> times_;
  Policy policy_;
  request_reply<Comm, Policy, local_id, std::int64_t> ask_;
};

} // namespace glt::detail
