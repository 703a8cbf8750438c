// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/exec/sequential.hpp>
#include <glt/memory/policy.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace glt_test {

/// The calling thread, but it reaches only memory of GPUs.
class distant_executor {
public:
  [[nodiscard]] static constexpr bool reaches(glt::memory_space space) noexcept {
    return glt::detail::device_accessible(space);
  }

  void for_each(std::int64_t n, auto f) const { inner_.for_each(n, f); }
  void for_ranges(std::int64_t n, std::int64_t smallest, auto f) const { inner_.for_ranges(n, smallest, f); }
  template <class T>
  [[nodiscard]] T reduce(std::int64_t n, T initial, auto f, auto op) const {
    return inner_.reduce(n, initial, f, op);
  }
  void exclusive_scan(auto in, auto out) const { inner_.exclusive_scan(in, out); }
  void exclusive_scan(std::int64_t n, auto f, auto out) const { inner_.exclusive_scan(n, f, out); }
  void sort_by_key(auto keys, auto values) const { // which the host does only where it may
    inner_.sort_by_key(glt::host_view<std::remove_pointer_t<decltype(keys.data())>>(keys.data(), keys.size()),
                       glt::host_view<std::remove_pointer_t<decltype(values.data())>>(values.data(), values.size()));
  }
  std::int64_t select_if(std::int64_t n, auto predicate, auto out) const { return inner_.select_if(n, predicate, out); }

private:
  glt::exec::sequential inner_;
};

/// What happened to the memory of a `distant_policy`, and which of its copies is to fail.
struct distant_log {
  std::atomic<int> copies_out = 0;
  std::atomic<int> copies_in = 0;
  int failing_copy_out = -1; ///< counted from 0; none
  int failing_copy_in = -1;
};

/// The heap, whose copies may fail.
class distant_resource : public glt::host_resource {
public:
  explicit distant_resource(std::shared_ptr<distant_log> log) : log_(std::move(log)) {}
  void copy_in(void* to, void const* from, std::size_t bytes) const {
    if (log_ && log_->copies_in++ == log_->failing_copy_in) {
      throw std::runtime_error("no way into device memory");
    }
    host_resource::copy_in(to, from, bytes);
  }
  void copy_out(void* to, void const* from, std::size_t bytes) const {
    if (log_ && log_->copies_out++ == log_->failing_copy_out) {
      throw std::runtime_error("no way out of device memory");
    }
    host_resource::copy_out(to, from, bytes);
  }

private:
  std::shared_ptr<distant_log> log_;
};

/// Stands for a GPU without Thrust: for tests of what only moves bytes.
template <glt::memory_space Space = glt::memory_space::device>
class distant_policy {
public:
  static constexpr glt::memory_space space = Space;

  distant_policy() = default;
  explicit distant_policy(std::shared_ptr<distant_log> log) : log_(std::move(log)) {}

  [[nodiscard]] distant_resource resource() const { return distant_resource(log_); }
  [[nodiscard]] distant_executor executor() const noexcept { return {}; }
  friend bool operator==(distant_policy const&, distant_policy const&) = default; // logs stand for streams

private:
  std::shared_ptr<distant_log> log_;
};

static_assert(glt::device_policy<distant_policy<>> && !glt::host_policy<distant_policy<>>);

} // namespace glt_test
