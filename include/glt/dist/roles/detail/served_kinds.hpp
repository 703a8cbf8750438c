// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/roles/detail/served_stream.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>
#include <glt/sample/options.hpp>

#include <typeinfo>

namespace glt::detail {

/// The next batches of a stream that one server makes in a joint sweep: `count` batches from `first` on. `place` is the
/// index of the first among the batches of all servers.
struct stream_batches {
  served_stream* stream = nullptr;
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::size_t place = 0;
};

/// Batches of one kind: streams of all clients that request this kind share its samplers and collectors.
class served_kind {
public:
  served_kind() = default;
  served_kind(served_kind const&) = delete;
  served_kind& operator=(served_kind const&) = delete;
  virtual ~served_kind() = default;

  /// Opens a stream of a client; the rest of its message are the seeds.
  ///
  /// @throws precondition_error  if seeds or options are wrong
  [[nodiscard]] virtual std::unique_ptr<served_stream> open(int client, open_message const& wanted,
                                                            unpacker& seeds) = 0;
  /// Makes the batches in `own`, and takes part in the sampling for the batches of other servers.
  ///
  /// @comm   collective over the servers, with the same keys
  virtual void make(std::span<sample_key const> keys, stream_batches const& own) = 0;
};

/// Offer of a server: makes a kind of batches with the options that a client passes.
template <communicator Comm>
struct served_offer {
  std::string name;
  std::string batch_name;
  std::function<std::string(unpacker& from)> read_options; ///< reads the options of a message and packs them separately
  /// Collective over the servers; fails on every server if the options are wrong.
  std::function<std::unique_ptr<served_kind>(Comm comm, std::string const& options)> make_kind;
};

template <communicator Comm, class Recipe>
class recipe_kind final : public served_kind {
  using policy_type = typename Recipe::policy_type;
  using maker_type = typename Recipe::template maker<Comm, policy_type>;
  using seeds_type = typename Recipe::seeds_type;

public:
  using batch_type = typename maker_type::batch_type;
  /// Lets a maker read rows of other servers in place.
  using sharing = std::function<void(maker_type&)>;

  recipe_kind(Comm comm, Recipe const& recipe, sharing const& share) : maker_(std::move(comm), recipe, policy_type()) {
    share(maker_);
  }

  [[nodiscard]] std::unique_ptr<served_stream> open(int client, open_message const& wanted, unpacker& from) override {
    seeds_type seeds;
    from.get(seeds);
    maker_.check(seeds);
    return std::make_unique<stream>(client, wanted, std::move(seeds));
  }
  void make(std::span<sample_key const> keys, stream_batches const& own) override {
    joined_.resize(std::max(joined_.size(), keys.size()));
    requests_.clear();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      requests_.push_back({&no_seeds_, keys[i], &joined_[i]});
    }
    for (std::int64_t i = 0; i < own.count; ++i) {
      auto const at = own.place + static_cast<std::size_t>(i);
      requests_[at] = static_cast<stream*>(own.stream)->request(own.first + i);
    }
    make_batches(maker_, std::span(std::as_const(requests_)));
  }

private:
  using request_type = batch_request<seeds_type, batch_type>;

  struct stream final : served_stream {
    stream(int client, open_message const& wanted, seeds_type given)
        : served_stream(client, wanted, given), seeds(std::move(given)), batch_seeds(static_cast<std::size_t>(bulk())),
          made(static_cast<std::size_t>(bulk())) {}
    // The i-th of the next batches.
    [[nodiscard]] request_type request(std::int64_t i) {
      auto const at = static_cast<std::size_t>(i);
      seeds.gather(places(i), batch_seeds[at]);
      made[at].positions.assign(places(i).begin(), places(i).end());
      return {&batch_seeds[at], key(i), &made[at]};
    }
    [[nodiscard]] batch_type const& next() const { return made[static_cast<std::size_t>(num_sent())]; }
    [[nodiscard]] std::int64_t message_bytes(batch_message const& head) const override {
      return static_cast<std::int64_t>(packed_size(head, next()));
    }
    void write_message(batch_message const& head, std::byte* block) const override {
      packer(block).add(head).add(next());
    }

    seeds_type seeds;
    std::vector<seeds_type> batch_seeds; // [bulk]
    std::vector<batch_type> made;        // [bulk]
  };

  maker_type maker_;
  seeds_type no_seeds_;
  std::vector<batch_type> joined_; // batches of other servers, empty here
  std::vector<request_type> requests_;
};

/// Makes the offer of the kinds of a recipe.
template <communicator Comm, class Recipe>
[[nodiscard]] served_offer<Comm> recipe_offer(std::string name, Recipe recipe,
                                              typename recipe_kind<Comm, Recipe>::sharing share) {
  using kind = recipe_kind<Comm, Recipe>;
  using options_type = typename Recipe::options_type;
  auto const read_options = [](unpacker& from) {
    options_type options{};
    from.get(options);
    std::string packed(packed_size(options), '\0');
    packer(reinterpret_cast<std::byte*>(packed.data())).add(options);
    return packed;
  };
  auto make_kind = [recipe = std::move(recipe), share = std::move(share)](Comm comm, std::string const& packed) {
    options_type options{};
    unpacker({reinterpret_cast<std::byte const*>(packed.data()), packed.size()}, nullptr).get(options);
    auto with_options = recipe;
    return std::make_unique<kind>(std::move(comm), with_options.with(std::move(options)), share);
  };
  return {std::move(name), typeid(typename kind::batch_type).name(), read_options, std::move(make_kind)};
}

/// Offers of a server, the kinds of batches that clients have requested, and the loaders of these clients.
///
/// A kind is an offer with options. All servers have the same kinds in the same order.
template <communicator Comm>
class served_kinds {
public:
  /// A kind with its loaders, which take turns.
  struct entry {
    std::string key; // offer and options
    std::unique_ptr<served_kind> kind;
    std::vector<std::unique_ptr<served_stream>> streams;

    /// Returns the first loader with a batch to make; null if there is none.
    [[nodiscard]] served_stream* due() const noexcept {
      auto const found = std::ranges::find_if(streams, [](auto const& stream) { return stream->is_due(); });
      return found == streams.end() ? nullptr : found->get();
    }
    /// Moves a loader to the end, so that the others come before it.
    void put_last(served_stream const* stream) {
      auto const at = std::ranges::find(streams, stream, [](auto const& other) { return other.get(); });
      std::rotate(at, at + 1, streams.end());
    }
  };

  /// @throws precondition_error  if there is an offer of this name
  void offer(served_offer<Comm> made) {
    if (find_offer(made.name) != nullptr) {
      throw precondition_error(message("server: offers \"", made.name, "\" twice; give each offer a name"));
    }
    offers_.push_back(std::move(made));
  }

  /// Returns the key of the kind that a client requests. Reads the options, so that only the seeds are left to read.
  ///
  /// @throws precondition_error  if the offer does not exist, or makes batches of another type
  [[nodiscard]] std::string key_of(open_message const& head, unpacker& reader) const {
    auto const* const offer = find_offer(head.offer);
    if (offer == nullptr) {
      throw precondition_error(
          message("no offer \"", head.offer, "\"; servers offer ", name_list(offers_, &served_offer<Comm>::name)));
    }
    if (offer->batch_name != head.batch_name) {
      throw precondition_error(message("\"", head.offer,
                                       "\" offers batches of another type than the loader's; name "
                                       "the type of the recipe that servers offer"));
    }
    return head.offer + '\n' + offer->read_options(reader);
  }

  [[nodiscard]] std::size_t size() const noexcept { return kinds_.size(); }
  [[nodiscard]] bool has(std::string const& key) const noexcept {
    return std::ranges::find(kinds_, key, &entry::key) != kinds_.end();
  }
  /// Makes a kind.
  ///
  /// @comm   collective over the servers
  /// @throws precondition_error  if this server does not have the offer
  void make(Comm& group, std::string const& key) {
    auto const name = key.substr(0, key.find('\n'));
    auto const* const offer = find_offer(name);
    if (offer == nullptr) {
      throw precondition_error(message("does not offer \"", name, "\"; offer the same on all servers"));
    }
    kinds_.push_back({key, offer->make_kind(group, key.substr(name.size() + 1)), {}});
  }
  /// A character for each kind: '1' if it has loaders, else '0'.
  [[nodiscard]] std::string in_use() const {
    std::string of_kind;
    for (auto const& of : kinds_) {
      of_kind += of.streams.empty() ? '0' : '1';
    }
    return of_kind;
  }
  /// Forgets the oldest kinds that have loaders on no server, but for some that may be wanted again.
  ///
  /// @shape  of_server: a text for every server, the same ones on all, each begins with its `in_use()`
  void forget_unused(std::vector<std::string> const& of_server) {
    std::vector<std::size_t> unused;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (std::ranges::none_of(of_server, [&](std::string const& in_use) { return in_use[i] == '1'; })) {
        unused.push_back(i);
      }
    }
    unused.resize(unused.size() - std::min(unused.size(), most_unused));
    for (std::size_t i = unused.size(); i > 0; --i) {
      kinds_.erase(kinds_.begin() + static_cast<std::ptrdiff_t>(unused[i - 1]));
    }
    last_ = unused.empty() ? last_ : 0;
  }
  /// Forgets a kind that has no loaders yet, if it is there.
  void drop(std::string const& key) noexcept {
    std::erase_if(kinds_, [&](entry const& of) { return of.key == key; });
  }
  /// Opens a loader of a kind that exists.
  ///
  /// @throws precondition_error  if seeds or options are wrong
  void open(std::string const& key, int client, open_message const& head, unpacker& seeds) {
    auto& of = *std::ranges::find(kinds_, key, &entry::key);
    of.streams.push_back(of.kind->open(client, head, seeds));
  }
  /// Closes one loader of a client, or all its loaders.
  void close(int client, std::optional<std::int64_t> loader) {
    for (auto& of : kinds_) {
      std::erase_if(of.streams, [&](auto const& stream) {
        return stream->client() == client && (!loader || stream->loader() == *loader);
      });
    }
  }
  /// Returns a loader of a client; null if there is none.
  [[nodiscard]] served_stream* find(int client, std::int64_t loader) noexcept {
    for (auto& of : kinds_) {
      for (auto& stream : of.streams) {
        if (stream->client() == client && stream->loader() == loader) {
          return stream.get();
        }
      }
    }
    return nullptr;
  }

  /// Returns the first kind with `wanted(number)`, in turns from the kind after the last one taken; none if there is
  /// none.
  template <class Wanted>
  [[nodiscard]] std::optional<std::size_t> next(Wanted wanted) const {
    for (std::size_t i = 1; i <= kinds_.size(); ++i) {
      if (auto const kind = (last_ + i) % kinds_.size(); wanted(kind)) {
        return kind;
      }
    }
    return std::nullopt;
  }
  /// Returns a kind and makes it the last one taken.
  [[nodiscard]] entry& take(std::size_t kind) noexcept {
    last_ = kind;
    return kinds_[kind];
  }
  [[nodiscard]] entry const& operator[](std::size_t kind) const noexcept { return kinds_[kind]; }

private:
  [[nodiscard]] served_offer<Comm> const* find_offer(std::string_view name) const noexcept {
    auto const found = std::ranges::find(offers_, name, &served_offer<Comm>::name);
    return found == offers_.end() ? nullptr : &*found;
  }

  static constexpr std::size_t most_unused = 8; // of loaders that are opened again

  std::vector<served_offer<Comm>> offers_;
  std::vector<entry> kinds_;
  std::size_t last_ = 0;
};

} // namespace glt::detail
