// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/policy.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Makes a buffer of elements in ordinary memory, such as a mapped file, that a GPU reads in place; kernels do not write it. Nothing is copied:
/// pages of a mapped file are locked as they are. `keeper` lives at least as long as the buffer.
///
/// Pages are locked whole: neighbouring arrays share a page, so register them together. Releasing the memory waits for
/// all streams of the policy's GPU; kernels of other GPUs that read it must be done by then.
///
/// @shape  data [size] → buffer [size]
/// @throws precondition_error  if size is negative, there are elements without an address, or no keeper
/// @throws cuda_error          if the pages cannot be locked: they are already, the system limits locked memory, or its
///                             files cannot be locked; read the elements into a buffer of device::zero_copy then
/// @cost   reads the pages that are not in memory
template <bytes_copyable T>
[[nodiscard]] buffer<device::zero_copy, T>
register_memory(T* data, std::int64_t size, std::shared_ptr<void const> keeper, device::zero_copy policy = {}) {
  using made = buffer<device::zero_copy, T>;
  if (size <= 0 || data == nullptr || keeper == nullptr) { // nothing to lock, or refused there
    return made::adopt(data, size, std::move(keeper), std::move(policy));
  }
  if (size > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T))) {
    throw precondition_error(detail::message("registration of ", size, " elements of ", sizeof(T),
                                             " bytes; their size in bytes does not fit 64 bits"));
  }
  auto lock = std::make_shared<detail::registration>(data, static_cast<std::size_t>(size) * sizeof(T),
                                                     std::move(keeper), /*read_only=*/true, policy.device());
  return made::adopt(data, size, std::move(lock), std::move(policy));
}

} // namespace glt
