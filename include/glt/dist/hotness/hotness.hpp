// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/detail/part_halo.hpp>
#include <glt/dist/graph.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/hotness/detail/hotness_walk.hpp>
#include <glt/sample/hotness/hotness.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

template <memory_space Space>
struct gather_halo_sum {
  array_view<Space, log_miss const> sums; // of the halo
  array_view<Space, std::int64_t const> places;
  array_view<Space, log_miss> sent;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const sum = sums[places[i]];
    sent[i] = sum < certain ? sum : certain;
  }
};

template <memory_space Space>
struct add_halo_sum {
  array_view<Space, local_id const> rows;
  array_view<Space, log_miss const> received;
  array_view<Space, log_miss> sums;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { add_capped(sums[rows[i]], received[i]); }
};

/// Halo of a part (sources of its edges that other parts own), and the exchange of sums with their owners.
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class halo_sums {
  static constexpr memory_space space = Policy::space;

public:
  explicit halo_sums(Comm comm, Policy policy = {})
      : halo_(policy), routed_(std::move(comm), policy), sent_(0, policy), received_(0, policy) {}

  /// Finds the halo of this rank's part, in the order of its edges.
  ///
  /// @throws precondition_error  if a source is not in [0, V)
  /// @cost   as `part_halo::find`
  void find(dist::graph<Policy, Vertex> const& graph) {
    halo_.find(graph.local(), graph.book().begin(graph.part()), graph.book().end(graph.part()));
    routed_.route(graph.book(), halo_.vertices(), row_alone{});
    sent_.resize(halo_.size());
  }

  [[nodiscard]] std::int64_t size() const noexcept { return halo_.size(); }
  /// Returns a slot that borrows the halo; the halo must outlive it and must not move.
  [[nodiscard]] auto slot() noexcept { return halo_.slot(); }

  /// Tells the owners once for which vertices this rank will send sums.
  ///
  /// @comm   collective; one header exchange and, if any rank has a halo, 4 bytes per halo vertex
  void announce(call_site site) { routed_.send(site); }
  /// Allocates memory for received sums. Call it after `announce`: then `exchange` cannot run out of memory.
  void reserve() { received_.resize(routed_.received().size()); }

  /// Sends the sums from index `rows` on to their owners, and adds the received sums to the first `rows`.
  ///
  /// @shape  sums [rows + size()]
  /// @comm   collective; if any rank has a halo, one variable exchange of 8 bytes per halo vertex
  void exchange(array_view<space, log_miss> sums, std::int64_t rows) {
    if (!routed_.anything()) {
      return;
    }
    auto const ex = routed_.policy().executor();
    ex.for_each(sent_.size(), gather_halo_sum<space>{sums.subview(rows, size()), routed_.places(), sent_.view()});
    routed_.exchange().start(std::as_const(sent_).view(), received_.view());
    routed_.exchange().wait();
    ex.for_each(received_.size(), add_halo_sum<space>{routed_.received(), std::as_const(received_).view(), sums});
  }

private:
  part_halo<Policy, Vertex> halo_;
  routed_list<Comm, Policy, local_id> routed_;
  buffer<Policy, log_miss> sent_;
  buffer<Policy, log_miss> received_;
};

[[nodiscard]] inline std::int64_t hotness_fingerprint(hotness_options const& options) {
  auto const& draws = options.neighbors;
  return fingerprint_of(options.batch_size, draws.replace, draws.expand, draws.fanouts);
}

} // namespace glt::detail

namespace glt::dist {

/// Estimates for every vertex of this part how likely a batch is to touch it. The result equals the serial
/// `estimate_hotness` of the whole graph and the seeds of all ranks, bit for bit.
///
/// For the hotness of the batches of one rank, only this rank passes seeds; the others pass none. All ranks then call
/// once per such rank.
///
/// @shape  seeds [S_rank] global ids of any part; options.batch_size seeds of all ranks make a batch → [rows of this
///         part]
/// @where  memory of `Policy`
/// @comm   collective; four header exchanges and a reduction, 4 bytes per remote seed, 4 bytes per halo vertex, and per
///         hop one variable exchange of 8 bytes per halo vertex
/// @throws collective_error  on every rank, if the options of a rank are wrong or differ from the options of rank 0, a
///                           seed is not in [0, V), or the graph was made for other ranks
/// @cost   as the serial one over the edges of the part, plus one hash look-up per hop for each edge with a remote
///         source; memory O(rows + halo)
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] buffer<Policy, double>
estimate_hotness(Comm comm, graph<Policy, Vertex> const& graph,
                 std::type_identity_t<array_view<Policy::space, Vertex const>> seeds, hotness_options const& options,
                 Policy policy = {}) {
  detail::call_site const site{.what = detail::operation::estimate_hotness};
  auto const check = [&] {
    detail::validate(options);
    detail::check_own_part(comm, graph.part(), graph.book().num_parts(), "hotness of part", "on");
    detail::validate_vertices(policy, "seed", seeds, graph.num_vertices());
  };
  detail::agree(detail::host_comm(comm), site, detail::failure_of(check), detail::hotness_fingerprint(options),
                "estimates hotness with other options than rank 0; pass the same fanouts, replacement, frontier and "
                "batch size on all ranks");

  auto const rows = graph.local().num_rows();
  glt::detail::routed_list<Comm, Policy, local_id> seeded(comm, policy);
  glt::detail::halo_sums<Comm, Policy, Vertex> halo(comm, policy);
  std::optional<glt::detail::hotness_walk<Policy>> walk;
  auto const failure = detail::failure_of([&] {
    seeded.route(graph.book(), seeds, glt::detail::row_alone{});
    halo.find(graph);
    walk.emplace(rows, halo.size(), policy);
  });
  seeded.send(site, 0, failure);
  halo.announce(site);
  detail::agree(detail::host_comm(comm), site, detail::failure_of([&] { halo.reserve(); }));

  walk->add_seeds(seeded.received());
  std::int64_t num_seeds = seeds.size();
  detail::host_comm(comm).all_reduce(std::span(&num_seeds, 1), reduction::sum);
  walk->start(num_seeds, options.batch_size);
  for (std::size_t hop = 0; hop < options.neighbors.fanouts.size(); ++hop) {
    hop_options const draw{.fanout = options.neighbors.fanouts[hop], .replace = options.neighbors.replace};
    walk->spread(graph.local(), draw, halo.slot());
    halo.exchange(walk->sums(), rows);
    walk->settle(options.neighbors.expand);
  }
  return std::move(*walk).result();
}

} // namespace glt::dist
