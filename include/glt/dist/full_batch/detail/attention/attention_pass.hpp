// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>

namespace glt::detail {

template <memory_space Space, class T>
[[nodiscard]] strided_rows<T> strided(matrix_view<Space, T> matrix) {
  return {matrix.data(), matrix.columns()};
}

enum class attention_phase { forward, backward, pushed_backward, all_pushed_backward };

/// Shapes of an attention, on which ranks must agree.
struct attention_shape {
  std::int64_t heads = 0;
  std::int64_t values = 0; // columns of all heads
  std::int64_t keys = 0;
  attention_score score = attention_score::additive;
  std::size_t element_bytes = sizeof(float);
  bool reproducible = false;

  [[nodiscard]] head_columns of_head() const noexcept { return {values / heads, keys / heads}; }
  [[nodiscard]] std::int64_t source_columns() const noexcept { return values + keys; }
  /// Returns the columns of the rows that go to the owners of sources: gradients, queries, maxima, shares, deltas.
  [[nodiscard]] std::int64_t destination_columns() const noexcept { return values + keys + 3 * heads; }
  /// Returns shapes and phase packed into one number.
  [[nodiscard]] std::int64_t packed(attention_phase phase) const noexcept {
    auto const scores = score == attention_score::additive ? 0 : 1;
    auto const doubles = element_bytes == sizeof(double) ? 1 : 0;
    return (((((std::int64_t{reproducible} << 20 | values) << 20 | keys) << 16 | heads) << 1 | scores) << 1 | doubles)
               << 2 |
           static_cast<std::int64_t>(phase);
  }
  [[nodiscard]] static std::string words(std::int64_t packed) {
    constexpr std::array<std::string_view, 4> phases{"forward", "backward", "backward with useful edges pushed",
                                                     "backward with all edges pushed"};
    return message(phases[static_cast<std::size_t>(packed & 3)], packed >> 60 == 0 ? "" : " reproducibly", " to ",
                   packed >> 40 & 0xFFFFF, (packed & 4) == 0 ? " float" : " double", " columns by ",
                   (packed & 8) == 0 ? "sums" : "products", " of ", packed >> 20 & 0xFFFFF, " keys in ",
                   packed >> 4 & 0xFFFF, " heads");
  }
};

/// Calls visit(score, dropout) with the functions that options select.
template <class T, memory_space Space, class Visit>
void visit_attention(attention_options<Space> const& options, attention_shape const& shape, Visit visit) {
  auto const with_score = [&](auto score) {
    if (options.dropout == 0) {
      visit(score, no_dropout{});
    } else {
      visit(score, keyed_dropout<Space>{options.edge_ids, options.dropout_key, options.dropout});
    }
  };
  if (options.score == attention_score::additive) {
    with_score(additive_score<T>{static_cast<T>(options.slope)});
  } else {
    auto const columns = shape.of_head().keys;
    with_score(dot_product_score<T>{static_cast<T>(1 / std::sqrt(static_cast<double>(columns))), columns});
  }
}

/// Checks of an attention pass, and packing of its rows.
template <communicator Comm, device_policy Policy, class T>
class attention_pass {
  static constexpr memory_space space = Policy::space;
  static constexpr auto element_bytes = static_cast<std::int64_t>(sizeof(T));

public:
  attention_pass(dist::sharded_graph<Comm, Policy>& graph, attention_options<space> const& options,
                 attention_rows<space, T const> const& rows)
      : graph_(&graph), options_(options), rows_(rows),
        shape_{options.heads, rows.values.columns(), rows.keys.columns(), options.score,
               sizeof(T),     options.reproducible} {}

  [[nodiscard]] attention_shape const& shape() const noexcept { return shape_; }
  [[nodiscard]] attention_options<space> const& options() const noexcept { return options_; }
  [[nodiscard]] std::int64_t bytes(std::int64_t rows, std::int64_t columns) const {
    return rows * columns * element_bytes;
  }
  [[nodiscard]] attention_sources<T> sources() const { return {strided(rows_.values), strided(rows_.keys)}; }

  /// Checks the arguments of this rank.
  ///
  /// @throws precondition_error  if they do not fit
  void check() const {
    auto const heads = options_.heads;
    constexpr std::int64_t most_columns = 1 << 20;
    if (heads < 1 || heads >= 1 << 16 || shape_.values % heads != 0 || shape_.values >= most_columns ||
        shape_.keys >= most_columns) {
      throw precondition_error(message(heads, " heads of values of ", shape_.values,
                                       " columns; pass 1 head or more, of ", "as many columns each, below 2²⁰"));
    }
    if (shape_.score == attention_score::additive ? shape_.keys != heads
                                                  : shape_.keys == 0 || shape_.keys % heads != 0) {
      throw precondition_error(message("keys of ", shape_.keys, " columns for ", heads,
                                       " heads; pass one number a head for additive scores, one or more for products"));
    }
    check_sources("values", rows_.values, shape_.values);
    check_sources("keys", rows_.keys, shape_.keys);
    check_destinations("queries", rows_.queries, shape_.keys);
    if (!(options_.dropout >= 0 && options_.dropout < 1)) {
      throw precondition_error(message("dropout of ", options_.dropout, "; pass a share in [0, 1)"));
    }
    if (options_.dropout > 0 && options_.edge_ids.size() != graph_->num_edges()) {
      throw precondition_error(message(options_.edge_ids.size(), " ids of ", graph_->num_edges(),
                                       " edges; pass one for each, as dropout depends on them"));
    }
  }

  template <class Element>
  void check_sources(std::string_view name, matrix_view<space, Element> matrix, std::int64_t columns) const {
    check_size(name, matrix.rows(), matrix.columns(), graph_->num_sources(), columns);
  }
  template <class Element>
  void check_destinations(std::string_view name, matrix_view<space, Element> matrix, std::int64_t columns) const {
    check_size(name, matrix.rows(), matrix.columns(), graph_->num_destinations(), columns);
  }

  void agree(std::string const& failure, attention_phase phase) {
    auto const headers =
        exchange_values(graph_->host(), {.what = operation::attend, .step = graph_->passes().next_number()}, failure,
                        shape_.packed(phase));
    check_same(graph_->host(), headers, &call_header::value, [](std::int64_t value, std::int64_t first) {
      return message("attends ", attention_shape::words(value), " while rank 0 attends ", attention_shape::words(first),
                     "; make the same calls on all ranks");
    });
  }

  [[nodiscard]] attention_sources<T> sources_in(std::byte const* block) const {
    auto const* const data = reinterpret_cast<T const*>(block);
    if (data == nullptr) { // no rows
      return {};
    }
    return {{data, shape_.source_columns()}, {data + shape_.values, shape_.source_columns()}};
  }

  void pack_sources(array_view<space, local_id const> rows, std::byte* block) const {
    if (rows.empty()) {
      return;
    }
    auto* const data = reinterpret_cast<T*>(block);
    auto const stride = shape_.source_columns();
    move<false>(rows.size(), listed(strided(rows_.values), rows), {data, stride}, shape_.values);
    move<false>(rows.size(), listed(strided(rows_.keys), rows), {data + shape_.values, stride}, shape_.keys);
  }

  /// Copies or adds from.row(i) to to.row(i) for i in [0, count).
  template <bool Add, class Element>
  void move(std::int64_t count, strided_rows<Element const> from, std::type_identity_t<strided_rows<Element>> to,
            std::int64_t columns) const {
    auto const pieces = sliced_rows::of<Policy>(columns);
    graph_->policy().executor().for_each(pieces.count(count), move_rows<Add, Element>{from, to, pieces, count});
  }

  template <class Element>
  void fill(Element* values, std::int64_t count, std::type_identity_t<Element> value) const {
    graph_->policy().executor().for_each(count, fill_value<Element>{values, value});
  }

  /// Returns the largest magnitude in a matrix, as defined by `magnitude_of`.
  [[nodiscard]] double largest(matrix_view<space, T const> matrix) const {
    return graph_->policy().executor().reduce(matrix.flat().size(), 0.0, magnitude_of<T>{matrix.data()},
                                              larger_magnitude{});
  }

  /// Returns rows by their place in a list.
  template <class Element>
  [[nodiscard]] static strided_rows<Element> listed(strided_rows<Element> all, array_view<space, local_id const> rows) {
    return {all.data, all.stride, rows.data()};
  }

private:
  static void check_size(std::string_view name, std::int64_t rows, std::int64_t columns, std::int64_t vertices,
                         std::int64_t wanted) {
    if (rows != vertices || columns != wanted) {
      throw precondition_error(
          message(name, " [", rows, ", ", columns, "] in an attention; pass [", vertices, ", ", wanted, "]"));
    }
  }

  dist::sharded_graph<Comm, Policy>* graph_;
  attention_options<space> options_;
  attention_rows<space, T const> rows_;
  attention_shape shape_;
};

} // namespace glt::detail
