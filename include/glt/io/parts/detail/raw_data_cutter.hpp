// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/parts/detail/edge_cutter.hpp>
#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/io/parts/detail/parts_content.hpp>
#include <glt/io/parts/detail/parts_cut.hpp>
#include <glt/io/parts/detail/parts_input.hpp>
#include <glt/io/parts/write_options.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/relabel.hpp>

namespace glt::io::detail {

/// Cutter of a data set in memory into parts.
class raw_data_cutter {
public:
  /// @where  borrows all arguments, which must outlive this object
  /// @throws precondition_error  as `parts_input`, and for ids of edges
  raw_data_cutter(raw_data_view data, std::span<relabelling const> labels, write_options const& options)
      : input_(std::move(data), labels, options.hot, options.halo) {
    auto const& tables = input_.data().edges;
    for (std::size_t e = 0; e < tables.size(); ++e) {
      cutters_.emplace_back(tables[e], input_.of_source(e), input_.of_destination(e));
    }
    input_.check_links();
  }

  [[nodiscard]] int num_parts() const { return input_.num_parts(); }
  [[nodiscard]] part_content cut(int part) { return part_assembly(input_, *this).make(part); }

  // Members that `part_assembly` calls.
  [[nodiscard]] csr_graph<device::cpu, global_id> relation(std::size_t type, int part) {
    return cutters_[type].cut(part);
  }
  [[nodiscard]] std::vector<raw_data::named_array> features(std::size_t type, int,
                                                            host_view<global_id const> original) const {
    return cut_rows(input_.data().nodes[type].features, original);
  }
  [[nodiscard]] static array rows(array const& from, host_view<std::int64_t const> numbers) {
    return cut_rows(from, numbers);
  }
  template <class T>
  [[nodiscard]] static buffer<device::cpu, T> values(host_view<T const> from, host_view<std::int64_t const> numbers) {
    return cut_values(from, numbers);
  }
  [[nodiscard]] static buffer<device::cpu, global_id> ids(host_view<global_id const> list) {
    return make_buffer<device::cpu>(list);
  }

private:
  parts_input input_;
  std::vector<edge_cutter> cutters_;
};

} // namespace glt::io::detail
