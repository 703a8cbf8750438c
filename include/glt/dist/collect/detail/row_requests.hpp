// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/dist/shared/near_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// `requests` for rows that this rank may have itself: vertices whose rows it reads in place, or that are among its
/// hot rows, are not asked for.
///
/// All places are those of the whole list.
template <communicator Comm>
class row_requests {
public:
  explicit row_requests(Comm comm) : requests_(std::move(comm)) {}

  /// Reads the rows of near parts in place from now on, its own included.
  void set_near(near_rows near) { near_ = std::move(near); }

  /// As `requests::route`, without what is near or found in `hot`, if that is given: the first `num_never_hot`
  /// vertices are not looked up there.
  ///
  /// @throws precondition_error  if a vertex is not in [0, book.num_vertices())
  template <memory_space Space, class Vertex, device_policy Policy>
    requires(host_accessible(Space))
  void route(partition_book const& book, array_view<Space, Vertex const> vertices, std::int64_t num_marked,
             detail::id_table<Policy> const* hot, std::int64_t num_never_hot = 0) {
    num_never_hot_ = num_never_hot;
    cached_.clear();
    cached_places_.clear();
    own_places_.clear();
    asked_places_.clear();
    bool const is_cached = hot != nullptr && hot->size() > 0;
    translated_ = near_.any() || is_cached;
    if (!translated_) {
      requests_.route(book, vertices, num_marked);
      return;
    }
    rest_.clear();
    rest_places_.clear();
    if (near_.any()) {
      near_.divide(book, vertices);
      if (is_cached) {
        take_cached(host_view<global_id const>(near_.rest()), near_.rest_places(), *hot, 0, 0);
      } else {
        rest_.assign(near_.rest().begin(), near_.rest().end());
        rest_places_.assign(near_.rest_places().begin(), near_.rest_places().end());
      }
    } else {
      take_cached(vertices, {}, *hot, book.begin(comm().rank()), book.end(comm().rank()));
    }
    std::int64_t marked = 0;
    while (marked < std::ssize(rest_places_) && rest_places_[static_cast<std::size_t>(marked)] < num_marked) {
      ++marked;
    }
    requests_.route(book, host_view<global_id const>(rest_), marked);
    translate(requests_.own_places(), own_places_);
    translate(requests_.asked_places(), asked_places_);
  }

  void start(call_site site, std::int64_t value, std::string const& failure) { requests_.start(site, value, failure); }
  void refuse(call_site site, std::string const& failure) { requests_.refuse(site, failure); }
  void finish() { requests_.finish(); }

  /// Rows that are read in place; none if no other rank is near.
  [[nodiscard]] near_rows const& near() const noexcept { return near_; }
  /// Rows of this rank, in list order, and their places; none if they are among the near ones.
  [[nodiscard]] std::span<local_id const> own() const noexcept { return requests_.own(); }
  [[nodiscard]] std::span<std::int64_t const> own_places() const noexcept {
    return translated_ ? std::span<std::int64_t const>(own_places_) : requests_.own_places();
  }
  /// Hot rows, in list order, and their places.
  [[nodiscard]] std::span<local_id const> cached() const noexcept { return cached_; }
  [[nodiscard]] std::span<std::int64_t const> cached_places() const noexcept { return cached_places_; }

  /// Adds where the rows of this call come from.
  void count(collected_counts& sums) {
    for (std::size_t part = 0; part < near_.num_parts(); ++part) {
      bool const is_own = static_cast<int>(part) == comm().rank();
      (is_own ? sums.own : sums.in_place) += std::ssize(near_.rows_of(part));
    }
    sums.own += std::ssize(own());
    sums.cached += std::ssize(cached_);
    sums.remote += std::ssize(asked());
  }

  [[nodiscard]] std::int64_t largest_asked() const noexcept { return requests_.largest_asked(); }
  [[nodiscard]] std::span<wire_row const> asked() const noexcept { return requests_.asked(); }
  [[nodiscard]] std::span<std::int64_t const> asked_counts() const noexcept { return requests_.asked_counts(); }
  [[nodiscard]] std::span<std::int64_t const> received_counts() const noexcept { return requests_.received_counts(); }
  [[nodiscard]] std::span<wire_row const> asked_of(std::size_t rank) const { return requests_.asked_of(rank); }
  [[nodiscard]] std::span<wire_row const> received_of(std::size_t rank) const { return requests_.received_of(rank); }
  [[nodiscard]] std::span<std::int64_t const> asked_places_of(std::size_t rank) const {
    if (!translated_) {
      return requests_.asked_places_of(rank);
    }
    return std::span<std::int64_t const>(asked_places_)
        .subspan(static_cast<std::size_t>(requests_.asked_offsets()[rank]), requests_.asked_of(rank).size());
  }

  [[nodiscard]] Comm& comm() noexcept { return requests_.comm(); }

private:
  // Divides a list into hot rows and the rest; vertices in [first_own, last_own) are not looked up. `places` are those
  // of the list, if they are not 0, 1, 2, …
  template <class Vertices, class Hot>
  void take_cached(Vertices vertices, std::span<std::int64_t const> places, Hot const& hot, global_id first_own,
                   global_id last_own) {
    hot.find_all(
        vertices.size(), [&](std::int64_t i) { return global_id{vertices[i]}; },
        [&](std::int64_t i, std::int64_t row) {
          bool const is_own = vertices[i] >= first_own && vertices[i] < last_own;
          auto const place = places.empty() ? i : places[static_cast<std::size_t>(i)];
          if (row >= 0 && !is_own && place >= num_never_hot_) {
            cached_.push_back(static_cast<local_id>(row));
            cached_places_.push_back(place);
          } else {
            rest_.push_back(vertices[i]);
            rest_places_.push_back(place);
          }
        });
  }

  void translate(std::span<std::int64_t const> places, std::vector<std::int64_t>& whole) const {
    whole.reserve(places.size());
    for (auto const place : places) {
      whole.push_back(rest_places_[static_cast<std::size_t>(place)]);
    }
  }

  requests<Comm> requests_;
  std::int64_t num_never_hot_ = 0;
  bool translated_ = false;                // places are not those of `requests_`
  near_rows near_;
  std::vector<global_id> rest_;            // what is neither near nor cached
  std::vector<std::int64_t> rest_places_;  // of `rest_` in the list
  std::vector<local_id> cached_;
  std::vector<std::int64_t> cached_places_;
  std::vector<std::int64_t> own_places_;
  std::vector<std::int64_t> asked_places_;
};

} // namespace glt::dist
