// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hotness/hotness.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/slices.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/hotness/detail/hotness_walk.hpp>
#include <glt/sample/hotness/hotness.hpp>
#include <glt/sample/options.hpp>

namespace glt::io::detail {

/// Work on the edges [first, last) of one type: each adds its destination's values to the sums of its source.
///
/// @shape  values, sums [V, columns]
struct spread_listed_edges {
  static constexpr std::int64_t share_size = copied_pairs::most;
  static constexpr std::size_t ahead = 16;
  checked_pairs const& ends;
  std::int64_t first;
  std::int64_t last;
  global_id first_source; // of the type, among all types
  global_id first_destination;
  host_view<glt::detail::log_miss const> values;
  host_view<glt::detail::log_miss> sums;
  std::int64_t columns;

  [[nodiscard]] std::int64_t num_shares() const { return (last - first + share_size - 1) / share_size; }

  /// @throws precondition_error  as `checked_pairs::copy`
  void operator()(std::int64_t share) const {
    auto const begin = first + share * share_size;
    auto const end = std::min(begin + share_size, last);
    copied_pairs piece;
    ends.copy(begin, end, piece);
    auto const value_of = [&](std::size_t e) { return (first_destination + piece.destinations[e]) * columns; };
    auto const sum_of = [&](std::size_t e) { return (first_source + piece.sources[e]) * columns; };
    auto const count = static_cast<std::size_t>(end - begin);
    for (std::size_t e = 0; e < count; ++e) {
      if (e + ahead < count) {
        glt::detail::prefetch(values.data() + value_of(e + ahead));
        glt::detail::prefetch(sums.data() + sum_of(e + ahead));
      }
      for (std::int64_t c = 0; c < columns; ++c) {
        if (auto const value = values[value_of(e) + c]; value > 0) {
          glt::detail::add_capped(sums[sum_of(e) + c], value);
        }
      }
    }
  }
};

/// Spreads the values over this rank's slices of the edges, one slice of every type.
///
/// @shape  values, sums [V, columns]
/// @throws precondition_error  as `checked_pairs::copy`
/// @throws io_error            if a watched file was changed
inline void spread_own_edges(all_types const& graph, int ranks, int rank, host_view<glt::detail::log_miss const> values,
                             host_view<glt::detail::log_miss> sums, std::int64_t columns, device::cpu const& policy,
                             task_progress::callback const& on_progress) {
  constexpr std::int64_t edges_a_round = spread_listed_edges::share_size << 10;
  auto const& schema = graph.schema();
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const ends = ends_of(graph, e);
    auto const [first, last] = slice_of(ends.sources.size(), ranks, rank);
    for (auto begin = first; begin < last; begin += edges_a_round) {
      auto const count = std::min(edges_a_round, last - begin);
      spread_listed_edges const work{.ends = ends,
                                     .first = begin,
                                     .last = begin + count,
                                     .first_source = graph.first_vertex(schema.source_type(e)),
                                     .first_destination = graph.first_vertex(schema.destination_type(e)),
                                     .values = values,
                                     .sums = sums,
                                     .columns = columns};
      with_inputs(ends.inputs, [&] {
        policy.executor().for_ranges(work.num_shares(), 1, [&](std::int64_t from, std::int64_t to) {
          for (; from < to; ++from) {
            work(from);
          }
        });
      });
      if (on_progress) {
        on_progress(
            {.what = "estimating hotness", .unit = "edges", .done = begin + count - first, .total = last - first});
      }
    }
  }
}

/// State of hotness estimates for several lists of seeds, one a column, of a graph whose edges stay on disk.
///
/// Every rank adds up the contributions of its slices of the edges, and completes its slice of the vertices.
template <communicator Comm>
class hotness_walk_on_disk {
  using log_miss = glt::detail::log_miss;

public:
  /// Returns the number of columns for which all ranks have memory; at least 1, for which `for_vertices` suffices.
  ///
  /// @comm   collective; one reduction of a number
  static std::int64_t agree_on_columns(Comm& comm, std::int64_t num_vertices, std::int64_t wanted,
                                       memory_plan const& plan) {
    auto const slice = slice_of(num_vertices, comm.size(), 0).last;
    auto const held = 4 * num_vertices + 4 * slice; // parts, degrees
    auto const column = std::max<std::int64_t>(16 * num_vertices + 8 * slice, 1);
    auto const fit = (plan.for_vertices + plan.for_edges / 2 - held) / column;
    auto columns = std::clamp<std::int64_t>(fit, 1, std::max<std::int64_t>(wanted, 1));
    comm.all_reduce(std::span(&columns, 1), reduction::min);
    return columns;
  }

  /// @shape  in_degrees [V]
  /// @pre    edges and options were checked; not checked
  /// @throws precondition_error  if a vertex has 2³² in-edges or more
  /// @comm   none
  hotness_walk_on_disk(Comm comm, all_types const& graph, host_view<std::int64_t const> in_degrees,
                       std::int64_t columns, std::int64_t rows_a_round, hotness_estimate_options const& options)
      : comm_(comm), graph_(graph), options_(options), most_columns_(columns),
        slices_(comm, graph.num_vertices(), columns, rows_a_round), own_(slices_.own()),
        sums_(graph.num_vertices() * columns), values_(graph.num_vertices() * columns),
        touched_((own_.last - own_.first) * columns) {
    degrees_.reserve(static_cast<std::size_t>(own_.last - own_.first));
    for (auto v = own_.first; v < own_.last; ++v) {
      degrees_.push_back(glt::detail::narrow<std::uint32_t>(in_degrees[v], "number of edges into a vertex"));
    }
  }

  [[nodiscard]] std::int64_t most_columns() const noexcept { return most_columns_; }

  /// Starts an estimate from other seeds: each_seed(give) calls give(vertex, column) for all of them.
  ///
  /// @pre    vertices are in [0, V), columns in [0, columns), and columns up to most_columns(); not checked
  /// @comm   collective; per hop a header exchange and two variable exchanges, the second in rounds
  /// @throws collective_error  on every rank, as `spread_own_edges`, or if `on_progress` throws on a rank
  template <class EachSeed>
  void estimate(std::int64_t columns, EachSeed each_seed) {
    columns_ = columns;
    start(each_seed);
    auto const hops = options_.hotness.neighbors.fanouts.size();
    for (std::size_t hop = 0; hop < hops; ++hop) {
      slices_.hand_round(values(), columns_);
      auto const failure = glt::detail::failure_of([&] { spread(); });
      glt::detail::agree(
          comm_, {.what = glt::detail::operation::estimate_hotness, .hop = static_cast<std::int32_t>(hop)}, failure);
      slices_.add_up(sums(), columns_, [](log_miss& sum, log_miss other) { glt::detail::add_capped(sum, other); });
      settle(hop);
    }
  }

  /// Returns the estimates for the seeds of a column.
  ///
  /// @shape  → [rows of slice_of(V, ranks, rank)]
  [[nodiscard]] host_view<double const> hotness(std::int64_t column) const {
    auto const rows = own_.last - own_.first;
    return touched_.view().subview(column * rows, rows);
  }

private:
  [[nodiscard]] host_view<log_miss> sums() { return sums_.view().subview(0, graph_.num_vertices() * columns_); }
  [[nodiscard]] host_view<log_miss> values() { return values_.view().subview(0, graph_.num_vertices() * columns_); }
  [[nodiscard]] double& touched(std::int64_t row, std::int64_t column) {
    return touched_[column * (own_.last - own_.first) + row];
  }

  template <class Work>
  void for_own_rows(Work work) {
    options_.policy.executor().for_each(own_.last - own_.first, [&](std::int64_t row) {
      for (std::int64_t c = 0; c < columns_; ++c) {
        work(row, c, (own_.first + row) * columns_ + c);
      }
    });
  }
  void expand(std::int64_t row, std::int64_t place, double frontier, std::size_t hop) {
    values_[place] = glt::detail::edge_value(frontier, degrees_[static_cast<std::size_t>(row)],
                                             glt::detail::hop_of(options_.hotness.neighbors, hop));
  }

  template <class EachSeed>
  void start(EachSeed each_seed) {
    std::ranges::fill(sums(), 0);
    std::vector<std::int64_t> num_seeds(static_cast<std::size_t>(columns_), 0);
    each_seed([&](global_id vertex, std::int64_t column) {
      ++num_seeds[static_cast<std::size_t>(column)];
      if (vertex >= own_.first && vertex < own_.last) {
        ++sums_[vertex * columns_ + column];
      }
    });
    for_own_rows([&](std::int64_t row, std::int64_t c, std::int64_t place) {
      touched(row, c) = glt::detail::seed_probability(sums_[place], num_seeds[static_cast<std::size_t>(c)],
                                                      options_.hotness.batch_size);
      expand(row, place, touched(row, c), 0);
    });
  }

  void spread() {
    std::ranges::fill(sums(), 0);
    spread_own_edges(graph_, comm_.size(), comm_.rank(), values(), sums(), columns_, options_.policy,
                     options_.on_progress);
  }

  void settle(std::size_t hop) {
    auto const& neighbors = options_.hotness.neighbors;
    for_own_rows([&](std::int64_t row, std::int64_t c, std::int64_t place) {
      auto const frontier = glt::detail::settle_touched(touched(row, c), sums_[place], neighbors.expand);
      if (hop + 1 < neighbors.fanouts.size()) {
        expand(row, place, frontier, hop + 1);
      }
    });
  }

  Comm comm_;
  all_types const& graph_;
  hotness_estimate_options const& options_;
  std::int64_t most_columns_;
  std::int64_t columns_ = 0;
  row_slices<Comm, log_miss> slices_;
  item_range own_;                       // rows
  buffer<device::cpu, log_miss> sums_;   // [V, columns]
  buffer<device::cpu, log_miss> values_; // [V, columns]: values that the edges of a row add
  buffer<device::cpu, double> touched_;  // [columns, rows of this rank]
  std::vector<std::uint32_t> degrees_;   // [rows of this rank]
};

// Makes the walk of a graph for at most that many lists of seeds, after `check` has passed on all ranks.
template <communicator Comm, class Check>
[[nodiscard]] hotness_walk_on_disk<Comm> make_hotness_walk_on_disk(Comm& comm, all_types const& graph, int num_lists,
                                                                   hotness_estimate_options const& options,
                                                                   Check check) {
  glt::detail::call_site const site{.what = glt::detail::operation::estimate_hotness};
  auto const failure = glt::detail::failure_of([&] {
    glt::detail::validate(options.hotness);
    check();
  });
  glt::detail::fingerprint inputs;
  inputs.add(glt::detail::hotness_fingerprint(options.hotness))
      .add(graph.num_vertices())
      .add(graph.num_edges())
      .add(num_lists);
  glt::detail::agree(comm, site, failure, inputs.value(), [](auto, auto) {
    return "estimates hotness of another graph, for other parts or with other options than rank 0; pass the same on "
           "all ranks";
  });
  auto const columns =
      hotness_walk_on_disk<Comm>::agree_on_columns(comm, graph.num_vertices(), num_lists, options.plan);
  auto const rows_a_round = agree_on_rows_a_round(comm, options.plan, 8 * columns);
  auto const in_degrees = count_in_edges(comm, graph);
  std::optional<hotness_walk_on_disk<Comm>> walk;
  auto const no_room = glt::detail::failure_of(
      [&] { walk.emplace(comm, graph, host_view<std::int64_t const>(in_degrees), columns, rows_a_round, options); });
  glt::detail::agree(comm, site, no_room);
  return std::move(*walk);
}

/// Estimates how likely a batch is to touch each vertex of a graph whose edges stay on disk. Bit for bit equal to
/// `glt::estimate_hotness` for the graph of all types in memory, as `make_homogeneous` makes it.
///
/// @shape  seeds [S], numbered as in `all_types`, the same on all ranks → [V], on every rank
/// @comm   collective; as `estimate_hotness_of_parts` for one part, and a variable exchange of 8 bytes a vertex
/// @throws collective_error  on every rank, if the options of a rank are wrong or differ from rank 0's, or naming a
///                           seed or the end of an edge that is not in [0, V)
/// @cost   as `estimate_hotness_of_parts`
template <communicator Comm>
[[nodiscard]] buffer<device::cpu, double> estimate_hotness(Comm comm, detail::all_types const& graph,
                                                           host_view<global_id const> seeds,
                                                           hotness_estimate_options const& options) {
  auto walk = detail::make_hotness_walk_on_disk(
      comm, graph, 1, options, [&] { glt::detail::validate_vertices("seed", seeds, graph.num_vertices()); });
  walk.estimate(1, [&](auto give) {
    for (auto const seed : seeds) {
      give(seed, 0);
    }
  });
  buffer<device::cpu, double> hotness;
  auto const no_room = glt::detail::failure_of([&] { hotness.resize(graph.num_vertices()); });
  glt::detail::agree(comm, {.what = glt::detail::operation::estimate_hotness}, no_room);
  detail::row_slices<Comm, double> slices(comm, graph.num_vertices(), 0, 1);
  std::ranges::copy(walk.hotness(0), hotness.begin() + slices.own().first);
  slices.hand_round(hotness.view(), 1);
  return hotness;
}

/// Estimates the same for the training vertices of each part: calls use(part, hotness) on all ranks, part after part.
/// The hotness is [rows of `slice_of(V, ranks, rank)`]. As many parts are estimated at a time as fit in the plan.
///
/// `use` may communicate; if it fails, it must fail on all ranks.
///
/// @shape  part_of [V], the same on all ranks; read for training vertices only
/// @comm   collective; a reduction of 8 bytes a vertex; per group of parts and hop a header exchange, and two variable
///         exchanges of 8 bytes a vertex and part, the second in rounds
/// @throws collective_error  on every rank, if the options of a rank are wrong or differ from rank 0's, a part of a
///                           training vertex is not in [0, num_parts), or naming an edge whose end does not exist
/// @cost   O(L · E · P) additions over the ranks; reads all edges L times a group of parts. Memory 16 bytes a vertex
///         and part of a group, and over the ranks 8 bytes a vertex and part of a group and 4 a vertex
template <communicator Comm, class Use>
void estimate_hotness_of_parts(Comm comm, all_types const& graph, host_view<local_id const> part_of, int num_parts,
                               hotness_estimate_options const& options, Use use) {
  std::vector<global_id> seeds;
  auto walk = detail::make_hotness_walk_on_disk(comm, graph, num_parts, options, [&] {
    glt::detail::check_num_parts(num_parts);
    if (part_of.size() != graph.num_vertices()) {
      throw precondition_error(glt::detail::message("parts of ", part_of.size(), " vertices for ", graph.num_vertices(),
                                                    "; give one part per vertex"));
    }
    for (auto const& table : graph.data().nodes) {
      glt::detail::validate_vertices("node type '" + table.name + "': train", host_view<global_id const>(table.train),
                                     table.num_nodes);
    }
    seeds = graph.train();
    for (auto const seed : seeds) {
      if (part_of[seed] < 0 || part_of[seed] >= num_parts) {
        throw precondition_error(glt::detail::message("vertex ", seed, " is in part ", part_of[seed], ", outside [0, ",
                                                      num_parts, "), the parts to estimate hotness for"));
      }
    }
  });
  for (std::int64_t first = 0; first < num_parts; first += walk.most_columns()) {
    auto const columns = std::min(walk.most_columns(), num_parts - first);
    walk.estimate(columns, [&](auto give) {
      for (auto const seed : seeds) {
        auto const column = part_of[seed] - first;
        if (column >= 0 && column < columns) {
          give(seed, column);
        }
      }
    });
    for (std::int64_t column = 0; column < columns; ++column) {
      use(static_cast<int>(first + column), walk.hotness(column));
    }
  }
}

} // namespace glt::io::detail
