// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this communicator carries neither this policy's memory nor ordinary memory to stage it in: take one of the host
// lines: 20, for it is inside of the library
#include "support/fake_nccl.hpp"

#include <glt/comm/threads.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/nccl/detail/basic_comm.hpp>

using gpu_comm = glt::detail::basic_nccl_comm<glt::threads_comm, glt_test::fake_nccl>;

bool use(gpu_comm comm) {
  glt::detail::routed_list good(comm.host());
#ifdef GLT_FAIL
  glt::detail::routed_list bad(comm);
#endif
  return good.anything();
}
