// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this communicator does not carry memory of the views
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/serial.hpp>
#include <glt/core/view.hpp>

#include <cstdint>
#include <vector>

void use(glt::host_view<float> on_host, glt::array_view<glt::memory_space::device, float> on_device) {
  glt::serial_comm comm;
  std::vector<std::int64_t> const none(1, 0);
  glt::detail::exchange_rows(comm, glt::host_view<float const>(on_host), none, on_host, none);
  (void)on_device;
#ifdef GLT_FAIL
  glt::detail::exchange_rows(comm, glt::array_view<glt::memory_space::device, float const>(on_device), none, on_device,
                             none);
#endif
}
