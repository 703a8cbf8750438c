// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/dlpack_tensors.hpp"

#include <glt/core/error.hpp>
#include <glt/dlpack/import.hpp>
#include <glt/memory/policy.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using device::cpu;
using glt_test::foreign_tensor;

namespace {

constexpr DLDataType of_floats{kDLFloat, 32, 1};

/// Thirty floats on the CPU.
struct floats {
  floats() { std::iota(values.begin(), values.end(), 0.0F); }
  [[nodiscard]] DLTensor told() {
    return {.data = values.data(),
            .device = {kDLCPU, 0},
            .ndim = 0,
            .dtype = of_floats,
            .shape = nullptr,
            .strides = nullptr,
            .byte_offset = 0};
  }
  std::vector<float> values = std::vector<float>(30);
};

/// The error of importing a tensor; it was released exactly once.
template <int Dimensions = 1, class T = float>
std::string error_of(foreign_tensor& tensor) {
  std::string text;
  try {
    if constexpr (Dimensions == 1) {
      (void)from_dlpack<cpu, T>(tensor.hand_over());
    } else {
      (void)from_dlpack<feature_store<cpu, T>>(tensor.hand_over());
    }
  } catch (precondition_error const& error) {
    text = error.what();
  }
  CHECK(tensor.released == 1);
  return text;
}

} // namespace

TEST_CASE("a buffer over a foreign tensor releases it once, at its end") {
  floats all;
  foreign_tensor tensor(all.told(), {30});
  {
    auto taken = from_dlpack<cpu, float>(tensor.hand_over());
    CHECK(taken.data() == all.values.data());
    CHECK(taken.size() == 30);
    auto const moved = std::move(taken);
    CHECK(moved[29] == 29.0F);
    CHECK(tensor.released == 0);
  }
  CHECK(tensor.released == 1);
}

TEST_CASE("a buffer that grows lets go of the tensor, with its elements") {
  floats all;
  foreign_tensor tensor(all.told(), {30});
  auto taken = from_dlpack<cpu, float>(tensor.hand_over());
  taken.resize(31);
  CHECK(tensor.released == 1);
  CHECK(taken.data() != all.values.data());
  CHECK(taken[29] == 29.0F);
}

TEST_CASE("elements begin behind an offset") {
  floats all;
  auto told = all.told();
  told.byte_offset = 8;
  foreign_tensor tensor(told, {4}, std::vector<std::int64_t>{1});
  auto const taken = from_dlpack<cpu, float>(tensor.hand_over());
  CHECK(taken[0] == 2.0F);
  CHECK(taken.size() == 4);
}

TEST_CASE("a feature store over a foreign matrix") {
  floats all;
  foreign_tensor tensor(all.told(), {6, 5});
  {
    auto const store = from_dlpack<feature_store<cpu, float>>(tensor.hand_over());
    CHECK(store.view().num_vertices() == 6);
    CHECK(store.view().num_columns() == 5);
    CHECK(store.view().features.data() == all.values.data());
    CHECK(store.view().features(2, 1) == 11.0F);
  }
  CHECK(tensor.released == 1);
}

TEST_CASE("strides of dimensions of one element, or of nothing, do not matter") {
  floats all;
  foreign_tensor one_row(all.told(), {1, 5}, std::vector<std::int64_t>{77, 1});
  CHECK(from_dlpack<feature_store<cpu, float>>(one_row.hand_over()).view().features(0, 4) == 4.0F);
  foreign_tensor one_column(all.told(), {5, 1}, std::vector<std::int64_t>{1, 99});
  CHECK(from_dlpack<feature_store<cpu, float>>(one_column.hand_over()).view().features(4, 0) == 4.0F);
  auto told = all.told();
  told.data = nullptr;
  auto const large = std::numeric_limits<std::int64_t>::max();
  foreign_tensor nothing(told, {large, 0}, std::vector<std::int64_t>{3, 3});
  CHECK(from_dlpack<feature_store<cpu, float>>(nothing.hand_over()).view().num_vertices() == large);
  CHECK(nothing.released == 1);
}

TEST_CASE("a tensor is refused for what is wrong with it, and released") {
  floats all;
  SUBCASE("none") {
    CHECK_THROWS_WITH_AS((void)(from_dlpack<cpu, float>(nullptr)),
                         "import of no tensor; a tensor of DLPack can be imported once", precondition_error);
  }
  SUBCASE("element type") {
    foreign_tensor tensor(all.told(), {30});
    CHECK(error_of<1, std::int32_t>(tensor) ==
          "import of a tensor of float32 as int32; convert it before, or import it as what it is");
  }
  SUBCASE("vectors") {
    auto told = all.told();
    told.dtype.lanes = 4;
    foreign_tensor tensor(told, {7});
    CHECK(error_of(tensor) ==
          "import of a tensor of float32x4 as float32; convert it before, or import it as what it is");
  }
  SUBCASE("device") {
    auto told = all.told();
    told.device = {kDLCUDA, 1};
    foreign_tensor tensor(told, {30});
    CHECK(error_of(tensor) == "import of a tensor in GPU 1 by a policy of ordinary memory; move it there before, or "
                              "choose another policy");
  }
  SUBCASE("dimensions") {
    foreign_tensor tensor(all.told(), {6, 5});
    CHECK(error_of(tensor) == "import of a tensor of 2 dimensions where 1 is wanted; reshape it before");
    foreign_tensor scalar(all.told(), {});
    CHECK(error_of<2>(scalar) == "import of a tensor of 0 dimensions where 2 are wanted; reshape it before");
  }
  SUBCASE("shape") {
    foreign_tensor shapeless(all.told(), {30});
    shapeless.managed.dl_tensor.shape = nullptr;
    CHECK(error_of(shapeless) == "import of a tensor without a shape; its maker has to give one");
    foreign_tensor negative(all.told(), {0, -5});
    CHECK(error_of<2>(negative) == "import of a tensor of shape [0, -5]; sizes are 0 or more");
    foreign_tensor large(all.told(), {std::int64_t{1} << 31, std::int64_t{1} << 30});
    CHECK(error_of<2>(large) ==
          "import of a tensor of shape [2147483648, 1073741824]; its size in bytes does not fit 64 bits");
  }
  SUBCASE("strides") {
    foreign_tensor gaps(all.told(), {5}, std::vector<std::int64_t>{2});
    CHECK(error_of(gaps) == "import of a tensor of shape [5] with strides [2]; make it contiguous, row by row, before");
    foreign_tensor columns(all.told(), {6, 5}, std::vector<std::int64_t>{1, 6});
    CHECK(error_of<2>(columns) ==
          "import of a tensor of shape [6, 5] with strides [1, 6]; make it contiguous, row by row, before");
    foreign_tensor repeated(all.told(), {6, 5}, std::vector<std::int64_t>{0, 1});
    CHECK(error_of<2>(repeated).find("strides [0, 1]") != std::string::npos);
  }
  SUBCASE("address") {
    auto told = all.told();
    told.data = nullptr;
    foreign_tensor nowhere(told, {30});
    CHECK(error_of(nowhere) == "import of a tensor of 30 elements at no address; its maker has to give one");
    told = all.told();
    told.byte_offset = 2;
    foreign_tensor crooked(told, {3});
    CHECK(error_of(crooked) == "import of a tensor whose elements of 4 bytes begin at an address that is no multiple "
                               "of 4 (byte_offset 2); copy it before");
    told.byte_offset = std::numeric_limits<std::uint64_t>::max() - 3;
    foreign_tensor far(told, {3});
    CHECK(error_of(far) == "import of a tensor that begins 18446744073709551612 bytes behind its address; no memory "
                           "reaches so far");
  }
}
