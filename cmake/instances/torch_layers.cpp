// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/instances.hpp>

template at::Tensor glt::detail::sage_conv_impl::forward(at::Tensor const&, glt::block_view<glt::memory_space::host>&,
                                                         at::Tensor const&);
template at::Tensor glt::detail::gcn_conv_impl::forward(at::Tensor const&, glt::block_view<glt::memory_space::host>&,
                                                        at::Tensor const&);
template at::Tensor glt::detail::gin_conv_impl::forward(at::Tensor const&, glt::block_view<glt::memory_space::host>&,
                                                        at::Tensor const&);
template at::Tensor glt::detail::gat_conv_impl::forward(at::Tensor const&, glt::block_view<glt::memory_space::host>&,
                                                        glt::attention_draws const&);
