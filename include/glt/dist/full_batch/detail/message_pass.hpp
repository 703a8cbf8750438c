// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>

#include <string>
#include <string_view>

namespace glt::detail {

/// Common part of passes with user messages: checks, agreement, and rows that travel.
template <communicator Comm, device_policy Policy, class T>
class message_pass {
  static constexpr memory_space space = Policy::space;

public:
  message_pass(dist::sharded_graph<Comm, Policy>& graph, matrix_view<space, T const> sources,
               matrix_view<space, T const> destinations, std::int64_t columns)
      : graph_(&graph), sources_(sources), destinations_(destinations), columns_(columns) {}

  /// @throws precondition_error  if the numbers of rows are not the graph's
  void check() const {
    check("sources", sources_.rows(), sources_.columns(), graph_->num_sources(), sources_.columns());
    if (destinations_.columns() > 0) {
      check("destinations", destinations_.rows(), destinations_.columns(), graph_->num_destinations(),
            destinations_.columns());
    }
  }
  void check(std::string_view name, std::int64_t rows, std::int64_t columns, std::int64_t wanted_rows,
             std::int64_t wanted) const {
    if (rows != wanted_rows || columns != wanted || columns >= most_columns) {
      throw precondition_error(message(name, " [", rows, ", ", columns, "] in a pass of messages; pass [", wanted_rows,
                                       ", ", wanted, "], of fewer than 2²⁰ columns"));
    }
  }

  /// Checks that all ranks pass messages in the same way.
  ///
  /// @comm   collective; one header exchange
  void agree_to_begin(std::string const& failure, bool is_backward) {
    auto const value = (((sources_.columns() << 20 | destinations_.columns()) << 20 | columns_) << 1 |
                        (sizeof(T) == sizeof(double) ? 1 : 0))
                           << 1 |
                       (is_backward ? 1 : 0);
    auto const headers = exchange_values(graph_->host(), site(), failure, value);
    check_same(graph_->host(), headers, &call_header::value, [](std::int64_t of, std::int64_t first) {
      auto const to_string = [](std::int64_t v) {
        return message((v & 1) == 0 ? "" : "gradients of ", (v & 2) == 0 ? "float" : "double", " messages of ",
                       v >> 2 & (most_columns - 1), " columns from sources of ", v >> 42, " and destinations of ",
                       v >> 22 & (most_columns - 1));
      };
      return message("passes ", to_string(of), " while rank 0 passes ", to_string(first),
                     "; make the same calls on all ranks");
    });
  }

  /// Runs work that may throw in user functions, unless earlier work has thrown: other ranks wait for the steps.
  template <class Work>
  void attempt(Work const& work) {
    if (failure_.empty()) {
      failure_ = failure_of(work);
    }
  }

  /// Agrees with the other ranks after the last step.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if an attempt or a step of a rank has failed
  void agree(std::string const& failed_step = {}) {
    glt::detail::agree(graph_->host(), site(), failure_.empty() ? failed_step : failure_);
  }

  [[nodiscard]] strided_rows<T const> sources() const { return {sources_.data(), sources_.columns()}; }
  [[nodiscard]] strided_rows<T const> destinations() const { return {destinations_.data(), destinations_.columns()}; }
  /// Returns the operations on rows of sources, and their bytes.
  [[nodiscard]] row_sums<Policy, T> rows() const { return {graph_->policy(), sources_.columns()}; }

  /// Writes the local rows that the peer of step k needs.
  void pack_sources(std::int64_t k, std::byte* block) const {
    auto const list = graph_->sent_rows(k);
    rows().template move<false>(list.size(), sources_.data(), list.data(), reinterpret_cast<T*>(block), nullptr);
  }
  /// Adds the sums that the peer of step k returns for these rows.
  void add_sums(std::int64_t k, std::byte const* block, T* out) const {
    auto const list = graph_->sent_rows(k);
    rows().template move<true>(list.size(), reinterpret_cast<T const*>(block), nullptr, out, list.data());
  }
  [[nodiscard]] strided_rows<T const> sources_in(std::byte const* block) const {
    return {reinterpret_cast<T const*>(block), sources_.columns()};
  }

private:
  static constexpr std::int64_t most_columns = 1 << 20;

  [[nodiscard]] call_site site() const {
    return {.what = operation::pass_messages, .step = graph_->passes().next_number()};
  }
  dist::sharded_graph<Comm, Policy>* graph_;
  matrix_view<space, T const> sources_;
  matrix_view<space, T const> destinations_;
  std::int64_t columns_;
  std::string failure_;
};

} // namespace glt::detail
