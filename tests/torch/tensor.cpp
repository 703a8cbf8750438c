// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/tensor.hpp>

#include <glt/core/element_type.hpp>
#include <glt/core/error.hpp>
#include <glt/core/view.hpp>
#include <glt/dlpack/import.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <doctest/doctest.h>

#include "support/dlpack_tensors.hpp"
#include "support/policies.hpp"

#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

TEST_CASE_TEMPLATE("a tensor over an array shares its memory", T, float, double, std::int16_t, std::int32_t,
                   std::int64_t, std::int8_t, std::uint8_t) {
  std::vector<T> values(13);
  std::iota(values.begin(), values.end(), T(1));
  auto tensor = glt::to_tensor(glt::host_view<T>(values));
  CHECK(static_cast<bool>(tensor.scalar_type() == glt::detail::tensor_type<T>()));
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
  CHECK(glt::to_tensor(glt::host_matrix<float const>(unused.data(), 3, 0)).sizes() == at::IntArrayRef({3, 0}));
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

TEST_CASE("numbers of 16 bits are those of LibTorch") {
  std::vector<glt::float16> halves{glt::float16(1.5F), glt::float16(-2.0F)};
  auto const narrow = glt::to_tensor(glt::host_view<glt::float16>(halves));
  CHECK(static_cast<bool>(narrow.scalar_type() == at::kHalf));
  CHECK(narrow[1].item<float>() == -2.0F);
  std::vector<glt::bfloat16> upper{glt::bfloat16(1.5F)};
  auto const brain = glt::to_tensor(glt::host_view<glt::bfloat16>(upper));
  CHECK(static_cast<bool>(brain.scalar_type() == at::kBFloat16));
  CHECK(brain[0].item<float>() == 1.5F);
}

TEST_CASE_TEMPLATE("a tensor of LibTorch owns what was a buffer, through DLPack", T, float, double, std::int16_t,
                   std::int32_t, std::int64_t, std::int8_t, std::uint8_t, glt::float16, glt::bfloat16) {
  auto elements = glt::make_buffer<glt::device::cpu>(std::vector<T>(5, T(3)));
  auto const* const data = elements.data();
  auto const tensor = glt::to_tensor(std::move(elements));
  CHECK(static_cast<bool>(tensor.scalar_type() == glt::detail::tensor_type<T>()));
  CHECK(tensor.sizes() == at::IntArrayRef({5}));
  CHECK(tensor.data_ptr() == data);
  CHECK(tensor.sum().template item<double>() == 15.0);
  CHECK(tensor.is_cpu());

  auto const back = glt::from_dlpack<glt::device::cpu, T>(glt::to_dlpack(tensor));
  CHECK(back.data() == data);
}

TEST_CASE_TEMPLATE("tensors of any policy keep what they are over", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto kept = std::make_shared<glt::buffer<Policy, float>>(
      glt::make_buffer<Policy>(std::vector<float>{0, 1, 2, 3, 4, 5}, policy));
  std::weak_ptr<void const> const alive = kept;
  auto array = glt::to_tensor(policy, kept->view(), kept);
  auto matrix = glt::to_tensor(policy, glt::matrix_view<Policy::space, float>(kept->data(), 2, 3), kept);
  kept.reset();
  CHECK(array.sum().template item<float>() == 15.0F);
  CHECK(matrix.sizes() == at::IntArrayRef({2, 3}));
  CHECK(matrix[1][0].template item<float>() == 3.0F);
  array.reset();
  auto row = matrix[1];
  matrix.reset();
  CHECK_FALSE(alive.expired());
  row.reset();
  CHECK(alive.expired());
}

TEST_CASE("a feature store over a tensor of LibTorch; other layouts are refused and let go") {
  auto x = at::arange(15, at::kFloat).reshape({3, 5});
  auto const uses = x.storage().use_count();
  {
    auto const store = glt::from_dlpack<glt::feature_store<glt::device::cpu, float>>(glt::to_dlpack(x));
    CHECK(store.view().features.data() == x.data_ptr<float>());
    CHECK(store.view().features(2, 4) == 14.0F);
  }
  CHECK_THROWS_AS((void)(glt::from_dlpack<glt::feature_store<glt::device::cpu, float>>(glt::to_dlpack(x.t()))),
                  glt::precondition_error);
  CHECK_THROWS_AS((void)(glt::from_dlpack<glt::device::cpu, std::int32_t>(glt::to_dlpack(x.flatten()))),
                  glt::precondition_error);
  CHECK(x.storage().use_count() == uses);
}

TEST_CASE("what LibTorch refuses is released once; what it takes, when its last tensor goes") {
  std::vector<float> values(4, 2.0F);
  DLTensor const told{.data = values.data(),
                      .device = {kDLCPU, 0},
                      .ndim = 0,
                      .dtype = {kDLFloat, 32, 1},
                      .shape = nullptr,
                      .strides = nullptr,
                      .byte_offset = 0};
  auto vectors = told;
  vectors.dtype.lanes = 2;
  glt_test::foreign_tensor refused(vectors, {2});
  CHECK_THROWS_AS((void)glt::to_tensor(refused.hand_over()), c10::Error);
  CHECK(refused.released == 1);
  auto nowhere = told;
  nowhere.device = {kDLMetal, 0};
  glt_test::foreign_tensor elsewhere(nowhere, {4});
  CHECK_THROWS_AS((void)glt::to_tensor(elsewhere.hand_over()), c10::Error);
  CHECK(elsewhere.released == 1);

  auto on_gpu = told;
  on_gpu.device = {kDLCUDA, 0};
  if (!at::hasCUDA()) {
    for (auto* const data : {told.data, static_cast<void*>(nullptr)}) {
      on_gpu.data = data;
      glt_test::foreign_tensor without_driver(on_gpu, {data == nullptr ? 0 : 4});
      CHECK_THROWS_AS((void)glt::to_tensor(without_driver.hand_over()), c10::Error);
      CHECK(without_driver.released == 1);
    }
  }
  auto pinned = told;
  pinned.device = {kDLCUDAHost, 0};
  glt_test::foreign_tensor of_driver(pinned, {4});
  CHECK(glt::to_tensor(of_driver.hand_over()).is_cpu());
  CHECK(of_driver.released == 1);

  glt_test::foreign_tensor taken(told, {4});
  auto tensor = glt::to_tensor(taken.hand_over());
  CHECK(tensor.sum().item<float>() == 8.0F);
  CHECK(taken.released == 0);
  tensor.reset();
  CHECK(taken.released == 1);
  CHECK_THROWS_WITH_AS((void)glt::to_tensor(glt::dlpack_tensor()),
                       "conversion of no tensor; a tensor of DLPack can be taken over once", glt::precondition_error);
}
