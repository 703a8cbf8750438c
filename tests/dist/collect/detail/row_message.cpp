// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_message.hpp>

#include <glt/memory/copy.hpp>

#include "support/graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using glt::device::cpu;

TEST_CASE("a message has all features and then the labels of the marked rows, and finds its places again") {
  for (int const threads : {1, 3}) {
    for (std::int64_t const columns : {0, 1, 3, 16}) {
      std::vector<float> values;
      std::vector<glt::label_type> classes;
      for (std::int64_t row = 0; row < 50; ++row) {
        classes.push_back(1000 + row);
        for (std::int64_t c = 0; c < columns; ++c) {
          values.push_back(static_cast<float>(row * 16 + c));
        }
      }
      glt::feature_store<cpu, float> const store(50, columns, glt::make_buffer<cpu>(values),
                                                 glt::make_buffer<cpu>(classes));
      glt::dist::row_message<cpu, float> const message(store.view(), cpu(threads));
      CHECK(message.largest_row() == columns * 4 + 8);
      std::vector<glt::dist::wire_row> const all{~7, ~49, ~0, 7, 3, 48};
      for (std::size_t const count : {0U, 1U, 3U, 6U}) {
        auto const rows = std::span(all).first(count);
        auto const marked = static_cast<std::int64_t>(std::min<std::size_t>(count, 3));
        CHECK(message.bytes(rows) == static_cast<std::int64_t>(count) * columns * 4 + marked * 8);
        std::vector<std::byte> bytes(static_cast<std::size_t>(message.bytes(rows)));
        CHECK(message.pack(rows, bytes.data()) == bytes.data() + bytes.size());

        std::vector<std::int64_t> const places{4, 0, 2, 6, 7, 5}; // place 1 and 3 stay free
        std::vector<float> const untouched(static_cast<std::size_t>(8 * columns), -1);
        glt::dist::collected_rows<cpu, float> out{glt::make_buffer<cpu>(untouched),
                                                  glt::make_buffer<cpu>(std::vector<glt::label_type>(5, -1))};
        auto expected = glt_test::to_vector(out.features);
        auto expected_labels = glt_test::to_vector(out.labels);
        for (std::size_t i = 0; i < count; ++i) {
          auto const row = glt::dist::row_of(all[i]);
          for (std::int64_t c = 0; c < columns; ++c) {
            expected[static_cast<std::size_t>(places[i] * columns + c)] = static_cast<float>(row * 16 + c);
          }
          if (i < 3) {
            expected_labels[static_cast<std::size_t>(places[i])] = 1000 + row;
          }
        }
        CHECK(message.unpack(bytes.data(), rows, std::span(places).first(count), out) == bytes.data() + bytes.size());
        CHECK(glt_test::to_vector(out.features) == expected);
        CHECK(glt_test::to_vector(out.labels) == expected_labels);
      }
    }
  }
}
