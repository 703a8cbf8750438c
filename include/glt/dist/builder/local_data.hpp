// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/shared/reading.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/graph/convert.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

struct ids_are_integers; // reasons, as in <glt/core/view.hpp>
struct elements_of_rows_are_numbers_of_an_element_type;

} // namespace glt::detail

namespace glt::dist {

/// Borrowed data of a graph that a rank of a program holds. Any edge and any vertex may lie on any rank, and ranks may
/// hold nothing. Ids are the program's: any numbers from 0 to 2⁶³ − 1, with gaps or without; `numbered_keys` numbers
/// larger ones and texts.
///
/// A graph without types has `edges`, `rows` and `splits`. A graph with types has `node_types` and `edge_types`
/// instead, the same on all ranks and in the same order; ids count within a type, and a rank leaves lists that it lacks
/// empty:
///
///     {.node_types = {{.name = "paper", .rows = {.vertices = papers, .tensors = {{"x", x}}}}, {.name = "author"}},
///      .edge_types = {{"author", "writes", "paper", {.sources = authors, .destinations = written}}}}
struct local_data {
  /// Borrowed list of ids: integers of any type.
  class id_list {
  public:
    id_list() = default;
    /// Borrows a contiguous range, such as a vector, a span or a view.
    template <std::ranges::contiguous_range Range>
      requires(std::integral<std::ranges::range_value_t<Range>> && std::ranges::borrowed_range<Range>)
    id_list(Range&& range)
        : data_(std::ranges::data(range)), size_(static_cast<std::int64_t>(std::ranges::size(range))),
          read_(&read_as<std::ranges::range_value_t<Range>>) {}
    template <std::ranges::contiguous_range Range, class Reason = detail::ids_are_integers>
      requires(!std::integral<std::ranges::range_value_t<Range>>)
    id_list(Range&&) = delete;
    template <std::ranges::contiguous_range Range, class Reason = detail::views_do_not_outlive_temporaries>
      requires(std::integral<std::ranges::range_value_t<Range>> && !std::ranges::borrowed_range<Range>)
    id_list(Range&&) = delete;

    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// Copies the ids from `first` on.
    ///
    /// @throws precondition_error  if an id does not fit 63 bits; `name` is the list's in the text
    void read(std::int64_t first, std::span<std::int64_t> out, std::string_view name = "ids") const {
      if (!out.empty()) {
        read_(data_, first, out, name);
      }
    }

  private:
    template <class T>
    static void read_as(void const* data, std::int64_t first, std::span<std::int64_t> out, std::string_view name) {
      auto const* const ids = static_cast<T const*>(data);
      for (auto& id : out) {
        if (!std::in_range<std::int64_t>(ids[first])) {
          throw precondition_error(
              detail::message("element ", first, " of the ", name, " is id ", ids[first],
                              ", but ids are below 2^63; number them by dist::numbered_keys first"));
        }
        id = static_cast<std::int64_t>(ids[first++]);
      }
    }

    void const* data_ = nullptr;
    std::int64_t size_ = 0;
    void (*read_)(void const*, std::int64_t, std::span<std::int64_t>, std::string_view) = nullptr;
  };

  /// Borrowed rows of a tensor of any element type; there may be gaps between them.
  class row_list {
  public:
    row_list() = default;
    /// Borrows rows of `columns` elements, each `stride` elements after the one before.
    template <detail::element T>
    row_list(T const* data, std::int64_t rows, std::int64_t columns, std::int64_t stride)
        : data_(reinterpret_cast<std::byte const*>(data)), rows_(rows), columns_(columns),
          stride_(stride * static_cast<std::int64_t>(sizeof(T))), type_(detail::element_type_of<T>) {}
    /// Borrows a matrix.
    template <class T>
      requires(detail::element<std::remove_const_t<T>>)
    row_list(host_matrix<T> matrix) : row_list(matrix.data(), matrix.rows(), matrix.columns(), matrix.columns()) {}
    /// Borrows a contiguous range of one element a row.
    template <std::ranges::contiguous_range Range>
      requires(detail::element<std::ranges::range_value_t<Range>> && std::ranges::borrowed_range<Range>)
    row_list(Range&& range)
        : row_list(std::ranges::data(range), static_cast<std::int64_t>(std::ranges::size(range)), 1, 1) {}
    template <std::ranges::contiguous_range Range,
              class Reason = detail::elements_of_rows_are_numbers_of_an_element_type>
      requires(!detail::element<std::ranges::range_value_t<Range>>)
    row_list(Range&&) = delete;
    template <std::ranges::contiguous_range Range, class Reason = detail::views_do_not_outlive_temporaries>
      requires(detail::element<std::ranges::range_value_t<Range>> && !std::ranges::borrowed_range<Range>)
    row_list(Range&&) = delete;

    [[nodiscard]] element_type type() const noexcept { return type_; }
    [[nodiscard]] std::int64_t size() const noexcept { return rows_; }
    [[nodiscard]] std::int64_t num_columns() const noexcept { return columns_; }
    /// Returns the address of a row; @pre it is in [0, size()), not checked.
    [[nodiscard]] std::byte const* row(std::int64_t i) const noexcept { return data_ + i * stride_; }

  private:
    std::byte const* data_ = nullptr;
    std::int64_t rows_ = 0;
    std::int64_t columns_ = 0;
    std::int64_t stride_ = 0; // in bytes
    element_type type_ = element_type::float32;
  };

  /// Borrowed tensor of some vertices or edges.
  struct tensor {
    std::string name;
    row_list rows; ///< one per listed vertex or edge
  };

  /// Edges that a rank holds, in any order; edge i goes from sources[i] to destinations[i].
  ///
  /// @shape  sources, destinations [n] · ids, weights, times [n] or empty · tensors of n rows
  struct edge_list {
    id_list sources{};
    id_list destinations{};
    id_list ids{}; ///< distinct over all ranks; if empty, the edges of all ranks are counted in the order of the ranks
    host_view<float const> weights{};
    host_view<std::int64_t const> times{};
    std::vector<tensor> tensors{};
  };

  /// Rows of vertices that a rank holds, of whatever vertices.
  ///
  /// @shape  vertices [n], each vertex on one rank and once · times [n] or empty · tensors of n rows
  struct vertex_list {
    id_list vertices{};
    std::vector<tensor> tensors{}; ///< "x" is the matrix of features, "y" are the labels
    host_view<std::int64_t const> times{};
  };

  /// Share of a rank in a named list of vertices, such as the seeds of a training; each vertex on one rank and once.
  struct split {
    std::string name;
    id_list vertices{};
  };

  /// Vertices of one type.
  struct node_type {
    std::string name;
    vertex_list rows{};
    std::vector<split> splits{};
    std::optional<std::int64_t> num_vertices{}; ///< as `options::num_vertices`, for this type
  };

  /// Edges of one type.
  struct edge_type {
    std::string source; ///< node type of the sources
    std::string name;
    std::string destination; ///< node type of the destinations
    edge_list edges{};
  };

  /// Options of `make_data_set`.
  struct options {
    /// Treatment of several edges from one vertex to another.
    enum class duplicate_edges {
      keep, ///< parallel edges
      merge ///< keep the edge with the smallest id, with its values
    };

    /// Ids are 0 to num_vertices − 1, and all these vertices exist. Otherwise the vertices are those that an edge or a
    /// row names, numbered in ascending order; the tensor "id" of the vertices then has the program's ids. With types,
    /// give `node_type::num_vertices` instead.
    std::optional<std::int64_t> num_vertices{};
    /// Add the reverse of every edge that is no self-loop, with its values; see `symmetrize`. Reverses of edges between
    /// two node types are an edge type of their own, "rev_" and the name, behind the others and with the same ids.
    bool symmetric = false;
    duplicate_edges duplicates = duplicate_edges::keep;
    self_loop_handling self_loops = self_loop_handling::keep;
    /// Elements of vertices without a row, a number that all tensors can hold; if empty, such a vertex is an error.
    std::optional<double> missing{};
    std::int64_t round_bytes = std::int64_t{64} << 20; ///< bytes that a rank keeps to send in one message round, about
    dist::reading reading = dist::reading::in_place;   ///< how ranks of one machine read each other's parts
    dist::topology topology = dist::topology::divided; ///< where the graph lies
  };

  /// Parts that a program assigns: the parts of some vertices on every rank, each vertex on one rank and once. With
  /// several node types, the method is a vector of these, one per node type in their order.
  ///
  /// @shape  vertices [n] · parts [n], in [0, R)
  struct given_parts {
    id_list vertices{};
    host_view<local_id const> parts{};
  };

  edge_list edges{};
  vertex_list rows{};
  std::vector<split> splits{};
  std::vector<node_type> node_types{};
  std::vector<edge_type> edge_types{};
};

} // namespace glt::dist
