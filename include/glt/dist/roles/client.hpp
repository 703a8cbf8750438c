// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/roles/assignment.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/detail/role_mailbox.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

#include <chrono>
#include <deque>
#include <map>

namespace glt::dist {

template <communicator Comm, class Recipe>
class remote_loader;

/// Rank that trains on batches of servers: it has loaders (`remote_loader`) and calls services.
///
/// The destructor says goodbye to the servers; servers end after the last goodbye.
///
/// Concurrent calls: none on one object, its loaders included.
template <communicator Comm>
  requires detail::mailing<Comm>
class client {
public:
  /// Borrows the roles, which must outlive the client. Clients are served by servers, trainers by the workers of
  /// `workers_of`.
  ///
  /// @comm   collective over the world, together with the construction of servers
  /// @throws precondition_error  if this rank is neither a client nor a trainer, or no rank serves it
  /// @throws collective_error  on every rank, if a rank failed before
  explicit client(role_context<Comm>& roles)
      : roles_(&roles), servers_(serving(roles)), peers_(roles.ranks_of(roles.role())),
        box_(detail::join_mailbox(roles)) {}
  /// Also reads batches of servers of this machine in place, in memory that those servers share.
  ///
  /// @comm   as above, and the exchanges of `share`; MPI ranks call it twice, the second time for 64 bytes each by
  ///         which they wake each other
  template <node_memory Node>
  client(role_context<Comm>& roles, Node node) : client(roles) {
    shared_ = node.share(0, [](std::span<std::byte>) {});
    detail::share_bells(box_, node);
  }
  template <std::same_as<Comm> Ranks, class Reason = detail::servers_and_clients_take_the_role_context_of_the_ranks>
  explicit client(Ranks&) = delete;
  client(client const&) = delete;
  client& operator=(client const&) = delete;
  /// Waits until the servers know that this client leaves; does not wait while an exception unwinds.
  ~client() {
    is_leaving_ = true;
    try {
      detail::committed(roles_->world(), [&] { leave(); }); // servers wait for its goodbye
    } catch (std::exception const&) {                       // servers are gone, or a guard of the world ends the job
    }
  }

  [[nodiscard]] role_context<Comm>& roles() noexcept { return *roles_; }
  /// Returns all servers, or workers, as ranks of the world.
  [[nodiscard]] std::vector<int> const& servers() const noexcept { return servers_; }
  /// Returns the default servers of this client's loaders, spread over the clients as evenly as possible.
  [[nodiscard]] std::vector<int> assigned_servers() const {
    auto const own = std::ranges::lower_bound(peers_, roles_->world_rank()) - peers_.begin();
    std::vector<int> assigned;
    for (int const server : detail::servers_of(static_cast<int>(own), static_cast<int>(peers_.size()),
                                               static_cast<int>(servers_.size()))) {
      assigned.push_back(servers_[static_cast<std::size_t>(server)]);
    }
    return assigned;
  }

  /// Pending reply.
  template <class Reply>
  class pending_reply {
  public:
    /// Waits for it, for 10 minutes at most.
    ///
    /// @throws collective_error  with the server and the cause, if the service has failed, or the server has died
    /// @throws error  if there is none in that time
    [[nodiscard]] Reply get() {
      auto const message = client_->wait_for(client_->replies_[number_], longest_wait, [] { return "a reply"; });
      auto reader = detail::read_message(message);
      detail::reply_message head;
      std::vector<std::byte> bytes;
      reader.get(head).get(bytes);
      client_->replies_.erase(number_);
      if (!head.failure.empty()) {
        throw collective_error(message.source, head.failure);
      }
      Reply reply{};
      detail::unpacker(bytes, nullptr).get(reply);
      return reply;
    }

  private:
    friend class client;
    pending_reply(client& of, std::int64_t number) : client_(&of), number_(number) {}
    client* client_;
    std::int64_t number_;
  };

  /// Calls a service of a server, and does not wait for its reply.
  ///
  /// @throws precondition_error  if no such rank serves this one
  template <class Reply, class Request>
  [[nodiscard]] pending_reply<Reply> request_async(int server, std::string_view service, Request const& request) {
    check_server(server);
    auto const number = ++last_number_;
    replies_[number];
    detail::send_packed(box_, server, detail::service_message::request,
                        detail::request_message{number, std::string(service)}, request);
    return {*this, number};
  }
  /// Calls a service of a server and waits for its reply.
  ///
  /// @throws collective_error  with the server and the cause, if the service failed
  template <class Reply, class Request>
  [[nodiscard]] Reply request(int server, std::string_view service, Request const& request) {
    return request_async<Reply>(server, service, request).get();
  }

private:
  template <communicator, class>
  friend class remote_loader;
  using inbox = std::deque<detail::mailbox_message>;

  // Returns the ranks that serve this role; called before any call in which other ranks wait.
  [[nodiscard]] static std::vector<int> serving(role_context<Comm> const& roles) {
    bool const is_trainer = roles.role() == role::trainer;
    if (!is_trainer && roles.role() != role::client) {
      throw precondition_error(detail::message("client: this rank is a ", to_string(roles.role()), "; make a server"));
    }
    auto servers = roles.ranks_of(is_trainer ? role::worker : role::server);
    if (servers.empty()) {
      throw precondition_error(detail::message("client: there are no ", is_trainer ? "workers" : "servers",
                                               "; start some ranks in that role"));
    }
    return servers;
  }

  // Others never answer.
  void check_server(int rank) const {
    if (!std::ranges::binary_search(servers_, rank)) {
      throw precondition_error(detail::message("rank ", rank, " does not serve ", roles_->name_of(roles_->world_rank()),
                                               "; name one of client.servers(), ranks of the world from ",
                                               servers_.front(), " to ", servers_.back()));
    }
  }

  // The memory that a server shares, with its pages locked from now on; empty if that cannot be.
  template <class Policy>
  [[nodiscard]] std::span<std::byte const> lock_shared(int server, Policy const& policy) {
    auto const at = static_cast<std::size_t>(server);
    if (at >= shared_.of_rank.size() || !shared_.of_rank[at] || shared_.of_rank[at]->empty()) {
      return {};
    }
    if (auto& lock = locks_[server]; lock == nullptr) {
      try {
        lock = policy.lock_pages(*shared_.of_rank[at], shared_.keeper);
      } catch (error const&) { // then copies are staged
        return {};
      }
    }
    return *shared_.of_rank[at];
  }

  void leave() {
    bool const in_haste = std::uncaught_exceptions() != exceptions_;
    for (int const server : servers_) {
      detail::send_packed(box_, server, detail::service_message::goodbye, std::int64_t{in_haste ? 1 : 0});
    }
    if (in_haste) {
      return;
    }
    while (num_ended_ < servers_.size()) {
      auto message = receive(longest_wait, [] { return "the end of a server"; });
      if (!message) {
        return; // gone without a word
      }
      sort(std::move(*message));
    }
    if (!gone_) { // a server that is gone receives nothing more
      box_.flush();
      box_.close();
    }
  }

  // Waits for a server that may be gone, if nothing else is said.
  static constexpr std::chrono::minutes longest_wait{10};

  template <class What>
  [[nodiscard]] std::optional<detail::mailbox_message> receive(detail::mailbox_limit limit, What what) {
    return detail::receive_in_time(roles_->world(), box_, limit, what, [this] {
      tell_alive();
      return find_dead();
    });
  }
  bool find_dead() {
    if constexpr (detail::tells_deaths<decltype(box_)>) {
      for (int const server : servers_) {
        if (box_.has_died(server)) {
          mark_incomplete();
          gone_.emplace(server, detail::message("server ", roles_->name_of(server), " has died"));
          return true;
        }
      }
    }
    return false;
  }

  // Tells servers of another job that this client is at work, at most once a second.
  void tell_alive() {
    if constexpr (detail::tells_deaths<decltype(box_)>) {
      if (auto const now = std::chrono::steady_clock::now(); now - told_ >= detail::look_every && !is_leaving_) {
        told_ = now;
        for (int const server : servers_) {
          if (box_.is_of_another_job(server)) {
            detail::send_packed(box_, server, detail::service_message::alive, std::int64_t{0});
          }
        }
      }
    }
  }

  // Guards of the world make no agreement any more.
  void mark_incomplete() {
    if constexpr (detail::tells_deaths<decltype(box_)>) {
      roles_->world().mark_incomplete();
    }
  }

  // The next message of an inbox; `what()` names it if it does not come.
  template <class What>
  [[nodiscard]] detail::mailbox_message wait_for(inbox& of, std::chrono::duration<double> limit, What what) {
    tell_alive();
    auto const begun = std::chrono::steady_clock::now();
    while (of.empty()) {
      if (gone_) {
        throw *gone_;
      }
      auto const left = limit - (std::chrono::steady_clock::now() - begun);
      if (auto message = receive(left, what)) {
        sort(std::move(*message));
      } else if (!gone_) {
        throw error(
            detail::message(roles_->name_of(roles_->world_rank()), " has waited ", limit.count(), " s for ", what()));
      }
    }
    auto message = std::move(of.front());
    of.pop_front();
    return message;
  }

  void sort(detail::mailbox_message message) {
    auto reader = detail::read_message(message);
    switch (static_cast<detail::service_message>(message.kind)) {
    case detail::service_message::opened:
    case detail::service_message::batch:
    case detail::service_message::placed:
    case detail::service_message::failed: {
      std::int64_t loader = 0;
      reader.get(loader);
      if (auto const found = loaders_.find(loader); found != loaders_.end()) {
        found->second[message.source].push_back(std::move(message));
      } else {
        drop(message);
      }
      return;
    }
    case detail::service_message::reply: {
      std::int64_t number = 0;
      reader.get(number);
      if (auto const found = replies_.find(number); found != replies_.end()) {
        found->second.push_back(std::move(message));
      }
      return;
    }
    case detail::service_message::farewell: {
      std::int64_t is_incomplete = 0;
      reader.get(is_incomplete);
      ++num_ended_;
      if (is_incomplete != 0) {
        mark_incomplete();
      }
      return;
    }
    case detail::service_message::dropped:
      mark_incomplete();
      [[fallthrough]];
    case detail::service_message::gone: {
      ++num_ended_;
      detail::failed_message head;
      reader.get(head);
      gone_.emplace(static_cast<int>(head.rank), head.cause);
      return;
    }
    default:
      throw error(detail::message("message of unknown kind ", message.kind, " from ", roles_->name_of(message.source)));
    }
  }

  // Gives back the memory of a batch that is not read. Not needed while this client leaves: a server then takes back
  // all its memory, and may have ended before a credit arrives.
  void drop(detail::mailbox_message const& message) {
    if (!is_leaving_ && static_cast<detail::service_message>(message.kind) == detail::service_message::placed) {
      detail::placed_message head;
      detail::read_message(message).get(head);
      detail::send_packed(box_, message.source, detail::service_message::credit,
                          detail::credit_message{head.loader, head.generation, head.bytes, head.place});
    }
  }

  role_context<Comm>* roles_;
  std::vector<int> servers_;
  std::vector<int> peers_;                             // the ranks of this role
  decltype(std::declval<Comm&>().make_mailbox()) box_; // servers need every client to have one
  int exceptions_ = std::uncaught_exceptions();
  bool is_leaving_ = false;   // goodbye is its last message
  std::size_t num_ended_ = 0; // servers that send nothing more
  std::int64_t last_number_ = 0;
  std::map<std::int64_t, std::map<int, inbox>> loaders_; // by loader and server
  std::map<std::int64_t, inbox> replies_;
  node_blocks shared_;                                                            // by servers of this machine
  std::map<int, std::shared_ptr<void const>> locks_;                              // of its pages, by server
  std::optional<collective_error> gone_;                                          // set if a server ended by an error
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now(); // last sign of life
};

template <communicator Comm>
client(Comm&) -> client<Comm>;

} // namespace glt::dist
