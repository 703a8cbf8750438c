// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/nccl/detail/layer.hpp>

#include <thread>

namespace glt::detail {

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

} // namespace glt::detail
