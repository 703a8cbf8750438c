// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of doctest that the tests of GPUs use, for machines that have a GPU and no doctest: the same macros, plainer
// messages. Where doctest is installed, it is taken instead.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <fnmatch.h>

namespace doctest {

struct test_aborted {};

/// `TEST_CASE("name" * doctest::skip(condition))` leaves the test out.
struct skip {
  bool skipped;
  explicit skip(bool is = true) : skipped(is) {}
};

struct test_name {
  std::string name;
  bool skipped;
  test_name(char const* plain) : name(plain), skipped(false) {}
  test_name(std::string made, bool is) : name(std::move(made)), skipped(is) {}
};
inline test_name operator*(char const* name, skip const& decorator) { return {name, decorator.skipped}; }

struct test_case {
  std::string name;
  std::string file;
  void (*run)();
};

struct state {
  std::vector<test_case> tests;
  std::vector<std::function<void(std::ostream&)>> context;
  test_case const* running = nullptr;
  std::size_t assertions = 0;
  std::size_t failures = 0;
  // Subcases, by place: those that ran to their end, the one open in this turn, and whether others wait for a turn.
  std::set<std::string> done;
  bool open = false;
  bool more = false;
};

inline state& now() {
  static state all;
  return all;
}

template <class T>
void write(std::ostream& out, T const& value) {
  if constexpr (requires { out << value; }) {
    out << value;
  } else {
    out << "{?}";
  }
}

template <class Text>
void report(char const* file, int line, Text const& text) {
  auto const& all = now();
  std::cerr << file << ":" << line << ": in \"" << (all.running != nullptr ? all.running->name : "") << "\": " << text << "\n";
  for (auto const& context : all.context) {
    std::cerr << "  ";
    context(std::cerr);
    std::cerr << "\n";
  }
}

template <class Text>
bool check(bool good, bool required, char const* file, int line, Text const& text) {
  ++now().assertions;
  if (!good) {
    ++now().failures;
    report(file, line, text);
    if (required) {
      throw test_aborted{};
    }
  }
  return good;
}

class context_scope {
public:
  template <class Write>
  explicit context_scope(Write write) {
    now().context.push_back(std::move(write));
  }
  context_scope(context_scope const&) = delete;
  context_scope& operator=(context_scope const&) = delete;
  ~context_scope() { now().context.pop_back(); }
};

class subcase {
public:
  explicit subcase(std::string place) : place_(std::move(place)) {
    auto& all = now();
    if (all.done.count(place_) == 0) {
      entered_ = !all.open;
      all.more = all.more || all.open;
      all.open = true;
    }
  }
  subcase(subcase const&) = delete;
  subcase& operator=(subcase const&) = delete;
  ~subcase() {
    if (entered_) {
      now().done.insert(place_);
    }
  }
  explicit operator bool() const { return entered_; }

private:
  std::string place_;
  bool entered_ = false;
};

class Approx {
public:
  explicit Approx(double value) : value_(value) {}
  Approx& epsilon(double epsilon) {
    epsilon_ = epsilon;
    return *this;
  }
  friend bool operator==(double left, Approx const& right) {
    return std::abs(left - right.value_) < right.epsilon_ * (1 + std::max(std::abs(left), std::abs(right.value_)));
  }
  friend bool operator==(Approx const& left, double right) { return right == left; }

private:
  double value_;
  double epsilon_ = 1.19209e-5;
};

struct registrar {
  registrar(test_name const& test, char const* file, void (*run)()) {
    if (!test.skipped) {
      now().tests.push_back({test.name, file, run});
    }
  }
};

template <template <class> class Run, class... Types>
struct template_registrar {
  template_registrar(std::string const& name, char const* file) {
    (now().tests.push_back({name + "<" + typeid(Types).name() + ">", file, &Run<Types>::run}), ...);
  }
};

/// Runs the tests: --source-file=PATTERN and --test-case=PATTERN choose, --list-test-cases lists.
class Context {
public:
  Context(int count, char const* const* arguments) {
    for (int i = 1; i < count; ++i) {
      std::string_view const argument(arguments[i]);
      for (auto const& [option, pattern] : {std::pair{"--source-file=", &file_}, std::pair{"--test-case=", &name_}}) {
        if (argument.starts_with(option)) {
          *pattern = std::string(argument.substr(std::string_view(option).size()));
        }
      }
      list_ = list_ || argument == "--list-test-cases";
    }
  }

  [[nodiscard]] bool shouldExit() const { return false; }

  int run() {
    std::size_t passed = 0;
    std::size_t failed = 0;
    for (auto const& test : now().tests) {
      if (fnmatch(file_.c_str(), test.file.c_str(), 0) != 0 || fnmatch(name_.c_str(), test.name.c_str(), 0) != 0) {
        continue;
      }
      if (list_) {
        std::cout << test.name << "\n";
        continue;
      }
      (run_one(test) ? passed : failed) += 1;
    }
    std::cout << "test cases: " << passed + failed << " | " << passed << " passed | " << failed << " failed\n"
              << "assertions: " << now().assertions << " | " << now().failures << " failed\n";
    return failed == 0 ? 0 : 1;
  }

private:
  static bool run_one(test_case const& test) {
    auto& all = now();
    auto const failures = all.failures;
    all.running = &test;
    all.done.clear();
    do {
      all.open = false;
      all.more = false;
      try {
        test.run();
      } catch (test_aborted const&) {
        break;
      } catch (std::exception const& thrown) {
        check(false, false, test.file.c_str(), 0, std::string("threw ") + thrown.what());
        break;
      } catch (...) {
        check(false, false, test.file.c_str(), 0, "threw something unknown");
        break;
      }
    } while (all.more);
    all.running = nullptr;
    return all.failures == failures;
  }

  std::string file_ = "*";
  std::string name_ = "*";
  bool list_ = false;
};

template <class... Parts>
[[nodiscard]] std::string joined(Parts const&... parts) {
  std::ostringstream text;
  (write(text, parts), ...);
  return std::move(text).str();
}

} // namespace doctest

#define DOCTEST_JOIN_(a, b) a##b
#define DOCTEST_JOIN(a, b) DOCTEST_JOIN_(a, b)
#define DOCTEST_NAME(stem) DOCTEST_JOIN(stem, __LINE__)

#define TEST_CASE(name)                                                                                                \
  static void DOCTEST_NAME(doctest_case_)();                                                                           \
  static ::doctest::registrar const DOCTEST_NAME(doctest_registrar_)(name, __FILE__, &DOCTEST_NAME(doctest_case_));   \
  static void DOCTEST_NAME(doctest_case_)()

#define TEST_CASE_TEMPLATE(name, T, ...)                                                                               \
  template <class T>                                                                                                   \
  static void DOCTEST_NAME(doctest_case_)();                                                                           \
  template <class T>                                                                                                   \
  struct DOCTEST_NAME(doctest_runner_) {                                                                               \
    static void run() { DOCTEST_NAME(doctest_case_)<T>(); }                                                            \
  };                                                                                                                   \
  static ::doctest::template_registrar<DOCTEST_NAME(doctest_runner_), __VA_ARGS__> const DOCTEST_NAME(                 \
      doctest_registrar_)(name, __FILE__);                                                                             \
  template <class T>                                                                                                   \
  static void DOCTEST_NAME(doctest_case_)()

#define SUBCASE(name)                                                                                                  \
  if (::doctest::subcase const DOCTEST_NAME(doctest_subcase_)(::doctest::joined(__FILE__, ":", __LINE__, name));       \
      DOCTEST_NAME(doctest_subcase_))

#define CAPTURE(value)                                                                                                 \
  ::doctest::context_scope const DOCTEST_NAME(doctest_context_)(                                                       \
      [&](std::ostream& doctest_out) { doctest_out << ::doctest::joined(#value " := ", value); })
#define INFO(...)                                                                                                      \
  ::doctest::context_scope const DOCTEST_NAME(doctest_context_)(                                                       \
      [&](std::ostream& doctest_out) { doctest_out << ::doctest::joined(__VA_ARGS__); })
#define MESSAGE(...) ::doctest::report(__FILE__, __LINE__, ::doctest::joined(__VA_ARGS__))

#define DOCTEST_CHECK(condition, required, text)                                                                       \
  ::doctest::check(static_cast<bool>(condition), required, __FILE__, __LINE__, text)
#define CHECK(...) DOCTEST_CHECK((__VA_ARGS__), false, "CHECK( " #__VA_ARGS__ " ) is false")
#define REQUIRE(...) DOCTEST_CHECK((__VA_ARGS__), true, "REQUIRE( " #__VA_ARGS__ " ) is false")
#define CHECK_FALSE(...) DOCTEST_CHECK(!(__VA_ARGS__), false, "CHECK_FALSE( " #__VA_ARGS__ " ) is true")
#define REQUIRE_FALSE(...) DOCTEST_CHECK(!(__VA_ARGS__), true, "REQUIRE_FALSE( " #__VA_ARGS__ " ) is true")
#define CHECK_MESSAGE(condition, ...) DOCTEST_CHECK(condition, false, ::doctest::joined(#condition ": ", __VA_ARGS__))
#define REQUIRE_MESSAGE(condition, ...) DOCTEST_CHECK(condition, true, ::doctest::joined(#condition ": ", __VA_ARGS__))
#define FAIL(...) DOCTEST_CHECK(false, true, ::doctest::joined(__VA_ARGS__))
#define FAIL_CHECK(...) DOCTEST_CHECK(false, false, ::doctest::joined(__VA_ARGS__))

// An expression that throws what `handlers` catch; `good` and `why` are theirs to set.
#define DOCTEST_THROWS(expression, required, handlers)                                                                 \
  do {                                                                                                                 \
    bool good = false;                                                                                                 \
    std::string why = " threw nothing";                                                                                \
    try {                                                                                                              \
      try {                                                                                                            \
        static_cast<void>(expression);                                                                                 \
      }                                                                                                                \
      handlers                                                                                                         \
    } catch (std::exception const& thrown) {                                                                           \
      why = std::string(" threw: ") + thrown.what();                                                                   \
    } catch (...) {                                                                                                    \
      why = " threw something else";                                                                                   \
    }                                                                                                                  \
    DOCTEST_CHECK(good, required, #expression + why);                                                                  \
  } while (false)
#define DOCTEST_THROWN(...)                                                                                            \
  catch (__VA_ARGS__ const&) {                                                                                         \
    good = true;                                                                                                       \
  }
#define DOCTEST_THROWN_WITH(text, ...)                                                                                 \
  catch (__VA_ARGS__ const& thrown) {                                                                                  \
    why = std::string(" threw: ") + thrown.what();                                                                     \
    good = thrown.what() == std::string(text);                                                                         \
  }
#define CHECK_THROWS_AS(expression, ...) DOCTEST_THROWS(expression, false, DOCTEST_THROWN(__VA_ARGS__))
#define REQUIRE_THROWS_AS(expression, ...) DOCTEST_THROWS(expression, true, DOCTEST_THROWN(__VA_ARGS__))
#define CHECK_THROWS_WITH_AS(expression, text, ...)                                                                    \
  DOCTEST_THROWS(expression, false, DOCTEST_THROWN_WITH(text, __VA_ARGS__))
#define CHECK_NOTHROW(...)                                                                                             \
  do {                                                                                                                 \
    std::string why;                                                                                                   \
    try {                                                                                                              \
      static_cast<void>(__VA_ARGS__);                                                                                  \
    } catch (std::exception const& thrown) {                                                                           \
      why = std::string(" threw: ") + thrown.what();                                                                   \
    } catch (...) {                                                                                                    \
      why = " threw";                                                                                                  \
    }                                                                                                                  \
    DOCTEST_CHECK(why.empty(), false, #__VA_ARGS__ + why);                                                             \
  } while (false)

#if defined(DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN)
int main(int count, char** arguments) { return ::doctest::Context(count, arguments).run(); }
#endif
