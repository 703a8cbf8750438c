// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: batches_with_types_have_no_features
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/typed_batches.hpp>

using glt::device::cpu;

auto use(glt::dist::typed_batches<cpu, glt::global_id>::batch_type const& batch) {
#ifdef GLT_FAIL
  return batch.features();
#else
  return batch.tensors[0]["x"].as<float>();
#endif
}
