// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/detail/exchange/parcels.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Asks ranks questions of a fixed size and brings an answer of a fixed size back for each.
///
/// Call `route`, `send`, fill `answers()`, then `finish`. Reusable; the memory is kept.
template <communicator Comm, bytes_copyable Question, bytes_copyable Answer>
class queries {
public:
  explicit queries(Comm comm) : questions_(std::move(comm)) {}

  /// As `parcels::route`.
  template <class QuestionAt, class RankOf>
  void route(std::int64_t count, QuestionAt question, RankOf rank_of) {
    questions_.route(count, question, rank_of);
    arrived_.resize(static_cast<std::size_t>(count)); // not in `finish`: the others wait there
  }

  /// As `parcels::send`.
  ///
  /// @comm   collective; one header exchange and, if any rank asks another, one variable exchange
  void send(call_site site, std::int64_t value = 0, std::string const& failure = {}) {
    questions_.send(site, value, failure);
    answers_.resize(questions_.received().size());
  }

  /// The questions to this rank, own ones included, by asker.
  [[nodiscard]] std::span<Question const> received() const noexcept { return questions_.received(); }
  /// The answers to them, to be written in the same order.
  [[nodiscard]] std::span<Answer> answers() noexcept { return answers_; }
  [[nodiscard]] std::span<call_header const> headers() const noexcept { return questions_.headers(); }
  [[nodiscard]] Comm& comm() noexcept { return questions_.comm(); }

  /// Sends the answers back and calls put(i, answer) for every question i of this rank.
  ///
  /// @comm   collective; one variable exchange if any rank asked another
  template <class Put>
  void finish(Put put) {
    auto const places = questions_.places();
    slices_.run(questions_.comm(), questions_.anything(), std::span<Answer const>(answers_),
                questions_.received_offsets(), std::span(arrived_), questions_.sent_offsets());
    for (std::size_t i = 0; i < places.size(); ++i) {
      put(places[i], arrived_[i]);
    }
  }

private:
  parcels<Comm, Question> questions_;
  slice_exchange slices_;
  std::vector<Answer> answers_;
  std::vector<Answer> arrived_;
};

} // namespace glt::dist
