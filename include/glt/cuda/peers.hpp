// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/error.hpp>
#include <glt/cuda/policy.hpp>

#include <cuda_runtime_api.h>

namespace glt {

namespace detail {

/// Returns which GPUs can read each other's memory; changes nothing.
///
/// @shape  devices [G], numbers of GPUs → [G · G], as for `peer_access`
/// @throws cuda_error  if there is no GPU of a number
[[nodiscard]] inline std::vector<char> find_peers(std::vector<int> const& devices) {
  std::vector<char> reads(devices.size() * devices.size(), 0);
  for (std::size_t reader = 0; reader < devices.size(); ++reader) {
    for (std::size_t owner = 0; owner < devices.size(); ++owner) {
      if (devices[reader] != devices[owner]) {
        int can = 0;
        check_cuda(cudaDeviceCanAccessPeer(&can, devices[reader], devices[owner]),
                   message("cudaDeviceCanAccessPeer(", devices[reader], ", ", devices[owner], ")"));
        reads[reader * devices.size() + owner] = can != 0 ? 1 : 0;
      }
    }
  }
  return reads;
}

// Opens memory outside of pools, of another GPU, to kernels of `reader`. CUDA has no access for reading alone.
inline void enable_peer(int reader, int owner) {
  on_device const here(reader);
  auto const code = cudaDeviceEnablePeerAccess(owner, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled) {
    forget_cuda(code);
    return;
  }
  check_cuda(code, message("cudaDeviceEnablePeerAccess of GPU ", owner, " on GPU ", reader));
}

// Opens memory of a pool, including memory that it has handed out, as `enable_peer` opens other memory.
inline void open_pool(cuda_queue const& owner, int reader) {
  cudaMemAccessDesc access{};
  access.location = location_of(reader);
  access.flags = cudaMemAccessFlagsProtReadWrite;
  check_cuda(cudaMemPoolSetAccess(pool_handle(owner), &access, 1),
             message("cudaMemPoolSetAccess of GPU ", owner.device, " for GPU ", reader));
}

} // namespace detail

/// Table of the GPUs that read each other's memory in place, over NVLink or the bus.
///
///     if (peer_access(gpus).all()) { // one store over all of them
///       tiered_store<device::cuda, device::zero_copy, float> store(view, ranking, {.bytes = 1 << 30}, gpus);
///     }
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  G GPUs, G² pairs
class peer_access {
public:
  /// Opens the memory of GPUs to each other: the memory that the policies have allocated and will allocate. The library
  /// only reads there, but kernels of the program may also write: CUDA has no peer access for reading alone.
  ///
  /// @throws cuda_error  if a call failed; a pair that cannot is not a failure
  explicit peer_access(std::span<device::cuda const> gpus) {
    for (auto const& gpu : gpus) {
      devices_.push_back(gpu.device());
    }
    reads_ = detail::find_peers(devices_);
    for (std::size_t reader = 0; reader < gpus.size(); ++reader) {
      for (std::size_t owner = 0; owner < gpus.size(); ++owner) {
        if (gpus[reader].device() != gpus[owner].device() && reads(reader, owner)) {
          detail::enable_peer(gpus[reader].device(), gpus[owner].device());
          detail::open_pool(gpus[owner].queue(), gpus[reader].device());
        }
      }
    }
  }

  /// Takes over a table.
  ///
  /// @shape  devices [G], numbers of GPUs · reads [G · G], 1 if the GPU of the row reads memory of the GPU of the
  ///         column
  peer_access(std::vector<int> devices, std::vector<char> reads)
      : devices_(std::move(devices)), reads_(std::move(reads)) {}

  [[nodiscard]] std::vector<int> const& devices() const noexcept { return devices_; }
  /// Returns true if the GPU at index `reader` reads memory of the GPU at index `owner`; true for equal ones.
  ///
  /// @pre    both are in [0, G); not checked
  [[nodiscard]] bool reads(std::size_t reader, std::size_t owner) const {
    return devices_[reader] == devices_[owner] || reads_[reader * devices_.size() + owner] != 0;
  }
  /// Returns true if all read all, as the devices of one `tiered_store` must.
  [[nodiscard]] bool all() const {
    auto const count = devices_.size();
    std::size_t pair = 0;
    while (pair < count * count && reads(pair / count, pair % count)) {
      ++pair;
    }
    return pair == count * count;
  }

  /// Returns the pairs as text, such as "GPU 0 reads 1, 2; GPU 1 reads none".
  [[nodiscard]] std::string text() const {
    std::string lines;
    for (std::size_t reader = 0; reader < devices_.size(); ++reader) {
      std::string read;
      for (std::size_t owner = 0; owner < devices_.size(); ++owner) {
        if (devices_[owner] != devices_[reader] && reads(reader, owner)) {
          read += detail::message(read.empty() ? "" : ", ", devices_[owner]);
        }
      }
      lines +=
          detail::message(lines.empty() ? "" : "; ", "GPU ", devices_[reader], " reads ", read.empty() ? "none" : read);
    }
    return lines;
  }

private:
  std::vector<int> devices_;
  std::vector<char> reads_;
};

} // namespace glt
