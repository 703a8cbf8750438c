// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <variant>

namespace glt::detail {

/// Gradient descent: x − learning_rate · g.
struct sparse_sgd {
  double learning_rate = 0.01;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.learning_rate);
  }
};

/// Adagrad: s + g², then x − learning_rate · g / (√s + epsilon); s begins with 0.
///
/// @source Duchi et al., "Adaptive subgradient methods", JMLR 12, 2011
struct sparse_adagrad {
  double learning_rate = 0.01;
  double epsilon = 1e-10;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.learning_rate, self.epsilon);
  }
};

/// Adam with lazy moments, as PyTorch's `SparseAdam`: a row's moments decay only in updates that have a gradient for
/// it. They are corrected with t, the number of updates of the table.
///
/// @source Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015
struct sparse_adam {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.learning_rate, self.beta1, self.beta2, self.epsilon);
  }
};

/// Update rule of rows that have a gradient; other rows stay as they are.
using sparse_optimizer = std::variant<sparse_sgd, sparse_adagrad, sparse_adam>;

} // namespace glt::detail

namespace glt::dist {

/// Rows of a `sparse_embedding`; the same on all ranks.
struct embedding_options {
  using sgd = detail::sparse_sgd;         ///< x − learning_rate · g, of a gradient g
  using adagrad = detail::sparse_adagrad; ///< options learning_rate and epsilon
  using adam = detail::sparse_adam;       ///< options learning_rate, beta1, beta2 and epsilon

  std::int64_t columns = 0;
  std::variant<sgd, adagrad, adam> optimizer = {};
  double initial = 0.1;   ///< initial elements are uniform in [−initial, initial)
  std::uint64_t seed = 0; ///< of initial elements, which depend only on it, the vertex's original id and the column
};

} // namespace glt::dist

namespace glt::detail {

inline void check_learning_rate(double rate) {
  if (!(rate >= 0) || !std::isfinite(rate)) {
    throw precondition_error(message("learning rate ", rate, " of an embedding; give a number of 0 or more"));
  }
}

inline void check_optimizer(sparse_sgd const&) {}
inline void check_optimizer(sparse_adagrad const& how) {
  if (!(how.epsilon >= 0)) {
    throw precondition_error(message("epsilon ", how.epsilon, " of Adagrad; give 0 or more"));
  }
}
inline void check_optimizer(sparse_adam const& how) {
  bool const betas = how.beta1 >= 0 && how.beta1 < 1 && how.beta2 >= 0 && how.beta2 < 1;
  if (!betas || !(how.epsilon >= 0)) {
    throw precondition_error(message("Adam with beta1 ", how.beta1, ", beta2 ", how.beta2, " and epsilon ", how.epsilon,
                                     "; give betas in [0, 1) and an epsilon of 0 or more"));
  }
}

/// @throws precondition_error  if there are no columns, or a number is out of its range
inline void validate(dist::embedding_options const& options) {
  if (options.columns < 1) {
    throw precondition_error(message("embedding of ", options.columns, " columns; set columns to 1 or more"));
  }
  if (!(options.initial >= 0) || !std::isfinite(options.initial)) {
    throw precondition_error(
        message("embedding that begins in [-initial, initial) with initial ", options.initial, "; give 0 or more"));
  }
  std::visit(
      [](auto const& how) {
        check_learning_rate(how.learning_rate);
        check_optimizer(how);
      },
      options.optimizer);
}

} // namespace glt::detail
