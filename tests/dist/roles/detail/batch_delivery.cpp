// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/detail/batch_delivery.hpp>

#include <glt/comm/serial.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

/// Batches of 100 bytes, of which some cannot be written.
class writing_stream final : public glt::detail::served_stream {
public:
  using served_stream::served_stream;
  [[nodiscard]] std::int64_t message_bytes(glt::detail::batch_message const&) const override { return 100; }
  void write_message(glt::detail::batch_message const&, std::byte* block) const override {
    if (fails) {
      throw std::length_error("cannot be written");
    }
    *block = std::byte{5};
  }

  bool fails = false;
};

} // namespace

TEST_CASE("a batch that cannot be written is not sent, and its place is free again") {
  glt::serial_comm comm;
  auto box = comm.make_mailbox();
  std::vector<std::byte> memory(128); // one batch
  glt::node_blocks blocks;
  blocks.of_rank = {std::span<std::byte const>(memory)};
  blocks.own = memory;
  glt::detail::batch_delivery delivery(std::move(blocks));
  writing_stream stream(0, {.loader = 1, .offer = {}, .batch_name = {}, .options = {.batch_size = 2}}, 20);
  stream.begin({.loader = 1, .generation = 1, .epoch = 0, .first_step = 0, .end_step = 10, .credits = 10});
  stream.fails = true;
  CHECK_THROWS_AS(delivery.send(box, stream), std::length_error);
  CHECK(stream.step() == 0);
  CHECK(!box.receive(glt::detail::mailbox_limit(0)));
  stream.fails = false;
  delivery.send(box, stream);
  delivery.send(box, stream); // no place any more
  auto const kind = [&] { return static_cast<glt::detail::service_message>(box.receive(glt::detail::for_ever)->kind); };
  CHECK(kind() == glt::detail::service_message::placed);
  CHECK(kind() == glt::detail::service_message::batch);
  CHECK(memory[0] == std::byte{5});
  CHECK(stream.step() == 2);
}
