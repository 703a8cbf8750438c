// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/checkpoint.hpp>

#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using glt::io::load_checkpoint;
using glt::io::save_checkpoint;

namespace {

glt::dist::loader_checkpoint some_checkpoint() {
  glt::dist::loader_checkpoint made;
  made.batch_size = 3;
  made.shuffle = true;
  made.seed = std::numeric_limits<std::uint64_t>::max();
  made.num_steps = 7;
  made.num_seeds = 20;
  made.seeds_fingerprint = std::numeric_limits<std::int64_t>::min();
  made.partition_fingerprint = -5;
  made.options_fingerprint = 6;
  made.epoch = 2;
  made.step = 4;
  return made;
}

std::string refused(std::filesystem::path const& path) {
  return glt_test::thrown<glt::io_error>([&] { static_cast<void>(load_checkpoint(path)); });
}

} // namespace

TEST_CASE("a checkpoint that was saved is loaded; it replaces the one before as a whole") {
  glt_test::scratch_folder const scratch;
  auto const path = scratch / "rank0";
  auto checkpoint = some_checkpoint();
  save_checkpoint(path, {});
  CHECK(load_checkpoint(path) == glt::dist::loader_checkpoint());
  save_checkpoint(path, checkpoint);
  CHECK(load_checkpoint(path) == checkpoint);
  checkpoint.drop_last = true;
  checkpoint.step = 5;
  save_checkpoint(path, checkpoint);
  CHECK(load_checkpoint(path) == checkpoint);
  CHECK(scratch.num_entries() == 1);
  auto const text = glt_test::read_bytes(path);
  CHECK(glt_test::names(text, "glt-checkpoint 2\n", "\nbatch_size 3\n", "\nstep 5\n", "\nchecksum "));
  auto const nowhere = glt_test::thrown<glt::io_error>([&] { save_checkpoint(scratch / "no" / "rank0", checkpoint); });
  CHECK(glt_test::names(nowhere, "cannot be created"));
}

TEST_CASE("what is no checkpoint, or a damaged one, is refused") {
  glt_test::scratch_folder const scratch;
  auto const path = scratch / "rank0";
  CHECK(glt_test::names(refused(path), "no such file"));
  glt_test::write_bytes(path, "");
  CHECK(glt_test::names(refused(path), "no checkpoint"));
  glt_test::write_bytes(path, std::string(1 << 20, 'x'));
  CHECK(glt_test::names(refused(path), "no checkpoint"));
  save_checkpoint(path, some_checkpoint());
  auto const text = glt_test::read_bytes(path);
  auto other = text;
  other[15] = '3';
  glt_test::write_bytes(path, other);
  CHECK(glt_test::names(refused(path), "another version than 2"));
  std::string accepted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (char const change : {'\x01', '\x10', '\x7f'}) {
      auto damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      glt_test::write_bytes(path, damaged);
      accepted += refused(path) == "(nothing was thrown)" ? std::to_string(i) + ' ' : "";
    }
    glt_test::write_bytes(path, text.substr(0, i));
    accepted += refused(path) == "(nothing was thrown)" ? std::to_string(i) + "cut " : "";
  }
  CHECK(accepted.empty());
  glt_test::write_bytes(path, text + "\n");
  CHECK(glt_test::names(refused(path), "damaged"));
}

TEST_CASE("a run that was interrupted goes on from its file") {
  glt_test::scratch_folder const scratch;
  auto const path = scratch / "rank0";
  glt::serial_comm comm;
  auto const seeds = glt_test::counted_seeds(0, 20);
  glt::dist::loader_options const options{.batch_size = 3, .shuffle = true, .seed = 5};
  std::vector<std::int64_t> expected;
  {
    glt::dist::loader loader(comm, glt_test::counted_batches(), seeds, options);
    glt::dist::loader_checkpoint checkpoint(loader, seeds, glt::partition_book());
    save_checkpoint(path, checkpoint);
    for (auto const& batch : loader.epoch(1)) {
      if (batch.step > 3) {
        expected.push_back(glt::detail::fingerprint_of(batch));
        continue;
      }
      checkpoint.advance(batch);
      save_checkpoint(path, checkpoint);
    }
  }
  glt::dist::loader loader(comm, glt_test::counted_batches(), seeds, options);
  glt::dist::loader_checkpoint resumed(loader, seeds, glt::partition_book());
  resumed.resume(load_checkpoint(path));
  CHECK(resumed.epoch == 1);
  CHECK(glt_test::prints_of(loader, 1, resumed.first_step(1)) == expected);
}
