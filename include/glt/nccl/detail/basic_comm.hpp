// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/mailbox.hpp>

#include <thread>

namespace glt::detail {

/// Calls of NCCL and of a stream that a `basic_nccl_comm` needs; copyable, one per communicator.
///
/// Models: `nccl_api`; tests have one that fails where they want.
///
/// - `l.make_id()`: the id by which the ranks of a communicator find each other
/// - `l.start(ranks, rank, id)`: begins to make a communicator and returns it
/// - `l.ready(comm)`: false while NCCL is at work on the last call
/// - `l.begin_group()`, `l.send(comm, data, bytes, peer)`, `l.receive(comm, data, bytes, peer)`, `l.end_group()`:
///   messages that travel at the same time, enqueued on the stream
/// - `l.reduce(comm, data, count, reduction)`: a reduction in place, enqueued on the stream
/// - `l.mark()`, `l.done()`: marks the end of the enqueued work; true if the GPU has passed the mark
/// - `l.abort(comm)`: ends everything under way and frees the communicator; waits for no rank, never throws
///
/// All but `abort` throw if they fail, and none waits for other ranks.
template <class L>
concept nccl_layer = std::copyable<L> && std::is_trivially_copyable_v<typename L::id_type> &&
                     requires(L& l, typename L::comm_type comm, typename L::id_type id, std::byte const* sent,
                              std::byte* received, std::int64_t bytes, float* values) {
                       { l.make_id() } -> std::same_as<typename L::id_type>;
                       { l.start(2, 0, id) } -> std::same_as<typename L::comm_type>;
                       { l.ready(comm) } -> std::same_as<bool>;
                       l.begin_group();
                       l.send(comm, sent, bytes, 0);
                       l.receive(comm, received, bytes, 0);
                       l.end_group();
                       l.reduce(comm, values, bytes, reduction::sum);
                       l.mark();
                       { l.done() } -> std::same_as<bool>;
                       { l.abort(comm) } noexcept;
                     };

/// One communicator of NCCL, and the agreement of its ranks on failures.
///
/// A rank never blocks in a call of NCCL: it polls its work and the alarm of the others. The rank that fails raises the
/// alarm, and all ranks give up their communicator. Then all ranks learn the cause in one header exchange of the host.
/// It takes place after every step, so no rank is ever a step ahead of a failure.
template <alarming HostComm, nccl_layer Layer>
class nccl_session {
public:
  /// @comm   collective
  /// @throws collective_error  on every rank, the same one, if NCCL cannot be set up on one
  nccl_session(HostComm host, Layer layer)
      : host_(std::move(host)), alarm_(host_.make_alarm()), layer_(std::move(layer)),
        nothing_(static_cast<std::size_t>(host_.size()), 0), raisers_(nothing_.size(), 0) {
    if (host_.size() == 1) {
      return; // no other rank
    }
    typename Layer::id_type id{};
    attempt([&] {
      if (host_.rank() == 0) {
        id = layer_.make_id();
      }
    });
    agree();
    host_.broadcast(reinterpret_cast<std::byte*>(&id), sizeof(id), 0);
    attempt([&] {
      native_ = layer_.start(host_.size(), host_.rank(), id);
      wait_until([&] { return layer_.ready(*native_); });
    });
    agree();
  }
  nccl_session(nccl_session const&) = delete;
  nccl_session& operator=(nccl_session const&) = delete;
  // Aborts instead of NCCL's shutdown, which waits for other ranks: between steps nothing is under way.
  ~nccl_session() { give_up(); }

  [[nodiscard]] HostComm& host() noexcept { return host_; }
  [[nodiscard]] Layer const& layer() const noexcept { return layer_; }

  /// Calls enqueue(layer, communicator), which returns whether it enqueued anything; if it throws, `finish` tells all
  /// ranks.
  ///
  /// @throws precondition_error  if a step is under way
  /// @throws collective_error  on every rank, if the communicator was given up before
  template <class Enqueue>
  void start(Enqueue enqueue) {
    if (lost_) {
      throw glt::detail::agreed_error(host_.size(), lost_->first, lost_->second);
    }
    if (under_way_) {
      throw precondition_error("an exchange is under way on this communicator; wait for it before the next one");
    }
    if (host_.size() > 1) {
      under_way_ = true;
      enqueued_ = false;
      attempt([&] { enqueued_ = enqueue(layer_, *native_); });
    }
  }

  /// Waits until the started step is done on all ranks.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, the same one, if the step failed on one
  void finish() {
    if (!std::exchange(under_way_, false)) {
      return;
    }
    attempt([&] {
      if (enqueued_ && failure_.empty()) {
        wait_until([&] { return layer_.ready(*native_); });
        layer_.mark();
        wait_until([&] { return layer_.ready(*native_) && layer_.done(); });
      }
    });
    agree();
  }

private:
  struct interrupted {}; // thrown on the alarm of another rank

  template <class Step>
  void attempt(Step step) {
    try {
      step();
    } catch (interrupted const&) {
      give_up();
    } catch (std::exception const& thrown) {
      fail(*thrown.what() != '\0' ? thrown.what() : "exception without a text");
    } catch (...) {
      fail("unknown exception");
    }
  }

  void fail(std::string cause) {
    failure_ = std::move(cause);
    raised_ = true;
    alarm_.raise();
    give_up();
  }

  template <class Condition>
  void wait_until(Condition reached) {
    while (!reached()) {
      if (alarm_.raised()) {
        throw interrupted();
      }
      std::this_thread::yield();
    }
  }

  // Tells all ranks whether one has failed; if so, none has a communicator afterwards.
  void agree() {
    try {
      exchange_headers(host_, {.step = ++step_}, nothing_, raised_ ? 1 : 0, failure_, headers_);
    } catch (collective_error const& thrown) {
      give_up();
      lost_.emplace(thrown.rank(), thrown.cause());
      for (std::size_t rank = 0; rank < raisers_.size(); ++rank) { // zeros, if the exchange itself was broken off
        raisers_[rank] = static_cast<char>(headers_[rank].value);
      }
      alarm_.settle(raisers_);
      throw;
    }
  }

  void give_up() noexcept {
    if (native_) {
      layer_.abort(*native_);
      native_.reset();
    }
  }

  HostComm host_;
  decltype(std::declval<HostComm&>().make_alarm()) alarm_;
  Layer layer_;
  std::optional<typename Layer::comm_type> native_; // empty on one rank, and once it is given up
  std::optional<std::pair<int, std::string>> lost_; // the rank that failed and why, once all know
  std::string failure_;                             // of this rank
  bool raised_ = false;
  bool under_way_ = false;
  bool enqueued_ = false;
  std::int64_t step_ = 0;
  std::vector<std::int64_t> nothing_; // [R]
  std::vector<char> raisers_;         // [R]
  std::vector<call_header> headers_;
};

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
