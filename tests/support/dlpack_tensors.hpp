// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dlpack/tensor.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace glt_test {

/// A tensor as another library would make it, with whatever it says about itself, and a count of its releases.
class foreign_tensor {
public:
  explicit foreign_tensor(DLTensor tensor, std::vector<std::int64_t> shape,
                          std::optional<std::vector<std::int64_t>> strides = {})
      : shape_(std::move(shape)), strides_(std::move(strides)) {
    managed.dl_tensor = tensor;
    managed.dl_tensor.ndim = static_cast<int>(shape_.size());
    managed.dl_tensor.shape = shape_.data();
    managed.dl_tensor.strides = strides_ ? strides_->data() : nullptr;
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) { ++static_cast<foreign_tensor*>(self->manager_ctx)->released; };
  }
  foreign_tensor(foreign_tensor const&) = delete;
  foreign_tensor& operator=(foreign_tensor const&) = delete;

  [[nodiscard]] glt::dlpack_tensor hand_over() { return glt::dlpack_tensor(&managed); }

  DLManagedTensor managed{};
  int released = 0;

private:
  std::vector<std::int64_t> shape_;
  std::optional<std::vector<std::int64_t>> strides_;
};

} // namespace glt_test
