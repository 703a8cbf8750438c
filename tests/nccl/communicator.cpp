// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#if defined(GLT_TEST_NCCL)

#include "support/errors.hpp"

#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/cuda/policy.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/nccl/communicator.hpp>
#include <glt/nccl/detail/api.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(communicator<nccl_comm<threads_comm>>);
static_assert(carries<nccl_comm<threads_comm>, device::cuda::space>);
static_assert(carries<nccl_comm<threads_comm>, device::zero_copy::space>);
static_assert(!carries<nccl_comm<threads_comm>, memory_space::host>);
static_assert(std::same_as<detail::payload_comm<nccl_comm<serial_comm>, device::cuda>, nccl_comm<serial_comm>>);

namespace {

int num_gpus() {
  int count = 0;
  auto const code = cudaGetDeviceCount(&count);
  detail::forget_cuda(code);
  return code == cudaSuccess ? count : 0;
}

} // namespace

TEST_CASE("one rank with a GPU needs nothing of NCCL" * doctest::skip(num_gpus() < 1)) {
  auto comm = glt::detail::make_nccl_comm(serial_comm(), device::cuda(0));
  CHECK(comm.size() == 1);
  std::vector<std::int64_t> const none(1, 0);
  comm.all_to_all_v({nullptr, none, none}, {nullptr, none, none});
  CHECK(comm.duplicate().rank() == 0);
}

TEST_CASE("NCCL itself carries bytes of a rank to itself, and adds up over one rank" * doctest::skip(num_gpus() < 1)) {
  device::cuda const policy(0);
  detail::nccl_api api(policy);
  auto* const comm = api.start(1, 0, api.make_id());
  while (!api.ready(comm)) {
  }
  auto const sent = make_buffer(std::vector<std::int32_t>{3, 1, 4, 1, 5}, policy);
  auto received = make_buffer(std::vector<std::int32_t>(5, -1), policy);
  auto sums = make_buffer(std::vector<double>{2, 7}, policy);
  api.begin_group();
  api.send(comm, reinterpret_cast<std::byte const*>(sent.data()), 20, 0);
  api.receive(comm, reinterpret_cast<std::byte*>(received.data()), 20, 0);
  api.end_group();
  while (!api.ready(comm)) {
  }
  api.reduce(comm, sums.data(), 2, reduction::sum);
  while (!api.ready(comm)) {
  }
  api.mark();
  while (!api.done()) {
  }
  CHECK(to_vector(policy, received.view()) == to_vector(policy, sent.view()));
  CHECK(to_vector(policy, sums.view()) == std::vector<double>{2, 7});
  api.abort(comm);
}

TEST_CASE("two ranks on one GPU are refused on both, with NCCL's text" * doctest::skip(num_gpus() < 1)) {
  run_threads(2, [](threads_comm host) {
    auto const make = [&] { return glt::detail::make_nccl_comm(host, device::cuda(0)).size(); };
    auto const text = thrown<collective_error>(make);
    INFO(text);
    CHECK(names(text, "rank ", "NCCL"));
  });
}

TEST_CASE("rows travel between the memories of several GPUs" * doctest::skip(num_gpus() < 2)) {
  run_threads(num_gpus(), [](threads_comm host) {
    device::cuda const policy(host.rank());
    auto comm = glt::detail::make_nccl_comm(host, policy);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), 1000);
    counts[static_cast<std::size_t>(comm.rank())] = 0;
    std::vector<float> expected;
    for (int rank = 0; rank < comm.size(); ++rank) {
      expected.insert(expected.end(), rank == comm.rank() ? 0 : 1000, static_cast<float>(rank));
    }
    auto const sent = make_buffer(std::vector<float>(expected.size(), static_cast<float>(comm.rank())), policy);
    buffer<device::cuda, float> received(sent.size(), policy);
    for (int round = 0; round < 3; ++round) {
      detail::exchange_rows(comm, sent.view(), counts, received.view(), counts);
      CHECK(to_vector(policy, received.view()) == expected);
    }
    auto sums = make_buffer(std::vector<double>{1, 2}, policy);
    comm.all_reduce(sums.view(), reduction::sum);
    CHECK(to_vector(policy, sums.view())[1] == 2 * comm.size());
  });
}

#endif
