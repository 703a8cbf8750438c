// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <glt/comm/serial.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/folder/detail/npy_together.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// Rank r has r of the elements first, first + 1, ….
std::vector<std::int64_t> own_elements(int rank) {
  std::vector<std::int64_t> own;
  for (int i = 0; i < rank; ++i) {
    own.push_back(rank * (rank - 1) / 2 + i);
  }
  return own;
}

} // namespace

TEST_CASE("lists, matrices and pairs are those that one rank writes") {
  scratch_folder const scratch;
  on_ranks([&](auto comm) {
    auto const name = std::to_string(comm.size());
    auto const own = own_elements(comm.rank());
    std::vector<std::int64_t> all;
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const more = own_elements(rank);
      all.insert(all.end(), more.begin(), more.end());
    }
    io::detail::write_npy_together(comm, scratch / (name + "list.npy"), host_view<std::int64_t const>(own));
    io::detail::write_pairs_together(comm, scratch / (name + "pairs.npy"), own, own);
    auto const rows = static_cast<std::int64_t>(own.size());
    std::vector<float> values(own.size() * 2, static_cast<float>(comm.rank()));
    io::detail::write_npy_together(comm, scratch / (name + "rows.npy"), io::array::of<float>(values, {rows, 2, 1}));
    comm.barrier();
    if (comm.rank() == 0) {
      auto const file = scratch / (name + "alone.npy");
      io::write_npy(file, all);
      CHECK(read_bytes(file) == read_bytes(scratch / (name + "list.npy")));
      auto twice = all;
      twice.insert(twice.end(), all.begin(), all.end());
      io::write_npy(file, host_matrix<std::int64_t const>(twice.data(), 2, std::ssize(all)));
      CHECK(read_bytes(file) == read_bytes(scratch / (name + "pairs.npy")));
      auto const whole = io::read_npy<float>(scratch / (name + "rows.npy"));
      CHECK(whole.shape == std::vector<std::int64_t>{std::ssize(all), 2, 1});
      CHECK((all.empty() || whole.data[whole.data.size() - 1] == static_cast<float>(comm.size() - 1)));
    }
    comm.barrier();
  });
}

TEST_CASE("bfloat16 is two bytes to NumPy") {
  scratch_folder const scratch;
  serial_comm alone;
  io::detail::write_npy_together(alone, scratch / "a.npy",
                                 io::array(element_type::bfloat16, {3}, buffer<device::cpu, std::byte>(6)));
  CHECK(io::detail::read_npy_header(scratch / "a.npy").type == "|V2");
  CHECK(io::detail::read_npy_any(scratch / "a.npy").type() == element_type::bfloat16);
}

TEST_CASE("ranks that differ, and a file that cannot be written, end all ranks") {
  scratch_folder const scratch;
  on_ranks(
      [&](auto comm) {
        auto const columns = comm.rank() == 1 ? 3 : 2;
        io::array const rows(element_type::int8, {4, columns}, buffer<device::cpu, std::byte>(4 * columns));
        CHECK(names(thrown<collective_error>([&] { io::detail::write_npy_together(comm, scratch / "a.npy", rows); }),
                    "rank 1", "another type or length"));
        CHECK(names(thrown<collective_error>([&] {
                      io::detail::write_npy_together(comm, scratch / "no/a.npy", host_view<std::int64_t const>());
                    }),
                    "no/a.npy", "cannot be created"));
      },
      {2, 3});
}
