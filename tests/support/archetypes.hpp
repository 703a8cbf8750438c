// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/exec/sequential.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/partitioner.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace glt_test {

/// An executor with nothing but what the concept lists, and which runs `for_each` backwards.
struct minimal_executor {
  static constexpr bool reaches(glt::memory_space space) { return glt::detail::host_accessible(space); }

  template <class F>
  void for_each(std::int64_t n, F f) const {
    while (n-- > 0) {
      f(n);
    }
  }
  template <class F>
  void for_ranges(std::int64_t n, std::int64_t, F f) const {
    for (; n > 0; n -= n < 3 ? n : 3) { // three by three, backwards
      f(n < 3 ? 0 : n - 3, n);
    }
  }
  template <class T, class F, class Op>
  T reduce(std::int64_t n, T initial, F f, Op op) const {
    while (n-- > 0) {
      initial = op(f(n), initial);
    }
    return initial;
  }
  template <glt::memory_space Space, class In, class Out>
  void exclusive_scan(glt::array_view<Space, In> in, glt::array_view<Space, Out> out) const {
    glt::exec::sequential{}.exclusive_scan(in, out);
  }
  template <class F, glt::memory_space Space, class Out>
  void exclusive_scan(std::int64_t n, F f, glt::array_view<Space, Out> out) const {
    glt::exec::sequential{}.exclusive_scan(n, f, out);
  }
  template <glt::memory_space Space, class Key, class Value>
  void sort_by_key(glt::array_view<Space, Key> keys, glt::array_view<Space, Value> values) const {
    glt::exec::sequential{}.sort_by_key(keys, values);
  }
  template <class Predicate, glt::memory_space Space, class Index>
  std::int64_t select_if(std::int64_t n, Predicate predicate, glt::array_view<Space, Index> out) const {
    return glt::exec::sequential{}.select_if(n, predicate, out);
  }
};
static_assert(glt::executor<minimal_executor>);

/// Memory that counts what is allocated and can be told to run out.
struct counting_resource {
  struct state {
    std::int64_t live_bytes = 0;
    std::int64_t peak_bytes = 0;
    std::int64_t allocations_left = -1; ///< negative: no limit
  };
  static state& counts() {
    static state counted;
    return counted;
  }

  void* allocate(std::size_t bytes) const {
    auto& counted = counts();
    if (counted.allocations_left == 0) {
      throw std::bad_alloc();
    }
    --counted.allocations_left;
    counted.live_bytes += static_cast<std::int64_t>(bytes);
    counted.peak_bytes = counted.live_bytes > counted.peak_bytes ? counted.live_bytes : counted.peak_bytes;
    return glt::host_resource{}.allocate(bytes);
  }
  void deallocate(void* pointer, std::size_t bytes) const noexcept {
    counts().live_bytes -= static_cast<std::int64_t>(bytes);
    glt::host_resource{}.deallocate(pointer, bytes);
  }
  void copy(void* to, void const* from, std::size_t bytes) const noexcept {
    glt::host_resource{}.copy(to, from, bytes);
  }
  void copy_in(void* to, void const* from, std::size_t bytes) const noexcept {
    glt::host_resource{}.copy(to, from, bytes);
  }
  void copy_out(void* to, void const* from, std::size_t bytes) const noexcept {
    glt::host_resource{}.copy(to, from, bytes);
  }
};
static_assert(glt::detail::memory_resource<counting_resource>);

/// A policy with nothing but what the concept lists; its memory is typed as pinned, so that code which
/// silently assumes ordinary memory does not compile.
struct minimal_policy {
  static constexpr glt::memory_space space = glt::memory_space::pinned;
  counting_resource resource() const { return {}; }
  minimal_executor executor() const { return {}; }
};
static_assert(glt::device_policy<minimal_policy>);

/// A partitioner with nothing but what the concept lists: round robin.
struct minimal_partitioner {
  template <class Vertex>
  glt::buffer<glt::device::cpu, glt::local_id> operator()(glt::csr_view<glt::memory_space::host, Vertex> graph,
                                                          int num_parts) const {
    glt::buffer<glt::device::cpu, glt::local_id> part_of(graph.num_rows());
    for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
      part_of[v] = static_cast<glt::local_id>(v % num_parts);
    }
    return part_of;
  }
};
static_assert(glt::partitioner<minimal_partitioner>);

} // namespace glt_test
