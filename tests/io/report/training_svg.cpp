// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"
#include "support/xml.hpp"

#include <glt/io/report/training_svg.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt_test;

namespace {

bool contains(std::vector<std::string> const& texts, std::string const& wanted) {
  return std::ranges::find(texts, wanted) != texts.end();
}

} // namespace

TEST_CASE("a log has a line of every loss, accuracy and time, by epoch") {
  scratch_folder const scratch;
  std::string log = "{\"event\":\"begin\",\"loss\":7}\n\n";
  for (int epoch = 1; epoch <= 30; ++epoch) {
    log += "{\"epoch\":" + std::to_string(epoch) + ",\"loss\":" + std::to_string(2.5 / epoch) +
           ",\"valid_accuracy\":" + (epoch == 7 ? "null" : std::to_string(0.02 * epoch)) +
           ",\"seconds\":12000,\"rank\":3,\"data\":\"cora\"}\n";
  }
  write_bytes(scratch / "run.jsonl", log);
  std::vector<std::filesystem::path> const one{scratch / "run.jsonl"};
  auto const svg = glt::io::training_svg(one, "Cora & friends");
  auto const texts = texts_of(svg);
  for (char const* const text : {"Cora & friends", "Loss", "Accuracy", "Seconds", "epoch", "loss", "valid_accuracy"}) {
    CHECK(contains(texts, text));
  }
  CHECK_FALSE(contains(texts, "rank"));
  auto const hints = hints_of(svg);
  CHECK(contains(hints, "loss, epoch 1: 2.5"));
  CHECK(contains(hints, "loss, epoch 30: 0.083333"));
  CHECK(contains(hints, "valid_accuracy, epoch 30: 0.6"));
  CHECK(std::ranges::count_if(hints, [](auto const& hint) { return hint.starts_with("valid_accuracy"); }) == 29);
  CHECK(touching_texts(svg) == "");

  write_bytes(scratch / "other.jsonl", "{\"epoch\":1,\"loss\":3}\n");
  std::vector<std::filesystem::path> const two{scratch / "run.jsonl", scratch / "other.jsonl"};
  auto const both = glt::io::training_svg(two);
  CHECK(contains(hints_of(both), "other loss, epoch 1: 3"));
  CHECK(contains(hints_of(both), "run loss, epoch 1: 2.5"));
  CHECK(touching_texts(both) == "");
}

TEST_CASE("what is no log is refused with its line") {
  scratch_folder const scratch;
  auto const fault = [&](std::string const& text) {
    write_bytes(scratch / "log", text);
    std::vector<std::filesystem::path> const files{scratch / "log"};
    return thrown<glt::io_error>([&] { static_cast<void>(glt::io::training_svg(files)); });
  };
  CHECK(names(fault("{\"epoch\":1,\"loss\":2}\nloss 3\n"), "log (at byte", "line 2 is no JSON object"));
  CHECK(names(fault("{\"epoch\":1,\"rank\":2}\n"), "no line with an \"epoch\""));
  CHECK(names(fault(""), "no line with an \"epoch\""));
}
