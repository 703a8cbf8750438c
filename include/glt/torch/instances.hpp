// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/torch/layers.hpp>

// Layers over the blocks of a batch in memory of the host are compiled in glt::instances, where the project has glt::torch.
extern template at::Tensor
glt::detail::sage_conv_impl::forward(at::Tensor const&, glt::block_view<glt::memory_space::host>&, at::Tensor const&);
extern template at::Tensor
glt::detail::gcn_conv_impl::forward(at::Tensor const&, glt::block_view<glt::memory_space::host>&, at::Tensor const&);
extern template at::Tensor
glt::detail::gin_conv_impl::forward(at::Tensor const&, glt::block_view<glt::memory_space::host>&, at::Tensor const&);
extern template at::Tensor glt::detail::gat_conv_impl::forward(at::Tensor const&,
                                                               glt::block_view<glt::memory_space::host>&,
                                                               glt::attention_draws const&);
