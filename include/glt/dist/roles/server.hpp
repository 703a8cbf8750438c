// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/detail/exchange/gather_lists.hpp>
#include <glt/dist/loading/detail/packed.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/detail/arena.hpp>
#include <glt/dist/roles/detail/served_kind.hpp>
#include <glt/dist/roles/detail/served_stream.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>
#include <glt/dist/roles/detail/services.hpp>
#include <glt/dist/roles/role.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::dist {

/// A rank that owns a part of the data and makes batches for the ranks that train: a server for clients, or a worker for
/// the trainers of its machine.
///
///     glt::dist::server server(roles);                                         // role::server
///     server.offer("papers", glt::dist::neighbor_batches(graph, features, {}));
///     server.run();                                                            // until the clients are gone
///
/// Servers sample together, in rounds: whoever has something to do calls the others, each brings the next batch of one of
/// its loaders, or none, and all help to make them. So clients may be anywhere in their epochs, and a client that takes no
/// batches, or leaves, holds up nobody. A batch that cannot be made is an error of its client alone.
///
/// Concurrent calls: none on one object, nor on the communicators of the roles.
///
/// @comm   a round is two header exchanges among the servers, and those of the batches that it makes
template <communicator Comm>
  requires detail::mailing<Comm>
class server {
public:
  /// Borrows the roles, which must outlive the server. Servers serve clients, workers serve trainers.
  ///
  /// @comm   collective over the world, with the making of clients
  /// @throws precondition_error  if this rank is neither a server nor a worker
  /// @throws collective_error  on every rank, if one has failed before
  explicit server(role_context<Comm>& roles)
      : roles_(&roles), group_(roles.group()), box_(detail::open_mailbox(roles.world())), end_(group_) {
    if (roles.role() != role::server && roles.role() != role::worker) {
      throw precondition_error(detail::message("server: this rank is a ", name_of(roles.role()),
                                                    "; make a client"));
    }
    auto const served = roles.role() == role::server ? role::client : role::trainer;
    for (int const rank : roles.ranks_of(served)) {
      clients_.insert(rank);
    }
    for (auto const& group : roles.groups()) {
      if (group.name == roles.group_name()) {
        servers_ = group.ranks;
      }
    }
  }

  /// The same, and batches for clients of this machine lie in `bytes` bytes that it shares with them, where they read them;
  /// what finds no room there at the moment goes as a message. A larger batch is an error of its client.
  ///
  /// @comm   as above, and that of `share`
  template <node_memory Node>
  server(role_context<Comm>& roles, Node node, std::int64_t bytes) : server(roles) {
    shared_ = node.share(bytes, [](std::span<std::byte>) {});
    places_ = detail::arena(static_cast<std::int64_t>(shared_.own.size()));
  }

  server(server const&) = delete;
  server& operator=(server const&) = delete;
  /// One that has not run tells clients and other servers, which wait for it.
  ~server() {
    if (!has_run_) {
      say_gone(roles_->world_rank(), "has gone before it served", true);
    }
  }

  [[nodiscard]] role_context<Comm>& roles() noexcept { return *roles_; }

  /// Offers batches under a name. All servers offer the same ones in the same order.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is an offer of that name
  template <class Recipe>
  void offer(std::string name, Recipe recipe) {
    for (auto const& other : offers_) {
      if (other->name() == name) {
        throw precondition_error(detail::message("server: offers \"", name, "\" twice; give each offer a name"));
      }
    }
    offers_.push_back(std::make_unique<detail::recipe_offer<Comm, Recipe>>(std::move(name), std::move(recipe)));
  }

  /// Answers requests of clients of that name: `serve(request)` is a function of one argument; what it takes and returns
  /// are numbers, strings, vectors, or structures of them that show their `members`.
  ///
  /// @comm   none; `serve` runs on this rank alone
  /// @throws precondition_error  if there is a service of that name
  template <class Serve>
  void register_service(std::string name, Serve serve) {
    services_.add(std::move(name), std::function(std::move(serve)));
  }

  /// Serves until all clients are gone.
  ///
  /// @comm   collective over the servers
  /// @throws error  on all servers, if one of them fails otherwise than by a batch that cannot be made; clients that still
  ///                want something get a `collective_error` that names it
  void run() {
    has_run_ = true;
    try {
      auto rounds = [this] { serve_all(); };
      detail::run_and_leave(group_, rounds);
      if (all_receive_) {
        box_.close();
      }
    } catch (glt::collective_error const& failure) { // of this group alone: other groups of the world do not know
      static_cast<void>(box_.receive(detail::mailbox_limit(0))); // between threads all may know: throws then
      auto const rank = world_rank_of(failure);
      say_gone(rank, failure.cause(), false);
      throw error(detail::message(roles_->name_of(rank), ": ", failure.cause()));
    } catch (std::exception const& failure) { // others cannot know
      say_gone(roles_->world_rank(), failure.what(), false);
      throw;
    }
  }

private:
  // What a server wants of a round; from `wish_batch` on a batch of kind wish − wish_batch.
  static constexpr std::int64_t wish_nothing = 0;
  static constexpr std::int64_t wish_kind = 1;
  static constexpr std::int64_t wish_end = 2;
  static constexpr std::int64_t wish_batch = 3;

  struct kind_entry {
    std::string key; // offer and options
    std::unique_ptr<detail::served_kind> kind;
    std::vector<std::unique_ptr<detail::served_stream>> streams; // in turns
  };
  struct lent {
    int client = 0;
    std::int64_t bytes = 0;
  };
  struct job {
    std::uint64_t seed = 0;
    std::int64_t epoch = 0;
    std::int64_t step = -1; // none
  };
  using message_kind = detail::service_message;

  void serve_all() {
    try {
      send_to_servers(message_kind::present, 0);
      while (num_present_ < servers_.size()) { // those that never run join no round
        handle(*box_.receive(detail::for_ever));
      }
      serve_rounds();
      say_farewell();
    } catch (detail::agreed_error const&) {
      throw;
    } catch (...) {
      if (!detail::is_lost(group_)) {
        send_to_servers(message_kind::bell, round_); // to hear of it
      }
      throw;
    }
  }
  void serve_rounds() {
    while (!is_over_) {
      while (auto message = box_.receive(detail::mailbox_limit(0))) {
        handle(*message);
      }
      auto const mine = next_wish();
      if (mine == wish_nothing && !is_called_) {
        handle(*box_.receive(detail::for_ever));
      } else {
        make_round(mine);
      }
    }
  }

  void send_to_servers(message_kind kind, std::int64_t number) {
    for (int const other : servers_) {
      if (other != roles_->world_rank()) {
        detail::send_packed(box_, other, kind, number);
      }
    }
  }

  // When all clients have gone: nothing is on its way afterwards.
  void say_farewell() {
    send_to_servers(message_kind::farewell, round_);
    for (auto left = servers_.size() - 1; left > 0;) { // the rest are calls to rounds that were
      left -= static_cast<message_kind>(box_.receive(detail::for_ever)->kind) == message_kind::farewell ? 1 : 0;
    }
    if (all_receive_) {
      box_.flush();
    }
  }

  void handle(detail::mailbox_message const& message) {
    auto reader = detail::read_message(message);
    auto const kind = static_cast<message_kind>(message.kind);
    if (std::ranges::binary_search(servers_, message.source)) {
      hear(message.source, kind, reader);
      return;
    }
    if (!clients_.contains(message.source)) { // it has said goodbye
      return;
    }
    switch (kind) {
    case message_kind::open: opening_.push_back(message); break;
    case message_kind::begin: begin(message.source, reader); break;
    case message_kind::credit: take_back(message.source, reader); break;
    case message_kind::close: {
      std::int64_t loader = 0;
      reader.get(loader);
      close(message.source, loader);
      break;
    }
    case message_kind::request: serve(message.source, reader); break;
    case message_kind::goodbye: {
      std::int64_t in_haste = 0;
      reader.get(in_haste);
      all_receive_ &= in_haste == 0;
      close(message.source, std::nullopt);
      std::erase_if(opening_, [&](auto const& other) { return other.source == message.source; });
      std::erase_if(lent_, [&](auto const& place) {
        bool const is_its = place.second.client == message.source;
        if (is_its) {
          places_.give_back(place.first, place.second.bytes);
        }
        return is_its;
      });
      clients_.erase(message.source);
      detail::send_packed(box_, message.source, message_kind::farewell, round_);
      break;
    }
    default: throw error(detail::message("message of unknown kind ", message.kind, " from ",
                                              roles_->name_of(message.source)));
    }
  }

  // What another server says.
  void hear(int server, message_kind kind, detail::unpacker& reader) {
    if (kind == message_kind::present) {
      ++num_present_;
    } else if (kind == message_kind::bell) {
      std::int64_t round = 0;
      reader.get(round);
      is_called_ |= round >= round_;
    } else if (kind == message_kind::gone) {
      detail::failed_message head;
      reader.get(head);
      auto const rank = std::ranges::lower_bound(servers_, server) - servers_.begin();
      throw detail::agreed_error(static_cast<int>(rank), head.cause); // no round will be
    } else {
      throw error(detail::message("message of unknown kind ", static_cast<std::int64_t>(kind), " from ",
                                  roles_->name_of(server)));
    }
  }

  // Loaders of kinds that are there already are opened at once; new kinds are made by all servers together.
  void open_known() {
    for (auto wanted = opening_.begin(); wanted != opening_.end();) {
      detail::open_message head;
      auto const failure = detail::failure_of([&] {
        auto reader = detail::read_message(*wanted);
        auto const [key, of] = key_of(reader, head);
        static_cast<void>(of);
        auto const entry = std::ranges::find(kinds_, key, &kind_entry::key);
        if (entry == kinds_.end()) {
          head.loader = -1; // later
          return;
        }
        entry->streams.push_back(entry->kind->open(wanted->source, head, reader));
        detail::send_packed(box_, wanted->source, message_kind::opened, head.loader);
      });
      if (head.loader == -1 && failure.empty()) {
        ++wanted;
        continue;
      }
      if (!failure.empty()) {
        say_failed(wanted->source, head.loader, 0, roles_->world_rank(), failure);
      }
      wanted = opening_.erase(wanted);
    }
  }

  // Reads up to the seeds.
  [[nodiscard]] std::pair<std::string, detail::served_offer<Comm> const*> key_of(detail::unpacker& reader,
                                                                              detail::open_message& head) const {
    reader.get(head);
    for (auto const& offer : offers_) {
      if (offer->name() == head.offer) {
        if (offer->batch_name() != head.batch_name) {
          throw precondition_error(detail::message("\"", head.offer, "\" offers batches of another type than the "
                                                        "loader's; name the type of the recipe that servers offer"));
        }
        return {head.offer + '\n' + offer->read_options(reader), offer.get()};
      }
    }
    std::string names;
    for (auto const& offer : offers_) {
      names += (names.empty() ? "\"" : ", \"") + offer->name() + '"';
    }
    throw precondition_error(detail::message("no offer \"", head.offer, "\"; servers offer ",
                                                  names.empty() ? "nothing" : names));
  }

  void begin(int client, detail::unpacker& reader) {
    detail::begin_message head;
    reader.get(head);
    if (auto* const stream = find(client, head.loader)) {
      stream->begin(head);
    }
  }
  void take_back(int client, detail::unpacker& reader) {
    detail::credit_message head;
    reader.get(head);
    if (auto const place = lent_.find(head.place); place != lent_.end() && place->second.client == client) {
      places_.give_back(head.place, place->second.bytes);
      lent_.erase(place);
    }
    if (auto* const stream = find(client, head.loader)) {
      stream->take_back(head);
    }
  }
  void close(int client, std::optional<std::int64_t> loader) {
    for (auto& entry : kinds_) {
      std::erase_if(entry.streams, [&](auto const& stream) {
        return stream->client() == client && (!loader || stream->loader() == *loader);
      });
    }
  }
  void serve(int client, detail::unpacker& reader) {
    detail::request_message head;
    reader.get(head);
    services_.serve(box_, client, head, reader);
  }

  [[nodiscard]] detail::served_stream* find(int client, std::int64_t loader) noexcept {
    for (auto& entry : kinds_) {
      for (auto& stream : entry.streams) {
        if (stream->client() == client && stream->loader() == loader) {
          return stream.get();
        }
      }
    }
    return nullptr;
  }
  [[nodiscard]] static detail::served_stream* due(kind_entry const& entry) noexcept {
    auto const found = std::ranges::find_if(entry.streams, [](auto const& stream) { return stream->is_due(); });
    return found == entry.streams.end() ? nullptr : found->get();
  }

  [[nodiscard]] std::int64_t next_wish() {
    open_known();
    if (!opening_.empty()) {
      return wish_kind;
    }
    for (std::size_t i = 0; i < kinds_.size(); ++i) { // the one after the last one first
      auto const kind = (last_kind_ + 1 + i) % kinds_.size();
      if (due(kinds_[kind]) != nullptr) {
        return wish_batch + static_cast<std::int64_t>(kind);
      }
    }
    if (clients_.empty() && !std::exchange(has_told_end_, true)) {
      return wish_end;
    }
    return wish_nothing;
  }

  void make_round(std::int64_t mine) {
    if (mine == wish_nothing && clients_.empty()) {
      mine = wish_end;
    }
    if (mine != wish_nothing) {
      send_to_servers(message_kind::bell, round_);
    }
    auto const wishes = detail::exchange_values(group_, {.what = detail::operation::produce, .step = round_},
                                                     {}, mine);
    ++round_;
    is_called_ = false;
    auto const wants = [&](auto const& predicate) {
      return std::ranges::any_of(wishes, predicate, &detail::call_header::value);
    };
    if (wants([](auto wish) { return wish == wish_kind; })) {
      make_kinds();
    } else if (wants([](auto wish) { return wish >= wish_batch; })) {
      make_batches(wishes);
    } else {
      is_over_ = !wants([](auto wish) { return wish != wish_end; });
    }
  }

  // Makes the kinds that servers want and have not, one per server.
  void make_kinds() {
    std::string wanted;
    if (!opening_.empty()) {
      auto reader = detail::read_message(opening_.front());
      detail::open_message head;
      wanted = key_of(reader, head).first;
    }
    auto const keys = detail::gather_lists(
        group_, {.what = detail::operation::produce, .step = round_}, {}, wanted);
    for (auto const& key : keys) {
      if (key.empty() || std::ranges::find(kinds_, key, &kind_entry::key) != kinds_.end()) {
        continue;
      }
      auto const failure = together([&] {
        auto const end = key.find('\n');
        auto const offer = std::ranges::find_if(
            offers_, [&](auto const& other) { return other->name() == key.substr(0, end); });
        if (offer == offers_.end()) {
          throw precondition_error(detail::message("does not offer \"", key.substr(0, end),
                                                        "\"; offer the same on all servers"));
        }
        kinds_.push_back({key, (*offer)->make_kind(group_, key.substr(end + 1)), {}});
      });
      if (failure) {
        refuse(key, *failure);
      }
    }
  }
  // Tells the clients that wait for a kind that it cannot be made.
  void refuse(std::string const& key, glt::collective_error const& failure) {
    std::erase_if(opening_, [&](detail::mailbox_message const& message) {
      auto reader = detail::read_message(message);
      detail::open_message head;
      if (key_of(reader, head).first != key) {
        return false;
      }
      say_failed(message.source, head.loader, 0, world_rank_of(failure), failure.cause());
      return true;
    });
  }

  // A batch of one kind for every server that has one to make.
  void make_batches(std::span<detail::call_header const> wishes) {
    auto kind = kinds_.size();
    for (std::size_t i = 0; i < kinds_.size() && kind == kinds_.size(); ++i) {
      auto const next = (last_kind_ + 1 + i) % kinds_.size();
      if (std::ranges::any_of(wishes, [&](auto const& wish) {
            return wish.value == wish_batch + static_cast<std::int64_t>(next);
          })) {
        kind = next;
      }
    }
    last_kind_ = kind;
    auto& entry = kinds_[kind];
    auto* const stream = due(entry);
    std::vector<job> own;
    if (stream != nullptr) {
      auto const key = stream->key();
      own.push_back({key.seed, key.epoch, key.step});
    }
    auto const jobs = detail::gather_lists(
        group_, {.what = detail::operation::produce, .step = round_}, {}, own);
    std::vector<sample_key> keys;
    std::size_t place = 0;
    for (std::size_t rank = 0; rank < jobs.size(); ++rank) {
      place = static_cast<int>(rank) == group_.rank() ? keys.size() : place;
      for (auto const& [seed, epoch, step] : jobs[rank]) {
        keys.push_back({.seed = seed, .epoch = epoch, .step = step});
      }
    }
    auto failure = together([&] { entry.kind->make(keys, place, stream); });
    if (failure && keys.size() > 1) { // one of them cannot be made: which, they show one by one
      for (std::size_t i = 0; i < keys.size(); ++i) {
        bool const is_own = stream != nullptr && i == place;
        auto of_one = together([&] { entry.kind->make(std::span(&keys[i], 1), 0, is_own ? stream : nullptr); });
        if (is_own) {
          failure = std::move(of_one);
        }
      }
    }
    if (stream != nullptr) {
      failure ? give_up(*stream, *failure) : send(*stream);
    }
    if (stream != nullptr) { // the other ones come first next time
      auto const at = std::ranges::find(entry.streams, stream, [](auto const& other) { return other.get(); });
      std::rotate(at, at + 1, entry.streams.end());
    }
  }
  void send(detail::served_stream& stream) {
    detail::batch_message const head{stream.loader(), stream.generation(), stream.step()};
    auto const bytes = stream.message_bytes(head);
    bool const shares = places_.size() > 0 && shared_.of_rank[static_cast<std::size_t>(stream.client())];
    if (shares && bytes > places_.size()) {
      say_failed(stream.client(), stream.loader(), stream.generation(), roles_->world_rank(),
                 detail::message("batch of ", bytes, " bytes for shared memory of ", places_.size(),
                                 " bytes; make smaller batches, or give servers more bytes"));
      stream.stop();
      return;
    }
    auto const place = shares ? places_.take(bytes) : std::nullopt;
    if (place) {
      stream.write_message(head, shared_.own.data() + *place);
      lent_.emplace(*place, lent{stream.client(), bytes});
      std::atomic_thread_fence(std::memory_order_release);
      detail::send_packed(box_, stream.client(), message_kind::placed,
                          detail::placed_message{head.loader, head.generation, *place, bytes});
    } else { // also if others have all of the memory: they may be slow
      auto block = box_.make_block(bytes);
      stream.write_message(head, block.data());
      box_.send(stream.client(), static_cast<std::int64_t>(message_kind::batch), std::move(block));
    }
    stream.advance(bytes);
  }
  void give_up(detail::served_stream& stream, glt::collective_error const& failure) {
    say_failed(stream.client(), stream.loader(), stream.generation(), world_rank_of(failure), failure.cause());
    stream.stop();
  }

  // Runs what all servers do together; returns what they all fail with.
  template <class Work>
  std::optional<glt::collective_error> together(Work work) {
    try {
      try {
        work();
      } catch (detail::agreed_error const&) {
        throw;
      } catch (...) {
        if (detail::is_lost(group_)) {
          throw;
        }
        end_.announce_failure(detail::cause_of_current());
      }
    } catch (detail::agreed_error const& failure) {
      return failure;
    }
    return std::nullopt;
  }

  void say_failed(int client, std::int64_t loader, std::int64_t generation, int rank, std::string const& cause) {
    detail::send_packed(box_, client, message_kind::failed, detail::failed_message{loader, generation, rank, cause});
  }
  // Does not wait until they have heard, for who fails as well may never.
  void say_gone(int rank, std::string_view cause, bool to_servers) noexcept {
    try {
      auto told = std::vector<int>(clients_.begin(), clients_.end());
      if (to_servers) {
        std::ranges::remove_copy(servers_, std::back_inserter(told), roles_->world_rank());
      }
      for (int const other : told) {
        detail::send_packed(box_, other, message_kind::gone, detail::failed_message{0, 0, rank, std::string(cause)});
      }
    } catch (std::exception const&) { // they will have to find out
    }
  }
  // Between threads, a rank that is no server's may have failed.
  [[nodiscard]] int world_rank_of(collective_error const& failure) const noexcept {
    auto const rank = static_cast<std::size_t>(failure.rank());
    return rank < servers_.size() ? servers_[rank] : roles_->world_rank();
  }

  role_context<Comm>* roles_;
  Comm group_;
  decltype(std::declval<Comm&>().make_mailbox()) box_;
  detail::departure<Comm> end_;
  std::vector<int> servers_; // ranks of the world, by rank of the group
  std::set<int> clients_;    // those that are still there
  std::vector<std::unique_ptr<detail::served_offer<Comm>>> offers_;
  detail::services services_;
  std::vector<kind_entry> kinds_; // the same on all servers
  std::deque<detail::mailbox_message> opening_;
  node_blocks shared_; // with clients of this machine
  detail::arena places_;
  std::map<std::int64_t, lent> lent_; // batches that clients read
  std::size_t last_kind_ = 0;
  std::int64_t round_ = 0;
  std::size_t num_present_ = 1;  // servers that run
  bool has_run_ = false;
  bool all_receive_ = true; // clients that have gone have received everything
  bool is_called_ = false; // by another server, to this round
  bool has_told_end_ = false;
  bool is_over_ = false;
};

} // namespace glt::dist
