// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocations.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::int64_t> count{0};
std::atomic<std::int64_t> bytes{0};
std::atomic<std::int64_t> most_bytes{0};
thread_local std::int64_t until_failure = -1; // negative: none will fail

void* allocate(std::size_t size, std::size_t alignment) {
  ++count;
  if (until_failure > 0 && --until_failure == 0) {
    throw std::bad_alloc();
  }
  void* memory = nullptr; // of exactly that size, so that a sanitizer sees the first byte behind it
  if (posix_memalign(&memory, std::max(alignment, sizeof(void*)), std::max<std::size_t>(size, 1)) != 0) {
    throw std::bad_alloc();
  }
  auto const now = bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  for (auto most = most_bytes.load(); now > most && !most_bytes.compare_exchange_weak(most, now);) {
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) {
    bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
  }
}

} // namespace

glt_test::allocated_bytes::allocated_bytes() : before_(bytes) {
  most_bytes = before_;
}
std::int64_t glt_test::allocated_bytes::now() const {
  return bytes - before_;
}
std::int64_t glt_test::allocated_bytes::peak() const {
  return most_bytes - before_;
}

std::int64_t glt_test::num_allocations() {
  return count;
}

glt_test::failing_allocation::failing_allocation(std::int64_t number) {
  until_failure = number;
}
glt_test::failing_allocation::~failing_allocation() {
  until_failure = -1;
}
bool glt_test::failing_allocation::has_failed() const {
  return until_failure == 0;
}

// Every other form of new and delete calls these.
void* operator new(std::size_t size) {
  return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  try {
    return ::operator new(size);
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}
void* operator new(std::size_t size, std::align_val_t alignment, std::nothrow_t const&) noexcept {
  try {
    return ::operator new(size, alignment);
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
