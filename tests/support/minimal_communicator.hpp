// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace glt_test {

/// A communicator with nothing but what the concept lists; does its work with another one.
template <glt::communicator C>
class minimal_communicator {
public:
  explicit minimal_communicator(C inner) : inner_(std::move(inner)) {}

  int rank() const { return inner_.rank(); }
  int size() const { return inner_.size(); }
  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    inner_.all_to_all(send, receive, bytes);
  }
  void all_to_all_v(glt::outgoing out, glt::incoming in) { inner_.all_to_all_v(out, in); }
  auto start_all_to_all_v(glt::outgoing out, glt::incoming in) {
    struct request {
      decltype(inner_.start_all_to_all_v(out, in)) inner;
      void wait() { inner.wait(); }
    };
    return request{inner_.start_all_to_all_v(out, in)};
  }
  void all_to_all_replies(glt::outgoing out, std::span<char const> asked, std::span<char const> answering,
                          glt::reply_buffer& replies) {
    inner_.all_to_all_replies(out, asked, answering, replies);
  }
  void all_reduce(std::span<double> values, glt::reduction op) { inner_.all_reduce(values, op); }
  void all_reduce(std::span<std::int64_t> values, glt::reduction op) { inner_.all_reduce(values, op); }
  void all_reduce(std::span<float> values, glt::reduction op) { inner_.all_reduce(values, op); }
  void broadcast(std::byte* data, std::int64_t bytes, int root) { inner_.broadcast(data, bytes, root); }
  void barrier() { inner_.barrier(); }
  minimal_communicator split(int color, int order) { return minimal_communicator(inner_.split(color, order)); }
  minimal_communicator duplicate() { return minimal_communicator(inner_.duplicate()); }

private:
  C inner_;
};

} // namespace glt_test
