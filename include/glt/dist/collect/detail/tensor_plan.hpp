// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/feature/detail/any_rows.hpp>

namespace glt::detail {

/// Tensor to collect, and this rank's rows of it.
template <memory_space Space>
struct planned_tensor {
  std::string name;
  any_rows<Space> local;
  element_type result;
  bool seeds_only;
};

/// Returns the requested tensors of a table, in the order of the requests; all tensors if there are no requests.
///
/// @throws precondition_error  if a name is missing or repeated, or a tensor cannot be converted as requested
template <memory_space Space>
[[nodiscard]] std::vector<planned_tensor<Space>> plan_tensors(std::vector<named_rows<Space>> const& table,
                                                              std::vector<tensor_request> const& wanted) {
  std::vector<planned_tensor<Space>> plan;
  for (auto const& [name, type, seeds_only] : wanted) {
    auto const rows = find_named(table, name).rows;
    if (std::ranges::find(plan, name, &planned_tensor<Space>::name) != plan.end()) {
      throw precondition_error(message("features \"", name, "\" are wanted twice; name each once"));
    }
    if (type && !gathers(rows.type, *type)) {
      throw precondition_error(message("features \"", name, "\" of ", name_of(rows.type), " as ", name_of(*type),
                                       "; ask for ", name_of(rows.type), ", float32 or float64"));
    }
    plan.push_back({name, rows, type.value_or(rows.type), seeds_only});
  }
  if (wanted.empty()) {
    for (auto const& [name, rows] : table) {
      plan.push_back({name, rows, rows.type, false});
    }
  }
  return plan;
}

/// Returns the rows in other memory, such as another rank's, for every tensor of a plan; with the plan's scales.
///
/// `what` names this memory in error texts. A `seeds_only` tensor may be missing: its rows then have no data.
///
/// @throws precondition_error  if another tensor is missing, or has other elements or columns than in the plan
template <memory_space Space>
[[nodiscard]] std::vector<any_rows<Space>> find_planned(std::vector<planned_tensor<Space>> const& plan,
                                                        std::vector<named_rows<Space>> const& table,
                                                        std::string_view what) {
  std::vector<any_rows<Space>> found;
  for (auto const& each : plan) {
    auto const place = std::ranges::find(table, each.name, &named_rows<Space>::name);
    if (place == table.end()) {
      if (!each.seeds_only) {
        throw precondition_error(message(what, " without features \"", each.name, "\"; give all that are collected"));
      }
      found.push_back({.type = each.local.type, .num_columns = each.local.num_columns});
      continue;
    }
    auto rows = place->rows;
    if (rows.type != each.local.type || rows.num_columns != each.local.num_columns) {
      throw precondition_error(message(what, " with features \"", each.name, "\" of ", rows.num_columns, " columns of ",
                                       name_of(rows.type), " for ", each.local.num_columns, " of ",
                                       name_of(each.local.type), "; take them from the same data set"));
    }
    rows.scales = each.local.scales;
    found.push_back(rows);
  }
  return found;
}

/// Returns the result of `plan_tensors`; all ranks agree on it except for the types of the results. `misfit` says why
/// this rank's features do not fit the communicator; empty if they do.
///
/// @comm   collective; two header exchanges and two broadcasts
/// @throws collective_error  on every rank, if one has a misfit, if `plan_tensors` throws on one, or if ranks request
///                           different tensors
template <communicator Comm, memory_space Space>
[[nodiscard]] std::vector<planned_tensor<Space>> agree_on_plan(Comm& comm, std::string const& misfit,
                                                               std::vector<named_rows<Space>> const& table,
                                                               std::vector<tensor_request> const& wanted) {
  std::vector<planned_tensor<Space>> plan;
  std::vector<std::string> lines;
  auto const failure = failure_of([&] {
    plan = plan_tensors(table, wanted);
    for (auto const& each : plan) {
      lines.push_back(message("\"", each.name, "\"", each.seeds_only ? " of the seeds" : ""));
    }
  });
  agree_on_text(host_comm(comm), {.what = operation::make_features}, misfit.empty() ? failure : misfit, lines,
                "collects features ", "; ask for the same ones in the same order on all ranks");
  return plan;
}

} // namespace glt::detail
