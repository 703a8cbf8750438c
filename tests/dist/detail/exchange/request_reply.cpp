// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/request_reply.hpp>

#include <glt/dist/detail/exchange/agree.hpp>

#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

struct square_of_place {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i, glt::local_id) const { return i * i; }
};

struct serve_at {
  std::int64_t rank;
  GLT_HOST_DEVICE std::int32_t operator()(std::int64_t request) const {
    return static_cast<std::int32_t>(1000 * rank + request);
  }
};

} // namespace

TEST_CASE_TEMPLATE("every request gets the reply of the rank that owns its key", Policy, GLT_TEST_GLUE_POLICIES) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    std::vector<glt::global_id> offsets(static_cast<std::size_t>(comm.size()) + 1);
    for (std::size_t rank = 0; rank < offsets.size(); ++rank) {
      offsets[rank] = static_cast<glt::global_id>(rank);
    }
    glt::partition_book const book(offsets); // key r belongs to rank r
    glt::detail::request_reply<decltype(comm), Policy, std::int64_t, std::int32_t> requests(comm, policy);
    for (std::int64_t const count : {9, 0, 1, 30}) {
      auto const num_requests = count + comm.rank() * (count > 0 ? 2 : 0);
      std::vector<std::int64_t> keys;
      for (std::int64_t i = 0; i < num_requests; ++i) {
        keys.push_back((i * 7 + comm.rank()) % comm.size());
      }
      auto const there = glt::make_buffer<Policy>(keys, policy);
      requests.route(book, there.view(), square_of_place{});
      auto const headers = requests.send({.what = glt::detail::operation::user, .step = count}, num_requests);
      CHECK(glt::detail::any_above_zero(headers) == (count > 0));
      glt::buffer<Policy, std::int32_t> replies(num_requests, policy);
      requests.reply(serve_at{comm.rank()}, replies.view());
      auto const values = glt::to_vector(policy, replies.view());
      for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(values[i] == 1000 * keys[i] + static_cast<std::int64_t>(i * i));
      }
    }
  });
}
