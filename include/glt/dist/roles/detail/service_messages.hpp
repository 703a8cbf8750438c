// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/loading/loader_options.hpp>

namespace glt::detail {

/// Kinds of messages between servers and clients; each message begins with the structure named beside its kind.
enum class service_message : std::int64_t {
  open,     ///< client: opens a loader (`open_message`, options of the recipe, seeds)
  begin,    ///< client: requests the batches of an epoch (`begin_message`)
  credit,   ///< client: has released a batch (`credit_message`)
  close,    ///< client: closes a loader (its number)
  request,  ///< client: calls a service (`request_message`, argument of the service)
  goodbye,  ///< client: sends nothing more (1 if it receives nothing more either, else 0)
  alive,    ///< client, to servers of another job: is at work (0)
  present,  ///< server, to other servers: runs (0)
  bell,     ///< server, to other servers: calls for a round (its number)
  opened,   ///< server: a loader is open (its number)
  batch,    ///< server: a batch (`batch_message`, the batch)
  placed,   ///< server: a batch whose message is in shared memory (`placed_message`)
  failed,   ///< server: a loader, or an epoch of it, failed (`failed_message`)
  reply,    ///< server: the result of a service (`reply_message`, result of the service)
  farewell, ///< server: received the goodbye; its last message (1 if a rank of the world is lost, else 0)
  gone,     ///< server, to clients, and to servers if it never ran: serves no more (`failed_message`)
  dropped,  ///< server: has waited too long for this client, and serves it no more (`failed_message`)
};

struct open_message {
  std::int64_t loader = 0; ///< numbered by the client
  std::string offer;       ///< by name
  std::string batch_name;  ///< the type of the batches, the same on client and server
  dist::loader_options options{};
  std::int64_t share = 0; ///< of this server: steps share, share + shares, share + 2 shares, …
  std::int64_t shares = 1;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.loader, self.offer, self.batch_name, self.options, self.share, self.shares);
  }
};

struct begin_message {
  std::int64_t loader = 0;
  std::int64_t generation = 0; ///< counts the epochs that this loader has begun
  std::int64_t epoch = 0;
  std::int64_t first_step = 0;
  std::int64_t end_step = 0;
  std::int64_t credits = 0; ///< batches that may be in flight
};

struct credit_message {
  std::int64_t loader = 0;
  std::int64_t generation = 0;
  std::int64_t bytes = 0;  ///< of the batch
  std::int64_t place = -1; ///< of the batch in shared memory; −1 if it was not there
};

struct batch_message {
  std::int64_t loader = 0;
  std::int64_t generation = 0;
  std::int64_t step = 0;
};

struct placed_message {
  std::int64_t loader = 0;
  std::int64_t generation = 0;
  std::int64_t place = 0;
  std::int64_t bytes = 0;
};

struct failed_message {
  std::int64_t loader = 0;
  std::int64_t generation = 0; ///< 0 if the loader could not be opened
  std::int64_t rank = 0;       ///< of the world
  std::string cause;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.loader, self.generation, self.rank, self.cause);
  }
};

struct request_message {
  std::int64_t number = 0; ///< counted by the client
  std::string service;     ///< by name

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.number, self.service);
  }
};

struct reply_message {
  std::int64_t number = 0;
  std::string failure; ///< empty if the result follows

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.number, self.failure);
  }
};

/// Packs the arguments in order and sends them as one message.
///
/// @throws std::bad_alloc  if there is no memory for the message
template <mailbox Box, class... X>
void send_packed(Box& box, int to, service_message kind, X const&... x) {
  auto block = box.make_block(static_cast<std::int64_t>(packed_size(x...)));
  packer out(block.data());
  (out.add(x), ...);
  box.send(to, static_cast<std::int64_t>(kind), std::move(block));
}

/// Reads a message from its beginning.
[[nodiscard]] inline unpacker read_message(mailbox_message const& message) {
  return {message.bytes.bytes(), message.bytes.keeper()};
}

} // namespace glt::detail
