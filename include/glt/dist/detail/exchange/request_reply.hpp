// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

template <memory_space Space, class Request, class Reply, class Serve>
struct serve_requests {
  Serve serve;
  array_view<Space, Request const> requests;
  array_view<Space, Reply> replies;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { replies[i] = serve(requests[i]); }
};

template <memory_space Space, class Request, class Reply, class Serve>
struct serve_in_place {
  Serve serve;
  array_view<Space, Request const> requests;
  array_view<Space, std::int64_t const> places;
  array_view<Space, Reply> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[places[i]] = serve(requests[i]); }
};

template <memory_space Space, class Reply>
struct scatter_replies {
  array_view<Space, Reply const> replies;
  array_view<Space, std::int64_t const> places;
  array_view<Space, Reply> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[places[i]] = replies[i]; }
};

/// Fixed-size requests to the owner of each key of a list, with fixed-size replies.
///
/// Call `route`, `send` and `reply`. Reusable; the memory is kept.
template <communicator Comm, device_policy Policy, bytes_copyable Request, bytes_copyable Reply>
class request_reply {
  static constexpr memory_space space = Policy::space;

public:
  /// @comm   as the constructor of `slice_exchange`
  explicit request_reply(Comm comm, Policy policy = {})
      : requests_(std::move(comm), policy), replies_(make_message_buffer<Reply>(policy)),
        arrived_(make_message_buffer<Reply>(policy)) {}

  [[nodiscard]] int rank() const noexcept { return requests_.rank(); }
  [[nodiscard]] int size() const noexcept { return requests_.size(); }
  [[nodiscard]] auto& host() noexcept { return requests_.exchange().host(); }

  /// Routes keys as `routed_list::route` does.
  template <class Vertex, class RequestOf>
  void route(partition_book const& book, array_view<space, Vertex> keys, RequestOf request_of) {
    requests_.route(book, keys, request_of);
    arrived_.clear();
    arrived_.resize(keys.size()); // not in `reply`, where the other ranks wait
  }

  /// Sends requests as `routed_list::send` does.
  ///
  /// @comm   collective; one header exchange and, if any rank requests from another, one variable exchange
  std::span<call_header const> send(call_site site, std::int64_t value = 0, std::string const& failure = {}) {
    auto const headers = requests_.send(site, value, failure);
    committed(host(), [&] {
      replies_.clear();
      replies_.resize(requests_.anything() ? requests_.received().size() : 0);
    });
    return headers;
  }

  /// Replies serve(request) to every request to this rank, and writes the reply for key i to out[i].
  ///
  /// @shape  out [S], written
  /// @comm   collective; one variable exchange if any rank requested from another
  template <class Serve>
  void reply(Serve serve, array_view<space, Reply> out) {
    auto const ex = requests_.policy().executor();
    auto const received = requests_.received();
    if (!requests_.anything()) {
      ex.for_each(received.size(),
                  serve_in_place<space, Request, Reply, Serve>{serve, received, requests_.places(), out});
      return;
    }
    ex.for_each(received.size(), serve_requests<space, Request, Reply, Serve>{serve, received, replies_.view()});
    requests_.exchange().start_back(std::as_const(replies_).view(), arrived_.view());
    requests_.exchange().wait();
    ex.for_each(out.size(), scatter_replies<space, Reply>{std::as_const(arrived_).view(), requests_.places(), out});
  }

private:
  routed_list<Comm, Policy, Request> requests_;
  buffer<message_policy<Policy>, Reply> replies_;
  buffer<message_policy<Policy>, Reply> arrived_;
};

} // namespace glt::detail
