// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/detail/served_clients.hpp>

#include <glt/comm/serial.hpp>
#include <glt/dist/roles/detail/served_kinds.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

namespace {

using glt::detail::service_message;
using glt_test::counted_batches;

// A server that offers counted batches as "some", and what it says about loaders.
struct fixture {
  fixture() {
    kinds.offer(glt::detail::recipe_offer<glt::serial_comm>("some", counted_batches(), [](auto&) {}));
  }

  auto say_failed() {
    return [this](int, std::int64_t loader, std::string const& cause) {
      failed.push_back(loader);
      causes += cause;
    };
  }

  // A client asks for a loader.
  void ask(std::int64_t loader, std::string const& offer, std::int64_t failing_step, std::int64_t first_seed = 1) {
    glt::detail::open_message head;
    head.loader = loader;
    head.offer = offer;
    head.batch_name = typeid(glt_test::counted_batch).name();
    auto box = alone.make_mailbox();
    glt::detail::send_packed(box, 0, service_message::open, head, counted_batches::options_type{failing_step},
                             glt::dist::vertex_seeds<glt::global_id>(std::vector<glt::global_id>{first_seed}));
    openings.add(*box.receive(glt::detail::for_ever), kinds, say_failed());
  }
  void open_known() {
    openings.open_known(kinds, [this](int, std::int64_t loader) { opened.push_back(loader); }, say_failed());
  }

  glt::serial_comm alone;
  glt::detail::served_kinds<glt::serial_comm> kinds;
  glt::detail::loader_openings openings;
  std::vector<std::int64_t> opened;
  std::vector<std::int64_t> failed;
  std::string causes;
};

using numbers = std::vector<std::int64_t>;

} // namespace

TEST_CASE("a loader is opened when its kind is there; the kind of the first one that waits is to be made first") {
  fixture server;
  CHECK(server.openings.wanted_kind().empty());
  server.ask(1, "some", 5);
  server.ask(2, "some", 6);
  server.ask(3, "some", 5);
  server.ask(4, "some", 5, -1); // wrong seeds
  server.open_known();
  CHECK(server.opened.empty());
  auto const first = server.openings.wanted_kind();
  server.kinds.make(server.alone, first);
  server.open_known();
  CHECK(server.opened == numbers{1, 3});
  CHECK(server.failed == numbers{4});
  CHECK(glt_test::names(server.causes, "seed below 0"));
  CHECK(server.kinds.find(0, 3) != nullptr);
  CHECK(server.kinds.find(0, 2) == nullptr);
  CHECK(server.openings.wanted_kind() != first);
}

TEST_CASE("loaders of a kind that cannot be made are refused, those that are closed are forgotten") {
  fixture server;
  server.ask(1, "some", 5);
  server.ask(2, "some", 6);
  server.ask(3, "some", 5);
  numbers refused;
  auto const refuse = [&](int, std::int64_t loader) { refused.push_back(loader); };
  server.openings.refuse(server.openings.wanted_kind(), refuse);
  CHECK(refused == numbers{1, 3});
  server.ask(4, "some", 7);
  server.openings.close(0, 2);
  server.openings.close(1, std::nullopt); // another client
  server.openings.refuse(server.openings.wanted_kind(), refuse);
  CHECK(refused == numbers{1, 3, 4});
  server.ask(5, "some", 7);
  server.openings.close(0, std::nullopt);
  CHECK(server.openings.wanted_kind().empty());
}

TEST_CASE("what is not offered fails at once, and what cannot be read is an error") {
  fixture server;
  server.ask(9, "other", 5);
  CHECK(server.failed == numbers{9});
  CHECK(glt_test::names(server.causes, "no offer \"other\"", "servers offer \"some\""));
  CHECK(glt_test::names(glt_test::thrown<glt::detail::malformed_message>(
                            [&] { server.openings.add({}, server.kinds, server.say_failed()); }),
                        "message of 0 bytes is too short"));
  CHECK(server.openings.wanted_kind().empty());
}
