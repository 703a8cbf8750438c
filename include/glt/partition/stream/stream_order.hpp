// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace glt {

/// In which order a graph in memory goes through a stream.
enum class stream_order {
  random, ///< a keyed shuffle, which spares the cut from unlucky orders
  natural ///< 0, 1, 2, …: what a file gives; better where close ids are close in the graph
};

} // namespace glt
