// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/known_sets.hpp"
#include "support/scratch.hpp"

#include <glt/io/parts/detail/manifest_parser.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <algorithm>
#include <string>

using namespace glt;
using namespace glt_test;

TEST_CASE("a folder is described by a line for every type") {
  scratch_folder const scratch;
  auto const data = hetero_known_set();
  io::write_parts(scratch / "parts", data, random_labels(data, 2),
                  {.partitioner = {"ldg", {{"slack", "1.1"}}, 3}, .halo = true});
  auto const manifest = io::detail::read_manifest(scratch / "parts");
  auto const text = manifest.describe();
  CAPTURE(text);
  CHECK(std::ranges::count(text, '\n') == 2 + 3 + 4);
  CHECK(names(text, "in 2 parts, " + std::to_string(manifest.num_bytes()) + " bytes in " +
                        std::to_string(manifest.files.size()) + " files"));
  CHECK(names(text, "partitioned by ldg (key 3, slack 1.1)"));
  CHECK(names(text, "vertices 'paper': 23 (", "features 'feat' float32 (2,)", "labels int32 ()", "times", "train 4 ("));
  CHECK(names(text, "vertices '../nobody': 0 (0 to 0 a part)"));
  CHECK(names(text, "edges (paper, cites, paper): 120 (", "weights", "features 'weights' bfloat16 (2,)", "halo "));
  CHECK(names(text, "pairs 'train' 4 (", "pairs 'train' that are no edges 2 ("));
}
