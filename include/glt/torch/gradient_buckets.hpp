// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/torch/collectives.hpp>

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Thread that adds up buckets over ranks as soon as they are complete. It follows the order of their numbers, which is
/// the same on all ranks.
///
/// Concurrent calls: `send` from any thread; the other functions from one thread.
template <communicator Comm>
class bucket_thread {
public:
  /// Takes a duplicate of the communicator, which only the thread uses.
  explicit bucket_thread(Comm comm) : comm_(std::move(comm)), thread_([this] { run(); }) {}
  /// Makes room for so many buckets, so that `begin` does not fail.
  void reserve(std::size_t buckets) {
    std::scoped_lock const hold(lock_);
    sent_.reserve(buckets);
  }
  /// Waits for buckets that were sent.
  ~bucket_thread() {
    {
      std::scoped_lock const hold(lock_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  bucket_thread(bucket_thread const&) = delete;
  bucket_thread& operator=(bucket_thread const&) = delete;

  /// Expects so many buckets.
  void begin(std::size_t buckets) {
    std::scoped_lock const hold(lock_);
    sent_.assign(buckets, at::Tensor());
    next_ = 0;
  }
  /// Hands over a bucket that is complete on this rank.
  void send(std::size_t number, at::Tensor bucket) {
    {
      std::scoped_lock const hold(lock_);
      sent_[number] = std::move(bucket);
    }
    changed_.notify_all();
  }
  /// Returns when all buckets were added up, or when one has failed.
  void wait() {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return next_ == sent_.size() || failure_; });
  }
  /// Throws the exception of this rank's thread, if there is one.
  void rethrow() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

private:
  [[nodiscard]] bool has_work() const { return next_ < sent_.size() && sent_[next_].defined(); }

  void run() noexcept {
    std::unique_lock hold(lock_);
    for (;;) {
      changed_.wait(hold, [&] { return has_work() || over_; });
      if (!has_work()) {
        return;
      }
      auto const bucket = sent_[next_];
      hold.unlock();
      try {
        reduce_bucket(comm_, bucket);
      } catch (...) {
        hold.lock();
        failure_ = std::current_exception();
        changed_.notify_all();
        return;
      }
      hold.lock();
      ++next_;
      changed_.notify_all();
    }
  }

  Comm comm_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<at::Tensor> sent_;
  std::size_t next_ = 0;
  std::exception_ptr failure_;
  bool over_ = false;
  std::thread thread_; // last: uses the other members
};

/// Callback for the time when the gradient of a parameter is complete, until it is destroyed.
class gradient_watch {
public:
  gradient_watch(at::Tensor const& parameter, std::function<void()> on_gradient)
      : node_(::torch::autograd::impl::grad_accumulator(parameter)),
        key_(node_->add_post_hook(std::make_unique<hook>(std::move(on_gradient)))) {}
  ~gradient_watch() { node_->del_post_hook(key_); }
  gradient_watch(gradient_watch const&) = delete;
  gradient_watch& operator=(gradient_watch const&) = delete;

private:
  struct hook : ::torch::autograd::FunctionPostHook {
    explicit hook(std::function<void()> function) : on_gradient(std::move(function)) {}
    ::torch::autograd::variable_list operator()(::torch::autograd::variable_list const& outputs,
                                                ::torch::autograd::variable_list const&) override {
      on_gradient();
      return outputs;
    }
    std::function<void()> on_gradient;
  };

  std::shared_ptr<::torch::autograd::Node> node_; // kept, since parameters hold it weakly
  std::uintptr_t key_;
};

} // namespace detail

/// Adds up the gradients of a module over ranks while the backward pass is still running. Parameters are put into
/// buckets in reverse order. A thread adds up a bucket over ranks as soon as its last gradient is complete.
///
///     glt::gradient_buckets gradients(comm, network);   // behind sync_params
///     gradients.backward(loss, batch.num_seeds);        // instead of loss.backward() and gather_grads
///
/// The results are the gradients of `gather_grads` and `sum_grads`, except for rounding. The module must outlive it and
/// keep its parameters. Needs `mpi_threads::multiple` or `serialized` with MPI, and pays if the thread has a separate
/// core.
///
/// Concurrent calls: none on one object; collectives of the program may run beside it.
///
/// @source Li et al., "PyTorch distributed: experiences on accelerating data parallel training", VLDB 2020, section 3.2
template <communicator Comm>
class gradient_buckets {
public:
  /// @param bucket_bytes  bytes of gradients in a bucket; a larger parameter has a larger bucket
  /// @comm   collective; one header exchange, one `duplicate`
  /// @throws collective_error  on every rank, if a rank's MPI was started for fewer threads, or bucket_bytes is below 1
  ///         or differs from rank 0
  /// @cost   one extra copy of the gradients
  gradient_buckets(Comm comm, ::torch::nn::Module& module, std::int64_t bucket_bytes = std::int64_t{1} << 20)
      : comm_(std::move(comm)), parameters_(detail::trained_parameters(module)),
        thread_(duplicate(comm_, bucket_bytes)) {
    for (auto parameter = parameters_.rbegin(); parameter != parameters_.rend(); ++parameter) {
      if (buckets_.empty() || detail::bytes_of(buckets_.back().parameters) >= bucket_bytes) {
        buckets_.emplace_back();
      }
      buckets_.back().parameters.push_back(*parameter);
    }
    thread_.reserve(buckets_.size());
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      buckets_[b].values = detail::make_bucket(buckets_[b].parameters);
      for (auto const& [name, parameter] : buckets_[b].parameters) {
        watches_.push_back(std::make_unique<detail::gradient_watch>(parameter, [this, b] { on_gradient(b); }));
      }
    }
  }
  gradient_buckets(gradient_buckets const&) = delete;
  gradient_buckets& operator=(gradient_buckets const&) = delete;

  /// Runs `loss.backward()` and gathers the mean of the gradients over ranks, weighted by seeds: see `gather_grads`.
  ///
  /// @param loss  may be undefined on a rank without seeds
  /// @comm   collective, on all ranks; two header exchanges, and beside the pass one all-reduce a bucket
  /// @throws collective_error  on every rank, if the pass of a rank fails, or as `gather_grads`
  void backward(at::Tensor const& loss, std::int64_t num_seeds) {
    run(loss, num_seeds,
        [&](std::int64_t total) { return static_cast<double>(num_seeds) / static_cast<double>(total); });
  }

  /// Runs `loss.backward()` and gathers the sum of the gradients over ranks: see `sum_grads`.
  ///
  /// @comm, @throws  as above
  void backward(at::Tensor const& loss) {
    run(loss, 1, [](std::int64_t) { return 1.0; });
  }

  [[nodiscard]] std::int64_t num_buckets() const noexcept { return std::ssize(buckets_); }

private:
  struct bucket {
    std::vector<detail::named_tensor> parameters;
    at::Tensor values;
    std::size_t missing = 0; // gradients
    bool sent = false;
  };

  static Comm duplicate(Comm& comm, std::int64_t bucket_bytes) {
    auto const check = [&] {
      if (bucket_bytes < 1) {
        throw precondition_error(detail::message("gradient_buckets of ", bucket_bytes, " bytes; pass 1 or more"));
      }
      if constexpr (requires { comm.allows_threads(); }) {
        if (!comm.allows_threads()) {
          throw precondition_error(
              "gradient_buckets need threads that call MPI; start MPI by "
              "mpi_environment(mpi_threads::multiple) or (mpi_threads::serialized), or use gather_grads");
        }
      }
    };
    detail::agree(comm, {.what = detail::operation::gather_gradients, .step = 1}, detail::failure_of(check),
                  bucket_bytes, [](std::int64_t own, std::int64_t first) {
                    return detail::message("makes gradient_buckets of ", own, " bytes and rank 0 of ", first,
                                           "; pass the same on all ranks");
                  });
    return comm.duplicate();
  }

  template <class Share>
  void run(at::Tensor const& loss, std::int64_t num_seeds, Share share) {
    auto const total = detail::agree_on_gradients(comm_, parameters_, num_seeds);
    share_ = num_seeds > 0 ? share(total) : 0;
    for (auto& of : buckets_) {
      of.values.zero_();
      of.missing = of.parameters.size();
      of.sent = false;
    }
    thread_.begin(buckets_.size());
    running_ = true;
    try {
      run_collectively(comm_, [&] { // so no rank waits for gradients that do not come
        if (loss.defined()) {
          loss.backward();
        }
        for (std::size_t b = 0; b < buckets_.size(); ++b) { // with gradients on which nothing depended
          fill_and_send(b);
        }
      });
    } catch (...) { // on all ranks
      running_ = false;
      for (std::size_t b = 0; b < buckets_.size(); ++b) {
        send(b);
      }
      thread_.wait();
      throw;
    }
    running_ = false;
    thread_.wait();
    thread_.rethrow();
    for (auto const& of : buckets_) {
      detail::check_finite(comm_, of.values, of.parameters, share_ > 0);
    }
    for (auto const& of : buckets_) {
      detail::empty_bucket(of.values, of.parameters);
    }
  }

  // Sends off a bucket when its last gradient is complete.
  void on_gradient(std::size_t b) {
    if (running_ && --buckets_[b].missing == 0) {
      fill_and_send(b);
    }
  }
  void fill_and_send(std::size_t b) {
    auto& of = buckets_[b];
    if (share_ > 0 && !of.sent) {
      if (auto const fault = detail::gradient_fault(of.parameters, 0); !fault.empty()) {
        throw precondition_error(fault); // the pass has made a sparse one
      }
      detail::fill_bucket(of.parameters, share_, of.values);
    }
    send(b);
  }
  void send(std::size_t b) {
    auto& of = buckets_[b];
    if (!of.sent) {
      of.sent = true;
      thread_.send(b, of.values);
    }
  }

  Comm comm_;
  std::vector<detail::named_tensor> parameters_;
  std::vector<bucket> buckets_;
  double share_ = 0;
  bool running_ = false;
  detail::bucket_thread<Comm> thread_;
  std::vector<std::unique_ptr<detail::gradient_watch>> watches_; // last: they call this object
};

} // namespace glt
