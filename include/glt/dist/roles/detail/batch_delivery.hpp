// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/roles/detail/served_stream.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

#include <map>

namespace glt::detail {

/// Allocator of places in one block of memory, which are freed in any order.
class arena {
public:
  static constexpr std::int64_t line_bytes = 64; // alignment of places, to which sizes are rounded up

  explicit arena(std::int64_t bytes = 0) : bytes_(bytes / line_bytes * line_bytes) {
    if (bytes_ > 0) {
      free_.emplace(0, bytes_);
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return bytes_; }

  /// Takes the first free place that is large enough; none if there is none now.
  ///
  /// @cost   O(free places)
  [[nodiscard]] std::optional<std::int64_t> take(std::int64_t bytes) {
    bytes = rounded(bytes);
    for (auto range = free_.begin(); range != free_.end(); ++range) {
      auto const [begin, size] = *range;
      if (size >= bytes) {
        free_.erase(range);
        if (size > bytes) {
          free_.emplace(begin + bytes, size - bytes);
        }
        return begin;
      }
    }
    return std::nullopt;
  }

  /// Frees a place of the same number of bytes.
  void give_back(std::int64_t begin, std::int64_t bytes) {
    auto made = free_.emplace(begin, rounded(bytes)).first;
    if (auto const next = std::next(made); next != free_.end() && made->first + made->second == next->first) {
      made->second += next->second;
      free_.erase(next);
    }
    if (made != free_.begin()) {
      if (auto const before = std::prev(made); before->first + before->second == made->first) {
        before->second += made->second;
        free_.erase(made);
      }
    }
  }

private:
  [[nodiscard]] static std::int64_t rounded(std::int64_t bytes) noexcept {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
  }

  std::int64_t bytes_;
  std::map<std::int64_t, std::int64_t> free_; // begin → bytes; neighbours are merged
};

/// Delivery of a server's batches: in memory shared with clients of its machine, or as messages.
class batch_delivery {
public:
  batch_delivery() = default;
  /// Places batches in this rank's block of `shared`, for clients that can read it.
  explicit batch_delivery(node_blocks shared)
      : shared_(std::move(shared)), places_(static_cast<std::int64_t>(shared_.own.size())) {}

  /// Sends the next batch of a stream, which has been made.
  ///
  /// @throws precondition_error  if it is larger than the shared memory
  /// @throws std::bad_alloc  if there is no memory for its message; the batch is not sent
  template <mailbox Box>
  void send(Box& box, served_stream& stream) {
    batch_message const head{stream.loader(), stream.generation(), stream.step()};
    auto const bytes = stream.message_bytes(head);
    bool const shares = places_.size() > 0 && shared_.of_rank[static_cast<std::size_t>(stream.client())];
    if (shares && bytes > places_.size()) {
      throw precondition_error(message("batch of ", bytes, " bytes for shared memory of ", places_.size(),
                                       " bytes; make smaller batches, or give servers more bytes"));
    }
    if (auto const place = shares ? places_.take(bytes) : std::nullopt) {
      try {
        lent_.emplace(*place, lent{stream.client(), bytes});
        stream.write_message(head, shared_.own.data() + *place);
        // The message makes bytes visible that were written before it.
        send_packed(box, stream.client(), service_message::placed,
                    placed_message{head.loader, head.generation, *place, bytes});
      } catch (...) { // the client does not learn of the place
        lent_.erase(*place);
        places_.give_back(*place, bytes);
        throw;
      }
    } else { // also while other batches fill the memory: their clients may be slow
      auto block = box.make_block(bytes);
      stream.write_message(head, block.data());
      box.send(stream.client(), static_cast<std::int64_t>(service_message::batch), std::move(block));
    }
    stream.advance(bytes);
  }

  /// Frees a place after its client has released the batch; does nothing if the place is not lent to this client.
  void take_back(int client, std::int64_t place) {
    if (auto const found = lent_.find(place); found != lent_.end() && found->second.client == client) {
      places_.give_back(place, found->second.bytes);
      lent_.erase(found);
    }
  }
  /// Frees all places of a client that reads no more batches.
  void take_back_all(int client) {
    std::erase_if(lent_, [&](auto const& place) {
      bool const is_its = place.second.client == client;
      if (is_its) {
        places_.give_back(place.first, place.second.bytes);
      }
      return is_its;
    });
  }

private:
  struct lent {
    int client = 0;
    std::int64_t bytes = 0;
  };

  node_blocks shared_;
  arena places_;
  std::map<std::int64_t, lent> lent_; // by place
};

} // namespace glt::detail
