// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/builder/detail/key_directory.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/detail/exchange/agree.hpp>

namespace glt::detail {

/// Calls use(i, id) for the ids of a list from `first` to before `last`; `name` is the list's in errors.
template <class Use>
void each_id(dist::local_data::id_list const& list, std::int64_t first, std::int64_t last, Use use,
             std::string_view name = "ids") {
  std::array<std::int64_t, 512> block{};
  while (first < last) {
    auto const count = std::min<std::int64_t>(std::ssize(block), last - first);
    list.read(first, std::span(block).first(static_cast<std::size_t>(count)), name);
    for (std::int64_t i = 0; i < count; ++i) {
      use(first + i, block[static_cast<std::size_t>(i)]);
    }
    first += count;
  }
}

/// List of ids, and its name in errors, such as "sources of edges 'cites'".
struct named_ids {
  dist::local_data::id_list const* list;
  std::string name;
};

/// Returns the distinct ids of lists, ascending; `bytes` of ids are sorted at a time.
[[nodiscard]] inline std::vector<std::int64_t> distinct_ids(std::span<named_ids const> lists, std::int64_t bytes) {
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> fresh;
  auto const most = static_cast<std::size_t>(items_of_bytes(bytes, sizeof(std::int64_t)));
  std::int64_t num_ids = 0;
  for (auto const& named : lists) {
    num_ids += named.list->size();
  }
  fresh.reserve(std::min(most, static_cast<std::size_t>(num_ids)));
  for (auto const& named : lists) {
    auto const add = [&](std::int64_t, std::int64_t id) {
      fresh.push_back(id);
      if (fresh.size() == most) {
        merge_distinct(fresh, all);
        fresh.clear();
      }
    };
    each_id(*named.list, 0, named.list->size(), add, named.name);
  }
  merge_distinct(fresh, all);
  return all;
}

/// Returns the distinct ids of lists, ascending, if all ids are in [0, bound).
///
/// @pre    ids are in range; not checked
/// @cost   O(n + bound / 64), and a bit for every possible id
[[nodiscard]] inline std::vector<std::int64_t> distinct_ids_below(std::int64_t bound,
                                                                  std::span<named_ids const> lists) {
  std::vector<std::uint64_t> seen(static_cast<std::size_t>(bound / 64 + 1), 0);
  for (auto const& named : lists) {
    each_id(*named.list, 0, named.list->size(), [&](std::int64_t, std::int64_t id) {
      seen[static_cast<std::size_t>(id / 64)] |= std::uint64_t{1} << (id % 64);
    });
  }
  std::size_t count = 0;
  for (auto const word : seen) {
    count += static_cast<std::size_t>(std::popcount(word));
  }
  std::vector<std::int64_t> all;
  all.reserve(count);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (auto word = seen[i]; word != 0; word &= word - 1) {
      all.push_back(static_cast<std::int64_t>(i) * 64 + std::countr_zero(word));
    }
  }
  return all;
}

/// Table from the ids that a rank knows to their new ids. If there are few gaps between the ids, they are its indices.
class known_ids {
public:
  known_ids() = default;
  /// @shape  ids: ascending · renumbered: as many
  known_ids(std::vector<std::int64_t> ids, buffer<device::cpu, global_id> renumbered)
      : ids_(std::move(ids)), renumbered_(std::move(renumbered)) {
    if (ids_.empty()) {
      return;
    }
    first_ = ids_.front();
    auto const range = static_cast<std::uint64_t>(ids_.back() - first_);
    if (range / 3 * 2 < ids_.size()) {
      buffer<device::cpu, global_id> by_id(static_cast<std::int64_t>(range) + 1);
      for (std::size_t i = 0; i < ids_.size(); ++i) {
        by_id[ids_[i] - first_] = renumbered_[static_cast<std::int64_t>(i)];
      }
      renumbered_ = std::move(by_id);
      ids_ = {};
      return;
    }
    shift_ = std::max(0, static_cast<int>(std::bit_width(range)) - static_cast<int>(std::bit_width(ids_.size())) + 2);
    starts_.resize((range >> shift_) + 2, 0);
    for (auto const id : ids_) {
      ++starts_[bucket(id) + 1];
    }
    for (std::size_t i = 1; i < starts_.size(); ++i) {
      starts_[i] += starts_[i - 1];
    }
  }

  /// @pre    the id is one of the table; not checked
  [[nodiscard]] global_id operator[](std::int64_t id) const noexcept {
    if (ids_.empty()) {
      return renumbered_[id - first_];
    }
    auto const at = bucket(id);
    auto const first = ids_.begin() + starts_[at];
    auto const last = ids_.begin() + starts_[at + 1];
    return renumbered_[std::lower_bound(first, last, id) - ids_.begin()];
  }

private:
  [[nodiscard]] std::size_t bucket(std::int64_t id) const noexcept {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id - first_) >> shift_);
  }

  std::vector<std::int64_t> ids_; // empty if ids are indices
  buffer<device::cpu, global_id> renumbered_;
  std::int64_t first_ = 0;
  std::vector<std::int64_t> starts_; // of ids with equal high bits; about a quarter as many as there are ids
  int shift_ = 0;
};

/// Vertices that ranks know by the ids of a program: their numbers, parts and ids after partitioning. The home of a
/// vertex (see `key_directory`) knows its part.
class vertex_ids {
public:
  using directory_type = key_directory<std::int64_t>;

  /// Finds the vertices: [0, num_vertices), or those in the lists of any rank. `in_order`: the vertices will be divided
  /// into ranges, which needs no table of [0, num_vertices). `of_type` follows ids in errors, and must outlive this.
  ///
  /// @comm   collective; a header exchange, and the exchanges of `key_directory` without num_vertices
  /// @throws collective_error  on every rank, if a rank passes a failure, an id of a rank is below 0 or not below
  ///                           num_vertices, or num_vertices differs or is below 0
  template <communicator Comm>
  vertex_ids(Comm& comm, std::string failure, std::span<named_ids const> lists,
             std::optional<std::int64_t> num_vertices, bool in_order, std::int64_t round_bytes,
             std::string_view of_type)
      : of_type_(of_type), round_bytes_(round_bytes), is_range_(num_vertices.has_value()),
        keeps_ids_(is_range_ && in_order), directory_(directory_type::of_range(0, comm.rank(), comm.size())) {
    attempt(failure, [&] {
      if (is_range_ && *num_vertices < 0) {
        throw precondition_error(
            message("graph of ", *num_vertices, " vertices", of_type, "; the number is 0 or more"));
      }
      std::int64_t largest = -1;
      std::int64_t num_ids = 0;
      for (auto const& named : lists) {
        num_ids += named.list->size();
        auto const check = [&](std::int64_t i, std::int64_t id) {
          largest = std::max(largest, id);
          if (id < 0 || (is_range_ && id >= *num_vertices)) {
            auto const place = message("element ", i, " of the ", named.name, " is vertex id ", id, of_type);
            throw precondition_error(is_range_ ? message(place, ", outside [0, ", *num_vertices,
                                                         "), the vertices of the graph; correct the id or num_vertices")
                                               : message(place, "; ids are 0 or more"));
          }
        };
        each_id(*named.list, 0, named.list->size(), check, named.name);
      }
      if (!keeps_ids_) {
        if (is_range_ || (largest / 8 < round_bytes && largest / 64 <= num_ids)) { // a bit for every possible id
          known_ = distinct_ids_below(is_range_ ? *num_vertices : largest + 1, lists);
        } else {
          known_ = distinct_ids(lists, round_bytes);
        }
      }
    });
    agree(comm, {.what = operation::shuffle, .hop = 20}, failure, num_vertices.value_or(-1), [&](auto own, auto first) {
      return message("says that there are ", own, " vertices", of_type, ", but rank 0 says ", first,
                     " (-1: any ids); say the same on all ranks");
    });
    if (is_range_) {
      directory_ = directory_type::of_range(*num_vertices, comm.rank(), comm.size());
    } else {
      directory_ = directory_type(comm, {}, known_, round_bytes);
    }
  }

  [[nodiscard]] directory_type const& directory() const noexcept { return directory_; }
  [[nodiscard]] std::int64_t num_vertices() const noexcept { return directory_.num_keys(); }
  /// Returns true if the program's ids are the numbers of the vertices.
  [[nodiscard]] bool is_range() const noexcept { return is_range_; }
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] std::int64_t round_bytes() const noexcept { return round_bytes_; }
  /// Returns the text that follows an id in errors: " of type 'paper'", or nothing without types.
  [[nodiscard]] std::string_view of_type() const noexcept { return of_type_; }

  /// Returns the id after partitioning of a vertex of this rank's lists.
  ///
  /// @pre    `renumber` was called, and the id is in these lists; not checked
  [[nodiscard]] global_id operator[](std::int64_t id) const noexcept { return keeps_ids_ ? id : table_[id]; }
  /// Returns the id after partitioning of a vertex of this home.
  [[nodiscard]] global_id renumbered(std::int64_t place) const noexcept { return renumbered_[place]; }

  /// Numbers the vertices part by part as `make_relabelling`, and learns the new ids of this rank's lists. `last`: the
  /// parts are final, and the list of known ids is not needed for others.
  ///
  /// @shape  part_of [directory().size()], in [0, R), not checked
  /// @comm   collective; header exchanges, two exchanges of 8 bytes, and the exchanges of `key_directory::look_up`
  /// @throws collective_error  on every rank, if a rank passes a failure
  template <communicator Comm>
  void renumber(Comm& comm, std::string failure, host_view<local_id const> part_of, bool last) {
    auto const ranks = static_cast<std::size_t>(comm.size());
    std::vector<std::int64_t> counts(ranks, 0);
    std::vector<std::int64_t> of_homes(ranks, 0);
    table_ = {};
    attempt(failure, [&] {
      renumbered_.resize(part_of.size());
      for (auto const part : part_of) {
        ++counts[static_cast<std::size_t>(part)];
      }
    });
    agree(comm, {.what = operation::shuffle, .hop = 21}, failure);
    exchange_sizes(comm, counts, of_homes);
    std::int64_t size = 0; // of this rank's part
    for (auto& count : of_homes) {
      size += std::exchange(count, size);
    }
    exchange_sizes(comm, of_homes, counts); // the vertices of homes before this one in every part
    auto const sizes = exchange_values(comm, {.what = operation::shuffle, .hop = 22}, {}, size);
    failure = failure_of([&] {
      std::vector<global_id> offsets{0};
      for (std::size_t part = 0; part < ranks; ++part) {
        counts[part] += offsets.back();
        offsets.push_back(offsets.back() + sizes[part].value);
      }
      book_ = partition_book(std::move(offsets));
      for (std::int64_t place = 0; place < part_of.size(); ++place) {
        renumbered_[place] = counts[static_cast<std::size_t>(part_of[place])]++;
      }
    });
    auto of_known =
        directory_.look_up(comm, failure, known_, [&](std::int64_t place) { return renumbered_[place]; }, round_bytes_);
    agree(comm, {.what = operation::shuffle, .hop = 23},
          failure_of([&] { table_ = known_ids(last ? std::move(known_) : known_, std::move(of_known)); }));
  }

  /// Frees the memory of the new ids of this rank's lists, which must not be asked for any more.
  void forget_lists() noexcept { table_ = {}; }

  /// Looks up ids after partitioning of any ids; −1 if there is no such vertex.
  ///
  /// @comm   collective; as `key_directory::look_up`
  template <communicator Comm>
  [[nodiscard]] buffer<device::cpu, global_id> look_up(Comm& comm, std::string const& failure,
                                                       std::vector<std::int64_t> const& ids) const {
    return directory_.look_up(comm, failure, ids, [&](std::int64_t place) { return renumbered_[place]; }, round_bytes_);
  }

private:
  std::string_view of_type_;
  std::int64_t round_bytes_;
  bool is_range_;
  bool keeps_ids_;                  // after partitioning
  std::vector<std::int64_t> known_; // in this rank's lists, ascending
  directory_type directory_;
  partition_book book_;
  buffer<device::cpu, global_id> renumbered_; // by place of the home
  known_ids table_;
};

} // namespace glt::detail
