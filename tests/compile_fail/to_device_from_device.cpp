// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: device_batches copies from ordinary memory
// lines of clang: 13
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/to_device.hpp>

namespace {

// Has what the concept lists; nothing of it runs here.
struct gpu_executor {
  static constexpr bool reaches(glt::memory_space space) { return space == glt::memory_space::device; }
  void for_each(std::int64_t, auto) const {}
  void for_ranges(std::int64_t, std::int64_t, auto) const {}
  template <class T>
  T reduce(std::int64_t, T initial, auto, auto) const {
    return initial;
  }
  void exclusive_scan(auto, auto) const {}
  void exclusive_scan(std::int64_t, auto, auto) const {}
  void sort_by_key(auto, auto) const {}
  std::int64_t select_if(std::int64_t, auto, auto) const { return 0; }
};
struct gpu_policy {
  static constexpr glt::memory_space space = glt::memory_space::device;
  glt::host_resource resource() const { return {}; }
  gpu_executor executor() const { return {}; }
};

template <class Policy>
using loader_on = glt::dist::loader<glt::serial_comm, glt::dist::neighbor_batches<Policy, glt::global_id>>;

} // namespace

void deliver(loader_on<glt::device::cpu>& on_host, loader_on<gpu_policy>& on_device) {
  glt::dist::device_batches(on_host, gpu_policy{});
  (void)on_device;
#ifdef GLT_FAIL
  glt::dist::device_batches(on_device, gpu_policy{});
#endif
}
