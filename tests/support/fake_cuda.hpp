// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for the CUDA runtime on machines without a GPU: two GPUs whose memory is the heap, and streams that do nothing until
// somebody waits for them. So whoever forgets to wait finds old bytes, or those of freed memory. For one translation unit
// of a program that does not launch kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

struct CUstream_st {
  int device;
  std::size_t done = 0;
  std::vector<std::function<void()>> work{};

  void run(std::size_t until) {
    while (done < until) {
      auto const step = work[done++];
      step();
    }
  }
  void run() { run(work.size()); }
};

struct CUevent_st {
  CUstream_st* stream = nullptr;
  std::size_t place = 0;
};

struct CUmemPoolHandle_st {
  int device;
  std::set<int> readers;
};

namespace glt_test {

enum class fake_memory { pool, plain, pinned, registered };

struct fake_cuda {
  struct block {
    std::size_t bytes;
    fake_memory kind;
  };
  std::vector<CUstream_st> legacy{{.device = 0}, {.device = 1}};
  std::vector<CUmemPoolHandle_st> pools{{0, {}}, {1, {}}};
  std::set<CUstream_st*> streams{&legacy[0], &legacy[1]};
  std::vector<std::unique_ptr<std::byte[]>> memory; // all that there ever was
  std::map<std::byte const*, block> blocks;
  int device = 0;

  /// The runtime of this program.
  static fake_cuda& instance() {
    static fake_cuda one;
    return one;
  }

  CUstream_st& of(cudaStream_t stream) {
    return stream == cudaStreamLegacy ? legacy[static_cast<std::size_t>(device)] : *stream;
  }
  /// Stands for the launch of a kernel.
  void enqueue(cudaStream_t stream, std::function<void()> work) { of(stream).work.push_back(std::move(work)); }
  void wait_for_all(int of_device) {
    for (auto* each : streams) {
      if (each->device == of_device) {
        each->run();
      }
    }
  }

  void* take(std::size_t bytes, fake_memory kind) {
    auto* const made = memory.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
    blocks[made] = {bytes, kind};
    return made;
  }
  /// Freed memory stays, but it is overwritten.
  void give(void* data) {
    auto const found = blocks.find(static_cast<std::byte*>(data));
    std::memset(data, 0xdd, found->second.bytes);
    blocks.erase(found);
  }
  /// What memory an address is in; null if it is that of nobody or pageable.
  block const* find(void const* data) const {
    auto const* const address = static_cast<std::byte const*>(data);
    auto const after = blocks.upper_bound(address);
    if (after == blocks.begin()) {
      return nullptr;
    }
    auto const& [first, found] = *std::prev(after);
    return address < first + found.bytes ? &found : nullptr;
  }
};

} // namespace glt_test

extern "C" {

using glt_test::fake_cuda;
using glt_test::fake_memory;

cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
char const* cudaGetErrorName(cudaError_t) {
  return "cudaErrorFake";
}
char const* cudaGetErrorString(cudaError_t) {
  return "of no real GPU";
}
cudaError_t cudaGetDeviceCount(int* count) {
  return *count = 2, cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  return *device = fake_cuda::instance().device, cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return fake_cuda::instance().device = device, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMemoryPoolsSupported ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  fake_cuda::instance().wait_for_all(fake_cuda::instance().device);
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  return *can = 1, cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return *free = *total = 0, cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st{.device = fake_cuda::instance().device};
  fake_cuda::instance().streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { // others may still wait for what it did
  stream->run();
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return fake_cuda::instance().of(stream).run(), cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  fake_cuda::instance().enqueue(stream, [after = *event] { after.stream->run(after.place); });
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new CUevent_st, cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return delete event, cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  auto& recorded = fake_cuda::instance().of(stream);
  *event = {&recorded, recorded.work.size()};
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  *pool = &fake_cuda::instance().pools[static_cast<std::size_t>(device)];
  return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const* properties) {
  *pool = new CUmemPoolHandle_st{properties->location.id, {}};
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return delete pool, cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, cudaMemAccessDesc const* access, std::size_t) {
  pool->readers.insert(access->location.id);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  *flags = pool->readers.contains(location->id) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return *data = fake_cuda::instance().take(bytes, fake_memory::plain), cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  fake_cuda::instance().wait_for_all(fake_cuda::instance().device);
  return fake_cuda::instance().give(data), cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return *data = fake_cuda::instance().take(bytes, fake_memory::pool), cudaSuccess;
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  fake_cuda::instance().enqueue(stream, [data] { fake_cuda::instance().give(data); });
  return cudaSuccess;
}
// That these wait for the GPU is promised nowhere.
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  return *data = fake_cuda::instance().take(bytes, fake_memory::pinned), cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  return fake_cuda::instance().give(data), cudaSuccess;
}
cudaError_t cudaHostRegister(void* data, std::size_t bytes, unsigned) {
  fake_cuda::instance().blocks[static_cast<std::byte*>(data)] = {bytes, fake_memory::registered};
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* data) {
  fake_cuda::instance().blocks.erase(static_cast<std::byte*>(data));
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** seen, void* data, unsigned) {
  return *seen = data, cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* data) {
  auto const* const found = fake_cuda::instance().find(data);
  attributes->type = found == nullptr ? cudaMemoryTypeUnregistered
                     : found->kind == fake_memory::pool || found->kind == fake_memory::plain ? cudaMemoryTypeDevice
                                                                                             : cudaMemoryTypeHost;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  auto& runtime = fake_cuda::instance();
  std::function<void()> copy = [=] { std::memcpy(to, from, bytes); };
  if (runtime.find(from) == nullptr) { // the driver takes pageable bytes at once
    auto const taken = std::make_shared<std::vector<std::byte>>(static_cast<std::byte const*>(from),
                                                                static_cast<std::byte const*>(from) + bytes);
    copy = [=] { std::memcpy(to, taken->data(), bytes); };
  }
  runtime.enqueue(stream, std::move(copy));
  if (runtime.find(to) == nullptr) { // and writes them before it returns
    runtime.of(stream).run();
  }
  return cudaSuccess;
}

} // extern "C"
