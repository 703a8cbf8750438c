// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/roles/assignment.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/detail/batch_delivery.hpp>
#include <glt/dist/roles/detail/role_mailbox.hpp>
#include <glt/dist/roles/detail/served_clients.hpp>
#include <glt/dist/roles/detail/served_kinds.hpp>
#include <glt/dist/roles/detail/served_stream.hpp>
#include <glt/dist/roles/detail/server_rounds.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

#include <chrono>
#include <set>

namespace glt::detail {

/// Messages that servers of a group send each other outside rounds: that they run, call for a round, or end.
class fellow_servers {
public:
  template <communicator Comm>
  explicit fellow_servers(dist::role_context<Comm> const& roles)
      : own_(roles.world_rank()), ranks_(roles.group_of(own_).ranks) {}

  /// Returns all servers, this one included, as ranks of the world, ordered by group rank.
  [[nodiscard]] std::vector<int> const& ranks() const noexcept { return ranks_; }
  [[nodiscard]] bool contain(int rank) const noexcept { return std::ranges::binary_search(ranks_, rank); }

  /// Returns true if all other servers have reported that they run.
  [[nodiscard]] bool are_present() const noexcept { return num_present_ == ranks_.size(); }
  /// Returns true if another server has called for a round since the last `answer_call`.
  [[nodiscard]] bool have_called() const noexcept { return have_called_; }
  void answer_call() noexcept { have_called_ = false; }

  template <mailbox Box>
  void tell(Box& box, service_message kind, std::int64_t number) const {
    for (int const other : ranks_) {
      if (other != own_) {
        send_packed(box, other, kind, number);
      }
    }
  }
  /// Handles a message of another server; `round` is the number of the next round.
  ///
  /// @throws agreed_error  if there will be no next round
  void hear(mailbox_message const& message, std::int64_t round) {
    auto reader = read_message(message);
    switch (static_cast<service_message>(message.kind)) {
    case service_message::present:
      ++num_present_;
      break;
    case service_message::bell: {
      std::int64_t wanted = 0;
      reader.get(wanted);
      have_called_ |= wanted >= round;
      break;
    }
    case service_message::gone: {
      failed_message head;
      reader.get(head);
      throw agreed_error(static_cast<int>(ranks_.size()), message.source, head.cause); // no round will be
    }
    default:
      throw error(
          detail::message("message of unknown kind ", message.kind, " from the server that is rank ", message.source));
    }
  }
  /// Says farewell after all clients have gone; `round` is the number of the next round. Afterwards no message of a
  /// server is in flight. Only a failed server still calls for another round.
  ///
  /// @comm   one message to every other server
  template <communicator Comm, mailbox Box>
  void part(Comm& world, Box& box, std::int64_t round) {
    tell(box, service_message::farewell, 0);
    for (auto left = ranks_.size() - 1; left > 0 && !have_called_;) {
      auto const message = receive_in_time(world, box, for_ever, [] { return "the end of another server"; });
      if (static_cast<service_message>(message->kind) == service_message::farewell) {
        --left;
      } else {
        hear(*message, round);
      }
    }
  }

private:
  int own_;
  std::vector<int> ranks_;
  std::size_t num_present_ = 1;
  bool have_called_ = false;
};

} // namespace glt::detail

namespace glt::dist {

/// Rank that owns a part of the data and makes batches for ranks that train. It is a server for clients, or a worker
/// for the trainers of its machine.
///
///     glt::dist::server server(roles);                                         // role::server
///     server.offer("papers", glt::dist::neighbor_batches(graph, features, {}));
///     server.run();                                                            // until the clients are gone
///
/// Servers sample together, in rounds. A server with pending work starts a round; each contributes one bulk of one of
/// its loaders, or nothing, and all take part in sampling. So clients may be anywhere in their epochs. A client that
/// takes no batches, or leaves, does not delay others. If a batch cannot be made, or a message cannot be read, only its
/// client gets an error.
///
/// Servers drop a client whose process dies, if their communicator tells. `mpi_comm` tells it within seconds for a
/// process of a separate job on this machine. They also drop a client of a separate job that sends nothing for
/// the `time_limit` of `mpi_comm`, or for an hour if there is none: its machine may be gone, or the process is stopped.
/// Clients send a sign of life every second while they wait for batches or take them. A dropped client that goes on
/// gets a `collective_error`. Guards of the world then make no agreement any more.
///
/// Concurrent calls: none on one object, nor on the communicators of the roles.
///
/// @comm   a round is three header exchanges among the servers, and the exchanges of its batches
template <communicator Comm>
  requires detail::mailing<Comm>
class server {
public:
  /// Borrows the roles, which must outlive the server. Servers serve clients, workers serve trainers.
  ///
  /// @comm   collective over the world, together with the construction of clients
  /// @throws precondition_error  if this rank is neither a server nor a worker
  /// @throws collective_error  on every rank, if a rank failed before
  explicit server(role_context<Comm>& roles)
      : roles_(&roles), servers_(roles), clients_(roles, served_by(roles), &box_), rounds_(roles.group()),
        box_(detail::join_mailbox(roles)) {}

  /// Also shares `bytes` bytes of memory with clients of this machine, which read their batches there. A batch that
  /// finds no room there at the moment is sent as a message. A batch larger than `bytes` is an error of its client.
  ///
  /// @comm   as above, and the exchanges of `share`; MPI ranks call it twice, the second time for 64 bytes each by
  ///         which they wake each other
  template <node_memory Node>
  server(role_context<Comm>& roles, Node node, std::int64_t bytes) : server(roles) {
    clients_.deliver_by(detail::batch_delivery(node.share(bytes, [](std::span<std::byte>) {})));
    detail::share_bells(box_, node);
  }

  [[nodiscard]] role_context<Comm>& roles() noexcept { return *roles_; }

  template <std::same_as<Comm> Ranks, class Reason = detail::servers_and_clients_take_the_role_context_of_the_ranks>
  explicit server(Ranks&) = delete;
  server(server const&) = delete;
  server& operator=(server const&) = delete;
  /// Tells clients and other servers that wait, if this server never ran.
  ~server() {
    if (!has_run_) {
      say_gone(roles_->world_rank(), [this] { return own_failure("has gone before it served"); }, true);
    }
  }

  /// Offers batches under a name. All servers make the same offers in the same order. Rows of servers whose memory is
  /// in `views` are read in place, as by `loader::read_in_place`; views that do not fit are an error of the client.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is an offer of this name
  template <class Recipe, class... View>
  void offer(std::string name, Recipe recipe, node_views<View> const&... views) {
    auto const share = [views...]([[maybe_unused]] auto& maker) { (maker.read_in_place(views), ...); };
    clients_.kinds().offer(detail::recipe_offer<Comm>(std::move(name), std::move(recipe), share));
  }

  /// Registers a service: answers requests of clients by calling `serve(request)`. Its argument and result are numbers,
  /// strings, vectors, or structures of these with `members`.
  ///
  /// @comm   none; `serve` runs on this rank alone
  /// @throws precondition_error  if there is a service of this name
  template <class Serve>
  void register_service(std::string name, Serve serve) {
    clients_.offered_services().add(std::move(name), std::function(std::move(serve)));
  }

  /// Serves until all clients have left. Returns the clients that this server has dropped because they died or were
  /// silent for too long, as ranks of the world; none after a good end. `role_context::name_of` names them.
  ///
  /// @comm   collective over the servers
  /// @throws error  on all servers, if one of them fails for any reason but a batch that cannot be made; clients that
  ///                still wait get a `collective_error` that names this server
  std::vector<int> run() {
    has_run_ = true;
    try {
      auto rounds = [this] { serve_all(); };
      detail::run_and_leave(rounds_.group(), rounds);
      if (clients_.all_receive()) {
        box_.close();
      }
      return clients_.lost();
    } catch (collective_error const& failure) {                  // of this group; other groups do not know
      static_cast<void>(box_.receive(detail::mailbox_limit(0))); // threads: all may know, then it throws
      say_gone(failure.rank(), [&] { return failure.cause(); }, false);
      throw error(failure.cause());
    } catch (std::exception const& failure) { // other ranks cannot know
      say_gone(roles_->world_rank(), [&] { return own_failure(failure.what()); }, false);
      throw;
    } catch (...) {
      say_gone(roles_->world_rank(), [this] { return own_failure("unknown exception"); }, false);
      throw;
    }
  }

private:
  using rounds_type = detail::server_rounds<Comm>;
  using message_kind = detail::service_message;
  using clock = std::chrono::steady_clock;

  // Of a client of another job, if the communicator has no time limit.
  static constexpr std::chrono::hours longest_silence{1};

  // Returns the ranks that this rank serves; called before any call in which other ranks wait.
  [[nodiscard]] static std::set<int> served_by(role_context<Comm> const& roles) {
    if (roles.role() != role::server && roles.role() != role::worker) {
      throw precondition_error(detail::message("server: this rank is a ", to_string(roles.role()), "; make a client"));
    }
    auto const served = roles.ranks_of(roles.role() == role::server ? role::client : role::trainer);
    return {served.begin(), served.end()};
  }

  void serve_all() {
    try {
      tell_servers(message_kind::present, 0);
      while (!servers_.are_present()) { // a server that never runs joins no round
        handle(*detail::receive_in_time(roles_->world(), box_, detail::for_ever, [] { return "another server"; }));
      }
      serve_rounds();
      servers_.part(roles_->world(), box_, rounds_.number());
      if (clients_.all_receive()) {
        box_.flush();
      }
    } catch (detail::agreed_error const&) {
      throw;
    } catch (...) {
      if (!detail::is_lost(rounds_.group())) {
        tell_servers(message_kind::bell, rounds_.number()); // so that they get the failure
      }
      throw;
    }
  }
  // Guarded, since the other servers wait for the message.
  void tell_servers(message_kind kind, std::int64_t number) {
    detail::committed(roles_->world(), [&] { servers_.tell(box_, kind, number); });
  }

  void serve_rounds() {
    while (!rounds_.are_over()) {
      while (auto message = box_.receive(detail::mailbox_limit(0))) {
        handle(*message);
      }
      if (clock::now() - looked_ >= detail::look_every) {
        forget_lost();
      }
      auto const mine = next_wish();
      if (mine == rounds_type::nothing && !servers_.have_called()) {
        if (auto const message = detail::receive_in_time(
                roles_->world(), box_, detail::for_ever, [] { return "a client"; }, [this] { return forget_lost(); })) {
          handle(*message);
        }
      } else {
        make_round(mine);
      }
    }
  }

  // Drops clients that have died, or are silent for too long; returns true if it has found one.
  bool forget_lost() {
    looked_ = clock::now();
    if constexpr (detail::tells_deaths<decltype(box_)>) {
      std::chrono::duration<double> const limit = roles_->world().options().time_limit;
      if (clients_.forget_lost(limit.count() > 0 ? limit : longest_silence)) {
        roles_->world().mark_incomplete();
        return true;
      }
    }
    return false;
  }

  void handle(detail::mailbox_message const& message) {
    if (servers_.contain(message.source)) {
      servers_.hear(message, rounds_.number());
    } else {
      clients_.hear(message);
    }
  }

  [[nodiscard]] std::int64_t next_wish() {
    if (!clients_.open_known().empty()) {
      return rounds_type::kind;
    }
    auto const& kinds = clients_.kinds();
    if (auto const kind = kinds.next([&](std::size_t of) { return kinds[of].due() != nullptr; })) {
      return rounds_type::batch + static_cast<std::int64_t>(*kind);
    }
    if (clients_.ranks().empty() && !std::exchange(has_told_end_, true)) {
      return rounds_type::end;
    }
    return rounds_type::nothing;
  }

  void make_round(std::int64_t mine) {
    if (mine == rounds_type::nothing && clients_.ranks().empty()) {
      mine = rounds_type::end;
    }
    if (mine != rounds_type::nothing) {
      servers_.tell(box_, message_kind::bell, rounds_.number());
    }
    servers_.answer_call();
    rounds_.make(
        mine, clients_.kinds(), [this] { return clients_.wanted_kind(); },
        [this](std::string const& kind, collective_error const& failure) {
          clients_.refuse(kind, failure.rank(), failure.cause());
        },
        [this](detail::served_stream& stream, std::int64_t batches, std::optional<collective_error> const& failure) {
          clients_.send(stream, batches);
          if (failure) {
            clients_.give_up(stream, failure->rank(), failure->cause());
          }
        });
  }

  [[nodiscard]] std::string own_failure(std::string_view cause) const {
    return detail::message(roles_->name_of(roles_->world_rank()), ": ", cause);
  }
  // Tells ranks that this server has failed, by the text that `cause()` returns: there may be no memory for it. Does
  // not wait for delivery: a receiver that fails as well may never receive.
  template <class Cause>
  void say_gone(int rank, Cause cause, bool to_servers) noexcept {
    try {
      detail::committed(roles_->world(), [&] { // they wait for this message
        std::string const text = cause();
        auto told = std::vector<int>(clients_.ranks().begin(), clients_.ranks().end());
        if (to_servers) {
          std::ranges::remove_copy(servers_.ranks(), std::back_inserter(told), roles_->world_rank());
        }
        for (int const other : told) {
          detail::send_packed(box_, other, message_kind::gone, detail::failed_message{0, 0, rank, text});
        }
      });
    } catch (std::exception const&) { // a guard of the world ends the job
    }
  }

  role_context<Comm>* roles_;
  detail::fellow_servers servers_;
  detail::served_clients<Comm> clients_;
  rounds_type rounds_;
  decltype(std::declval<Comm&>().make_mailbox()) box_; // clients and servers need every server to have one
  bool has_run_ = false;
  bool has_told_end_ = false;
  clock::time_point looked_{}; // last look for lost clients
};

template <communicator Comm>
server(Comm&) -> server<Comm>;

} // namespace glt::dist
