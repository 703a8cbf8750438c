// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fetches two tensors of the same vertices, of different types, from the ranks that own them: mpirun -np 2 named_features
#include <glt/glt.hpp>
#include <glt/mpi/program.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

using glt::device::cpu;

void run(glt::mpi_comm comm) {
  constexpr std::int64_t rows = 1000; // vertices of every rank
  std::vector<glt::global_id> bounds;
  for (int rank = 0; rank <= comm.size(); ++rank) {
    bounds.push_back(rank * rows);
  }
  glt::partition_book const book(bounds);

  auto const first = book.begin(comm.rank()); // vertex v was written in the year 1900 + v % 100, and is (v, v + 1)
  glt::buffer<cpu, std::int16_t> years(rows);
  glt::buffer<cpu, glt::float16> places(2 * rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    years[r] = static_cast<std::int16_t>(1900 + (first + r) % 100);
    places[2 * r] = glt::float16(static_cast<float>((first + r) % 1000));
    places[2 * r + 1] = glt::float16(static_cast<float>((first + r) % 1000 + 1));
  }
  glt::feature_table<cpu> table(rows);
  table.add("year", glt::feature_store<cpu, std::int16_t>(rows, 1, std::move(years)));
  table.add("place", glt::feature_store<cpu, glt::float16>(rows, 2, std::move(places)));

  glt::dist::named_features const features(comm, book, std::move(table));
  glt::dist::named_collector collector(comm, features,
                                       {{.name = "year"}, {.name = "place", .type = glt::element_type::float32}});
  std::vector<glt::global_id> const vertices{0, book.num_vertices() - 1, 500}; // those of a batch, say
  auto const& found = collector.collect(glt::host_view<glt::global_id const>(vertices), 0);
  auto const year = found["year"].as<std::int16_t>();
  auto const place = found["place"].as<float>(); // converted when it arrives

  for (std::int64_t i = 0; i < year.rows(); ++i) {
    auto const vertex = vertices[static_cast<std::size_t>(i)];
    if (year(i, 0) != 1900 + vertex % 100 || place(i, 1) != static_cast<float>(vertex % 1000 + 1)) {
      throw glt::precondition_error("vertex " + std::to_string(vertex) + " has another row");
    }
  }
  if (comm.rank() == 0) {
    std::cout << "year " << year(1, 0) << ", place " << place(1, 0) << ", " << place(1, 1) << " of the last vertex\n";
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}
