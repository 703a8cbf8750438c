// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/detail/exchange.hpp>

#include <glt/dist/batch.hpp>
#include <glt/dist/loading/seeds.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using batch_type = glt::dist::batch<glt::device::cpu, glt::global_id, float>;
using block_type = std::vector<std::byte>;

batch_type some_batch() {
  batch_type batch;
  batch.epoch = 3;
  batch.num_columns = 2;
  batch.rows.features = glt::buffer<glt::device::cpu, float>(10);
  for (std::int64_t i = 0; i < 10; ++i) {
    batch.rows.features[i] = static_cast<float>(i);
  }
  batch.tensors.tensors.push_back({.name = "year", .num_rows = 5, .num_columns = 1});
  batch.tensors.tensors[0].bytes.resize(20);
  for (auto& byte : batch.tensors.tensors[0].bytes) {
    byte = std::byte{7};
  }
  return batch;
}

// A block whose first byte lies at a line.
struct aligned_block {
  explicit aligned_block(std::size_t bytes) : size(bytes) {
    data = std::shared_ptr<std::byte>(new (std::align_val_t{64}) std::byte[bytes],
                                      [](std::byte* block) { ::operator delete[](block, std::align_val_t{64}); });
  }
  std::shared_ptr<std::byte> data;
  std::size_t size;
};

template <class X>
aligned_block packed(X const& x) {
  aligned_block block(glt::detail::packed_size(x));
  CHECK(glt::detail::packer(block.data.get()).add(x).size() == block.size);
  return block;
}

} // namespace

TEST_CASE("what is packed is read back; arrays stay in the block, which lives as long as they do") {
  auto const batch = some_batch();
  auto block = packed(batch);
  batch_type copy;
  glt::detail::unpacker reader(std::span<std::byte const>(block.data.get(), block.size), block.data);
  reader.get(copy);
  CHECK(reader.at_end());
  auto const* const bytes = reinterpret_cast<std::byte const*>(copy.rows.features.data());
  CHECK(bytes >= block.data.get());
  CHECK(bytes < block.data.get() + block.size);
  CHECK(reinterpret_cast<std::uintptr_t>(bytes) % 64 == 0);
  block.data.reset();
  CHECK(glt::detail::fingerprint_of(copy) == glt::detail::fingerprint_of(batch));
  CHECK(copy.tensors.tensors[0].num_rows == 5);
}

TEST_CASE("lists and numbers, empty ones too") {
  glt::dist::typed_seeds<> const seeds(2, {{5, 6, 9}, {}});
  auto const block = packed(seeds);
  glt::dist::typed_seeds<> copy(7, {{1}, {1}});
  glt::detail::unpacker({block.data.get(), block.size}, block.data).get(copy);
  CHECK(copy.vertices == seeds.vertices);
  CHECK(copy.times.empty());
  CHECK(copy.node_type == 2);
}

TEST_CASE("an array of one element, and none") {
  glt::buffer<glt::device::cpu, float> one(1);
  one[0] = 7;
  glt::buffer<glt::device::cpu, float> none(3);
  aligned_block const both(256);
  glt::detail::packer(both.data.get()).add(one).add(glt::buffer<glt::device::cpu, float>{});
  glt::buffer<glt::device::cpu, float> copy;
  glt::detail::unpacker({both.data.get(), both.size}, both.data).get(copy).get(none);
  REQUIRE(copy.size() == 1);
  CHECK(copy[0] == 7);
  CHECK(none.size() == 0);
}

TEST_CASE("a block that ends early, or names lengths that it has not, is refused") {
  auto const batch = some_batch();
  auto const block = packed(batch);
  for (std::size_t size = 0; size < block.size; ++size) {
    batch_type copy;
    CHECK_THROWS_AS(glt::detail::unpacker({block.data.get(), size}, block.data).get(copy), glt::error);
  }
  for (std::int64_t const length : {std::int64_t{-1}, std::int64_t{1} << 62, std::int64_t{3}}) {
    aligned_block const lying(16);
    glt::detail::packer(lying.data.get()).add(length).add(std::int64_t{0});
    std::vector<std::int64_t> values;
    CHECK(glt_test::names(glt_test::thrown<glt::error>(
                              [&] { glt::detail::unpacker({lying.data.get(), lying.size}, lying.data).get(values); }),
                          "list of " + std::to_string(length) + " elements and 8 bytes left"));
  }
}
