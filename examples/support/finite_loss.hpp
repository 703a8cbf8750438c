// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>

#include <cmath>
#include <cstdint>

namespace example {

/// Refuses the loss of all ranks if it is no number: the network is lost then.
///
/// @throws precondition_error  on every rank that passes it
inline void check_finite_loss(double loss, std::int64_t epoch) {
  if (!std::isfinite(loss)) {
    throw glt::precondition_error(glt::detail::message(
        "the loss of epoch ", epoch, " is ", loss,
        "; look for features that are not finite (glt-partition refuses them), or lower the learning rate"));
  }
}

} // namespace example
