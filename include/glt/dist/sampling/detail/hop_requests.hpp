// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/sampling/detail/type_places.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Numbers vertices of a type among the vertices of all types; a vertex outside its type becomes −1.
template <memory_space Space, class Vertex>
struct join_ids {
  book_view<Space> book;                           // of the type
  array_view<Space, global_id const> first_joined; // [P]
  array_view<Space, Vertex const> vertices;
  global_id* joined;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const part = book.owner(vertices[i]);
    joined[i] = part < book.num_parts() ? first_joined[part] + (vertices[i] - book.begin(part)) : -1;
  }
};

/// Numbering of the vertices of all types together: part by part and, inside a part, type by type.
///
/// So one book and one routed list serve all types; the place of a row in its part gives its type. If there is only one
/// type, its numbers are kept. Vertices whose rows were copied are numbered in one more part, behind the others.
///
/// @where  memory of `Policy`
template <device_policy Policy>
class typed_rows {
public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the tables of the copied vertices.
  ///
  /// @shape  books [T], each of num_parts parts · copied [node types], which repeat for T types; or empty
  /// @pre    there are types and parts, and every book has num_parts parts; not checked
  /// @throws precondition_error  if a part has more vertices of all types than a `local_id` can number
  /// @cost   O(P · T), in time and memory
  typed_rows(std::vector<partition_book> books, int num_parts, Policy policy = {},
             std::span<id_table<device::cpu> const> copied = {})
      : policy_(policy), books_(std::move(books)), copied_(copied), joined_(0, policy) {
    std::vector<global_id> ends{0};
    std::vector<std::vector<global_id>> first_joined(books_.size());
    for (int part = 0; part < num_parts; ++part) {
      first_.push_back(0);
      for (std::size_t t = 0; t < books_.size(); ++t) {
        first_joined[t].push_back(ends.back() + first_.back());
        first_.push_back(first_.back() + books_[t].size(part));
      }
      ends.push_back(ends.back() + first_.back());
    }
    if (has_copies()) {
      first_.push_back(0);
      for (std::size_t t = 0; t < books_.size(); ++t) {
        first_copied_.push_back(ends.back() + first_.back());
        first_.push_back(first_.back() + copied_of(t).size());
      }
      ends.push_back(ends.back() + first_.back());
    }
    book_ = partition_book(std::move(ends));
    for (std::size_t t = 0; t < books_.size(); ++t) {
      offsets_.push_back(make_buffer<Policy>(books_[t].offsets(), policy));
      first_joined_.push_back(make_buffer<Policy>(first_joined[t], policy));
    }
  }

  [[nodiscard]] int num_types() const noexcept { return static_cast<int>(books_.size()); }
  [[nodiscard]] bool has_copies() const noexcept { return !copied_.empty(); }
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }

  /// Returns the first row of every type in a part, and the end of the last type.
  ///
  /// @shape  [T + 1]
  /// @pre    part is in range; not checked
  [[nodiscard]] std::span<std::int64_t const> first_rows(int part) const noexcept {
    return std::span(first_).subspan(static_cast<std::size_t>(part) * (books_.size() + 1), books_.size() + 1);
  }

  /// Joins lists of vertices, type after type; valid until the next call.
  ///
  /// @shape  lists [T] · first_place [T + 1], the place of each type in the result
  /// @where  enqueues only; a vertex outside its type becomes −1, and `check` names it
  template <class Vertex>
  [[nodiscard]] array_view<space, global_id const> join(std::span<array_view<space, Vertex const> const> lists,
                                                        std::span<std::int64_t const> first_place) {
    joined_.clear();
    joined_.resize(first_place.back());
    for (std::size_t t = 0; t < lists.size(); ++t) {
      policy_.executor().for_each(lists[t].size(),
                                  join_ids<space, Vertex>{book_view<space>(std::as_const(offsets_[t]).view()),
                                                          std::as_const(first_joined_[t]).view(), lists[t],
                                                          joined_.data() + first_place[t]});
      if constexpr (host_policy<Policy>) {
        if (has_copies()) {
          number_copies(t, lists[t], joined_.data() + first_place[t]);
        }
      }
    }
    return std::as_const(joined_).view();
  }

  /// @shape  lists [T]
  /// @throws precondition_error  naming the first vertex outside its type
  template <class Vertex>
  void check(std::span<array_view<space, Vertex const> const> lists) const {
    for (std::size_t t = 0; t < lists.size(); ++t) {
      for (auto const vertex : to_vector(policy_, lists[t])) {
        static_cast<void>(books_[t].owner(vertex));
      }
    }
  }

private:
  [[nodiscard]] id_table<device::cpu> const& copied_of(std::size_t type) const noexcept {
    return copied_[type % copied_.size()];
  }
  template <class Vertex>
  void number_copies(std::size_t type, array_view<space, Vertex const> vertices, global_id* joined) const {
    copied_of(type).find_all(
        vertices.size(), [&](std::int64_t i) { return std::int64_t{vertices[i]}; },
        [&](std::int64_t i, std::int64_t row) { joined[i] = row < 0 ? joined[i] : first_copied_[type] + row; });
  }

  Policy policy_;
  std::vector<partition_book> books_;
  std::span<id_table<device::cpu> const> copied_;
  partition_book book_;
  std::vector<std::int64_t> first_;                     // [P, T + 1], with copies [P + 1, T + 1]
  std::vector<global_id> first_copied_;                 // [T], or empty
  std::vector<buffer<Policy, global_id>> offsets_;      // of the books
  std::vector<buffer<Policy, global_id>> first_joined_; // [T], [P]
  buffer<Policy, global_id> joined_;
};

template <memory_space Space, class Query>
struct split_queries {
  array_view<Space, row_with<Query> const> items;
  array_view<Space, local_id> rows;
  array_view<Space, Query> queries;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    rows[i] = items[i].row();
    queries[i] = items[i].value();
  }
};

/// Rows for which requesters want draws.
///
/// @shape  rows [S], by ascending type for every requester · queries [S], or empty if the rule has none
template <memory_space Space, class Query>
struct requested_rows {
  array_view<Space, local_id const> rows;
  array_view<Space, Query const> queries;
};

/// Requests of a hop: the frontiers of all types as one list, routed to the owners of the vertices.
///
/// A vertex travels once, however many relations end at its type: 4 bytes, plus its query if the rule has queries. With
/// host policies, local requests stay separate. Reusable; the memory is kept.
template <communicator Comm, device_policy Policy, class Query>
class hop_requests {
  static constexpr memory_space space = Policy::space;
  static constexpr bool has_queries = !std::is_same_v<Query, no_query>;
  using item = std::conditional_t<has_queries, row_with<Query>, local_id>;
  template <class T>
  using arrived = buffer<message_policy<Policy>, T>;

public:
  using queries_type = array_view<space, Query const>;

  /// True if local requests are not among the received ones.
  static constexpr bool own_apart = host_policy<Policy>;

  hop_requests(Comm comm, Policy policy)
      : policy_(policy), type_places_(policy), joined_queries_(0, policy),
        own_rows_(make_message_buffer<local_id>(policy)), own_queries_(make_message_buffer<Query>(policy)),
        received_rows_(make_message_buffer<local_id>(policy)), received_queries_(make_message_buffer<Query>(policy)),
        routed_(std::move(comm), policy, own_apart ? own_rows::apart : own_rows::received) {}

  /// Sets the partition of every vertex type and the number of batches that draw at once. From now on type t of batch b
  /// is type b · T + t. Needed before the first `route`. Does nothing if the same books were set before for as many
  /// batches, or for more if there are several.
  ///
  /// @shape  books [T], one per node type, of as many parts as there are ranks
  /// @pre    batches >= 1; not checked
  /// @throws precondition_error  if a part has more vertices of all types and batches than a `local_id` can number
  void set_books(std::span<partition_book const> books, std::int64_t batches = 1) {
    bool const enough = batches == 1 ? batches_ == 1 : batches <= batches_;
    if (enough && std::ranges::equal(books, books_)) {
      return;
    }
    check_batches(books, batches);
    batches_ = 0; // until the end of this call
    books_.assign(books.begin(), books.end());
    number_rows(batches);
  }

  /// Keeps requests to vertices with copies here from now on, as requests to one more rank, number R.
  ///
  /// @shape  copied [node types], borrowed; or empty
  /// @pre    books were set, and the policy is of the host; not checked
  void keep_copied(std::span<id_table<device::cpu> const> copied) {
    if (copied_.data() != copied.data() || copied_.size() != copied.size()) {
      copied_ = copied;
      number_rows(std::exchange(batches_, 0));
    }
  }

  [[nodiscard]] int rank() const noexcept { return routed_.rank(); }
  [[nodiscard]] int size() const noexcept { return routed_.size(); }
  /// Returns the number of ranks, and one more if vertices with copies are requested from number R.
  [[nodiscard]] std::size_t num_owners() const noexcept { return static_cast<std::size_t>(types_->book().num_parts()); }
  /// Returns the communicator for the replies.
  [[nodiscard]] auto& comm() noexcept { return routed_.exchange().comm(); }
  /// Returns the first row of every type in the local part, and the end of the last type.
  [[nodiscard]] std::span<std::int64_t const> first_rows() const noexcept { return first_rows_of(rank()); }
  [[nodiscard]] std::span<std::int64_t const> first_rows_of(int part) const noexcept {
    return types_->first_rows(part);
  }

  /// Keeps requests to these ranks here from now on: routed, but not sent.
  void keep(std::span<char const> is_kept) { routed_.keep(is_kept); }

  /// Sorts the frontiers by owner, type after type.
  ///
  /// @shape  frontiers [T], or the frontiers of fewer batches · queries likewise, each as long as its frontier, or
  ///         empty if the rule has none
  /// @throws precondition_error  if a frontier has a vertex outside its type
  template <class Vertex>
  void route(std::span<array_view<space, Vertex const> const> frontiers, std::span<queries_type const> queries) {
    first_place_.assign(1, 0);
    for (auto const& frontier : frontiers) {
      first_place_.push_back(first_place_.back() + frontier.size());
    }
    if (types_->num_types() == 1 && !types_->has_copies()) {
      route_list(frontiers[0], queries);
    } else {
      try {
        route_list(types_->join(frontiers, std::span<std::int64_t const>(first_place_)), queries);
      } catch (precondition_error const&) {
        types_->check(frontiers); // throws
        throw;
      }
    }
    type_places_.find(routed_.places().data(), routed_.offsets(), first_place_);
  }

  /// Agrees with the other ranks on this call, then starts to send.
  ///
  /// @comm   collective; one header exchange and, if any rank sends requests, one variable exchange
  /// @throws collective_error  on every rank, if a rank reports a failure, makes another call, or has another `value`
  void start(call_site site, std::int64_t value) {
    check_same(routed_.exchange().host(), routed_.agree(site, value), &call_header::value, [](auto, auto) {
      return "calls with another key than rank 0, or for another number of batches; pass the same seed, "
             "epoch and step "
             "on all ranks";
    });
    routed_.start();
  }
  /// Reports a failure in `start`; never returns.
  [[noreturn]] void refuse(call_site site, std::string const& failure) { routed_.refuse(site, failure); }
  /// Waits until all requests have arrived.
  void finish() {
    routed_.finish();
    if constexpr (has_queries) {
      committed(routed_.exchange().host(), [&] { // other ranks wait for replies
        split(routed_.received(), received_rows_, received_queries_);
      });
    }
  }

  /// Returns true if any rank asks any other; the same on all ranks.
  [[nodiscard]] bool anything() const noexcept { return routed_.anything(); }

  /// Returns the rows requested from a rank, also from this rank and from ranks whose requests are kept here.
  [[nodiscard]] array_view<space, local_id const> rows_of(std::size_t rank) const {
    auto const offsets = routed_.offsets();
    return routed_.rows().subview(offsets[rank], offsets[rank + 1] - offsets[rank]);
  }
  /// Returns the requests to this rank, or to a rank whose requests are kept here; valid until the next call.
  [[nodiscard]] requested_rows<space, Query> here(std::size_t rank) {
    if constexpr (has_queries) {
      auto const offsets = routed_.offsets();
      split(routed_.items().subview(offsets[rank], offsets[rank + 1] - offsets[rank]), own_rows_, own_queries_);
      return {own_rows_.view(), own_queries_.view()};
    } else {
      return {rows_of(rank), {}};
    }
  }
  /// Returns the requests of other ranks, by requester; unless `own_apart`, local requests are at this rank's place.
  [[nodiscard]] requested_rows<space, Query> received() const {
    if constexpr (has_queries) {
      return {received_rows_.view(), received_queries_.view()};
    } else {
      return {routed_.received(), {}};
    }
  }
  /// @shape  received_counts [R] · received_offsets [R + 1]
  [[nodiscard]] std::span<std::int64_t const> received_counts() const noexcept { return routed_.received_counts(); }
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept { return routed_.received_offsets(); }

  /// Returns the number of vertices requested from each rank, this rank included; 0 for kept requests.
  ///
  /// @shape  [R]
  [[nodiscard]] std::span<std::int64_t const> counts() const noexcept { return routed_.counts(); }
  /// Returns the places of the rows of a type that are requested from a rank, this rank included.
  [[nodiscard]] frontier_places places_of(std::size_t rank, std::size_t type) const {
    return type_places_.of(rank, type);
  }

private:
  void check_batches(std::span<partition_book const> books, std::int64_t batches) const {
    constexpr std::int64_t most_rows = std::numeric_limits<local_id>::max();
    for (int part = 0; batches > 1 && part < size(); ++part) {
      std::int64_t rows = 0;
      for (auto const& book : books) {
        rows += book.size(part);
      }
      if (rows > most_rows / batches) {
        throw precondition_error(message(batches, " batches at once over part ", part, " of ", rows,
                                         " vertices; the numbers of requests suffice for ", most_rows / rows,
                                         " batches, or make more parts"));
      }
    }
  }

  void number_rows(std::int64_t batches) {
    std::vector<partition_book> of_all;
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      of_all.insert(of_all.end(), books_.begin(), books_.end());
    }
    types_.emplace(std::move(of_all), routed_.size(), policy_, copied_);
    batches_ = batches;
  }

  template <class Vertex>
  void route_list(array_view<space, Vertex const> list, [[maybe_unused]] std::span<queries_type const> queries) {
    if constexpr (has_queries) {
      routed_.route(types_->book(), list, make_row_with<space, Query>{joined(queries)});
    } else {
      routed_.route(types_->book(), list);
    }
  }

  [[nodiscard]] queries_type joined(std::span<queries_type const> queries) {
    if (queries.size() == 1) {
      return queries[0];
    }
    joined_queries_.clear();
    joined_queries_.resize(first_place_.back());
    for (std::size_t t = 0; t < queries.size(); ++t) {
      if (!queries[t].empty()) {
        policy_.resource().copy(joined_queries_.data() + first_place_[t], queries[t].data(),
                                static_cast<std::size_t>(queries[t].size()) * sizeof(Query));
      }
    }
    return std::as_const(joined_queries_).view();
  }

  void split(array_view<space, item const> items, arrived<local_id>& rows, arrived<Query>& queries) {
    rows.clear();
    rows.resize(items.size());
    queries.clear();
    queries.resize(items.size());
    policy_.executor().for_each(items.size(), split_queries<space, Query>{items, rows.view(), queries.view()});
  }

  Policy policy_;
  std::vector<partition_book> books_; // by node type
  std::span<id_table<device::cpu> const> copied_;
  std::int64_t batches_ = 0; // for which types_ has room
  std::optional<typed_rows<Policy>> types_;
  std::vector<std::int64_t> first_place_; // [T + 1], first place of every type in the routed list
  type_places<Policy> type_places_;
  buffer<Policy, Query> joined_queries_;
  arrived<local_id> own_rows_; // these four are used only with queries
  arrived<Query> own_queries_;
  arrived<local_id> received_rows_; // by requester
  arrived<Query> received_queries_;
  routed_list<Comm, Policy, item> routed_; // last: completed before the memory goes
};

} // namespace glt::detail
