// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/add_reverses.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/graph/csr.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/partitioner.hpp>

#if !__has_include(<ptscotch.h>)
#include <missing for glt::ptscotch: PT-Scotch: install libptscotch-dev and link glt::ptscotch> // an error that ends the compilation
#endif
#include <ptscotch.h>
#if SCOTCH_VERSION < 7
#include <missing for glt::ptscotch: PT-Scotch 7 or newer: this one is older>
#endif

namespace glt::detail {

/// Throws if a size exceeds the integers of this Scotch; `what` names the size in the error.
inline void check_scotch_size(std::int64_t size, char const* what) {
  if (size > std::numeric_limits<SCOTCH_Num>::max()) {
    throw precondition_error(message(what, " is ", size, ", but the headers of PT-Scotch have ", sizeof(SCOTCH_Num) * 8,
                                     "-bit integers (SCOTCH_Num); take a PT-Scotch of 64-bit integers, ",
                                     "ldg_partitioner or fennel_partitioner"));
  }
}

/// Rows of this rank in the form of PT-Scotch: no self-loops, every edge once in the rows of both its ends.
///
/// @shape  offsets [rows + 1] · neighbors, weights [offsets[rows]], with memory even for none
struct scotch_rows {
  std::vector<SCOTCH_Num> offsets;
  std::vector<SCOTCH_Num> neighbors; ///< ascending in a row
  std::vector<SCOTCH_Num> weights;   ///< number of edges of either direction that are merged
};

/// Makes a graph undirected whose rows lie on all ranks.
///
/// @shape  rows: the part of this rank by `homes`; sources are vertices of all parts
/// @comm   collective; rounds of two passes, each of 8 bytes an edge
/// @throws collective_error  on every rank, if there are more vertices or edges than PT-Scotch can count
/// @cost   O(E log degree); 16 bytes an edge of either direction with 32-bit integers, and a round
template <communicator Comm>
[[nodiscard]] scotch_rows make_scotch_rows(Comm& comm, partition_book const& homes,
                                           csr_view<memory_space::host, global_id> rows) {
  auto const first = homes.begin(comm.rank());
  auto const edges = exchange_values(comm, {.what = operation::shuffle, .hop = 70}, {}, rows.num_edges());
  auto const failure = failure_of([&] {
    check_scotch_size(homes.num_vertices(), "number of vertices");
    check_scotch_size(2 * total_value(edges), "twice the number of edges, one for either direction,");
  });
  std::array<row_range, 1> const range{{{first, rows}}};
  auto both = add_reverses<SCOTCH_Num>(comm, failure, range, [&](global_id vertex) {
    auto const home = homes.owner(vertex);
    return row_place{home, vertex - homes.begin(home)};
  });
  scotch_rows made;
  run_together(comm, [&] {
    made.neighbors = std::move(both.neighbors);
    made.weights.resize(made.neighbors.size());
    made.offsets.push_back(0);
    std::size_t kept = 0;
    for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
      auto const begin = kept;
      std::sort(made.neighbors.begin() + both.offsets[row], made.neighbors.begin() + both.offsets[row + 1]);
      for (auto next = both.offsets[row]; next < both.offsets[row + 1]; ++next) {
        auto const neighbor = made.neighbors[static_cast<std::size_t>(next)];
        if (neighbor == first + row) {
          continue;
        }
        if (kept > begin && made.neighbors[kept - 1] == neighbor) {
          ++made.weights[kept - 1];
        } else {
          made.neighbors[kept] = neighbor;
          made.weights[kept++] = 1;
        }
      }
      made.offsets.push_back(static_cast<SCOTCH_Num>(kept));
    }
    made.neighbors.resize(kept);
    made.weights.resize(kept);
    made.neighbors.reserve(1); // PT-Scotch tells ranks without weights apart by the pointer
    made.weights.reserve(1);
  });
  return made;
}

/// Moves vertices out of parts above the capacity, first those with few edges, to parts with room.
///
/// @shape  offsets [rows + 1], of edges · part_of [rows]
/// @pre    all parts together have room; not checked
/// @comm   collective; header exchanges and two exchanges of 8 bytes
template <communicator Comm>
void keep_capacity(Comm& comm, std::span<SCOTCH_Num const> offsets, std::int64_t capacity,
                   host_view<local_id> part_of) {
  std::vector<std::int64_t> giving(static_cast<std::size_t>(comm.size()), 0); // of every part, vertices on this rank
  std::vector<std::int64_t> of_ranks(giving.size(), 0); // of this rank's part, vertices on every rank
  for (auto const part : part_of) {
    ++giving[static_cast<std::size_t>(part)];
  }
  exchange_sizes(comm, giving, of_ranks);
  auto const size = std::accumulate(of_ranks.begin(), of_ranks.end(), std::int64_t{0});
  auto const sizes = exchange_values(comm, {.what = operation::shuffle, .hop = 72}, {}, size);
  auto excess = std::max<std::int64_t>(size - capacity, 0);
  for (auto& count : of_ranks) {
    count = std::min(count, excess);
    excess -= count;
  }
  exchange_sizes(comm, of_ranks, giving);
  auto const given = exchange_values(comm, {.what = operation::shuffle, .hop = 73}, {},
                                     std::accumulate(giving.begin(), giving.end(), std::int64_t{0}));
  auto free = total_value(std::span(given).first(static_cast<std::size_t>(comm.rank()))); // place of the next vertex
  run_together(comm, [&] {
    std::vector<SCOTCH_Num> order;
    for (std::int64_t row = 0; row < part_of.size(); ++row) {
      if (giving[static_cast<std::size_t>(part_of[row])] > 0) {
        order.push_back(static_cast<SCOTCH_Num>(row));
      }
    }
    std::ranges::sort(order, {}, [&](SCOTCH_Num row) {
      auto const at = static_cast<std::size_t>(row);
      return std::pair(offsets[at + 1] - offsets[at], row);
    });
    std::size_t to = 0;
    auto const room = [&] { return std::max<std::int64_t>(capacity - sizes[to].value, 0); };
    for (auto const row : order) {
      if (giving[static_cast<std::size_t>(part_of[row])]-- > 0) {
        for (; free >= room(); ++to) {
          free -= room();
        }
        part_of[row] = static_cast<local_id>(to);
        ++free;
      }
    }
  });
}

/// Describes the steps of PT-Scotch: recursive bisection, each on a multilevel hierarchy. Compared with the default of
/// PT-Scotch, coarse graphs are divided earlier by single ranks, more often, and with longer refinement: that cuts less
/// in graphs with hubs.
[[nodiscard]] inline std::string scotch_strategy(double slack, int num_parts) {
  auto const decimal = [](double value) { // in any locale
    auto const millionths = std::llround(std::clamp(value, 0.0, 1.0) * 1e6);
    return message(millionths / 1'000'000, ".", std::to_string(1'000'000 + millionths % 1'000'000).substr(1));
  };
  auto const of_parts = decimal(slack);
  auto const of_halves = decimal(slack / (1 + std::bit_width(static_cast<unsigned>(num_parts - 1))));
  auto const refine = message("f{move=400,pass=-1,bal=", of_halves, ",type=b}");
  auto const once = message("m{asc=b{bnd=(d{pass=40,type=b}|)", refine, ",org=", refine, ",width=3},low=h{pass=10}",
                            refine, ",vert=80,rat=0.9}");
  auto const best = message("(", once, "|", once, "|", once, "|", once, ")");
  auto const together = message("q{strat=", refine, "}x{sbbt=5,bal=", of_parts, "}");
  return message("r{sep=m{asc=b{width=3,bnd=(d{pass=40,dif=1,rem=0,type=b}|)", together, ",org=", together,
                 "},low=q{strat=", best, "},seq=q{strat=", best, "},pass=5,vert=100000,dvert=1000,fold=d,rat=0.9},",
                 "seq=r{job=t,bal=", of_parts, ",map=t,poli=S,sep=", best, "},bal=", of_parts, "}");
}

/// Object of Scotch, released at the end.
template <class T, auto Release>
class scotch_object {
public:
  scotch_object() = default;
  scotch_object(scotch_object const&) = delete;
  scotch_object& operator=(scotch_object const&) = delete;
  ~scotch_object() {
    if (is_made_) {
      Release(&object_);
    }
  }

  /// Notes that a call of Scotch has made the object; returns the status of the call.
  int made(int status) noexcept {
    is_made_ = status == 0;
    return status;
  }
  [[nodiscard]] T* get() noexcept { return &object_; }

private:
  T object_{};
  bool is_made_ = false;
};

} // namespace glt::detail

namespace glt {

/// PT-Scotch: multilevel partitioning by all ranks of MPI in parallel, for `dist::make_data_set`.
///
///     auto const data = glt::dist::make_data_set(comm, local, glt::ptscotch_partitioner{});
///
/// Every rank holds the rows of its share of the vertices, and no rank holds the graph. Ignores the graph's directions
/// and self-loops; edges between the same vertices are merged. The parts are the same for the same seed, number of
/// ranks and `homes`. A graph with no more vertices than ranks, or without edges, is divided equally without PT-Scotch.
///
/// PT-Scotch balances the vertices of all types together. Then each part gives the excess of its share of a type, first
/// vertices with few edges, to parts that have room for this type.
///
/// If PT-Scotch fails, it prints the reason on the standard error. Link libptscotcherr, as glt::ptscotch does, never
/// libptscotcherrexit, which ends the process.
///
/// @source Chevalier & Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering", Parallel Computing 34,
///         2008; Her & Pellegrini, "Efficient and scalable parallel graph partitioning", 2010
struct ptscotch_partitioner {
  std::uint64_t seed = 1;
  double capacity_slack = 0.03; ///< a part has at most (1 + slack) · V / R vertices of a type, rounded up

  /// Assigns the vertices of this rank's rows to parts, one for each rank.
  ///
  /// @param  homes  divides the vertices into ranges, one for each rank
  /// @param  first_rows  of this rank's rows by node type, and their number; as many types on every rank
  /// @shape  rows: the rows of this rank by `homes`, of V columns · first_rows [node types + 1] → [rows]
  /// @comm   collective; header exchanges, some for every type, two rounds of 8 bytes an edge, and the messages of
  ///         PT-Scotch
  /// @throws collective_error  on every rank, if capacity_slack is negative, V or 2 E is more than PT-Scotch can count,
  ///                           or PT-Scotch fails
  /// @cost   about 150 bytes an edge of this rank, most of them in PT-Scotch
  template <communicator Comm>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(Comm& comm, partition_book const& homes,
                                                         csr_view<memory_space::host, global_id> rows,
                                                         std::span<std::int64_t const> first_rows) const {
    static_assert(std::is_base_of_v<mpi_comm, Comm>,
                  "ptscotch_partitioner needs processes of MPI as ranks: pass a glt::mpi_comm, or another partitioner");
    run_together(comm, [&] { detail::check_slack("PT-Scotch", capacity_slack); });
    auto graph = detail::make_scotch_rows(comm, homes, rows);
    auto const arcs = detail::total_value(
        detail::exchange_values(comm, {.what = detail::operation::shuffle, .hop = 71}, {}, graph.offsets.back()));
    buffer<device::cpu, local_id> part_of;
    run_together(comm, [&] { part_of.resize(rows.num_rows()); });
    bool const is_trivial = comm.size() == 1 || homes.num_vertices() <= comm.size() || arcs == 0;
    if (!is_trivial) {
      std::vector<SCOTCH_Num> parts(static_cast<std::size_t>(rows.num_rows()) + 1);
      if constexpr (std::derived_from<Comm, mpi_comm>) { // otherwise the assertion above is the only error
        run_scotch(comm, graph, parts);
      }
      std::copy_n(parts.begin(), part_of.size(), part_of.begin());
    }
    for (std::size_t type = 0; type + 1 < first_rows.size(); ++type) {
      auto const first = first_rows[type];
      auto const of_type = part_of.view().subview(first, first_rows[type + 1] - first);
      auto const sizes = detail::exchange_values(comm, {.what = detail::operation::shuffle, .hop = 74}, {},
                                                 of_type.size()); // of ranks
      auto const num_vertices = detail::total_value(sizes);
      if (is_trivial) {
        auto number = detail::total_value(std::span(sizes).first(static_cast<std::size_t>(comm.rank())));
        auto part = 0;
        for (auto& of_row : of_type) {
          while (detail::first_place(num_vertices, comm.size(), part + 1) <= number) {
            ++part;
          }
          of_row = part;
          ++number;
        }
      } else {
        detail::keep_capacity(comm, std::span(std::as_const(graph.offsets)).subspan(static_cast<std::size_t>(first)),
                              detail::part_capacity(num_vertices, 1, capacity_slack, comm.size()), of_type);
      }
    }
    return part_of;
  }

private:
  void run_scotch(mpi_comm& comm, detail::scotch_rows& rows, std::vector<SCOTCH_Num>& part_of) const {
    detail::scotch_object<SCOTCH_Context, SCOTCH_contextExit> context;
    detail::scotch_object<SCOTCH_Strat, SCOTCH_stratExit> strategy;
    detail::scotch_object<SCOTCH_Dgraph, SCOTCH_dgraphExit> graph;
    detail::scotch_object<SCOTCH_Dgraph, SCOTCH_dgraphExit> bound;
    auto const check = [&](char const* call, int status) {
      if (status != 0) {
        throw error(detail::message(call, " failed; PT-Scotch printed the reason"));
      }
    };
    auto const n = static_cast<SCOTCH_Num>(rows.offsets.size()) - 1;
    run_together(comm, [&] {
      if (SCOTCH_numSizeof() != sizeof(SCOTCH_Num)) {
        throw precondition_error(detail::message("headers of PT-Scotch with ", sizeof(SCOTCH_Num) * 8,
                                                 "-bit integers, but a library with ", SCOTCH_numSizeof() * 8,
                                                 " bits; take both from one installation"));
      }
      check("SCOTCH_contextInit", context.made(SCOTCH_contextInit(context.get())));
      check("SCOTCH_contextOptionSetNum", SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1));
      SCOTCH_contextRandomSeed(context.get(), static_cast<SCOTCH_Num>(random_key(seed).bits() & 0x7FFFFFFF));
      check("SCOTCH_contextThreadSpawn", SCOTCH_contextThreadSpawn(context.get(), 1, nullptr));
      check("SCOTCH_stratInit", strategy.made(SCOTCH_stratInit(strategy.get())));
      check("SCOTCH_stratDgraphMap",
            SCOTCH_stratDgraphMap(strategy.get(), detail::scotch_strategy(capacity_slack, comm.size()).c_str()));
      check("SCOTCH_dgraphInit", graph.made(SCOTCH_dgraphInit(graph.get(), comm.native())));
    });
    run_together(comm, [&] {
      auto const arcs = rows.offsets.back();
      check("SCOTCH_dgraphBuild",
            SCOTCH_dgraphBuild(graph.get(), 0, n, n, rows.offsets.data(), nullptr, nullptr, nullptr, arcs, arcs,
                               rows.neighbors.data(), nullptr, rows.weights.data()));
      check("SCOTCH_dgraphInit", bound.made(SCOTCH_dgraphInit(bound.get(), comm.native())));
    });
    run_together(comm, [&] {
      check("SCOTCH_contextBindDgraph", SCOTCH_contextBindDgraph(context.get(), graph.get(), bound.get()));
      check("SCOTCH_dgraphPart", SCOTCH_dgraphPart(bound.get(), comm.size(), strategy.get(), part_of.data()));
    });
  }
};

} // namespace glt
