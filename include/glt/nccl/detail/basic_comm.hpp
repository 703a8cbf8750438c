// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/nccl/detail/layer.hpp>
#include <glt/nccl/detail/session.hpp>

namespace glt::detail {

/// Ranks with a GPU each; NCCL sends their payload from GPU to GPU, in the order of a stream. A communicator of the
/// host carries everything else. `nccl_comm` is this class over NCCL; see there.
template <alarming HostComm, nccl_layer Layer>
class basic_nccl_comm {
  using session = nccl_session<HostComm, Layer>;

public:
  /// Payload calls queue up behind earlier work on the stream.
  static constexpr bool in_stream_order = true;

  /// Exchange under way; move-only, and waits when it is destroyed.
  class request {
  public:
    request(request&&) noexcept = default;
    request& operator=(request&& other) noexcept {
      request finished(std::move(*this));
      session_ = std::move(other.session_);
      return *this;
    }
    ~request() {
      try {
        wait();
      } catch (std::exception const&) { // every later call throws it again
      }
    }

    /// Blocks until all bytes of all ranks have arrived; a second call does nothing.
    ///
    /// @throws collective_error  on every rank, the same one, if NCCL or a GPU failed on one
    void wait() {
      if (auto const under_way = std::move(session_)) {
        under_way->finish();
      }
    }

  private:
    friend basic_nccl_comm;
    explicit request(std::shared_ptr<session> under_way) : session_(std::move(under_way)) {}

    std::shared_ptr<session> session_;
  };

  /// @comm   collective; duplicates `host`
  /// @throws collective_error  on every rank, the same one, if NCCL cannot be set up on one
  basic_nccl_comm(HostComm host, Layer layer) : basic_nccl_comm(parts{host.duplicate(), std::move(layer)}) {}

  [[nodiscard]] static constexpr bool carries(memory_space space) noexcept { return device_accessible(space); }

  [[nodiscard]] int rank() const noexcept { return session_->host().rank(); }
  [[nodiscard]] int size() const noexcept { return session_->host().size(); }
  /// Returns the communicator for ordinary memory; its calls and the calls of this one have one order.
  [[nodiscard]] HostComm& host() noexcept { return session_->host(); }

  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    host().all_to_all(send, receive, bytes);
  }

  void all_to_all_v(outgoing out, incoming in) { start_all_to_all_v(out, in).wait(); }

  /// @where  memory of a GPU, or pinned; queues up on the stream
  /// @comm   collective; messages of NCCL, and a header exchange of the host when it is waited for
  /// @pre    both sides of a message have the same size; not checked
  /// @throws collective_error  on every rank, if the communicator was given up before
  [[nodiscard]] request start_all_to_all_v(outgoing out, incoming in) {
    check_exchange(out, in, rank(), size());
    session_->start([&](Layer& layer, auto const& comm) { return enqueue(layer, comm, out, in); });
    return request(session_);
  }

  void all_to_all_replies(outgoing out, std::span<char const> asked, std::span<char const> answering,
                          reply_buffer& replies) {
    host().all_to_all_replies(out, asked, answering, replies);
  }

  template <reducible T>
  void all_reduce(std::span<T> values, reduction op) {
    host().all_reduce(values, op);
  }

  /// Reduces in place, in memory that a GPU reaches; blocks until all ranks have the result.
  ///
  /// @throws collective_error  on every rank, the same one, if NCCL or a GPU failed on one
  template <memory_space Space, reducible T>
    requires(device_accessible(Space))
  void all_reduce(array_view<Space, T> values, reduction op) {
    session_->start([&](Layer& layer, auto const& comm) {
      if (!values.empty()) {
        layer.reduce(comm, values.data(), values.size(), op);
      }
      return !values.empty();
    });
    session_->finish();
  }

  void broadcast(std::byte* data, std::int64_t bytes, int root) { host().broadcast(data, bytes, root); }
  void barrier() { host().barrier(); }

  [[nodiscard]] basic_nccl_comm split(int color, int order) {
    return basic_nccl_comm(parts{host().split(color, order), session_->layer()});
  }
  [[nodiscard]] basic_nccl_comm duplicate() { return basic_nccl_comm(parts{host().duplicate(), session_->layer()}); }

private:
  struct parts {
    HostComm host; // a duplicate
    Layer layer;
  };
  explicit basic_nccl_comm(parts made)
      : session_(std::make_shared<session>(std::move(made.host), std::move(made.layer))) {}

  // Enqueues all messages as one group, or none; empty ones are not sent. The group is ended in all cases: otherwise
  // NCCL would add the next calls of this thread to it.
  template <class Comm>
  static bool enqueue(Layer& layer, Comm const& comm, outgoing const& out, incoming const& in) {
    bool grouped = false;
    auto const open = [&] {
      if (!std::exchange(grouped, true)) {
        layer.begin_group();
      }
    };
    try {
      for (std::size_t peer = 0; peer < out.sizes.size(); ++peer) {
        if (out.sizes[peer] > 0) {
          open();
          layer.send(comm, out.data + out.offsets[peer], out.sizes[peer], static_cast<int>(peer));
        }
        if (in.sizes[peer] > 0) {
          open();
          layer.receive(comm, in.data + in.offsets[peer], in.sizes[peer], static_cast<int>(peer));
        }
      }
    } catch (...) {
      try {
        layer.end_group();
      } catch (std::exception const&) { // adds nothing to the exception under way
      }
      throw;
    }
    if (grouped) {
      layer.end_group();
    }
    return grouped;
  }

  std::shared_ptr<session> session_;
};

} // namespace glt::detail
