// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/ogb_folders.hpp"
#include "support/raw_data.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/datasets/detail/ogb.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/outofcore/staging/detail/stage_folder.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// Checks that the folder is that of what the reader reads, or that both fail in the same way.
void check(ogb_texts const& all, int threads = 1) {
  scratch_folder const scratch;
  write_ogb(scratch / "set", all);
  io::detail::ogb_options const options{.split = "", .reading = {.threads = threads, .on_progress = {}}};
  std::string fault;
  try {
    io::write_npy_folder(scratch / "expected", io::detail::read_ogb(scratch / "set", options));
  } catch (io_error const& failure) {
    fault = failure.what();
  }
  if (fault.empty()) {
    io::detail::stage_ogb(scratch / "set", scratch / "staged", options);
    CHECK(files_of(scratch / "staged") == files_of(scratch / "expected"));
  } else {
    CHECK(thrown<io_error>([&] { io::detail::stage_ogb(scratch / "set", scratch / "staged", options); }) == fault);
  }
}

} // namespace

TEST_CASE("a set with and without types becomes the folder of what the reader reads") {
  for (int const threads : {1, 3}) {
    check(plain_ogb(), threads);
    check(with(plain_ogb(), "raw/edge_weight.csv.gz", "1\n0\n1e-60\n"), threads);
    check(with(plain_ogb(), "raw/edge_weight.csv.gz", "1\n1e39\n2\n"), threads);
    check(typed_ogb(), threads);
  }
  check(with(plain_ogb(), "raw/node_species.csv.gz", "1\n1\n2\n3\n"));
  check(with(plain_ogb(), "raw/node-label.csv.gz", "1,2\n1,0.5\n2,nan\n3,1\n"));
  check({{"raw/num-node-list.csv.gz", "0\n"},
         {"raw/edge.csv.gz", ""},
         {"raw/edge_weight.csv.gz", ""},
         {"raw/node_some.csv.gz", ""},
         {"raw/node-feat.csv.gz", ""}});
}

TEST_CASE("tables of many pieces stay in order") {
  random_stream draws(random_key(1), 0);
  std::string edges;
  std::string weights;
  std::string features;
  std::string kinds;
  constexpr int num_edges = 150'000; // a megabyte of text and more than one piece of numbers
  for (int e = 0; e < num_edges; ++e) {
    edges += std::to_string(draws.below(3000)) + "," + std::to_string(draws.below(3000)) + "\n";
    weights += std::to_string(draws.below(100)) + ".5\n";
    features += "0.25,-" + std::to_string(draws.below(100000)) + "\n";
    kinds += std::to_string(draws.below(9)) + "\n";
  }
  ogb_texts all{{"raw/num-node-list.csv.gz", "3000\n"}, {"raw/edge.csv.gz", edges},
                {"raw/edge_weight.csv.gz", weights},    {"raw/edge_year.csv.gz", kinds},
                {"raw/edge_kind.csv.gz", kinds},        {"raw/edge_score.csv.gz", weights},
                {"raw/edge-feat.csv.gz", features}};
  check(all, 2);
  check(with(all, "raw/edge.csv.gz", edges + "1,3000\n"));
  check(with(all, "raw/edge.csv.gz", edges + "1,x\n"));
  check(with(all, "raw/edge_kind.csv.gz", kinds + "1\n"));
}

TEST_CASE("faults are those of the reader") {
  for (char const* const path :
       {"raw/num-node-list.csv.gz", "raw/num-edge-list.csv.gz", "raw/edge.csv.gz", "raw/edge-feat.csv.gz",
        "raw/edge_weight.csv.gz", "raw/edge_year.csv.gz", "raw/edge_reltype.csv.gz", "raw/node-feat.csv.gz",
        "raw/node-label.csv.gz", "raw/node_year.csv.gz", "split/time/train.csv.gz"}) {
    CAPTURE(path);
    check(gone(plain_ogb(), path));
    check(with(plain_ogb(), path, ""));
    check(with(plain_ogb(), path, "1\n2,x\n"));
    check(with(plain_ogb(), path, "7,1\n7,7\n-1,1\n"));
  }
  check(gone(typed_ogb(), "raw/triplet-type-list.csv.gz"));
  check(with(typed_ogb(), "raw/triplet-type-list.csv.gz", "author,writes,book\n"));
  check(with(typed_ogb(), "raw/relations/paper___cites___paper/edge.csv.gz", "2,1\n0,3\n"));
  check(with(typed_ogb(), "raw/node-label/paper/node-label.csv.gz", "5\n"));
}

TEST_CASE("a folder that holds something is refused") {
  scratch_folder const scratch;
  write_ogb(scratch / "set", plain_ogb());
  CHECK(names(thrown<io_error>([&] { io::detail::stage_ogb(scratch / "set", scratch / "set"); }), "is not empty"));
}
