// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/error.hpp>
#include <glt/cuda/policy.hpp>
#include <glt/nccl/detail/basic_comm.hpp>
#include <glt/nccl/detail/error.hpp>

#include <cuda_runtime_api.h>
#include <nccl.h>

namespace glt::detail {

/// NCCL on the stream of a policy; see `nccl_layer`.
class nccl_api {
public:
  using id_type = ncclUniqueId;
  using comm_type = ncclComm_t;

  nccl_api(device::cuda policy) : policy_(std::move(policy)) {}         // NOLINT: a policy is all that is needed
  nccl_api(device::zero_copy const& policy) : nccl_api(policy.gpu()) {} // NOLINT

  /// @throws library_error  if NCCL finds no network
  [[nodiscard]] id_type make_id() {
    id_type id{};
    check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    return id;
  }

  [[nodiscard]] comm_type start(int ranks, int rank, id_type const& id) {
    on_device const here(policy_.device());
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    comm_type comm = nullptr;
    auto const code = ncclCommInitRankConfig(&comm, ranks, id, rank, &config);
    if (code != ncclSuccess && code != ncclInProgress && comm != nullptr) {
      abort(comm);
      comm = nullptr;
    }
    check_nccl(code, "ncclCommInitRankConfig");
    return comm;
  }

  [[nodiscard]] bool ready(comm_type comm) {
    ncclResult_t state = ncclSuccess;
    check_nccl(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError", comm);
    check_nccl(state, "work of NCCL", comm);
    return state == ncclSuccess;
  }

  void begin_group() { check_nccl(ncclGroupStart(), "ncclGroupStart"); }
  void send(comm_type comm, std::byte const* data, std::int64_t bytes, int peer) {
    on_device const here(policy_.device());
    check_nccl(ncclSend(data, static_cast<std::size_t>(bytes), ncclUint8, peer, comm, policy_.stream()), "ncclSend",
               comm);
  }
  void receive(comm_type comm, std::byte* data, std::int64_t bytes, int peer) {
    on_device const here(policy_.device());
    check_nccl(ncclRecv(data, static_cast<std::size_t>(bytes), ncclUint8, peer, comm, policy_.stream()), "ncclRecv",
               comm);
  }
  void end_group() {
    on_device const here(policy_.device());
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

  template <reducible T>
  void reduce(comm_type comm, T* values, std::int64_t count, reduction op) {
    on_device const here(policy_.device());
    auto const nccl_op = op == reduction::sum ? ncclSum : op == reduction::min ? ncclMin : ncclMax;
    check_nccl(
        ncclAllReduce(values, values, static_cast<std::size_t>(count), type_of<T>(), nccl_op, comm, policy_.stream()),
        "ncclAllReduce", comm);
  }

  void mark() {
    on_device const here(policy_.device());
    end_ = std::make_shared<cuda_event>(); // a new one, as copies of this may be in use elsewhere
    check_cuda(cudaEventRecord(end_->handle(), policy_.stream()), "cudaEventRecord");
  }
  [[nodiscard]] bool done() {
    auto const code = cudaEventQuery(end_->handle());
    if (code == cudaErrorNotReady) {
      forget_cuda(code);
      return false;
    }
    check_cuda(code, "cudaEventQuery");
    return true;
  }

  void abort(comm_type comm) noexcept { forget_nccl(ncclCommAbort(comm)); }

private:
  template <reducible T>
  [[nodiscard]] static constexpr ncclDataType_t type_of() noexcept {
    if constexpr (std::same_as<T, std::int32_t>) {
      return ncclInt32;
    } else if constexpr (std::same_as<T, std::int64_t>) {
      return ncclInt64;
    } else if constexpr (std::same_as<T, float>) {
      return ncclFloat32;
    } else {
      return ncclFloat64;
    }
  }

  device::cuda policy_;
  std::shared_ptr<cuda_event> end_;
};

static_assert(nccl_layer<nccl_api>);

} // namespace glt::detail
