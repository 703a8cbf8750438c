// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

// Reasons in compiler messages. An overload that only mistaken calls choose is deleted, and the name of the default
// argument of its last template parameter says what to do:
//
//     template <class Range, class Reason = detail::views_do_not_outlive_temporaries>
//     array_view(Range&&) = delete;
//
// So compilers print one line instead of all candidates, and std::is_constructible does not lie.
namespace glt::detail {

struct views_do_not_outlive_temporaries;
struct views_of_different_memories_do_not_convert;
struct views_do_not_drop_const;
struct the_host_does_not_loop_over_memory_of_gpus;
struct numbers_in_braces_are_no_elements;

struct make_csr_takes_the_view_of_the_edges;
struct a_part_is_taken_over_so_move_it;
struct rows_are_taken_over_so_move_them;

struct the_rule_needs_a_query_for_every_seed_such_as_a_time;
struct seeds_are_in_ordinary_memory_and_the_policy_has_another_so_give_the_view_of_make_buffer;
struct seeds_are_an_owner_of_another_memory_or_vertex_type_so_give_a_fitting_view;
struct seeds_on_one_process_are_of_type_local_id;
struct seeds_across_ranks_are_of_type_global_id;
struct the_result_is_of_another_policy_or_vertex_type_and_across_ranks_of_glt_dist;
struct these_are_options_of_another_sampler_such_as_walk_options_for_neighbor_options;
struct the_graph_is_a_part_so_take_the_sampler_of_the_same_name_in_glt_dist;
struct a_sampler_takes_the_view_of_a_graph;
struct the_graph_has_another_memory_or_vertex_type_so_use_copy;
struct the_graph_is_of_another_policy_or_vertex_type_than_the_sampler;
struct a_sampler_across_ranks_takes_a_dist_graph;

struct a_loader_takes_a_recipe_as_second_argument_such_as_neighbor_batches;
struct a_rule_goes_to_the_recipe_and_the_third_argument_is_the_seeds;
struct seeds_of_this_loader_are_vertices_of_one_type_so_give_typed_seeds;
struct seeds_of_this_loader_are_edges_so_give_edge_seeds;
struct seeds_of_this_loader_are_vertices_of_all_ranks_so_give_a_vector_of_global_id;
struct the_features_have_another_element_type_than_the_recipe;
struct batches_with_types_have_no_features_but_tensors_of_a_type;
struct batches_of_walks_have_no_features_so_use_a_feature_collector;

struct servers_and_clients_take_the_role_context_of_the_ranks;
struct a_remote_loader_is_made_by_a_client_of_the_same_communicator;
struct the_options_are_not_those_of_the_recipe_that_the_servers_offer;

struct a_layer_works_on_a_message_graph_such_as_a_block_or_a_sharded_graph;

} // namespace glt::detail

namespace glt {

template <memory_space Space, class T>
class array_view;

namespace detail {
template <class>
inline constexpr bool is_array_view = false;
template <memory_space Space, class T>
inline constexpr bool is_array_view<array_view<Space, T>> = true;

template <class Range, class T>
concept range_of = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                   !is_array_view<std::remove_cvref_t<Range>> &&
                   std::is_convertible_v<std::remove_reference_t<std::ranges::range_reference_t<Range>> (*)[], T (*)[]>;

// Plain constants, which compilers do not explain at length.
template <class Range, memory_space Space, class T>
inline constexpr bool lends = Space == memory_space::host && range_of<Range, T>;
template <class Range, class T>
inline constexpr bool outlives_view =
    std::ranges::borrowed_range<Range> || std::is_const_v<T> || std::is_lvalue_reference_v<Range>;
template <class From, class To>
inline constexpr bool adds_const = !std::is_same_v<From, To> && std::is_convertible_v<From (*)[], To (*)[]>;

/// Start of a loop over a view. Deleted for a host loop over memory that the host cannot reach.
template <class View, class T, memory_space Space>
struct loop_begin {
  [[nodiscard]] constexpr T* begin() const noexcept { return static_cast<View const*>(this)->data(); }
};
template <class View, class T, memory_space Space>
  requires(!host_accessible(Space))
struct loop_begin<View, T, Space> {
  template <class Reason = the_host_does_not_loop_over_memory_of_gpus>
  constexpr T* begin() const = delete;
};
} // namespace detail

/// Borrowed one-dimensional array whose type says where its bytes live.
///
/// Trivially copyable; pass it by value. Views of different spaces do not convert into each other.
///
/// Concurrent calls: members may run concurrently; for the elements, see their owner.
///
/// @shape  [size()]
/// @pre    an index is in [0, size()); not checked
template <memory_space Space, class T>
class array_view : public detail::loop_begin<array_view<Space, T>, T, Space> {
public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  static constexpr memory_space space = Space;

  constexpr array_view() noexcept = default;

  GLT_HOST_DEVICE constexpr array_view(T* data, std::int64_t size) noexcept : data_(data), size_(size) {}
  template <std::integral Number, class Reason = detail::numbers_in_braces_are_no_elements>
  array_view(Number, std::int64_t) = delete; // {0, 5} would be a null pointer to five elements

  /// Borrows any contiguous host range (vector, array, span); a temporary only as const elements.
  template <class Range>
    requires(detail::lends<Range, Space, T> && detail::outlives_view<Range, T>)
  constexpr array_view(Range&& range) noexcept
      : data_(std::ranges::data(range)), size_(static_cast<std::int64_t>(std::ranges::size(range))) {}
  template <class Range, class Reason = detail::views_do_not_outlive_temporaries>
    requires(detail::lends<Range, Space, T> && !detail::outlives_view<Range, T>)
  array_view(Range&&) = delete;

  /// Adds const; never removes it.
  template <class U>
    requires(detail::adds_const<U, T>)
  GLT_HOST_DEVICE constexpr array_view(array_view<Space, U> other) noexcept
      : data_(other.data()), size_(other.size()) {}
  template <class U, class Reason = detail::views_do_not_drop_const>
    requires(detail::adds_const<T, U>)
  array_view(array_view<Space, U>) = delete;
  template <memory_space Other, class U, class Reason = detail::views_of_different_memories_do_not_convert>
    requires(Other != Space)
  array_view(array_view<Other, U>) = delete;

  [[nodiscard]] GLT_HOST_DEVICE constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr T& operator[](std::int64_t i) const noexcept { return data_[i]; }

  /// Returns the `count` elements from `first` on.
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view subview(std::int64_t first, std::int64_t count) const noexcept {
    return {data_ + first, count};
  }

  // `loop_begin` has begin().
  [[nodiscard]] GLT_HOST_DEVICE constexpr T* end() const noexcept { return data_ + size_; }

private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// Borrowed row-major matrix whose type says where its bytes live.
///
/// Concurrent calls: members may run concurrently; for the elements, see their owner.
///
/// @shape  [rows(), columns()], rows contiguous and without gaps
/// @pre    indices are in range; not checked
template <memory_space Space, class T>
class matrix_view {
public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  static constexpr memory_space space = Space;

  constexpr matrix_view() noexcept = default;

  GLT_HOST_DEVICE constexpr matrix_view(T* data, std::int64_t rows, std::int64_t columns) noexcept
      : data_(data), rows_(rows), columns_(columns) {}

  /// Adds const; never removes it.
  template <class U>
    requires(detail::adds_const<U, T>)
  GLT_HOST_DEVICE constexpr matrix_view(matrix_view<Space, U> other) noexcept
      : data_(other.data()), rows_(other.rows()), columns_(other.columns()) {}
  template <class U, class Reason = detail::views_do_not_drop_const>
    requires(detail::adds_const<T, U>)
  matrix_view(matrix_view<Space, U>) = delete;
  template <memory_space Other, class U, class Reason = detail::views_of_different_memories_do_not_convert>
    requires(Other != Space)
  matrix_view(matrix_view<Other, U>) = delete;

  [[nodiscard]] GLT_HOST_DEVICE constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t columns() const noexcept { return columns_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr T& operator()(std::int64_t row, std::int64_t column) const noexcept {
    return data_[row * columns_ + column];
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, T> row(std::int64_t i) const noexcept {
    return {data_ + i * columns_, columns_};
  }
  /// Returns all elements as one array of rows() * columns().
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, T> flat() const noexcept {
    return {data_, rows_ * columns_};
  }

private:
  T* data_ = nullptr;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

/// A view of ordinary host memory; vectors, arrays and spans convert to it.
template <class T>
using host_view = array_view<memory_space::host, T>;

/// A matrix in ordinary host memory.
template <class T>
using host_matrix = matrix_view<memory_space::host, T>;

} // namespace glt
// Standard algorithms return iterators into a temporary view, and adaptors keep it by value.
/// @cond
template <glt::memory_space Space, class T>
inline constexpr bool std::ranges::enable_borrowed_range<glt::array_view<Space, T>> = true;
template <glt::memory_space Space, class T>
inline constexpr bool std::ranges::enable_view<glt::array_view<Space, T>> = true;
/// @endcond
namespace glt::detail {

/// Size that is known only where the work is done. The host may know only an upper bound, by which it makes room and
/// starts work.
///
/// @shape  exact [1], in [0, bound], or empty if the bound is exact
template <memory_space Space>
struct bounded_size {
  std::int64_t bound = 0;
  array_view<Space, std::int64_t const> exact{};

  /// Returns the exact size, for code that can access `Space`.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t operator()() const noexcept {
    return exact.empty() ? bound : exact[0];
  }
};

} // namespace glt::detail
