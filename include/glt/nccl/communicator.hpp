// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/nccl/detail/api.hpp>
#include <glt/nccl/detail/basic_comm.hpp>

namespace glt {

/// Ranks with a GPU each; NCCL sends their payload from GPU to GPU: `nccl_comm<mpi_comm> comm(mpi, policy)`.
///
/// It carries memory of GPUs and pinned memory, on the stream of a `device::cuda` or `device::zero_copy`: the policy of
/// the memory to carry. The host communicator carries ordinary memory: counts, headers, and the id by which NCCL's
/// ranks find each other. If NCCL or a GPU fails on one rank, all ranks give NCCL's communicator up. They throw the
/// same `collective_error`, at once and in every later call; the host communicator stays usable. NCCL needs a separate
/// GPU for every rank.
template <detail::alarming HostComm>
using nccl_comm = detail::basic_nccl_comm<HostComm, detail::nccl_api>;

namespace detail {

/// @comm   collective; duplicates `host`
/// @throws collective_error  on every rank, the same one, if NCCL cannot be set up on one
template <alarming HostComm>
[[nodiscard]] nccl_comm<HostComm> make_nccl_comm(HostComm host, nccl_api api) {
  return {std::move(host), std::move(api)};
}

} // namespace detail

} // namespace glt
