// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/detail/exchange/routed_items.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::detail {

/// Sends requests of a fixed size to ranks and brings a reply of a fixed size back for each.
///
/// Call `route`, `send`, fill `answers()`, then `finish`. Reusable; the memory is kept. Concurrent calls: none.
template <communicator Comm, bytes_copyable Request, bytes_copyable Reply>
class request_reply {
public:
  explicit request_reply(Comm comm) : requests_(std::move(comm)) {}

  /// As `routed_items::route`.
  template <class RequestAt, class RankOf>
  void route(std::int64_t count, RequestAt request, RankOf rank_of) {
    requests_.route(count, request, rank_of);
    arrived_.resize(static_cast<std::size_t>(count)); // not in `finish`: the others wait there
  }

  /// As `routed_items::send`.
  ///
  /// @comm   collective; one header exchange and, if any rank asks another, one variable exchange
  void send(call_site site, std::int64_t value = 0, std::string const& failure = {}) {
    requests_.send(site, value, failure);
    replies_.resize(requests_.received().size());
  }

  /// The requests to this rank, own ones included, by requester.
  [[nodiscard]] std::span<Request const> received() const noexcept { return requests_.received(); }
  /// The replies to them, to be written in the same order.
  [[nodiscard]] std::span<Reply> answers() noexcept { return replies_; }
  [[nodiscard]] std::span<call_header const> headers() const noexcept { return requests_.headers(); }
  [[nodiscard]] Comm& comm() noexcept { return requests_.comm(); }

  /// Sends the replies back and calls put(i, reply) for every request i of this rank.
  ///
  /// @comm   collective; one variable exchange if any rank asked another
  template <class Put>
  void finish(Put put) {
    requests_.reply(std::span<Reply const>(replies_), std::span(arrived_));
    auto const places = requests_.places();
    for (std::size_t i = 0; i < places.size(); ++i) {
      put(places[i], arrived_[i]);
    }
  }

private:
  routed_items<Comm, Request> requests_;
  std::vector<Reply> replies_;
  std::vector<Reply> arrived_;
};

} // namespace glt::detail
