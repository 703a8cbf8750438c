// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes over the whole of a partitioned graph, forward and backward: sums, sums with a cover of the boundary, attention.
#include "parts.hpp"

#include <glt/dist/full_batch/detail/attention.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>

namespace {

using sharded_type = glt::dist::sharded_graph<glt::mpi_comm, glt_fault::cpu>;

/// A row of small numbers for every vertex of this rank.
struct rows {
  explicit rows(sharded_type const& graph, std::int64_t columns = 8)
      : values(static_cast<std::size_t>(graph.num_sources() * columns)), count(graph.num_sources()), width(columns) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i % 17) / 16;
    }
  }
  [[nodiscard]] glt::host_matrix<float> view() { return {values.data(), count, width}; }

  std::vector<float> values;
  std::int64_t count;
  std::int64_t width;
};

} // namespace

int main() {
  return glt_fault::run_job([](glt::mpi_comm comm) {
    glt::dist::graph const graph(comm, glt_fault::make_part(comm));
    glt_fault::result_sum sum;
    for (bool const cover : {false, true}) {
      sharded_type sharded(comm, graph, {.cover = cover});
      rows x(sharded);
      rows y(sharded);
      glt::dist::aggregate(sharded, x.view(), y.view());
      glt::detail::aggregate_backward(sharded, y.view(), x.view());
      sum.add(x.values);
    }
    sharded_type sharded(comm, graph);
    rows values(sharded);
    rows keys(sharded, 2);
    rows queries(sharded, 2);
    rows output(sharded);
    rows softmax(sharded, 4);
    rows by_values(sharded);
    rows by_keys(sharded, 2);
    rows by_queries(sharded, 2);
    glt::detail::attention_options<glt::memory_space::host> const options{.heads = 2};
    glt::detail::attend(sharded, {values.view(), keys.view(), queries.view()}, output.view(), softmax.view(), options);
    glt::detail::attention_rows<glt::memory_space::host, float> const out{by_values.view(), by_keys.view(),
                                                                          by_queries.view()};
    glt::detail::attend_backward(sharded, {values.view(), keys.view(), queries.view()}, {output.view(), softmax.view()},
                                 {values.view()}, out, options);
    sum.add(output.values);
    sum.add(by_values.values);
    sum.add(by_keys.values);
    sum.add(by_queries.values);
    return sum.value();
  });
}
