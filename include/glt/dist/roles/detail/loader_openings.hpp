// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/loading/detail/packed.hpp>
#include <glt/dist/roles/detail/served_kinds.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

namespace glt::detail {

/// Loaders that clients of a server have requested and that are not open yet.
///
/// Concurrent calls: none on one object.
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

} // namespace glt::detail
