// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws before, inside and after the public collectives that read and write files; see throw.hpp.
#include "throw.hpp"

#include "support/known_sets.hpp"
#include "support/scratch.hpp"
#include "support/typed_sets.hpp"

#include <glt/comm/detail/agreement.hpp>
#include <glt/io/checkpoint.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/original_ids.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/outofcore/detail/hot_vertices.hpp>
#include <glt/outofcore/detail/hotness.hpp>
#include <glt/outofcore/detail/parts.hpp>
#include <glt/outofcore/detail/stream.hpp>
#include <glt/outofcore/staging/detail/stage_text.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace glt_fault;

namespace {

namespace io = glt::io;

constexpr int num_parts = 3;

/// A data set, and folders of rank 0 for all ranks and of every rank.
struct disk {
  explicit disk(comm_type& comm, io::raw_data set = glt_test::typed_set(60, 200))
      : data(std::move(set)), graph(data.view()) {
    auto text = own.path().string();
    glt::detail::broadcast_text(comm, text);
    shared = text;
  }

  [[nodiscard]] std::filesystem::path text_file(bool wrong, std::string const& text) const {
    glt_test::write_bytes(own / "graph", text);
    return wrong ? own / "absent" : own / "graph";
  }
  [[nodiscard]] std::vector<glt::local_id> parts() const {
    return std::vector<glt::local_id>(static_cast<std::size_t>(graph.num_vertices()), 1);
  }

  glt_test::scratch_folder own;
  std::filesystem::path shared;
  io::raw_data data;
  io::detail::all_types graph;
  io::detail::hotness_estimate_options hotness{.hotness = {.neighbors = {.fanouts = {2}}},
                                               .plan = {.for_edges = 1 << 20}};
};

void write_parts(comm_type& comm, disk const& on, bool wrong = false) {
  auto const labels = glt_test::random_labels(on.data, num_parts);
  io::detail::write_parts_collective(comm, on.shared / "parts", on.data.view(), labels, {.halo = wrong});
}

/// call(comm, disk, wrong).
template <class Call>
std::function<call_type(comm_type&)> with_disk(Call call) {
  return [call](comm_type& comm) -> call_type {
    auto const on = std::make_shared<disk>(comm);
    return [=, &comm](bool wrong) { call(comm, *on, wrong); };
  };
}

std::vector<site> sites_of_assignments() {
  auto const balance = [](bool wrong) {
    return [wrong](auto in_degrees) -> glt::balance_constraints {
      return {glt::balance_limit::weights("edges", in_degrees, wrong ? -1 : 0.1)};
    };
  };
  return {
      {"assign_by_stream", true, with_disk([](comm_type& comm, disk& on, bool wrong) {
         auto const stream = [&](auto) { return glt::ldg_partitioner().stream(on.graph.num_vertices(), num_parts); };
         static_cast<void>(io::detail::assign_by_stream(comm, stream, on.data.view(),
                                                        {.passes = wrong ? 2 : 1, .scratch = on.own.path()}));
       })},
      {"repair_by_stream", true, with_disk([=](comm_type& comm, disk& on, bool wrong) {
         auto const parts = on.parts();
         static_cast<void>(io::detail::repair_by_stream(comm, on.graph, glt::make_buffer<cpu>(parts),
                                                        wrong ? 2 : num_parts, balance(false),
                                                        {.scratch = on.own.path()}));
       })},
      {"assign_by_frequency", true, with_disk([=](comm_type& comm, disk& on, bool wrong) {
         auto const dealt = on.parts();
         static_cast<void>(io::detail::assign_by_frequency(
             comm, on.graph, glt::host_view<glt::local_id const>(dealt), num_parts,
             {.estimate = on.hotness, .capacity_slack = wrong ? -1.0 : 9.0, .scratch = on.own.path()}, balance(false)));
       })},
      {"find_hot_vertices", true, with_disk([](comm_type& comm, disk& on, bool wrong) {
         auto const parts = on.parts();
         static_cast<void>(io::detail::find_hot_vertices(comm, on.graph, glt::host_view<glt::local_id const>(parts),
                                                         num_parts, wrong ? -1 : 0.1, on.hotness));
       })},
      {"estimate_hotness on disk", true, with_disk([](comm_type& comm, disk& on, bool wrong) {
         id_list const seeds{wrong ? -1 : 0};
         static_cast<void>(
             io::detail::estimate_hotness(comm, on.graph, glt::host_view<global_id const>(seeds), on.hotness));
       })},
  };
}

std::vector<site> sites_of_folders() {
  return {
      {"write_parts_collective", true,
       with_disk([](comm_type& comm, disk& on, bool wrong) { write_parts(comm, on, wrong); })},
      {"open_data_set", true,
       [](comm_type& comm) -> call_type {
         auto const on = std::make_shared<disk>(comm, glt_test::plain_set(4, {0, 1, 2}, {1, 2, 3}, {0}));
         write_parts(comm, *on);
         return [=, &comm](bool wrong) {
           static_cast<void>(io::open_data_set(comm, on->shared / (wrong ? "absent" : "parts")));
         };
       }},
      {"data_set of a loaded part", true,
       [](comm_type& comm) -> call_type {
         auto const on = std::make_shared<disk>(comm, glt_test::plain_set(4, {0, 1, 2}, {1, 2, 3}, {0}));
         write_parts(comm, *on);
         return [=, &comm](bool wrong) {
           auto part = io::parts_folder(on->shared / "parts").load_for_rank(comm.rank(), comm.size());
           part.graph.part = wrong ? (comm.rank() + 1) % comm.size() : comm.rank();
           static_cast<void>(glt::dist::data_set(comm, std::move(part)));
         };
       }},
      {"read_split", true,
       [](comm_type& comm) -> call_type {
         auto const on = std::make_shared<disk>(comm, glt_test::plain_set(4, {0, 1, 2}, {1, 2, 3}, {0}));
         write_parts(comm, *on);
         io::write_npy(on->own / "seeds.npy", std::vector<global_id>{0, 3});
         return [=, &comm](bool wrong) {
           auto const data = io::open_data_set(comm, on->shared / "parts");
           static_cast<void>(io::read_split(comm, data, on->own / (wrong ? "absent.npy" : "seeds.npy")));
         };
       }},
      {"write_by_original_id", true,
       [](comm_type& comm) -> call_type {
         auto const on = std::make_shared<disk>(comm, glt_test::plain_set(4, {0, 1, 2}, {1, 2, 3}, {0}));
         write_parts(comm, *on);
         return [=, &comm](bool wrong) {
           auto const data = io::open_data_set(comm, on->shared / "parts");
           std::vector<float> const values(static_cast<std::size_t>(data.original().size() + (wrong ? 1 : 0)));
           io::write_by_original_id(comm, data, on->own / "values.npy", values);
         };
       }},
      {"write_npy_folder_together", true, with_disk([](comm_type& comm, disk& on, bool wrong) {
         auto piece = on.data.view();
         piece.edges[0].name += wrong ? "another" : "";
         io::detail::write_npy_folder_together(comm, on.shared, piece);
       })},
      {"stage_edge_list", true, with_disk([](comm_type& comm, disk& on, bool wrong) {
         io::detail::stage_edge_list(comm, on.text_file(wrong, "0 1\n1 2\n"), on.shared / "folder");
       })},
      {"stage_matrix_market", true, with_disk([](comm_type& comm, disk& on, bool wrong) {
         io::detail::stage_matrix_market(
             comm, on.text_file(wrong, "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"),
             on.shared / "folder");
       })},
      {"stage_metis_graph", true, with_disk([](comm_type& comm, disk& on, bool wrong) {
         io::detail::stage_metis_graph(comm, on.text_file(wrong, "2 1\n2\n1\n"), on.shared / "folder");
       })},
      {"load_checkpoint", true,
       [](comm_type& comm) -> call_type {
         auto const here = make_world(comm);
         auto const on = std::make_shared<disk>(comm);
         auto const table = std::make_shared<glt::dist::sparse_embedding<comm_type, cpu>>(
             comm, here->graph.book(), here->graph.original(), glt::dist::embedding_options{.columns = 4});
         io::save_checkpoint(on->own / "table", *table);
         return [=](bool wrong) { io::load_checkpoint(on->own / (wrong ? "absent" : "table"), *table); };
       }},
  };
}

} // namespace

int main(int argc, char** argv) {
  auto sites = sites_of_assignments();
  for (auto const& more : sites_of_folders()) {
    sites.push_back(more);
  }
  return run_sites(argc, argv, sites);
}
