// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"

#include <glt/dlpack/export.hpp>
#include <glt/dlpack/import.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

using namespace glt;

TEST_CASE_TEMPLATE("a buffer becomes a tensor over the same memory, and comes back", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  for (std::int64_t const n : {0, 1, 13}) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 5);
    auto elements = make_buffer<Policy>(values, policy);
    auto const* const data = elements.data();
    auto tensor = to_dlpack(std::move(elements));
    CHECK(elements.empty());
    auto const& told = tensor->dl_tensor;
    CHECK(told.data == data);
    CHECK(told.device.device_type == glt::detail::dlpack_device_type<Policy>);
    CHECK(told.ndim == 1);
    CHECK(told.shape[0] == n);
    CHECK(told.strides[0] == 1);
    CHECK(told.byte_offset == 0);
    CHECK(detail::find_element_type(told.dtype) == element_type::int32);

    auto const back = from_dlpack<Policy, std::int32_t>(std::move(tensor), policy);
    CHECK((n == 0 || back.data() == data));
    CHECK(to_vector(policy, back.view()) == values);
  }
}

TEST_CASE_TEMPLATE("elements of every type", T, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t,
                   float16, bfloat16, float, double) {
  buffer<device::cpu, T> elements(3);
  auto const tensor = to_dlpack(std::move(elements));
  CHECK(detail::find_element_type(tensor->dl_tensor.dtype) == detail::element_type_of<T>);
  CHECK(tensor->dl_tensor.dtype.bits == 8 * sizeof(T));
}

TEST_CASE_TEMPLATE("a view becomes a tensor that lets go of its keeper at the end", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const kept = std::make_shared<buffer<Policy, double>>(6, policy);
  {
    auto const array = to_dlpack(policy, std::as_const(*kept).view(), kept);
    auto const matrix = to_dlpack(policy, matrix_view<Policy::space, double>(kept->data(), 2, 3), kept);
    CHECK(kept.use_count() == 3);
    CHECK(array->dl_tensor.shape[0] == 6);
    auto const& told = matrix->dl_tensor;
    CHECK(told.data == kept->data());
    CHECK(told.ndim == 2);
    CHECK(std::vector(told.shape, told.shape + 2) == std::vector<std::int64_t>{2, 3});
    CHECK(std::vector(told.strides, told.strides + 2) == std::vector<std::int64_t>{3, 1});
  }
  CHECK(kept.use_count() == 1);
  CHECK_THROWS_WITH_AS(
      (void)to_dlpack(policy, kept->view(), nullptr),
      "export of a tensor without a keeper; give an object that keeps its elements, or move a buffer in",
      precondition_error);
}

TEST_CASE("matrices without rows or columns keep their shape") {
  auto const keeper = std::make_shared<int>(0);
  auto const no_rows = to_dlpack(device::cpu(), host_matrix<float>(nullptr, 0, 4), keeper);
  CHECK(no_rows->dl_tensor.shape[0] == 0);
  CHECK(no_rows->dl_tensor.shape[1] == 4);
  auto const no_columns = to_dlpack(device::cpu(), host_matrix<float>(nullptr, 3, 0), keeper);
  CHECK(no_columns->dl_tensor.shape[0] == 3);
  CHECK(no_columns->dl_tensor.shape[1] == 0);
}
