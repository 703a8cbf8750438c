// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/detail/batch_delivery.hpp>
#include <glt/dist/roles/detail/role_mailbox.hpp>
#include <glt/dist/roles/detail/served_kinds.hpp>
#include <glt/dist/roles/detail/served_stream.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

#include <chrono>
#include <map>
#include <set>

namespace glt::detail {

/// Loaders that clients of a server have requested and that are not open yet.
class loader_openings {
public:
  /// Adds the request of a client; calls `failed(client, loader, cause)` if no such batches are offered.
  ///
  /// @throws malformed_message  if the message cannot be read
  template <communicator Comm, class Failed>
  void add(mailbox_message const& message, served_kinds<Comm> const& kinds, Failed failed) {
    auto reader = read_message(message);
    open_message head;
    reader.get(head);
    std::string kind;
    auto const failure = failure_of([&] { kind = kinds.key_of(head, reader); });
    if (failure.empty()) {
      waiting_.push_back({message.source, std::move(head), std::move(kind), std::move(reader)});
    } else {
      failed(message.source, head.loader, failure);
    }
  }
  /// Forgets one loader of a client, or all its loaders.
  void close(int client, std::optional<std::int64_t> loader) {
    std::erase_if(waiting_,
                  [&](opening const& one) { return one.client == client && (!loader || one.head.loader == *loader); });
  }

  /// Opens the loaders whose kinds exist; calls `opened(client, loader)` or `failed(client, loader, cause)` for each.
  template <communicator Comm, class Opened, class Failed>
  void open_known(served_kinds<Comm>& kinds, Opened opened, Failed failed) {
    std::erase_if(waiting_, [&](opening const& one) {
      if (!kinds.has(one.kind)) {
        return false;
      }
      auto seeds = one.seeds;
      auto const failure = failure_of([&] { kinds.open(one.kind, one.client, one.head, seeds); });
      if (failure.empty()) {
        opened(one.client, one.head.loader);
      } else {
        failed(one.client, one.head.loader, failure);
      }
      return true;
    });
  }
  /// Returns the key of the kind to be made next; empty if there is none.
  [[nodiscard]] std::string wanted_kind() const { return waiting_.empty() ? std::string() : waiting_.front().kind; }
  /// Forgets the loaders of a kind that cannot be made; calls `refused(client, loader)` for each.
  template <class Refused>
  void refuse(std::string const& kind, Refused refused) {
    std::erase_if(waiting_, [&](opening const& one) {
      if (one.kind == kind) {
        refused(one.client, one.head.loader);
      }
      return one.kind == kind;
    });
  }

private:
  struct opening {
    int client = 0;
    open_message head;
    std::string kind; // its key
    unpacker seeds;   // the unread rest of the message
  };

  std::vector<opening> waiting_;
};

/// Functions that a server calls for its clients, by name.
class services {
public:
  /// @throws precondition_error  if there is a service of this name
  template <class Reply, class Request>
  void add(std::string name, std::function<Reply(Request)> serve) {
    auto const packed = [serve = std::move(serve)](unpacker& reader) {
      std::remove_cvref_t<Request> request{};
      reader.get(request);
      if (!reader.at_end()) {
        throw error("request of another type than the service takes");
      }
      return packed_bytes(serve(std::as_const(request)));
    };
    if (!by_name_.emplace(name, packed).second) {
      throw precondition_error(message("service \"", name, "\" is registered twice; give each service a name"));
    }
  }

  /// Answers a request with the result of the service, or with its failure.
  template <mailbox Box>
  void serve(Box& box, int client, request_message const& head, unpacker& reader) {
    std::vector<std::byte> bytes;
    auto const failure = failure_of([&] {
      auto const found = by_name_.find(head.service);
      if (found == by_name_.end()) {
        throw precondition_error(message("no service \"", head.service, "\"; there are ",
                                         name_list(by_name_, &by_name_type::value_type::first),
                                         "; register services before the server runs"));
      }
      bytes = found->second(reader);
    });
    send_packed(box, client, service_message::reply, reply_message{head.number, failure}, bytes);
  }

private:
  using by_name_type = std::map<std::string, std::function<std::vector<std::byte>(unpacker&)>, std::less<>>;

  by_name_type by_name_;
};

/// Clients of a server: handles their messages, keeps their loaders, and sends their batches.
template <communicator Comm>
  requires mailing<Comm>
class served_clients {
  using mailbox_type = decltype(std::declval<Comm&>().make_mailbox());
  using clock = std::chrono::steady_clock;

public:
  /// Borrows the roles and the mailbox for answers to clients; the mailbox may be made later.
  served_clients(dist::role_context<Comm>& roles, std::set<int> clients, mailbox_type* box)
      : roles_(&roles), box_(box), clients_(std::move(clients)) {}

  void deliver_by(batch_delivery delivery) { delivery_ = std::move(delivery); }

  /// Returns the clients that are still connected.
  [[nodiscard]] std::set<int> const& ranks() const noexcept { return clients_; }
  /// Returns the clients that `forget_lost` has found.
  [[nodiscard]] std::vector<int> const& lost() const noexcept { return lost_; }
  /// Returns true if the clients that left have received everything.
  [[nodiscard]] bool all_receive() const noexcept { return all_receive_; }
  [[nodiscard]] services& offered_services() noexcept { return services_; }
  [[nodiscard]] served_kinds<Comm>& kinds() noexcept { return kinds_; }
  [[nodiscard]] served_kinds<Comm> const& kinds() const noexcept { return kinds_; }

  /// Answers a client. A client whose message cannot be read is dismissed.
  void hear(mailbox_message const& message) {
    if (clients_.contains(message.source)) {
      heard_.insert_or_assign(message.source, clock::now());
      try {
        answer(message);
      } catch (malformed_message const& failure) {
        dismiss(message.source, service_message::gone,
                detail::message("cannot understand ", roles_->name_of(message.source), ": ", failure.what()));
      }
    } else if (static_cast<service_message>(message.kind) == service_message::goodbye) { // of a dismissed one
      delivery_.take_back_all(message.source);
    }
  }

  /// Opens loaders whose kinds exist; returns the key of a kind that another loader needs, or nothing.
  [[nodiscard]] std::string open_known() {
    openings_.open_known(
        kinds_, [this](int client, std::int64_t loader) { say(client, service_message::opened, loader); },
        say_own_failure());
    return openings_.wanted_kind();
  }
  [[nodiscard]] std::string wanted_kind() const { return openings_.wanted_kind(); }
  /// Tells clients that wait for a kind why it cannot be made.
  void refuse(std::string const& kind, int rank, std::string const& cause) {
    openings_.refuse(kind, [&](int client, std::int64_t loader) { say_failed(client, loader, 0, rank, cause); });
  }

  /// Stops serving clients whose processes have died, and clients of another job that have sent nothing for `limit`;
  /// true if there are such.
  bool forget_lost(std::chrono::duration<double> limit)
    requires tells_deaths<mailbox_type>
  {
    auto const now = clock::now();
    bool found = false;
    for (auto at = clients_.begin(); at != clients_.end();) {
      auto const client = *at++;
      bool const has_died = box_->has_died(client);
      auto const heard = heard_.try_emplace(client, now).first->second;
      if (has_died) {
        close(client, std::nullopt);
        delivery_.take_back_all(client);
        all_receive_ = false;
        clients_.erase(client);
      } else if (box_->is_of_another_job(client) && now - heard >= limit) { // it may go on later, and must not wait
        dismiss(client, service_message::dropped,
                message(roles_->name_of(client), " has sent nothing for ", limit.count(),
                        " s; take batches more often, or raise mpi_comm::options_type::time_limit of the servers"));
      } else {
        continue;
      }
      lost_.push_back(client);
      found = true;
    }
    return found;
  }

  /// Hands over the next batches of a loader, which are made; ends its epoch if that cannot be.
  void send(served_stream& stream, std::int64_t batches) {
    try {
      for (std::int64_t i = 0; i < batches; ++i) {
        delivery_.send(*box_, stream);
      }
    } catch (std::exception const& failure) {
      if (is_lost(roles_->world())) {
        throw; // the client may have got a part of the message
      }
      give_up(stream, roles_->world_rank(), failure.what());
    }
  }
  /// Ends the epoch of a loader whose next batch cannot be made.
  void give_up(served_stream& stream, int rank, std::string const& cause) {
    say_failed(stream.client(), stream.loader(), stream.generation(), rank, cause);
    stream.stop();
  }

private:
  void answer(mailbox_message const& message) {
    auto const client = message.source;
    auto reader = read_message(message);
    switch (static_cast<service_message>(message.kind)) {
    case service_message::open:
      openings_.add(message, kinds_, say_own_failure());
      break;
    case service_message::begin:
      begin(client, reader);
      break;
    case service_message::credit:
      take_back(client, reader);
      break;
    case service_message::close: {
      std::int64_t loader = 0;
      reader.get(loader);
      close(client, loader);
      break;
    }
    case service_message::request: {
      request_message head;
      reader.get(head);
      services_.serve(*box_, client, head, reader);
      break;
    }
    case service_message::alive:
      break;
    case service_message::goodbye: {
      std::int64_t in_haste = 0;
      reader.get(in_haste);
      all_receive_ &= in_haste == 0;
      close(client, std::nullopt);
      delivery_.take_back_all(client);
      say(client, service_message::farewell, std::int64_t{lost_.empty() ? 0 : 1});
      clients_.erase(client); // after its farewell; clients that remain are told if this server fails
      break;
    }
    default:
      throw malformed_message(
          detail::message("message of unknown kind ", message.kind, "; servers and clients must be the same program"));
    }
  }
  // Stops serving a client and tells it why. It may read batches in shared memory until its goodbye.
  void dismiss(int client, service_message kind, std::string_view cause) {
    close(client, std::nullopt);
    all_receive_ = false;
    auto const own_rank = roles_->world_rank();
    say(client, kind, failed_message{0, 0, own_rank, message(roles_->name_of(own_rank), ": ", cause)});
    clients_.erase(client);
  }

  void close(int client, std::optional<std::int64_t> loader) {
    kinds_.close(client, loader);
    openings_.close(client, loader);
  }
  void begin(int client, unpacker& reader) {
    begin_message head;
    reader.get(head);
    if (auto* const stream = kinds_.find(client, head.loader)) {
      if (auto const failure = failure_of([&] { stream->begin(head); }); !failure.empty()) {
        say_failed(client, head.loader, head.generation, roles_->world_rank(), failure);
      }
    }
  }
  void take_back(int client, unpacker& reader) {
    credit_message head;
    reader.get(head);
    delivery_.take_back(client, head.place);
    if (auto* const stream = kinds_.find(client, head.loader)) {
      stream->take_back(head);
    }
  }

  // Reports failures of this server to open a loader.
  [[nodiscard]] auto say_own_failure() {
    return [this](int client, std::int64_t loader, std::string const& cause) {
      say_failed(client, loader, 0, roles_->world_rank(), cause);
    };
  }
  void say_failed(int client, std::int64_t loader, std::int64_t generation, int rank, std::string const& cause) {
    say(client, service_message::failed, failed_message{loader, generation, rank, cause});
  }
  template <class X>
  void say(int client, service_message kind, X const& x) {
    send_packed(*box_, client, kind, x);
  }

  dist::role_context<Comm>* roles_;
  mailbox_type* box_;
  std::set<int> clients_;
  std::map<int, clock::time_point> heard_; // last message of a client
  services services_;
  served_kinds<Comm> kinds_;
  loader_openings openings_;
  batch_delivery delivery_;
  bool all_receive_ = true;
  std::vector<int> lost_;
};

} // namespace glt::detail
