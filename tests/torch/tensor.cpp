// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/tensor.hpp>

#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

TEST_CASE_TEMPLATE("a tensor over an array shares its memory", T, float, double, std::int32_t, std::int64_t,
                   std::uint8_t) {
  std::vector<T> values(13);
  std::iota(values.begin(), values.end(), T(1));
  auto tensor = glt::to_tensor(glt::host_view<T>(values));
  CHECK(static_cast<bool>(tensor.scalar_type() == glt::tensor_type<T>()));
  CHECK(tensor.sizes() == at::IntArrayRef({13}));
  CHECK(tensor.data_ptr() == values.data());
  CHECK(tensor.template data_ptr<T>()[12] == T(13));
  values[3] = T(99);
  CHECK(tensor[3].template item<T>() == T(99));
  tensor[4] = 42;
  CHECK(values[4] == T(42));
}

TEST_CASE("a tensor over a matrix has its rows and columns") {
  std::vector<float> values(15);
  std::iota(values.begin(), values.end(), 0.0F);
  auto const tensor = glt::to_tensor(glt::host_matrix<float const>(values.data(), 3, 5));
  CHECK(tensor.sizes() == at::IntArrayRef({3, 5}));
  CHECK(tensor.is_contiguous());
  CHECK(tensor.data_ptr() == values.data());
  CHECK(tensor[2][1].item<float>() == 11.0F);
}

TEST_CASE("tensors over nothing have no elements and the right shape") {
  CHECK(glt::to_tensor(glt::host_view<std::int64_t const>()).sizes() == at::IntArrayRef({0}));
  CHECK(glt::to_tensor(glt::host_matrix<float const>(nullptr, 0, 4)).sizes() == at::IntArrayRef({0, 4}));
  std::vector<float> const unused(1);
  CHECK(glt::to_tensor(glt::host_matrix<float const>(unused.data(), 3, 0)).sizes() ==
        at::IntArrayRef({3, 0}));
}

TEST_CASE("a tensor over a buffer follows the buffer's elements") {
  glt::buffer<glt::device::cpu, glt::local_id> ids(2);
  ids[0] = 5;
  ids[1] = -1;
  auto const tensor = glt::to_tensor(std::as_const(ids).view());
  CHECK(tensor.sum().item<std::int64_t>() == 4);
  ids[1] = 7;
  CHECK(tensor.sum().item<std::int64_t>() == 12);
}
