// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/detail/staged_exchange.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Options for sending memory of a policy through a `device_comm`.
struct staging_options {
  std::int64_t round_bytes = std::int64_t{4} << 20; ///< about the bytes staged at a time; the same on all ranks
  bool direct = false; ///< stage in GPU memory if the communicator can send it; the same on all ranks
};

// Returns true if the communicator sends in the order of a GPU's stream, so that it need not wait for enqueued work.
template <class Comm>
[[nodiscard]] consteval bool keeps_stream_order() {
  if constexpr (requires { Comm::in_stream_order; }) {
    return Comm::in_stream_order;
  } else {
    return false;
  }
}

template <class Comm, class Policy>
inline constexpr bool fitting_pair =
    carries<Comm, Policy::space> || (carries<Comm, memory_space::host> && !keeps_stream_order<Comm>());

} // namespace glt::detail

namespace glt::dist {

/// Communicator for memory of a policy, made from one for ordinary memory.
///
/// Payload that the host can reach is sent directly. GPU payload goes through staging buffers of the host (see
/// `staged_exchange`). With `direct`, and if `device_aware()` is true at run time on all ranks (a CUDA-aware MPI), it
/// goes through exchange buffers of the GPU. The policy's memory itself may come from a pool, which such an MPI cannot
/// open to other processes. All other calls take ordinary memory. Work enqueued on the policy's executor before a call
/// is done before its memory is read or written. Copies of a handle share one state; one request at a time.
///
/// Concurrent calls: none on a handle and its copies; another thread needs a `duplicate()`.
template <communicator Comm, device_policy Policy>
class device_comm {
  static_assert(detail::fitting_pair<Comm, Policy>,
                "this communicator carries neither this policy's memory nor ordinary memory to stage it in: take one "
                "of the host such as mpi_comm, or a policy of a GPU");

  using inner_request = decltype(std::declval<Comm&>().start_all_to_all_v(outgoing{}, incoming{}));

  struct state {
    Comm comm;
    Policy policy;
    detail::staging_options options;
    std::optional<detail::staged_exchange<Comm, Policy>> staged; // empty if payload is sent directly
  };

public:
  using options_type = detail::staging_options; ///< how to send memory of a GPU

  /// Exchange under way; move-only; the destructor waits.
  class request {
  public:
    request(request&& other) noexcept
        : direct_(std::exchange(other.direct_, std::nullopt)), staged_(std::move(other.staged_)) {}
    request& operator=(request&& other) noexcept {
      request finished(std::move(*this));
      if (auto inner = std::exchange(other.direct_, std::nullopt)) {
        direct_.emplace(std::move(*inner));
      }
      staged_ = std::move(other.staged_);
      return *this;
    }
    ~request() {
      try {
        wait();
      } catch (std::exception const&) { // a failure that others share is thrown by their next call as well
      }
    }

    /// Blocks until all bytes have arrived, for work that is enqueued from now on; a second call does nothing.
    ///
    /// @throws collective_error  on every rank, if one cannot copy its bytes
    void wait() {
      if (auto const under_way = std::move(staged_)) {
        under_way->staged->wait();
      } else if (auto inner = std::exchange(direct_, std::nullopt)) {
        inner->wait();
      }
    }

  private:
    friend device_comm;
    explicit request(inner_request inner) : direct_(std::move(inner)) {}
    explicit request(std::shared_ptr<state> under_way) : staged_(std::move(under_way)) {}

    std::optional<inner_request> direct_;
    std::shared_ptr<state> staged_;
  };

  /// @comm   collective with `direct`, if the communicator has `device_aware()`: one reduction; otherwise none
  /// @throws precondition_error  if round_bytes < 1
  explicit device_comm(Comm comm, Policy policy = {}, options_type options = {})
      : state_(std::make_shared<state>(state{std::move(comm), std::move(policy), options, std::nullopt})) {
    if constexpr (!goes_as_it_is) {
      direct_ = all_are_aware();
      state_->staged.emplace(state_->comm, state_->policy, options.round_bytes, direct_);
    }
  }

  [[nodiscard]] static constexpr bool carries(memory_space space) noexcept { return space == Policy::space; }

  [[nodiscard]] int rank() const noexcept { return state_->comm.rank(); }
  [[nodiscard]] int size() const noexcept { return state_->comm.size(); }
  /// Returns the communicator for ordinary memory.
  [[nodiscard]] Comm& host() noexcept { return state_->comm; }
  [[nodiscard]] Policy const& policy() const noexcept { return state_->policy; }
  /// Returns true if payload is not staged in host memory.
  [[nodiscard]] bool direct() const noexcept { return direct_; }

  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    host().all_to_all(send, receive, bytes);
  }

  void all_to_all_v(outgoing out, incoming in) { start_all_to_all_v(out, in).wait(); }

  /// @where  memory of `Policy::space`
  [[nodiscard]] request start_all_to_all_v(outgoing out, incoming in) {
    if (state_->staged) {
      state_->staged->start(out, in);
      return request(state_);
    }
    glt::detail::check_exchange(out, in, rank(), size());
    finish_enqueued(out, in);
    return request(state_->comm.start_all_to_all_v(out, in));
  }

  void all_to_all_replies(outgoing out, std::span<char const> asked, std::span<char const> answering,
                          reply_buffer& replies) {
    host().all_to_all_replies(out, asked, answering, replies);
  }

  template <glt::detail::reducible T>
  void all_reduce(std::span<T> values, reduction op) {
    host().all_reduce(values, op);
  }

  void broadcast(std::byte* data, std::int64_t bytes, int root) { host().broadcast(data, bytes, root); }
  void barrier() { host().barrier(); }

  [[nodiscard]] device_comm split(int color, int order) {
    return device_comm(host().split(color, order), policy(), state_->options);
  }
  [[nodiscard]] device_comm duplicate() { return device_comm(host().duplicate(), policy(), state_->options); }

private:
  static constexpr bool goes_as_it_is =
      host_policy<Policy> || detail::keeps_stream_order<Comm>() || glt::carries<Comm, Policy::space>;

  [[nodiscard]] bool all_are_aware() {
    std::int64_t aware = 0;
    if constexpr (requires(Comm const& comm) {
                    { comm.device_aware() } -> std::same_as<bool>;
                  }) {
      if (state_->options.direct) {
        aware = state_->comm.device_aware() ? 1 : 0;
        state_->comm.all_reduce(std::span(&aware, 1), reduction::min);
      }
    }
    return aware == 1;
  }

  // The communicator accesses the memory at once, without regard to enqueued work; a copy waits for that work.
  void finish_enqueued(outgoing const& out, incoming const& in) const {
    if constexpr (!host_policy<Policy> && !detail::keeps_stream_order<Comm>()) {
      std::byte waited_for{};
      auto const peers = static_cast<std::size_t>(size());
      for (std::size_t peer = 0; peer < peers; ++peer) {
        std::byte const* const any = out.sizes[peer] > 0  ? out.data + out.offsets[peer]
                                     : in.sizes[peer] > 0 ? in.data + in.offsets[peer]
                                                          : nullptr;
        if (any != nullptr) {
          policy().resource().copy_out(&waited_for, any, 1);
          return;
        }
      }
    }
  }

  std::shared_ptr<state> state_;
  bool direct_ = goes_as_it_is;
};

} // namespace glt::dist

namespace glt::detail {

template <communicator Comm, device_policy Policy>
struct payload_comm_of {
  using type =
      std::conditional_t<host_policy<Policy> || keeps_stream_order<Comm>(), Comm, dist::device_comm<Comm, Policy>>;
  static_assert(fitting_pair<Comm, Policy>, // behind the type, or clang misses that as well
                "this communicator carries neither this policy's memory nor ordinary memory to stage it in: take one "
                "of the host such as mpi_comm, or a policy of a GPU");
};

/// Communicator for the payload of a policy's algorithms: the given one if it can send it, else a `device_comm`.
template <communicator Comm, device_policy Policy>
using payload_comm = typename detail::payload_comm_of<Comm, Policy>::type;

/// @comm   as the constructor of `device_comm`, or none
template <communicator Comm, device_policy Policy>
[[nodiscard]] payload_comm<Comm, Policy> make_payload_comm(Comm comm, Policy policy, staging_options options = {}) {
  if constexpr (std::same_as<payload_comm<Comm, Policy>, Comm>) {
    return comm;
  } else {
    return payload_comm<Comm, Policy>(std::move(comm), std::move(policy), options);
  }
}

} // namespace glt::detail
