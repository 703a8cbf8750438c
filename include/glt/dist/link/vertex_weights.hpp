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
#include <glt/dist/detail/exchange/queries.hpp>
#include <glt/dist/vertex_directory.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/link/vertex_weights.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace glt::dist {

/// The table by which vertices of a graph in parts are drawn in proportion to their weights.
///
/// Every rank holds the sums of its range of original ids, and all know the sums of the ranges: the same
/// number stands for the same vertex as in `glt::vertex_weights`, on any number of ranks and in any
/// partition.
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class vertex_weights {
  static constexpr memory_space space = Policy::space;

public:
  /// Takes a weight for every vertex of the own part. Borrows the directory, which must outlive this.
  ///
  /// @shape  weights [rows of the part]
  /// @comm   collective; two header exchanges, two reductions and one variable exchange of 16 bytes a vertex
  /// @throws collective_error  on every rank, if a rank has not one weight per vertex of its part, a weight
  ///                           is negative, infinite or no number, there are vertices and all weights are 0,
  ///                           or a rank has no memory for its share
  /// @cost   O(V / R) where original ids are spread evenly
  template <class Weight>
  vertex_weights(Comm comm, vertex_directory<Comm, Policy, Vertex> const& directory, array_view<space, Weight> weights,
                 Policy policy = {})
      : directory_(&directory), queries_(comm) {
    call_site const site{.what = operation::make_weights};
    auto const& graph = directory.of();
    double largest = 0;
    parcels<Comm, entry> entries(comm);
    auto const failure = failure_of([&] {
      if (weights.size() != graph.original().size()) {
        throw precondition_error(detail::message(weights.size(), " weights for ", graph.original().size(),
                                                 " vertices of the part; give one per vertex"));
      }
      largest = largest_weight(weights, graph.book().begin(graph.part()));
      auto const& book = directory.book();
      entries.route(
          weights.size(),
          [&](std::int64_t row) {
            return entry{static_cast<double>(weights[row]), book.local(graph.original()[row])};
          },
          [&](std::int64_t row) { return book.owner(graph.original()[row]); });
    });
    entries.send(site, 0, failure);
    comm.all_reduce(std::span(&largest, 1), reduction::max);
    std::vector<std::int64_t> totals(static_cast<std::size_t>(comm.size()), 0);
    auto const fault = failure_of([&] {
      if (graph.num_vertices() > 0 && largest == 0) {
        throw precondition_error("all weights are 0; give a vertex that may be drawn a weight above 0");
      }
      std::vector<double> kept(static_cast<std::size_t>(directory.kept().size()));
      for (auto const& [weight, place] : entries.received()) {
        kept[static_cast<std::size_t>(place)] = weight;
      }
      table_ = glt::vertex_weights<Policy>(array_view<space, double const>(kept.data(), directory.kept().size()),
                                           weight_scale(largest, graph.num_vertices()), policy);
      totals[static_cast<std::size_t>(comm.rank())] = table_.total();
    });
    agree(comm, site, fault, 0, [](auto, auto) { return std::string(); });
    comm.all_reduce(std::span(totals), reduction::sum);
    begins_.assign(1, 0);
    for (auto const total : totals) {
      begins_.push_back(begins_.back() + total);
    }
  }

  /// The sum of all weights, as whole numbers.
  [[nodiscard]] std::int64_t total() const noexcept { return begins_.back(); }

  /// Finds the vertices that numbers stand for; see `vertex_weights_view`.
  ///
  /// Returns false if no rank asked anything.
  ///
  /// @shape  numbers [n] in [0, total()), not checked · vertices [n], written
  /// @comm   collective; one header exchange and, if any rank asks another, two payload exchanges: 8 bytes a
  ///         number out, sizeof(Vertex) back
  bool find(array_view<space, std::int64_t const> numbers, array_view<space, Vertex> vertices, call_site site) {
    auto const rank_of = [&](std::int64_t i) {
      return static_cast<int>(std::ranges::upper_bound(begins_, numbers[i]) - begins_.begin()) - 1;
    };
    auto const failure = failure_of([&] {
      queries_.route(
          numbers.size(),
          [&](std::int64_t i) { return numbers[i] - begins_[static_cast<std::size_t>(rank_of(i))]; }, rank_of);
    });
    queries_.send(site, numbers.size(), failure);
    auto const view = table_.view();
    for (std::size_t i = 0; i < queries_.received().size(); ++i) {
      queries_.answers()[i] = directory_->kept()[view.find(queries_.received()[i])];
    }
    queries_.finish([&](std::int64_t i, Vertex vertex) { vertices[i] = vertex; });
    return std::ranges::any_of(queries_.headers(), [](call_header const& header) { return header.value > 0; });
  }

private:
  // What the owner of a vertex tells the keeper of its original id.
  struct entry {
    double weight;
    std::int64_t place;
  };

  vertex_directory<Comm, Policy, Vertex> const* directory_;
  glt::vertex_weights<Policy> table_;
  std::vector<std::int64_t> begins_; // [R + 1], the first number of every rank
  queries<Comm, std::int64_t, Vertex> queries_;
};

} // namespace glt::dist
