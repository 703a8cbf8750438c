// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>

namespace glt::dist {

/// Message that a user's layer sends along an edge, and its gradient; `aggregate_messages` adds messages up.
///
/// - `message(source, destination, edge, sum)`: adds the message of an edge to the sum of its destination
/// - `source_vjp(source, destination, edge, gradient, out)`: adds the gradient by the source's row to out, given the
///   gradient by the sum. It is called once for each edge and pass, so it may also write the gradient by features of
///   the edge.
/// - `destination_vjp(source, destination, edge, gradient, out)`: adds the gradient by the destination's row in the
///   same way; omit it if messages do not depend on that row
///
/// Rows are pointers to their first element; the destination's row is null if the pass has no columns of destinations.
/// `edge` is the position of an edge in this rank's part, and so the index of the user's edge features. Functions are
/// const, run in several threads for different edges (on GPUs in kernels: GLT_HOST_DEVICE), and must give the same
/// result at each call: sources are fetched again in the backward pass. Values that all edges share, such as weights,
/// belong before or after the pass. Otherwise their gradient must be summed over the edges.
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

} // namespace glt::dist

namespace glt::detail {

/// Edge message that also depends on its destination.
template <class Message, class T>
concept destination_message =
    dist::edge_message<Message, T> && requires(Message const& of, T const* row, std::int64_t edge, T* out) {
      of.destination_vjp(row, row, edge, row, out);
    };

} // namespace glt::detail
