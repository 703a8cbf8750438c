// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"
#include "support/xml.hpp"

#include <glt/io/report/benchmark_svg.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt_test;

namespace {

std::string entry(std::string const& name, std::string const& time, std::string const& unit,
                  std::string const& more = "") {
  return "{\"name\":\"" + name + "\",\"real_time\":" + time + ",\"time_unit\":\"" + unit + "\"" + more + "}";
}

bool contains(std::vector<std::string> const& texts, std::string const& wanted) {
  return std::ranges::find(texts, wanted) != texts.end();
}

} // namespace

TEST_CASE("reports are compared benchmark by benchmark, by the median of repetitions") {
  scratch_folder const scratch;
  write_bytes(scratch / "before.json", "{\"context\":{},\"benchmarks\":[" + entry("gather", "1", "ms") + "," +
                                           entry("gather", "9", "ms") + "," + entry("gather", "2", "ms") + "," +
                                           entry("gather_mean", "4", "ms", ",\"run_type\":\"aggregate\"") + "," +
                                           entry("walk/<8>", "3000", "ns") + "," + entry("gone", "12.34", "s") + "]}");
  write_bytes(scratch / "after.json", "{\"benchmarks\":[" + entry("gather", "1000", "us") + "," +
                                          entry("walk/<8>", "6", "us", ",\"run_type\":\"iteration\"") + "," +
                                          entry("failed", "0", "s", ",\"error_occurred\":true") + "," +
                                          entry("new", "5", "ns") + "]}");
  std::vector<std::filesystem::path> const files{scratch / "before.json", scratch / "after.json"};
  auto const svg = glt::io::benchmark_svg(files, "Two runs");
  auto const texts = texts_of(svg);
  for (char const* const text : {"Two runs", "before", "after", "gather", "2 ms", "1 ms (0.50 times)", "walk/<8>",
                                 "3 µs", "6 µs (2.00 times)", "gone", "12.3 s", "new", "5 ns (1.00 times)"}) {
    CAPTURE(text);
    CHECK(contains(texts, text));
  }
  CHECK_FALSE(contains(texts, "gather_mean"));
  CHECK_FALSE(contains(texts, "failed"));
  CHECK(contains(hints_of(svg), "gather, after: 1 ms (0.50 times)"));
  CHECK(touching_texts(svg) == "");
}

TEST_CASE("what is no report is refused") {
  scratch_folder const scratch;
  auto const fault = [&](std::string const& text) {
    write_bytes(scratch / "r.json", text);
    std::vector<std::filesystem::path> const files{scratch / "r.json"};
    return thrown<glt::io_error>([&] { static_cast<void>(glt::io::benchmark_svg(files)); });
  };
  CHECK(names(fault("{}"), "r.json", "no report of Google Benchmark"));
  CHECK(names(fault("no json"), "no report of Google Benchmark"));
  CHECK(names(fault("{\"benchmarks\":[{\"name\":3}]}"), "of another form"));
  CHECK(names(fault("{\"benchmarks\":[" + entry("a", "1", "hours") + "]}"), "of another form"));
}
