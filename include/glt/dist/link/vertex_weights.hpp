// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/request_reply.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/vertex_directory.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/link/vertex_weights.hpp>

namespace glt::detail {

// Entry that the owner of a vertex sends to the rank that keeps its original id.
struct weight_entry {
  double weight;
  std::int64_t place;
};

template <memory_space Space, class Weight>
struct make_weight_entry {
  array_view<Space, Weight> weights;
  GLT_HOST_DEVICE weight_entry operator()(std::int64_t row, local_id place) const {
    return {static_cast<double>(weights[row]), place};
  }
};

template <memory_space Space>
struct enter_weight {
  array_view<Space, weight_entry const> entries;
  array_view<Space, double> weights;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { weights[entries[i].place] = entries[i].weight; }
};

// Finds the rank whose range contains a number.
template <memory_space Space>
struct rank_of_number {
  book_view<Space> ranges;
  array_view<Space, std::int64_t const> numbers;
  array_view<Space, local_id> ranks;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { ranks[i] = ranges.owner(numbers[i]); }
};

template <memory_space Space>
struct number_in_range {
  book_view<Space> ranges;
  array_view<Space, std::int64_t const> numbers;
  array_view<Space, local_id const> ranks;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i, local_id) const {
    return numbers[i] - ranges.begin(ranks[i]);
  }
};

template <memory_space Space, class Vertex>
struct vertex_of_number {
  vertex_weights_view<Space> table;
  array_view<Space, Vertex const> kept;
  GLT_HOST_DEVICE Vertex operator()(std::int64_t number) const { return kept[table.find(number)]; }
};

} // namespace glt::detail

namespace glt::dist {

/// Table for drawing vertices of a graph in parts in proportion to their weights.
///
/// Every rank holds the sums of its range of original ids, and all ranks know the sums of all ranges. So a number
/// stands for the same vertex as in `glt::vertex_weights`, with any number of ranks and any partition. Concurrent
/// calls: none on one object, since `find` communicates.
///
/// @where  memory of `Policy`
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class vertex_weights {
  static constexpr memory_space space = Policy::space;

public:
  /// Takes a weight for every vertex of the local part. Borrows the directory, which must outlive this object.
  ///
  /// @shape  weights [rows of the part]
  /// @comm   collective; two header exchanges, two reductions and one variable exchange of 16 bytes per vertex
  /// @throws collective_error  on every rank, if a rank does not pass one weight per vertex of its part, a weight is
  ///                           negative, infinite or not a number, there are vertices and all weights are 0, or memory
  ///                           runs out on a rank
  /// @cost   O(V / R) if original ids are spread evenly
  template <class Weight>
  vertex_weights(Comm comm, vertex_directory<Comm, Policy, Vertex> const& directory, array_view<space, Weight> weights,
                 Policy policy = {})
      : directory_(&directory), policy_(policy), begins_(0, policy), ranks_(0, policy), numbers_(comm, policy) {
    detail::call_site const site{.what = detail::operation::make_weights};
    auto const ex = policy_.executor();
    double largest = 0;
    glt::detail::routed_list<Comm, Policy, glt::detail::weight_entry> entries(std::move(comm), policy);
    auto const failure = detail::failure_of([&] {
      if (weights.size() != directory.original().size()) {
        throw precondition_error(glt::detail::message(weights.size(), " weights for ", directory.original().size(),
                                                      " vertices of the part; give one per vertex"));
      }
      largest = detail::largest_weight(policy_, weights, directory.partition().begin(directory.part()));
      entries.route(directory.book(), directory.original(), glt::detail::make_weight_entry<space, Weight>{weights});
    });
    entries.send(site, 0, failure);
    auto& host = numbers_.host();
    host.all_reduce(std::span(&largest, 1), reduction::max);
    std::vector<std::int64_t> totals(static_cast<std::size_t>(host.size()) + 1, 0);
    auto const fault = detail::failure_of([&] {
      if (directory.num_vertices() > 0 && largest == 0) {
        throw precondition_error("all weights are 0; give a vertex that may be drawn a weight above 0");
      }
      buffer<Policy, double> kept(directory.kept().size(), policy_);
      ex.for_each(kept.size(), glt::detail::fill_elements<space, double>{kept.view(), 0});
      ex.for_each(entries.received().size(), glt::detail::enter_weight<space>{entries.received(), kept.view()});
      table_ = glt::vertex_weights<Policy>(std::as_const(kept).view(),
                                           detail::weight_scale(largest, directory.num_vertices()), policy_);
      begins_.resize(static_cast<std::int64_t>(totals.size()));
      totals[static_cast<std::size_t>(host.rank()) + 1] = table_.total();
    });
    detail::agree(host, site, fault);
    host.all_reduce(std::span(totals), reduction::sum);
    std::partial_sum(totals.begin(), totals.end(), totals.begin());
    detail::copy_in(policy_, host_view<std::int64_t const>(totals), begins_.view());
    total_ = totals.back();
    std::vector<global_id> ranks(totals.size());
    std::iota(ranks.begin(), ranks.end(), global_id{0});
    book_of_ranks_ = partition_book(std::move(ranks));
  }

  /// Returns the sum of all weights, as whole numbers.
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

  /// Finds the vertices for which numbers stand; see `vertex_weights_view`.
  ///
  /// Returns false if no rank passed any number.
  ///
  /// @shape  numbers [n] in [0, total()), not checked · vertices [n], written
  /// @comm   collective; one header exchange and, if any rank asks another, two payload exchanges: 8 bytes per number
  ///         out, sizeof(Vertex) back
  bool find(array_view<space, std::int64_t const> numbers, array_view<space, Vertex> vertices,
            detail::call_site site = {.what = detail::operation::look_up}) {
    detail::book_view<space> const ranges(std::as_const(begins_).view());
    auto const failure = detail::failure_of([&] {
      ranks_.clear();
      ranks_.resize(numbers.size());
      auto const ranks = std::as_const(ranks_).view();
      policy_.executor().for_each(numbers.size(), glt::detail::rank_of_number<space>{ranges, numbers, ranks_.view()});
      numbers_.route(book_of_ranks_, ranks, glt::detail::number_in_range<space>{ranges, numbers, ranks});
    });
    bool const any = detail::any_above_zero(numbers_.send(site, numbers.size(), failure));
    numbers_.reply(glt::detail::vertex_of_number<space, Vertex>{table_.view(), directory_->kept()}, vertices);
    return any;
  }

private:
  vertex_directory<Comm, Policy, Vertex> const* directory_;
  Policy policy_;
  glt::vertex_weights<Policy> table_;
  std::int64_t total_ = 0;
  buffer<Policy, std::int64_t> begins_; // [R + 1], the first number of every rank
  partition_book book_of_ranks_;        // part r is rank r alone
  buffer<Policy, local_id> ranks_;      // of the numbers in a look-up
  glt::detail::request_reply<Comm, Policy, std::int64_t, Vertex> numbers_;
};

} // namespace glt::dist
