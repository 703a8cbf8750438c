// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: network_switch NAMESPACES MACHINES BITS_PER_SECOND SECONDS
//
// A switch between network namespaces, whose links have a rate and a delay; bench/network.sh starts it. Makes a device
// eth0 (TUN) in each of the namespaces <NAMESPACES>-1 to <NAMESPACES>-<MACHINES>, writes "ready" and forwards IPv4 packets
// for ever: the last number of an address is its machine. A packet leaves when those before it on the sender's link have,
// arrives SECONDS later, and not before those before it on the receiver's link have come. None is dropped; what waits is
// as much as TCP sends without an answer.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <queue>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

using clock_type = std::chrono::steady_clock;
using time_point = clock_type::time_point;

void check(bool right, std::string const& what) {
  if (!right) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

// Packets go in and out by this descriptor, which stays with the device when the process goes to another namespace.
int make_device(std::string const& name) {
  auto const path = "/run/netns/" + name;
  int const space = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(space >= 0 && ::setns(space, CLONE_NEWNET) == 0, "cannot enter " + path);
  ::close(space);
  int const device = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  check(device >= 0, "cannot open /dev/net/tun");
  ifreq request{};
  std::strcpy(request.ifr_name, "eth0");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  check(::ioctl(device, TUNSETIFF, &request) == 0, "cannot make eth0 in " + path);
  return device;
}

struct machine_link {
  int device = -1;
  time_point free_out{};
  time_point free_in{};
};

struct packet {
  time_point arrives;
  std::uint64_t number = 0;
  std::size_t machine = 0;
  std::vector<char> bytes;

  friend bool operator<(packet const& left, packet const& right) { // the first to arrive is the greatest
    return std::pair(left.arrives, left.number) > std::pair(right.arrives, right.number);
  }
};

class network_switch {
public:
  network_switch(std::vector<machine_link> links, double bits_per_second, std::chrono::nanoseconds delay)
      : links_(std::move(links)), bits_per_second_(bits_per_second), delay_(delay), waiting_(links_.size()) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      waiting_[i] = {.fd = links_[i].device, .events = POLLIN, .revents = 0};
    }
  }

  [[noreturn]] void run() {
    while (true) {
      wait();
      for (std::size_t i = 0; i < links_.size(); ++i) {
        if ((waiting_[i].revents & POLLIN) != 0) {
          receive(i);
        }
      }
      deliver();
    }
  }

private:
  void wait() {
    timespec left{};
    if (!packets_.empty()) {
      auto const time = std::max(packets_.top().arrives - clock_type::now(), clock_type::duration::zero());
      left.tv_sec = static_cast<std::time_t>(time / std::chrono::seconds(1));
      left.tv_nsec = static_cast<long>((time % std::chrono::seconds(1)).count());
    }
    check(::ppoll(waiting_.data(), waiting_.size(), packets_.empty() ? nullptr : &left, nullptr) >= 0,
          "cannot wait for packets");
  }

  void receive(std::size_t sender) {
    while (true) {
      auto const size = ::read(links_[sender].device, text_.data(), text_.size());
      if (size <= 0) {
        return;
      }
      constexpr std::size_t last_of_destination = 19;
      if (size < 20 || text_[0] >> 4 != 4) {
        continue; // no IPv4
      }
      auto const machine = static_cast<std::size_t>(static_cast<unsigned char>(text_[last_of_destination])) - 1;
      if (machine >= links_.size()) {
        continue;
      }
      auto const on_link =
          std::chrono::nanoseconds(static_cast<std::int64_t>(8e9 * static_cast<double>(size) / bits_per_second_));
      auto& from = links_[sender];
      auto& to = links_[machine];
      from.free_out = std::max(clock_type::now(), from.free_out) + on_link;
      to.free_in = std::max(from.free_out + delay_, to.free_in + on_link);
      packets_.push({to.free_in, number_++, machine, std::vector<char>(text_.data(), text_.data() + size)});
    }
  }

  void deliver() {
    while (!packets_.empty() && packets_.top().arrives <= clock_type::now()) {
      auto const& first = packets_.top();
      auto const written = ::write(links_[first.machine].device, first.bytes.data(), first.bytes.size());
      check(written >= 0 || errno == EIO, "cannot deliver a packet"); // EIO: the device is not up yet
      packets_.pop();
    }
  }

  std::vector<machine_link> links_;
  double bits_per_second_;
  std::chrono::nanoseconds delay_;
  std::vector<pollfd> waiting_;
  std::array<char, 1 << 16> text_{};
  std::priority_queue<packet> packets_;
  std::uint64_t number_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 5) {
      throw std::invalid_argument("usage: network_switch NAMESPACES MACHINES BITS_PER_SECOND SECONDS");
    }
    std::vector<machine_link> links;
    for (int i = 1; i <= std::stoi(argv[2]); ++i) {
      links.push_back({make_device(std::string(argv[1]) + "-" + std::to_string(i))});
    }
    sched_param const first{.sched_priority = 1}; // ranks that poll take all cores
    check(::sched_setscheduler(0, SCHED_FIFO, &first) == 0, "cannot run before other processes");
    check(::prctl(PR_SET_TIMERSLACK, 1) == 0, "cannot set the timer");
    std::puts("ready");
    std::fflush(stdout);
    network_switch(std::move(links), std::stod(argv[3]),
                   std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * std::stod(argv[4]))))
        .run();
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
    return 1;
  }
}
