// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/collectives.hpp>

#include <torch/nn/modules/linear.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using glt::detail::named_tensor;

TEST_CASE("tensors of several element types survive packing into bytes") {
  std::vector<named_tensor> const from{{"a", at::rand({3, 5})}, {"b", at::arange(7)}, {"c", at::zeros({0, 2})}};
  std::vector<named_tensor> const to{
      {"a", at::zeros({3, 5})}, {"b", at::zeros({7}, at::kLong)}, {"c", at::zeros({0, 2})}};
  auto const bytes = glt::detail::pack(from);
  CHECK(bytes.numel() == glt::detail::bytes_of(from));
  CHECK(glt::detail::elements_of(from) == 22);
  glt::detail::unpack(bytes, to);
  CHECK(at::equal(to[0].tensor, from[0].tensor));
  CHECK(at::equal(to[1].tensor, from[1].tensor));
}

TEST_CASE("only what asks for gradients is trained, and the first difference is named") {
  torch::nn::Linear const layer(2, 3);
  layer->bias.requires_grad_(false);
  CHECK(glt::detail::trained_parameters(*layer).size() == 1);
  CHECK(glt::detail::state_of(*layer).size() == 2);
  auto const own = glt::detail::describe(glt::detail::state_of(*layer));
  CHECK(glt::detail::difference(own, own, 0).empty());
  torch::nn::Linear const wider(2, 4);
  auto const text = glt::detail::difference(glt::detail::describe(glt::detail::state_of(*wider)), own, 3);
  CHECK(text.find("weight Float [4, 2]") != std::string::npos);
  CHECK(text.find("weight Float [3, 2]") != std::string::npos);
  CHECK(text.find("rank 3") != std::string::npos);
}
