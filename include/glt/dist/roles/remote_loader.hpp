// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/dist/loading/detail/batch_range.hpp>
#include <glt/dist/loading/detail/epoch_plan.hpp>
#include <glt/dist/loading/loader_options.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

#include <chrono>
#include <typeinfo>

namespace glt::detail {

/// Deployment of a remote loader: servers, clients and time limit.
struct remote_options {
  /// Ranks of the world that make the batches, in turns, each named once; none: those that the client is assigned.
  std::vector<int> servers{};
  /// If true, all clients make this loader together. They take the same number of steps, as ranks with a `loader` do.
  /// If false, the loader is this client's alone.
  bool together = true;
  /// Seconds that a batch, or the opening of the loader, may be waited for; 0: for ever.
  std::chrono::duration<double> time_limit{600};
};

} // namespace glt::detail

namespace glt::dist {

/// Batches of this rank's seeds that servers make, bit for bit the batches of a `loader` on as many ranks.
///
///     glt::dist::remote_loader<glt::mpi_comm, recipe_type> loader(client, "papers", seeds, {.fanouts = {15, 10}},
///                                                                 {.batch_size = 1024, .shuffle = true});
///     for (auto const& batch : loader.epoch(3)) { … }
///
/// Servers send up to `prefetch` batches ahead, or 4 if it is 0; with `bulk`, each sends at least two bulks ahead. They
/// ignore `concurrency` and `stall_limit`. Epochs, and the loader, may be abandoned at any time.
///
/// Concurrent calls: none on one object, its client or other loaders of this client.
template <communicator Comm, class Recipe>
class remote_loader {
public:
  using batch_type = typename Recipe::template batch_on<typename Recipe::policy_type>;
  using seeds_type = typename Recipe::seeds_type;
  using range_type = detail::batch_range<remote_loader>; ///< batches of an epoch, for a loop
  using remote_options = detail::remote_options;         ///< `servers`, `together` and `time_limit`

  /// Borrows the client, which must outlive the loader.
  ///
  /// @comm   messages to the servers; if `together`, collective over the clients: one header exchange
  /// @throws collective_error  if options or seeds are wrong, servers do not offer such batches, or clients differ in
  ///                           `steps_before`; on all clients if `together`
  remote_loader(client<Comm>& of, std::string offer, seeds_type const& seeds,
                typename Recipe::options_type const& recipe, loader_options options = {}, remote_options remote = {})
      : client_(&of), options_(options), remote_(std::move(remote)), number_(++of.last_number_) {
    if (remote_.servers.empty()) {
      remote_.servers = of.assigned_servers();
    }
    try {
      if (!remote_.together) {
        open(offer, seeds, recipe);
        return;
      }
      auto const failure = detail::failure_of([&] { open(offer, seeds, recipe); });
      auto& clients = detail::host_comm(of.roles().group());
      std::vector<std::int64_t> const steps_before(static_cast<std::size_t>(clients.size()), options_.steps_before);
      std::vector<detail::call_header> headers;
      detail::exchange_headers(clients, {.what = detail::operation::plan_epoch}, steps_before, num_steps_, failure,
                               headers);
      detail::check_same(clients, headers, &detail::call_header::count, [](std::int64_t own, std::int64_t first) {
        return detail::message("begins an epoch after ", own, " steps, and rank 0 after ", first,
                               "; make the loaders of a rest_of_epoch with the same steps_before on all clients");
      });
      num_steps_ = std::ranges::max(headers, {}, &detail::call_header::value).value;
    } catch (...) {
      close();
      throw;
    }
  }
  template <class Client, class Seeds, class Options = typename Recipe::options_type,
            class Reason = detail::a_remote_loader_is_made_by_a_client_of_the_same_communicator>
    requires(!std::same_as<Client, client<Comm>>)
  remote_loader(Client&, std::string const&, Seeds const&, Options const&, loader_options const& = {},
                remote_options const& = {}) = delete;
  template <class Seeds, class Options = typename Recipe::options_type,
            class Reason = typename decltype(detail::reason_of_recipe_seeds<Seeds, seeds_type>())::type>
    requires(!std::convertible_to<Seeds const&, seeds_type>)
  remote_loader(client<Comm>&, std::string const&, Seeds const&, Options const&, loader_options const& = {},
                remote_options const& = {}) = delete;
  template <class Options, class Reason = detail::the_options_are_not_those_of_the_recipe_that_the_servers_offer>
    requires(!std::convertible_to<Options const&, typename Recipe::options_type>)
  remote_loader(client<Comm>&, std::string const&, seeds_type const&, Options const&, loader_options const& = {},
                remote_options const& = {}) = delete;
  remote_loader(remote_loader const&) = delete;
  remote_loader& operator=(remote_loader const&) = delete;
  /// Closes the loader without waiting.
  ~remote_loader() { close(); }

  /// Returns the number of steps of an epoch; if `together`, the same on all clients.
  [[nodiscard]] std::int64_t num_steps() const noexcept { return num_steps_; }
  /// Returns the rank among the clients.
  [[nodiscard]] int rank() const noexcept { return client_->roles().group().rank(); }
  /// Returns the number of clients.
  [[nodiscard]] int num_ranks() const noexcept { return client_->roles().group().size(); }
  [[nodiscard]] loader_options const& options() const noexcept { return options_; }
  /// Returns the batches that this client got so far, and the seconds that it waited for them; servers make them.
  [[nodiscard]] loader_report report() const {
    return {.seconds = {.waiting = waiting_}, .batches = batches_, .peak_memory = detail::peak_memory()};
  }

  /// Returns the batches of an epoch from a step on; a batch is valid until the next one is requested.
  ///
  /// @throws precondition_error  if first_step is not in [options().steps_before, num_steps()]
  [[nodiscard]] range_type epoch(std::int64_t number, std::int64_t first_step = 0) {
    detail::check_first_step(first_step, options_, num_steps_);
    return {*this, number, first_step};
  }

  /// Locks and returns the memory that this loader's servers share with the client, as far as the policy can. Pages
  /// stay locked while the client lives.
  ///
  /// @comm   none
  template <class Policy>
    requires requires(Policy const& policy, std::span<std::byte const> block) { policy.lock_pages(block, nullptr); }
  [[nodiscard]] std::vector<std::span<std::byte const>> lock_shared(Policy const& policy) {
    std::vector<std::span<std::byte const>> locked;
    for (int const server : remote_.servers) {
      if (auto const block = client_->lock_shared(server, policy); !block.empty()) {
        locked.push_back(block);
      }
    }
    return locked;
  }

private:
  friend class detail::batch_range<remote_loader>;

  void close() noexcept {
    try {
      current_ = {};
      is_current_ = false;
      for (auto const& [server, inbox] : client_->loaders_[number_]) {
        std::ranges::for_each(inbox, [&](auto const& message) { client_->drop(message); });
      }
      client_->loaders_.erase(number_);
      for (int const server : remote_.servers) {
        if (std::ranges::binary_search(client_->servers(), server)) { // only servers got the open message
          detail::send_packed(client_->box_, server, detail::service_message::close, number_);
        }
      }
    } catch (std::exception const&) { // servers close the loaders of clients that leave
    }
  }

  void open(std::string const& offer, seeds_type const& seeds, typename Recipe::options_type const& recipe) {
    num_steps_ = detail::epoch_plan(seeds.size(), options_).num_steps();
    if (options_.prefetch < 0 || options_.buffer_bytes < 0) {
      throw precondition_error(detail::message("prefetch ", options_.prefetch, " and buffer_bytes ",
                                               options_.buffer_bytes, "; give 0 or more"));
    }
    if (!(remote_.time_limit.count() >= 0) || !(options_.stall_limit.count() >= 0)) {
      throw precondition_error(detail::message("time_limit ", remote_.time_limit.count(), " s and stall_limit ",
                                               options_.stall_limit.count(), " s; give 0 or more seconds"));
    }
    auto& inboxes = client_->loaders_[number_];
    detail::open_message head{number_,  offer, typeid(batch_type).name(),
                              options_, 0,     static_cast<std::int64_t>(remote_.servers.size())};
    auto sorted = remote_.servers;
    std::ranges::sort(sorted);
    if (auto const twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
      throw precondition_error(detail::message("rank ", *twice,
                                               " is named twice among the servers of a loader; name each "
                                               "server once"));
    }
    std::ranges::for_each(sorted, [&](int server) { client_->check_server(server); });
    for (int const server : remote_.servers) {
      detail::send_packed(client_->box_, server, detail::service_message::open, head, recipe, seeds);
      ++head.share;
    }
    for (int const server : remote_.servers) {
      auto const message =
          client_->wait_for(inboxes[server], limit(), [&] { return from(server, "opening a loader"); });
      if (static_cast<detail::service_message>(message.kind) == detail::service_message::failed) {
        fail(message);
      }
    }
  }

  void start(std::int64_t epoch, std::int64_t first_step) {
    let_go();
    epoch_ = epoch;
    step_ = first_step - 1;
    ++generation_;
    detail::begin_message const head{.loader = number_,
                                     .generation = generation_,
                                     .epoch = epoch,
                                     .first_step = first_step,
                                     .end_step = num_steps_,
                                     .credits = credits_per_server()};
    for (int const server : remote_.servers) {
      detail::send_packed(client_->box_, server, detail::service_message::begin, head);
    }
    advance();
  }
  void advance() {
    let_go();
    if (++step_ >= num_steps_) {
      return;
    }
    detail::stopwatch watch;
    auto const server = remote_.servers[static_cast<std::size_t>(step_) % remote_.servers.size()];
    auto& inbox = client_->loaders_[number_][server];
    for (;;) {
      auto const message = client_->wait_for(
          inbox, limit(), [&] { return from(server, detail::message("step ", step_, " of epoch ", epoch_)); });
      auto reader = detail::read_message(message);
      if (static_cast<detail::service_message>(message.kind) == detail::service_message::failed) {
        detail::failed_message head;
        reader.get(head);
        if (head.generation == generation_) {
          fail(message);
        }
        continue;
      }
      detail::placed_message lies{.place = -1, .bytes = message.bytes.size()};
      if (static_cast<detail::service_message>(message.kind) == detail::service_message::placed) {
        reader.get(lies);
        if (lies.generation != generation_) {
          client_->drop(message);
          continue;
        }
        reader = placed_message_of(server, lies);
      }
      detail::batch_message head;
      reader.get(head);
      if (head.generation != generation_) {
        continue; // of an abandoned epoch
      }
      if (head.step != step_) {
        throw error(detail::message("batch of step ", head.step, " instead of ", step_, " from ",
                                    client_->roles().name_of(server)));
      }
      current_ = {};
      reader.get(current_);
      is_current_ = true;
      ++batches_;
      server_ = server;
      lies_ = lies;
      break;
    }
    watch.lap(waiting_);
  }
  void leave() noexcept {} // no rank waits for it
  [[nodiscard]] batch_type const* current() const noexcept { return is_current_ ? &current_ : nullptr; }

  // Returns a reader of a message in memory that its server shares.
  [[nodiscard]] detail::unpacker placed_message_of(int server, detail::placed_message const& lies) const {
    auto const& block = client_->shared_.of_rank[static_cast<std::size_t>(server)];
    auto const size = block ? static_cast<std::int64_t>(block->size()) : 0;
    if (lies.place < 0 || lies.bytes < 0 || lies.place > size - lies.bytes) {
      throw error(detail::message("batch at byte ", lies.place, " of ", size, " that ",
                                  client_->roles().name_of(server), " shares"));
    }
    return {block->subspan(static_cast<std::size_t>(lies.place), static_cast<std::size_t>(lies.bytes)),
            client_->shared_.keeper};
  }

  // Gives back the memory of the current batch.
  void let_go() {
    if (std::exchange(is_current_, false)) {
      current_ = {};
      detail::send_packed(client_->box_, server_, detail::service_message::credit,
                          detail::credit_message{number_, generation_, lies_.bytes, lies_.place});
    }
  }

  [[noreturn]] void fail(detail::mailbox_message const& message) const {
    detail::failed_message head;
    detail::read_message(message).get(head);
    throw collective_error(static_cast<int>(head.rank), head.cause);
  }
  [[nodiscard]] std::int64_t credits_per_server() const noexcept {
    auto const all = options_.prefetch > 0 ? options_.prefetch : 4;
    auto const bulk_of_all = static_cast<std::int64_t>(remote_.servers.size()) * options_.bulk;
    return std::max((all + bulk_of_all - 1) / bulk_of_all, std::int64_t{options_.bulk > 1 ? 2 : 1}) * options_.bulk;
  }
  [[nodiscard]] std::chrono::duration<double> limit() const noexcept {
    return remote_.time_limit.count() > 0 ? remote_.time_limit : detail::for_ever;
  }
  [[nodiscard]] std::string from(int server, std::string_view what) const {
    return detail::message(what, " from ", client_->roles().name_of(server), " (rank ", server, ')');
  }

  client<Comm>* client_;
  loader_options options_;
  remote_options remote_;
  std::int64_t number_;
  std::int64_t num_steps_ = 0;
  std::int64_t generation_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t step_ = 0;
  batch_type current_;
  bool is_current_ = false;
  int server_ = 0;              // that made the current batch
  detail::placed_message lies_; // its place
  double waiting_ = 0;
  std::int64_t batches_ = 0;
};

} // namespace glt::dist
