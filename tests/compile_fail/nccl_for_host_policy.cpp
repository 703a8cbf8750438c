// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this communicator carries neither this policy's memory nor ordinary memory to stage it in: take one of the host
// lines: 20, for it is inside of the library
#include "support/distant_policy.hpp"
#include "support/fake_nccl.hpp"

#include <glt/comm/threads.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/memory/policy.hpp>
#include <glt/nccl/detail/basic_comm.hpp>

using gpu_comm = glt::detail::basic_nccl_comm<glt::threads_comm, glt_test::fake_nccl>;

int use(gpu_comm comm) {
  auto good = glt::detail::make_payload_comm(comm, glt_test::distant_policy<>());
#ifdef GLT_FAIL
  auto bad = glt::detail::make_payload_comm(comm, glt::device::cpu());
#endif
  return good.rank();
}
