// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/original_ids.hpp>

#include <glt/dist/roles/remote_data.hpp>
#include <glt/dist/roles/serve_data.hpp>
#include <glt/io/array/npy.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"
#include "support/scratch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace glt_test;

namespace {

// A data set of 31 vertices in as many parts as ranks.
template <class Comm>
glt::dist::data_set<cpu> open_set(Comm& comm, divided_graph const& divided) {
  return {comm, glt::dist::data_part(divided.part(comm.rank()))};
}
divided_graph divide_31(int parts) {
  return {random_graph(31, 60), all_partitioners()[1], parts};
}

} // namespace

TEST_CASE("a file of original ids is divided over the ranks, each in the order of the file") {
  scratch_folder const scratch;
  std::vector<std::int32_t> const ids{9, 2, 30, 9, 17, 0};
  glt::io::write_npy(scratch / "seeds.npy", ids);
  glt::io::write_npy(scratch / "nothing.npy", std::vector<std::int64_t>());
  glt::io::write_npy(scratch / "wrong.npy", std::vector<std::int64_t>{3, 31, -1});
  glt::io::write_npy(scratch / "half.npy", std::vector<double>{3, 2.5});
  std::vector<std::uint8_t> bytes(31, 0);
  for (auto const id : ids) {
    bytes[static_cast<std::size_t>(id)] = 1;
  }
  glt::io::write_npy(scratch / "bytes.npy", bytes);
  std::string mask = read_bytes(scratch / "bytes.npy");
  mask.replace(mask.find("|u1"), 3, "|b1");
  write_bytes(scratch / "mask.npy", mask);
  glt::io::write_npy(scratch / "bytes.npy", std::vector<std::uint8_t>(30, 1));
  std::string few = read_bytes(scratch / "bytes.npy");
  few.replace(few.find("|u1"), 3, "|b1");
  write_bytes(scratch / "few.npy", few);
  glt::io::write_npy(scratch / "bytes.npy", bytes);
  on_ranks([&](auto comm) {
    auto const divided = divide_31(comm.size());
    auto data = open_set(comm, divided);
    std::vector<glt::global_id> wanted;
    for (auto const id : ids) {
      auto const global = divided.names.renumbered[id];
      if (data.book().owner(global) == comm.rank()) {
        wanted.push_back(global);
      }
    }
    data.add_split("train", glt::io::read_split(comm, data, scratch / "seeds.npy"));
    CHECK(data.split("train") == wanted);
    CHECK(names(thrown<glt::precondition_error>([&] { data.add_split("train", {}); }), "second split \"train\""));
    CHECK(
        names(thrown<glt::precondition_error>([&] { data.add_split("test", {31}); }), "id of split \"test\" 0 is 31"));
    CHECK(data.splits().size() == 1);
    CHECK(glt::io::read_split(comm, data, scratch / "nothing.npy").empty());
    CHECK(names(thrown<glt::collective_error>(
                    [&] { static_cast<void>(glt::io::read_split(comm, data, scratch / "wrong.npy")); }),
                "wrong.npy", "2 ids of 3"));
    std::ranges::sort(wanted, {}, [&](auto id) { return divided.names.original[id]; });
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    CHECK(glt::io::read_split(comm, data, scratch / "mask.npy") == wanted);
    auto const fault = [&](char const* file) {
      return thrown<glt::collective_error>([&] { static_cast<void>(glt::io::read_split(comm, data, scratch / file)); });
    };
    CHECK(names(fault("bytes.npy"), "bytes.npy",
                "has 31 elements 0 or 1 of type uint8 for 31 vertices; save a mask as bool"));
    CHECK(names(fault("few.npy"), "few.npy", "30 rows for 31 vertices"));
    CHECK(names(fault("half.npy"), "half.npy", "element 1 is 2.5, no whole number"));
    auto const own = comm.rank() == comm.size() - 1 ? "none.npy" : "seeds.npy";
    CHECK(
        names(thrown<glt::collective_error>([&] { static_cast<void>(glt::io::read_split(comm, data, scratch / own)); }),
              "none.npy", "no such file"));
  });
}

TEST_CASE("servers show the seeds of a file") {
  scratch_folder const scratch;
  glt::io::write_npy(scratch / "seeds.npy", std::vector<glt::global_id>{9, 2, 30});
  on_ranks(
      [&](auto comm) {
        auto const servers = comm.size() - 1;
        auto const divided = divide_31(servers);
        on_roles(
            comm, servers,
            [&](auto& server) {
              auto& group = server.roles().group();
              auto data = open_set(group, divided);
              data.add_split("train", glt::io::read_split(group, data, scratch / "seeds.npy"));
              glt::dist::serve_data(server, "papers", data);
              server.run();
            },
            [&](auto& client) {
              glt::dist::remote_data data(client, "papers");
              auto originals = data.originals(data.split("train"));
              std::ranges::sort(originals);
              CHECK(originals == std::vector<glt::global_id>{2, 9, 30});
            });
      },
      {2, 3});
}
