// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/elements.hpp"

#include <glt/cuda/peers.hpp>
#include <glt/cuda/policy.hpp>
#include <glt/feature/gather.hpp>
#include <glt/feature/tier/tiered_store.hpp>
#include <glt/memory/buffer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <cuda_runtime_api.h>

using namespace glt;
using namespace glt_test;

TEST_CASE("a report of peers names who reads whom") {
  peer_access const some({0, 1, 3}, {0, 1, 1, 1, 0, 0, 0, 0, 0});
  CHECK(some.text() == "GPU 0 reads 1, 3; GPU 1 reads 0; GPU 3 reads none");
  CHECK(some.reads(0, 2));
  CHECK(some.reads(2, 2));
  CHECK(!some.reads(2, 0));
  CHECK(!some.all());
  CHECK(peer_access({0, 1}, {0, 1, 1, 0}).all());
  CHECK(peer_access({2, 2}, {0, 0, 0, 0}).all());
  CHECK(peer_access({}, {}).all());
}

TEST_CASE("a GPU that does not exist has no peers") {
  CHECK_THROWS_AS(static_cast<void>(glt::detail::find_peers({0, 1 << 20})), cuda_error);
  std::vector<float> const after(3, 1); // the error is forgotten
  auto const made = make_buffer<device::cuda>(after, device::cuda(0));
  CHECK(to_vector(made.policy(), made.view()) == after);
}

// Over all GPUs that read each other; over policies of one GPU where there is no second.
TEST_CASE("GPUs share hot rows") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  std::vector<device::cuda> gpus;
  for (int device = 0; device < count; ++device) {
    gpus.emplace_back(device);
  }
  auto const access = peer_access(gpus);
  INFO(access.text());
  CHECK(peer_access(gpus).text() == access.text()); // a second time as well
  if (!access.all() || gpus.size() == 1) {
    gpus = {device::cuda(0), device::cuda(0)};
  }
  constexpr std::int64_t vertices = 1000;
  constexpr std::int64_t columns = 32;
  auto const rows = any_numbers<float>(vertices * columns, 1);
  std::vector<local_id> ranking(vertices);
  std::iota(ranking.rbegin(), ranking.rend(), local_id{0});
  feature_view<memory_space::host, float> const features{.features = {rows.data(), vertices, columns}};
  tiered_store<device::cuda, device::zero_copy, float> const store(features, ranking, {.ratio = 0.6}, gpus);
  std::vector<local_id> ids(vertices);
  std::iota(ids.begin(), ids.end(), local_id{0});
  for (std::size_t reader = 0; reader < gpus.size(); ++reader) {
    auto const& gpu = gpus[reader];
    auto const wanted = make_buffer<device::cuda>(ids, gpu);
    buffer<device::cuda, float> out(vertices * columns, gpu);
    gather_rows(gpu.executor(), store.view(static_cast<int>(reader)), wanted.view(),
                matrix_view<memory_space::device, float>(out.data(), vertices, columns));
    CHECK(bytes_of(to_vector(gpu, out.view())) == bytes_of(rows));
  }
}
