// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

namespace glt_test {

/// What `make()` returns, made once in a program for each key (and each place that calls this): ranks that are threads
/// share it, and so do numbers of ranks and partitioners that expect the same.
template <class Key, class Make>
auto const& once(Key key, Make make) {
  static std::mutex mutex;
  static std::map<Key, std::invoke_result_t<Make&>> results;
  std::scoped_lock const lock(mutex);
  auto const found = results.find(key);
  return found != results.end() ? found->second : results.emplace(std::move(key), make()).first->second;
}

} // namespace glt_test
