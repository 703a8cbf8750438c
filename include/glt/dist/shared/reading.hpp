// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace glt::dist {

/// Way in which ranks of one machine read each other's rows and edges. Batches are the same.
enum class reading {
  in_place,   ///< in memory that they share; by messages where the system has none
  by_messages ///< as ranks of several machines do; no memory is copied
};

} // namespace glt::dist
