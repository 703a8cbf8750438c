// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/builder/exchange.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt::detail {

/// Borrowed form of a key: an integer itself, or a view of a text.
template <class Key>
using key_view = std::conditional_t<std::integral<Key>, Key, std::string_view>;

/// Keys that arrived, by sender.
template <class Key>
struct arrived_keys {
  rank_lists<Key> keys;
  [[nodiscard]] std::span<Key const> all() const noexcept { return {keys.items.data(), keys.items.end()}; }
  [[nodiscard]] std::span<std::int64_t const> offsets() const noexcept { return keys.offsets; }
};
template <>
struct arrived_keys<std::string> {
  rank_lists<char> text;
  rank_lists<std::int64_t> lengths;
  std::vector<std::string_view> views;
  [[nodiscard]] std::span<std::string_view const> all() const noexcept { return views; }
  [[nodiscard]] std::span<std::int64_t const> offsets() const noexcept { return lengths.offsets; }
};

/// Sends lists of keys as `exchange_lists`.
template <class Key, communicator Comm>
[[nodiscard]] arrived_keys<Key> exchange_keys(Comm& comm, call_site site, std::string failure,
                                              std::span<key_view<Key> const> keys, std::span<std::int64_t const> counts,
                                              std::int64_t round_bytes) {
  if constexpr (std::integral<Key>) {
    return {exchange_lists(comm, site, failure, host_view<Key const>(keys), counts, round_bytes)};
  } else {
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> sizes;
    std::string text;
    attempt(failure, [&] {
      auto next = keys.begin();
      for (auto const count : counts) {
        auto const before = std::ssize(text);
        for (auto const end = next + count; next != end; ++next) {
          text += *next;
          lengths.push_back(std::ssize(*next));
        }
        sizes.push_back(std::ssize(text) - before);
      }
    });
    arrived_keys<Key> made;
    made.lengths = exchange_lists(comm, site, failure, host_view<std::int64_t const>(lengths), counts, round_bytes);
    failure = failure_of([&] { made.views.reserve(static_cast<std::size_t>(made.lengths.items.size())); });
    made.text = exchange_lists(comm, site, failure, host_view<char const>(text), sizes, round_bytes);
    auto const* next = made.text.items.data();
    for (auto const length : made.lengths.items) {
      made.views.emplace_back(next, static_cast<std::size_t>(length));
      next += length;
    }
    return made;
  }
}

/// Adds keys, which it sorts, to a list of distinct keys in ascending order.
template <class Key, class View>
void merge_distinct(std::vector<View>& added, std::vector<Key>& all) {
  std::ranges::sort(added);
  added.erase(std::ranges::unique(added).begin(), added.end());
  std::vector<Key> merged;
  merged.reserve(all.size() + added.size());
  auto next = all.begin();
  for (auto const& key : added) {
    while (next != all.end() && *next < key) {
      merged.push_back(std::move(*next++));
    }
    if (next == all.end() || *next != key) {
      merged.emplace_back(key);
    }
  }
  std::move(next, all.end(), std::back_inserter(merged));
  all = std::move(merged);
}

/// Distinct keys of all ranks in ascending order, numbered from 0 and spread over the ranks: rank h is the *home* of
/// the keys from `splitters[h − 1]` to before `splitters[h]`. A text is ordered by its bytes.
template <class Key>
class key_directory {
  using view_type = key_view<Key>;

public:
  /// Makes the directory of the integers in [0, n); every rank is the home of an equal share.
  ///
  /// @comm   none
  [[nodiscard]] static key_directory of_range(std::int64_t n, int rank, int ranks)
    requires std::integral<Key>
  {
    key_directory made;
    made.first_.push_back(0);
    for (int home = 0; home < ranks; ++home) {
      made.first_.push_back(first_place(n, ranks, home + 1));
      if (home + 1 < ranks) {
        made.splitters_.push_back(static_cast<Key>(made.first_.back()));
      }
    }
    made.rank_ = static_cast<std::size_t>(rank);
    made.is_range_ = true;
    return made;
  }

  /// Makes the directory of the keys of all ranks.
  ///
  /// @shape  known: the distinct keys of this rank, ascending
  /// @comm   collective; header exchanges, max(R, 64) samples from every rank to all, and every key once in rounds
  /// @throws collective_error  on every rank, if a rank passes a failure
  /// @cost   a rank is the home of at most about twice its share of the keys that all ranks pass
  template <communicator Comm>
  key_directory(Comm& comm, std::string failure, std::span<view_type const> known, std::int64_t round_bytes)
      : rank_(static_cast<std::size_t>(comm.rank())) {
    failure = find_splitters(comm, failure, known, round_bytes);
    rounds_of keys(comm, *this, failure, known, round_bytes);
    for (std::int64_t round = 0; round < keys.num_rounds(); ++round) {
      auto const arrived = keys.send(comm, at(1, round), failure, round);
      failure = failure_of([&] {
        std::vector<view_type> fresh(arrived.all().begin(), arrived.all().end());
        merge_distinct(fresh, own_);
      });
    }
    own_.shrink_to_fit();
    auto const sizes = exchange_values(comm, at(2), failure, std::ssize(own_));
    first_.push_back(0);
    for (auto const& header : sizes) {
      first_.push_back(first_.back() + header.value);
    }
  }

  [[nodiscard]] std::int64_t num_keys() const noexcept { return first_.back(); }
  /// Returns the first number at every home, and the number of all keys.
  ///
  /// @shape  [R + 1]
  [[nodiscard]] std::span<std::int64_t const> first_numbers() const noexcept { return first_; }
  /// Returns the number of the first key at this home.
  [[nodiscard]] std::int64_t first() const noexcept { return first_[rank_]; }
  /// Returns the number of keys at this home.
  [[nodiscard]] std::int64_t size() const noexcept { return first_[rank_ + 1] - first_[rank_]; }

  /// Returns the home of a key, whether the key exists or not.
  [[nodiscard]] int home_of(view_type key) const {
    return static_cast<int>(std::ranges::upper_bound(splitters_, key) - splitters_.begin());
  }
  /// Returns the place of a key at this home; −1 if no rank passed it.
  [[nodiscard]] std::int64_t find(view_type key) const {
    if constexpr (std::integral<Key>) {
      if (is_range_) {
        auto const place = static_cast<std::int64_t>(key) - first();
        return place >= 0 && place < size() ? place : -1;
      }
    }
    auto const found = std::ranges::lower_bound(own_, key);
    return found != own_.end() && *found == key ? found - own_.begin() : -1;
  }
  [[nodiscard]] Key key_at(std::int64_t place) const {
    if constexpr (std::integral<Key>) {
      if (is_range_) {
        return static_cast<Key>(first() + place);
      }
    }
    return own_[static_cast<std::size_t>(place)];
  }

  /// Looks up a value of every key at its home: serve(place) there; −1 if the key does not exist.
  ///
  /// @shape  known: keys of this rank, ascending → [known]
  /// @comm   collective; header exchanges, and every key and 8 bytes back in rounds
  /// @throws collective_error  on every rank, if a rank passes a failure, or `serve` throws on a rank
  template <communicator Comm, class Serve>
  [[nodiscard]] buffer<device::cpu, std::int64_t> look_up(Comm& comm, std::string failure,
                                                          std::span<view_type const> known, Serve serve,
                                                          std::int64_t round_bytes) const {
    buffer<device::cpu, std::int64_t> found;
    attempt(failure, [&] { found.resize(std::ssize(known)); });
    rounds_of keys(comm, *this, failure, known, round_bytes);
    for (std::int64_t round = 0; round < keys.num_rounds(); ++round) {
      auto const arrived = keys.send(comm, at(4, round), {}, round);
      std::vector<std::int64_t> values;
      std::vector<std::int64_t> of_ranks;
      failure = failure_of([&] {
        for (auto const& key : arrived.all()) {
          auto const place = find(key);
          values.push_back(place < 0 ? -1 : serve(place));
        }
        for (std::size_t rank = 0; rank + 1 < arrived.offsets().size(); ++rank) {
          of_ranks.push_back(arrived.offsets()[rank + 1] - arrived.offsets()[rank]);
        }
      });
      auto const back =
          exchange_lists(comm, at(5, round), failure, host_view<std::int64_t const>(values), of_ranks, round_bytes);
      keys.scatter(round, back.items.cview(), found.view());
    }
    return found;
  }

private:
  key_directory() = default;

  static call_site at(std::int32_t hop, std::int64_t step = 0) noexcept {
    return {.what = operation::shuffle, .step = step, .hop = hop};
  }

  // Ascending keys of this rank, cut by home and into rounds, as many on all ranks.
  class rounds_of {
  public:
    template <communicator Comm>
    rounds_of(Comm& comm, key_directory const& directory, std::string failure, std::span<view_type const> known,
              std::int64_t round_bytes)
        : known_(known), round_bytes_(round_bytes) {
      std::int64_t rounds = 0;
      attempt(failure, [&] {
        bounds_.push_back(0);
        for (auto const& splitter : directory.splitters_) {
          bounds_.push_back(std::ranges::lower_bound(known, view_type(splitter)) - known.begin());
        }
        bounds_.push_back(std::ssize(known));
        most_ = items_of_bytes(round_bytes / comm.size(), key_bytes());
        for (std::size_t home = 0; home + 1 < bounds_.size(); ++home) {
          rounds = std::max(rounds, (bounds_[home + 1] - bounds_[home] + most_ - 1) / most_);
        }
      });
      auto const headers = exchange_values(comm, at(6), failure, rounds);
      num_rounds_ = std::ranges::max(headers, {}, &call_header::value).value;
    }

    [[nodiscard]] std::int64_t num_rounds() const noexcept { return num_rounds_; }
    template <communicator Comm>
    [[nodiscard]] arrived_keys<Key> send(Comm& comm, call_site site, std::string failure, std::int64_t number) const {
      std::vector<view_type> keys;
      std::vector<std::int64_t> counts;
      attempt(failure, [&] {
        for (std::size_t home = 0; home + 1 < bounds_.size(); ++home) {
          auto const [first, last] = slice(number, home);
          keys.insert(keys.end(), known_.begin() + first, known_.begin() + last);
          counts.push_back(last - first);
        }
      });
      return exchange_keys<Key>(comm, site, failure, keys, counts, round_bytes_);
    }
    void scatter(std::int64_t number, host_view<std::int64_t const> values, host_view<std::int64_t> out) const {
      auto const* next = values.data();
      for (std::size_t home = 0; home + 1 < bounds_.size(); ++home) {
        auto const [first, last] = slice(number, home);
        std::copy_n(next, last - first, out.data() + first);
        next += last - first;
      }
    }

  private:
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> slice(std::int64_t number, std::size_t home) const {
      auto const first = std::min(bounds_[home] + number * most_, bounds_[home + 1]);
      return {first, std::min(first + most_, bounds_[home + 1])};
    }
    [[nodiscard]] std::int64_t key_bytes() const {
      if constexpr (std::integral<Key>) {
        return sizeof(Key);
      } else {
        std::int64_t bytes = 0;
        for (auto const& key : known_) {
          bytes += std::ssize(key);
        }
        return 16 + bytes / std::max<std::int64_t>(std::ssize(known_), 1);
      }
    }

    std::span<view_type const> known_;
    std::int64_t round_bytes_;
    std::vector<std::int64_t> bounds_; // [R + 1]
    std::int64_t most_ = 1;            // keys for a home in a round
    std::int64_t num_rounds_ = 0;
  };

  // Every rank sends regular samples of its keys to all; splitters divide them. A sample counts as the keys of its rank
  // up to the next sample, so ranks may have any numbers of keys. Returns the failure of this rank.
  template <communicator Comm>
  [[nodiscard]] std::string find_splitters(Comm& comm, std::string failure, std::span<view_type const> known,
                                           std::int64_t round_bytes) {
    auto const ranks = comm.size();
    auto const sizes = exchange_values(comm, at(3), failure, std::ssize(known));
    std::vector<view_type> samples;
    std::vector<std::int64_t> counts;
    failure = failure_of([&] {
      auto const wanted = std::min<std::int64_t>(std::ssize(known), std::max(ranks, 64));
      for (int rank = 0; rank < ranks; ++rank) {
        for (int i = 0; i < wanted; ++i) {
          samples.push_back(
              known[static_cast<std::size_t>(first_place(std::ssize(known), static_cast<int>(wanted), i))]);
        }
        counts.push_back(wanted);
      }
    });
    auto const arrived = exchange_keys<Key>(comm, at(0), failure, samples, counts, round_bytes);
    return failure_of([&] {
      std::vector<std::pair<view_type, std::int64_t>> weighted;
      for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
        auto const first = arrived.offsets()[rank];
        auto const count = static_cast<int>(arrived.offsets()[rank + 1] - first);
        for (int i = 0; i < count; ++i) {
          auto const begin = first_place(sizes[rank].value, count, i);
          weighted.emplace_back(arrived.all()[static_cast<std::size_t>(first + i)],
                                first_place(sizes[rank].value, count, i + 1) - begin);
        }
      }
      std::ranges::sort(weighted);
      std::int64_t before = 0; // keys before the next sample
      auto next = weighted.begin();
      for (int home = 1; home < ranks && !weighted.empty(); ++home) {
        for (; next + 1 != weighted.end() && before < first_place(total_value(sizes), ranks, home); ++next) {
          before += next->second;
        }
        splitters_.emplace_back(next->first);
      }
      splitters_.resize(static_cast<std::size_t>(ranks - 1)); // without any key
    });
  }

  std::vector<Key> splitters_;      // [R − 1], ascending
  std::vector<Key> own_;            // ascending; empty for a range
  std::vector<std::int64_t> first_; // [R + 1]
  std::size_t rank_ = 0;
  bool is_range_ = false;
};

} // namespace glt::detail
