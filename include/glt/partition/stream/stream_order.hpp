// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace glt {

/// Order in which a graph in memory goes through a stream.
enum class stream_order {
  random, ///< a keyed shuffle, which spares the cut from unlucky orders
  natural ///< 0, 1, 2, …: the order of a file; better if close ids are close in the graph
};

} // namespace glt
