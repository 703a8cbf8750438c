// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>

#include <initializer_list>

namespace glt::detail {

[[nodiscard]] constexpr std::string_view name_of(dist::aggregator how) noexcept {
  constexpr std::array<std::string_view, 4> names{"sum", "mean", "max", "min"};
  return names[static_cast<std::size_t>(how)];
}

template <memory_space Space, class T>
struct named_matrix {
  std::string_view name;
  shard_side side; // side with a row for each of its vertices
  matrix_view<Space, T const> matrix;
};

/// One pass over all shards of a graph, in either direction.
template <communicator Comm, device_policy Policy>
class aggregate_pass {
  static constexpr memory_space space = Policy::space;

public:
  aggregate_pass(dist::sharded_graph<Comm, Policy>& graph, row_flow flow, std::int64_t columns)
      : graph_(&graph), flow_(flow), columns_(columns) {}

  /// Sends whole shards, whether the graph has a cover or not.
  void avoid_cover() noexcept { may_be_covered_ = false; }

  /// Checks the arguments, reserves memory, and agrees with the other ranks.
  ///
  /// @param  matrices  the combined matrix comes first
  template <class T>
  void begin(dist::aggregation<space, T> const& options, std::initializer_list<named_matrix<space, T>> matrices,
             matrix_view<space, local_id const> chosen) {
    auto const failure = failure_of([&] {
      for (auto const& [name, side, matrix] : matrices) {
        check(name, side, matrix.rows(), matrix.columns());
      }
      if (is_extreme(options.how)) {
        check("chosen", shard_side::destination, chosen.rows(), chosen.columns());
      }
      if (options.heads < 1 || options.heads >= 1 << 16 || columns_ % options.heads != 0) {
        throw precondition_error(message(options.heads, " heads of ", columns_,
                                         " columns; pass 1 head or more, below 2¹⁶, of as many columns each"));
      }
      if (auto const weights = options.edge_weights.size();
          weights != 0 && weights != graph_->num_edges() * options.heads) {
        throw precondition_error(message(weights, " edge weights for ", graph_->num_edges(), " edges and ",
                                         options.heads, " heads; pass one for each head of each edge, or none"));
      }
      is_exact_ = options.reproducible && !is_extreme(options.how);
      is_short_ = options.bfloat16_rows;
      if (is_exact_ && is_short_) {
        throw precondition_error("reproducible sums over rows in bfloat16: which ones are rounded depends on the "
                                 "partition; send them in full");
      }
      bool const pulls = flow_ == row_flow::pull;
      auto const row_bytes = columns_ * (is_short_             ? 2
                                         : is_exact_ && !pulls ? 8
                                                               : static_cast<std::int64_t>(sizeof(T)));
      auto outgoing = pulls ? graph_->most_sent() : graph_->most_received();
      auto incoming = pulls ? graph_->most_received() : graph_->most_sent();
      // ranks without edges have no weights, but may get weights of other ranks
      bool const may_get_weights = graph_->cover() && may_be_covered_ && pulls && !is_exact_ && !is_short_ &&
                                   (!options.edge_weights.empty() || graph_->num_edges() == 0);
      if (may_get_weights) { // weights travel against the rows
        outgoing = incoming = std::max(outgoing, incoming);
        served_weights_ =
            graph_->passes().template scratch<T>(graph_->cover()->num_served_before(graph_->size()) * options.heads);
      }
      graph_->passes().reserve(outgoing * row_bytes, incoming * row_bytes);
      if (is_short_) {
        whole_rows_ = graph_->passes().template scratch<T>(graph_->most_received() * columns_);
      } else if (is_exact_) {
        num_sums_ = (pulls ? graph_->num_destinations() : graph_->num_sources()) * columns_;
        sums_ = graph_->passes().template scratch<std::int64_t>(num_sums_ + columns_);
        find_largest(matrices.begin()->matrix, options);
        check_summable(largest_);
      }
    });
    bool const pushes = flow_ == row_flow::push;
    auto const kind =
        (((columns_ << 2 | static_cast<std::int64_t>(options.how)) << 1 | (sizeof(T) == sizeof(double) ? 1 : 0)) << 3 |
         (is_short_ ? 4 : 0) | (pushes ? 2 : 0) | (options.reproducible ? 1 : 0));
    // ranks without edges have no weights, so that these may differ
    std::int64_t const weighted = graph_->num_edges() == 0 ? 0 : options.edge_weights.empty() ? 1 : 2;
    auto headers =
        exchange_values(graph_->host(), {.what = operation::aggregate, .step = graph_->passes().next_number()}, failure,
                        (kind << 16 | (graph_->cover() ? options.heads : 0)) << 2 | weighted);
    std::int64_t any_weighted = 0;
    for (auto& header : headers) {
      any_weighted |= header.value & 3;
      header.value >>= 2;
    }
    is_weighted_ = any_weighted == 2;
    is_covered_ = graph_->cover() && may_be_covered_ && !is_exact_ && !is_short_ && any_weighted != 3;
    check_same(graph_->host(), headers, &call_header::value, [](std::int64_t value, std::int64_t first) {
      auto const to_string = [](std::int64_t of) {
        auto const heads = of & 0xFFFF;
        auto const v = of >> 16;
        return message((v & 2) != 0 ? "gradients of " : "", v >> 6, (v & 8) != 0 ? " double" : " float", " columns",
                       heads > 0 ? message(" in ", heads, " heads") : std::string(),
                       (v & 4) != 0 ? " in bfloat16 by " : " by ", name_of(static_cast<dist::aggregator>(v >> 4 & 3)),
                       (v & 1) != 0 ? ", reproducibly," : "");
      };
      return message("aggregates ", to_string(value), " while rank 0 aggregates ", to_string(first),
                     "; make the same calls on all ranks");
    });
  }

  /// Returns true if the graph's cover travels.
  [[nodiscard]] bool is_covered() const noexcept { return is_covered_; }
  /// Returns true if edges have weights, on this rank or on others.
  [[nodiscard]] bool is_weighted() const noexcept { return is_weighted_; }
  /// Returns memory for the weights of edges that other ranks push, in a covered pass.
  template <class T>
  [[nodiscard]] T* served_weights() const noexcept {
    return static_cast<T*>(served_weights_);
  }
  /// Returns true if sums are computed in fixed point.
  [[nodiscard]] bool is_exact() const noexcept { return is_exact_; }
  /// Returns the sums of an exact pass, one for each element of its result.
  [[nodiscard]] std::int64_t* sums() noexcept { return sums_; }
  [[nodiscard]] std::int64_t num_sums() const noexcept { return num_sums_; }

  /// Agrees on the fixed-point numbers of an exact pass that has begun; each column is scaled by its largest product.
  ///
  /// @comm   collective; one reduction of 2F doubles
  [[nodiscard]] fixed_columns choose_numbers() {
    auto const degrees = *graph_->known_degrees();
    graph_->host().all_reduce(std::span<double>(largest_), reduction::max);
    auto const width = static_cast<std::size_t>(columns_);
    for (std::size_t c = 0; c < width; ++c) {
      largest_[c] =
          fixed_point::for_sums(largest_[c] * largest_[width + c], flow_ == row_flow::pull ? degrees.in : degrees.out)
              .scale;
    }
    largest_.resize(width); // the scales
    return place_scales(graph_->policy(), largest_, sums_ + num_sums_);
  }

  template <class T>
  void write_exact(T* out, fixed_columns numbers) const {
    glt::detail::write_exact(graph_->policy(), {sums_, columns_}, strided_rows<T>{out, columns_},
                             columns_ == 0 ? 0 : num_sums_ / columns_, columns_, numbers);
  }

  /// Calls `prepare()`, then `use(shard, rows)` for every shard with the rows of x of its sources.
  template <class T, class Prepare, class Use>
  void pull(T const* x, Prepare prepare, Use use) {
    is_short_ ? pull_as<bfloat16>(x, prepare, use) : pull_as<T>(x, prepare, use);
  }

  /// Calls `spread(shard, rows)` for every transposed shard to write the terms of its sources' rows; `out` gets the
  /// sums.
  template <class T, class Spread>
  void push(T* out, Spread spread) {
    is_short_ ? push_as<bfloat16>(out, spread) : push_as<T>(out, spread);
  }

private:
  template <class Wire, class T, class Prepare, class Use>
  void pull_as(T const* x, Prepare& prepare, Use& use) {
    auto const ex = graph_->policy().executor();
    auto const pieces = sliced_rows::of<Policy>(columns_);
    auto const row_bytes = columns_ * static_cast<std::int64_t>(sizeof(Wire));
    graph_->passes().run(
        flow_, [&](std::int64_t k) { return graph_->sent_rows(k).size() * row_bytes; },
        [&](std::int64_t k) { return graph_->num_received(k) * row_bytes; },
        [&](std::int64_t k, std::byte* block) {
          auto const rows = graph_->sent_rows(k);
          ex.for_each(pieces.count(rows.size()),
                      move_rows<false, T, Wire>{
                          {x, columns_, rows.data()}, {reinterpret_cast<Wire*>(block), columns_}, pieces, rows.size()});
        },
        [&](std::int64_t k, std::byte const* block) {
          if constexpr (std::is_same_v<Wire, T>) {
            use(graph_->shard(k), reinterpret_cast<T const*>(block));
          } else {
            auto* const rows = static_cast<T*>(whole_rows_);
            ex.for_each(pieces.count(graph_->num_received(k)),
                        move_rows<false, Wire, T>{{reinterpret_cast<Wire const*>(block), columns_},
                                                  {rows, columns_},
                                                  pieces,
                                                  graph_->num_received(k)});
            use(graph_->shard(k), static_cast<T const*>(rows));
          }
        },
        [&] {
          prepare();
          use(graph_->shard(0), x);
        });
  }

  template <class Wire, class T, class Spread>
  void push_as(T* out, Spread& spread) {
    auto const ex = graph_->policy().executor();
    auto const pieces = sliced_rows::of<Policy>(columns_);
    auto const row_bytes = columns_ * static_cast<std::int64_t>(sizeof(Wire));
    graph_->passes().run(
        flow_, [&](std::int64_t k) { return graph_->num_received(k) * row_bytes; },
        [&](std::int64_t k) { return graph_->sent_rows(k).size() * row_bytes; },
        [&](std::int64_t k, std::byte* block) {
          if constexpr (std::is_same_v<Wire, T>) {
            spread(graph_->transposed(k), reinterpret_cast<T*>(block));
          } else {
            auto* const rows = static_cast<T*>(whole_rows_);
            spread(graph_->transposed(k), rows);
            ex.for_each(
                pieces.count(graph_->num_received(k)),
                move_rows<false, T, Wire>{
                    {rows, columns_}, {reinterpret_cast<Wire*>(block), columns_}, pieces, graph_->num_received(k)});
          }
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const rows = graph_->sent_rows(k);
          ex.for_each(
              pieces.count(rows.size()),
              move_rows<true, Wire, T>{
                  {reinterpret_cast<Wire const*>(block), columns_}, {out, columns_, rows.data()}, pieces, rows.size()});
        },
        [&] { spread(graph_->transposed(0), out); });
  }

  // Finds the largest magnitude of each column, and the largest weight of each column.
  template <class T>
  void find_largest(matrix_view<space, T const> values, dist::aggregation<space, T> const& options) {
    largest_.assign(2 * static_cast<std::size_t>(columns_), graph_->num_edges() == 0 ? 0.0 : 1.0);
    write_column_magnitudes(graph_->policy(), values, largest_.data());
    if (!options.edge_weights.empty()) {
      std::vector<double> of_heads(static_cast<std::size_t>(options.heads));
      matrix_view<space, T const> const weights(options.edge_weights.data(), graph_->num_edges(), options.heads);
      write_column_magnitudes(graph_->policy(), weights, of_heads.data());
      for (std::int64_t c = 0; c < columns_; ++c) {
        largest_[static_cast<std::size_t>(columns_ + c)] =
            of_heads[static_cast<std::size_t>(c / options.head_columns(columns_))];
      }
    }
  }

  void check(std::string_view name, shard_side side, std::int64_t rows, std::int64_t columns) const {
    bool const has_sources = side == shard_side::source;
    auto const wanted = has_sources ? graph_->num_sources() : graph_->num_destinations();
    if (rows != wanted || columns != columns_) {
      throw precondition_error(message(name, " [", rows, ", ", columns, "] in an aggregation of ", columns_,
                                       " columns and ", wanted, has_sources ? " sources" : " destinations", "; pass [",
                                       wanted, ", ", columns_, "]"));
    }
  }

  dist::sharded_graph<Comm, Policy>* graph_;
  row_flow flow_;
  std::int64_t columns_;
  bool is_exact_ = false;
  bool is_short_ = false;
  bool may_be_covered_ = true;
  bool is_covered_ = false;
  bool is_weighted_ = false;
  void* served_weights_ = nullptr;
  std::int64_t* sums_ = nullptr;
  std::int64_t num_sums_ = 0;
  std::vector<double> largest_; // if exact: magnitudes of combined values by column, then of weights
  void* whole_rows_ = nullptr;  // of a shard whose rows travel rounded
};

} // namespace glt::detail
