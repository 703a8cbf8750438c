// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>

namespace glt::dist {

/// What a layer of your own sends along an edge, and its gradient: what `aggregate_messages` sums up.
///
/// - `message(source, destination, edge, sum)`: adds the message of an edge to the sum of its destination
/// - `source_vjp(source, destination, edge, gradient, out)`: adds the gradient by the source's row to out, given that by
///   the sum; called once for each edge and pass, so it may write the gradient by an edge's own features, too
/// - `destination_vjp(source, destination, edge, gradient, out)`: as well, by the destination's row; leave it out where a
///   message does not depend on that
///
/// Rows are pointers to their first element, that of a destination is null where the pass has no columns of them; `edge`
/// is the position of an edge in the own part, the index of one's own features of edges. Functions are const, run in
/// several threads for different edges (on GPUs in kernels: GLT_HOST_DEVICE), and must give the same whenever they are
/// called: sources are fetched again in the backward pass. What all edges share, such as weights, belongs before or
/// behind the pass, or comes with its gradient summed up over edges.
///
///     struct edge_relu { // relu(x_u + e_uv), the messages of GINE
///       glt::host_matrix<float const> edges; // [E, F]
///       glt::host_matrix<float> edge_gradients;
///       void message(float const* x, float const*, std::int64_t e, float* sum) const {
///         for (std::int64_t c = 0; c < edges.columns(); ++c) { sum[c] += std::max(x[c] + edges(e, c), 0.0F); }
///       }
///       void source_vjp(float const* x, float const*, std::int64_t e, float const* gradient, float* out) const {
///         for (std::int64_t c = 0; c < edges.columns(); ++c) {
///           edge_gradients(e, c) = x[c] + edges(e, c) > 0 ? gradient[c] : 0.0F;
///           out[c] += edge_gradients(e, c);
///         }
///       }
///     };
template <class Message, class T>
concept edge_message =
    std::copy_constructible<Message> && requires(Message const& of, T const* row, std::int64_t edge, T* out) {
      of.message(row, row, edge, out);
      of.source_vjp(row, row, edge, row, out);
    };

/// An edge message that depends on its destination, too.
template <class Message, class T>
concept destination_message =
    edge_message<Message, T> && requires(Message const& of, T const* row, std::int64_t edge, T* out) {
      of.destination_vjp(row, row, edge, row, out);
    };

} // namespace glt::dist
