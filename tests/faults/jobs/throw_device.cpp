// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after what is exchanged from memory of devices, on one that is emulated; see throw.hpp.
#include "throw.hpp"

#include <glt/dist/device_comm.hpp>
#include <glt/thrust/emulated.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

using namespace glt_fault;
using glt::global_id;

namespace {

namespace dist = glt::dist;
using gpu = glt::device::emulated<>;

glt::graph_part<gpu, global_id> part_on_device(comm_type const& comm) {
  auto const part = make_part(comm);
  return {part.book, part.part, glt::copy<gpu>(part.graph.view(), gpu()),
          glt::make_buffer<gpu>(part.original.view(), gpu())};
}

std::vector<site> make_sites() {
  return {
      {"device_comm", true,
       [](comm_type& comm) -> call_type {
         return [&comm](bool wrong) {
           dist::device_comm<comm_type, gpu> const made(comm, gpu(), {.round_bytes = wrong ? 0 : 64});
         };
       }},
      {"device_comm: payload in rounds", true,
       [](comm_type& comm) -> call_type {
         using exchange_type = glt::detail::slice_exchange<comm_type, gpu>;
         auto const slices =
             std::make_shared<exchange_type>(comm, gpu(), glt::detail::staging_options{.round_bytes = 8});
         return [=](bool wrong) {
           auto const ranks = static_cast<std::size_t>(slices->size());
           std::vector<std::int64_t> const counts(ranks + (wrong ? 1 : 0), 3);
           static_cast<void>(slices->exchange_counts({.what = glt::detail::operation::user}, counts));
           glt::buffer<gpu, std::int64_t> const sent(3 * slices->size());
           glt::buffer<gpu, std::int64_t> arrived(3 * slices->size());
           slices->start(sent.view(), arrived.view());
           slices->wait();
         };
       }},
      {"neighbor_sampler::sample on a device", true,
       [](comm_type& comm) -> call_type {
         auto const graph = std::make_shared<dist::graph<gpu, global_id>>(comm, part_on_device(comm));
         auto const sampler = std::make_shared<dist::neighbor_sampler<comm_type, gpu, global_id>>(
             comm, *graph, glt::neighbor_options{.fanouts = {3, 2}});
         return [=](bool wrong) {
           id_list const seeds{0, wrong ? -3 : 7, 5};
           auto const there = glt::make_buffer<gpu>(seeds);
           glt::sampled_subgraph<gpu, global_id> out;
           sampler->sample(there.view(), {.seed = 1}, out);
           static_cast<void>(graph);
         };
       }},
  };
}

} // namespace

int main(int argc, char** argv) {
  return run_sites(argc, argv, make_sites());
}
