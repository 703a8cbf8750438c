// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/alarm.hpp>
#include <glt/nccl/detail/api.hpp>
#include <glt/nccl/detail/basic_comm.hpp>

#include <utility>

namespace glt {

/// Ranks with a GPU each, whose payload goes from GPU to GPU by NCCL: `nccl_comm<mpi_comm> comm(mpi, policy)`.
///
/// It carries memory of GPUs and pinned memory, on the stream of a `device::cuda` or `device::zero_copy`: that of the
/// policy whose memory it is to carry, one GPU a rank. The other communicator carries what lies in ordinary memory:
/// counts, headers, and how NCCL's ranks find each other. If NCCL or a GPU fails on one rank, all ranks give NCCL's
/// communicator up and throw the same `collective_error`, at once and in every later call; the other communicator stays
/// of use. NCCL needs a GPU of its own for every rank.
template <detail::alarming HostComm>
using nccl_comm = detail::basic_nccl_comm<HostComm, detail::nccl_api>;

/// @comm   collective; duplicates `host`
/// @throws collective_error  on every rank, the same one, if NCCL cannot be set up on one
template <detail::alarming HostComm>
[[nodiscard]] nccl_comm<HostComm> make_nccl_comm(HostComm host, detail::nccl_api api) {
  return {std::move(host), std::move(api)};
}

} // namespace glt
