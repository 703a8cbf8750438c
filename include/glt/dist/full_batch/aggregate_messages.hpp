// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>

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

/// Common part of passes with user messages: checks, agreement, and rows that travel.
template <communicator Comm, device_policy Policy, class T>
class message_pass {
  static constexpr memory_space space = Policy::space;

public:
  message_pass(dist::sharded_graph<Comm, Policy>& graph, matrix_view<space, T const> sources,
               matrix_view<space, T const> destinations, std::int64_t columns)
      : graph_(&graph), sources_(sources), destinations_(destinations), columns_(columns) {}

  /// @throws precondition_error  if the numbers of rows are not the graph's
  void check() const {
    check("sources", sources_.rows(), sources_.columns(), graph_->num_sources(), sources_.columns());
    if (destinations_.columns() > 0) {
      check("destinations", destinations_.rows(), destinations_.columns(), graph_->num_destinations(),
            destinations_.columns());
    }
  }
  void check(std::string_view name, std::int64_t rows, std::int64_t columns, std::int64_t wanted_rows,
             std::int64_t wanted) const {
    if (rows != wanted_rows || columns != wanted || columns >= most_columns) {
      throw precondition_error(message(name, " [", rows, ", ", columns, "] in a pass of messages; pass [", wanted_rows,
                                       ", ", wanted, "], of fewer than 2²⁰ columns"));
    }
  }

  /// Checks that all ranks pass messages in the same way.
  ///
  /// @comm   collective; one header exchange
  void agree_to_begin(std::string const& failure, bool is_backward) {
    auto const value = (((sources_.columns() << 20 | destinations_.columns()) << 20 | columns_) << 1 |
                        (sizeof(T) == sizeof(double) ? 1 : 0))
                           << 1 |
                       (is_backward ? 1 : 0);
    auto const headers = exchange_values(graph_->host(), site(), failure, value);
    check_same(graph_->host(), headers, &call_header::value, [](std::int64_t of, std::int64_t first) {
      auto const to_string = [](std::int64_t v) {
        return message((v & 1) == 0 ? "" : "gradients of ", (v & 2) == 0 ? "float" : "double", " messages of ",
                       v >> 2 & (most_columns - 1), " columns from sources of ", v >> 42, " and destinations of ",
                       v >> 22 & (most_columns - 1));
      };
      return message("passes ", to_string(of), " while rank 0 passes ", to_string(first),
                     "; make the same calls on all ranks");
    });
  }

  /// Runs work that may throw in user functions, unless earlier work has thrown: other ranks wait for the steps.
  template <class Work>
  void attempt(Work const& work) {
    if (failure_.empty()) {
      failure_ = failure_of(work);
    }
  }

  /// Agrees with the other ranks after the last step.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if an attempt or a step of a rank has failed
  void agree(std::string const& failed_step = {}) {
    glt::detail::agree(graph_->host(), site(), failure_.empty() ? failed_step : failure_);
  }

  [[nodiscard]] strided_rows<T const> sources() const { return {sources_.data(), sources_.columns()}; }
  [[nodiscard]] strided_rows<T const> destinations() const { return {destinations_.data(), destinations_.columns()}; }
  /// Returns the operations on rows of sources, and their bytes.
  [[nodiscard]] row_sums<Policy, T> rows() const { return {graph_->policy(), sources_.columns()}; }

  /// Writes the local rows that the peer of step k needs.
  void pack_sources(std::int64_t k, std::byte* block) const {
    auto const list = graph_->sent_rows(k);
    rows().template move<false>(list.size(), sources_.data(), list.data(), reinterpret_cast<T*>(block), nullptr);
  }
  /// Adds the sums that the peer of step k returns for these rows.
  void add_sums(std::int64_t k, std::byte const* block, T* out) const {
    auto const list = graph_->sent_rows(k);
    rows().template move<true>(list.size(), reinterpret_cast<T const*>(block), nullptr, out, list.data());
  }
  [[nodiscard]] strided_rows<T const> sources_in(std::byte const* block) const {
    return {reinterpret_cast<T const*>(block), sources_.columns()};
  }

private:
  static constexpr std::int64_t most_columns = 1 << 20;

  [[nodiscard]] call_site site() const {
    return {.what = operation::pass_messages, .step = graph_->passes().next_number()};
  }
  dist::sharded_graph<Comm, Policy>* graph_;
  matrix_view<space, T const> sources_;
  matrix_view<space, T const> destinations_;
  std::int64_t columns_;
  std::string failure_;
};

} // namespace glt::detail

namespace glt::dist {

/// Sums up a user's messages over the in-edges of every vertex of this rank's part; see `edge_message`.
///
/// The edges of a row come shard by shard; a message must not depend on their order.
///
/// @shape  sources [num_sources(), F] · destinations [num_destinations(), D], or empty if messages do not depend on
///         them · sums [num_destinations(), M], written, 0 without in-edges
/// @where  memory of the graph's policy; returns when sums are written or, on GPUs, enqueued
/// @comm   collective, every rank with the same F, D, M and T; two header exchanges, as a user function may throw on
///         one rank, and at most R − 1 messages a rank: num_sent() · F elements
/// @throws collective_error  on every rank, if a matrix of a rank has another shape, it passes other messages than rank
///                           0, or a user function throws
/// @cost   O(E) calls of message; beside the sums, the rows of 2 · depth + 2 shards
/// @source Mostafa, "Sequential aggregation and rematerialization", MLSys 2022
template <communicator Comm, device_policy Policy, std::floating_point T, edge_message<T> Message>
void aggregate_messages(sharded_graph<Comm, Policy>& graph, Message const& message,
                        std::type_identity_t<matrix_view<Policy::space, T const>> sources,
                        std::type_identity_t<matrix_view<Policy::space, T const>> destinations,
                        matrix_view<Policy::space, T> sums) {
  constexpr auto space = Policy::space;
  glt::detail::message_pass<Comm, Policy, T> pass(graph, sources, destinations, sums.columns());
  auto const failure = glt::detail::failure_of([&] {
    pass.check();
    pass.check("sums", sums.rows(), sums.columns(), graph.num_destinations(), sums.columns());
    graph.passes().reserve(pass.rows().bytes(graph.most_sent()), pass.rows().bytes(graph.most_received()));
  });
  pass.agree_to_begin(failure, false);
  auto const combine = [&](detail::shard_view<space> shard, glt::detail::strided_rows<T const> rows) {
    graph.policy().executor().for_each(shard.rows.size(),
                                       glt::detail::add_messages<space, T, Message>{
                                           shard, message, rows, pass.destinations(), {sums.data(), sums.columns()}});
  };
  graph.passes().run(
      glt::detail::row_flow::pull, [&](std::int64_t k) { return pass.rows().bytes(graph.sent_rows(k).size()); },
      [&](std::int64_t k) { return pass.rows().bytes(graph.num_received(k)); },
      [&](std::int64_t k, std::byte* block) { pass.pack_sources(k, block); },
      [&](std::int64_t k, std::byte const* block) {
        pass.attempt([&] { combine(graph.shard(k), pass.sources_in(block)); });
      },
      [&] {
        glt::detail::row_sums<Policy, T>(graph.policy(), sums.columns()).clear(sums.data(), sums.rows());
        pass.attempt([&] { combine(graph.shard(0), pass.sources()); });
      });
  pass.agree();
}

} // namespace glt::dist

namespace glt::detail {

/// Computes the gradients of `aggregate_messages` by the rows of sources and destinations. Sources are fetched a second
/// time.
///
/// @shape  gradient [num_destinations(), M], by the sums · by_sources [num_sources(), F], written · by_destinations
///         [num_destinations(), D], written; empty if messages have no `destination_vjp`
/// @where  as `aggregate_messages`
/// @comm   as `aggregate_messages`, with at most 2(R − 1) messages a rank: num_sent() · F elements there and
///         num_received() · F back; the first time one `duplicate`
/// @throws collective_error  as `aggregate_messages`
/// @cost   O(E) calls of each vjp; the rows of 2 · depth + 4 shards
template <communicator Comm, device_policy Policy, std::floating_point T, dist::edge_message<T> Message>
void aggregate_messages_backward(dist::sharded_graph<Comm, Policy>& graph, Message const& message,
                                 std::type_identity_t<matrix_view<Policy::space, T const>> sources,
                                 std::type_identity_t<matrix_view<Policy::space, T const>> destinations,
                                 std::type_identity_t<matrix_view<Policy::space, T const>> gradient,
                                 matrix_view<Policy::space, T> by_sources,
                                 std::type_identity_t<matrix_view<Policy::space, T>> by_destinations = {}) {
  constexpr auto space = Policy::space;
  using rows_type = strided_rows<T>;
  using read_type = strided_rows<T const>;
  constexpr bool has_destinations = destination_message<Message, T>;
  message_pass<Comm, Policy, T> pass(graph, sources, destinations, gradient.columns());
  auto& passes = graph.passes();
  if (!passes.has_replies()) {
    pass.agree_to_begin({}, true); // all ranks are here: they duplicate the communicator for replies together
  }
  static_cast<void>(passes.replies());
  auto const failure = failure_of([&] {
    pass.check();
    pass.check("gradient", gradient.rows(), gradient.columns(), graph.num_destinations(), gradient.columns());
    pass.check("by_sources", by_sources.rows(), by_sources.columns(), graph.num_sources(), sources.columns());
    if (has_destinations) {
      pass.check("by_destinations", by_destinations.rows(), by_destinations.columns(), graph.num_destinations(),
                 destinations.columns());
    }
    block_sizes const fetched{pass.rows().bytes(graph.most_sent()), pass.rows().bytes(graph.most_received())};
    reserve_round_trip(passes, fetched, {fetched.incoming, fetched.outgoing});
  });
  pass.agree_to_begin(failure, true);
  read_type const gradients{gradient.data(), gradient.columns()};
  rows_type const out{by_sources.data(), by_sources.columns()};
  auto const add = [&](std::int64_t k, read_type rows, rows_type sums) {
    auto const ex = graph.policy().executor();
    auto const transposed = graph.transposed(k);
    ex.for_each(transposed.rows.size(),
                add_source_vjps<space, T, Message>{transposed, message, rows, pass.destinations(), gradients, sums});
    if constexpr (has_destinations) {
      auto const shard = graph.shard(k);
      ex.for_each(shard.rows.size(),
                  add_destination_vjps<space, T, Message>{shard,
                                                          message,
                                                          rows,
                                                          pass.destinations(),
                                                          gradients,
                                                          {by_destinations.data(), by_destinations.columns()}});
    }
  };
  auto const sent = [&](std::int64_t k) { return pass.rows().bytes(graph.sent_rows(k).size()); };
  auto const received = [&](std::int64_t k) { return pass.rows().bytes(graph.num_received(k)); };
  auto const failed_step = run_round_trip(
      passes, [&](std::int64_t k) { return step_bytes{.to_previous = sent(k), .from_next = received(k)}; },
      [&](std::int64_t k) { return step_bytes{.to_next = received(k), .from_previous = sent(k)}; },
      [&](std::int64_t k, std::byte* block) { pass.pack_sources(k, block); },
      [&](std::int64_t k, std::byte const* block, std::byte* reply) {
        auto* const sums = reinterpret_cast<T*>(reply);
        pass.rows().clear(sums, graph.num_received(k));
        add(k, pass.sources_in(block), {sums, sources.columns()});
      },
      [&](std::int64_t k, std::byte const* reply) { pass.add_sums(k, reply, by_sources.data()); },
      [&] {
        pass.rows().clear(by_sources.data(), by_sources.rows());
        row_sums<Policy, T>(graph.policy(), destinations.columns())
            .clear(by_destinations.data(), by_destinations.rows());
        add(0, pass.sources(), out);
      });
  pass.agree(failed_step);
}

} // namespace glt::detail
