// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/partition/book.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Asks the owners of edges, who own their destinations, for rows by global edge id.
///
/// `find(ids, rows)` of the owner says which row an id has; it throws for an edge that the owner has not.
template <communicator Comm>
class edge_requests {
public:
  explicit edge_requests(Comm comm) : requests_(std::move(comm)) {}

  /// Sorts edges by owner, and finds the rows of the own ones.
  ///
  /// @shape  ids [n] · destinations [n] global ids
  /// @throws precondition_error  if a destination is not in [0, V); what `find` throws leaves here as well
  template <class Vertex, class Find>
  void route(partition_book const& book, host_view<edge_id const> ids, host_view<Vertex const> destinations,
             Find find) {
    requests_.route(book, destinations);
    requests_.attach(std::span<edge_id const>(ids.data(), static_cast<std::size_t>(ids.size())));
    find(requests_.template own_items<edge_id>(), own_rows_);
  }

  /// As those of `requests`; an edge travels in 12 bytes.
  void start(call_site site, std::string const& failure) { requests_.start(site, 0, failure); }
  void refuse(call_site site, std::string const& failure) { requests_.refuse(site, failure); }

  /// Waits until all requests have arrived, and finds their rows. What `find` throws leaves here; the other ranks
  /// wait for rows then.
  template <class Find>
  void finish(Find find) {
    requests_.finish();
    received_rows_.clear();
    find(requests_.template received_items<edge_id>(), received_rows_);
  }

  [[nodiscard]] bool anything() const noexcept { return requests_.anything(); }
  /// Rows of the own edges, in list order, and their places.
  [[nodiscard]] std::span<local_id const> own() const noexcept { return own_rows_; }
  [[nodiscard]] std::span<std::int64_t const> own_places() const noexcept { return requests_.own_places(); }

  [[nodiscard]] std::int64_t largest_asked() const noexcept { return requests_.largest_asked(); }
  [[nodiscard]] std::span<std::int64_t const> asked_counts() const noexcept { return requests_.asked_counts(); }
  [[nodiscard]] std::span<std::int64_t const> received_counts() const noexcept { return requests_.received_counts(); }
  [[nodiscard]] std::span<wire_row const> asked_of(std::size_t rank) const { return requests_.asked_of(rank); }
  [[nodiscard]] std::span<std::int64_t const> asked_places_of(std::size_t rank) const {
    return requests_.asked_places_of(rank);
  }
  /// The rows that another rank wants.
  [[nodiscard]] std::span<wire_row const> received_of(std::size_t rank) const {
    return std::span<wire_row const>(received_rows_)
        .subspan(static_cast<std::size_t>(requests_.received_offsets()[rank]), requests_.received_of(rank).size());
  }

  [[nodiscard]] Comm& comm() noexcept { return requests_.comm(); }

private:
  requests<Comm> requests_;
  std::vector<local_id> own_rows_;
  std::vector<local_id> received_rows_;
};

} // namespace glt::dist
