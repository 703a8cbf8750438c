// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/standard_output.hpp"

#include <glt/io/raw_data.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <unistd.h>

namespace glt_partition {

/// A number with a unit of thousands, such as "3.1 G".
inline std::string short_number(double value) {
  constexpr std::array<char const*, 5> units{"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 9.95 && unit > 0 ? "%.1f%s" : "%.0f%s", value, units[unit]);
  return text.data();
}

/// A number with so many digits after the point.
inline std::string fixed(double value, int digits) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

/// Tells the user what happens: bars on a terminal, lines elsewhere, JSON objects for machines. Output that is lost is a
/// `glt::io_error`.
class console {
public:
  /// `quiet` for the ranks beside the first.
  console(bool json, bool quiet) : json_(json), quiet_(quiet), bars_(!json && isatty(STDERR_FILENO) == 1) {}

  /// One line of text, or an object with the text as "message".
  void say(std::string const& text) {
    if (quiet_) {
      return;
    }
    end_bar();
    if (json_) {
      print(nlohmann::ordered_json{{"event", "message"}, {"message", text}});
    } else {
      std::printf("%s\n", text.c_str());
      example::flush_output();
    }
  }

  /// An object for machines; text for people.
  void result(nlohmann::ordered_json const& object, std::string const& text) {
    if (quiet_) {
      return;
    }
    end_bar();
    if (json_) {
      print(object);
    } else {
      std::printf("%s", text.c_str());
      example::flush_output();
    }
  }

  /// For `io::read_options` and others: shows how far a piece of work is, at most ten times a second on a terminal
  /// and every ten seconds elsewhere.
  [[nodiscard]] glt::io::task_progress::callback progress() {
    return [this](glt::io::task_progress const& now) { show(now); };
  }

  /// Ends a bar that is still on the line.
  void end_bar() {
    if (bar_open_) {
      std::fputs("\r\033[K", stderr);
      bar_open_ = false;
    }
  }

private:
  using clock = std::chrono::steady_clock;

  static void print(nlohmann::ordered_json const& object) {
    std::printf("%s\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
    example::flush_output();
  }

  void show(glt::io::task_progress const& now) {
    if (quiet_) {
      return;
    }
    auto const time = clock::now();
    if (now.what != what_) {
      what_ = now.what;
      began_ = time;
      shown_ = time;
      return;
    }
    auto const pause = bars_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000);
    if (time - shown_ < pause) {
      return;
    }
    shown_ = time;
    auto const seconds = std::chrono::duration<double>(time - began_).count();
    auto const rate = static_cast<double>(now.done) / seconds;
    auto const left = now.total > 0 && rate > 0 ? static_cast<double>(now.total - now.done) / rate : -1;
    if (json_) {
      print({{"event", "progress"},
             {"what", std::string(now.what)},
             {"unit", std::string(now.unit)},
             {"done", now.done},
             {"total", now.total},
             {"per_second", rate},
             {"seconds_left", left}});
      return;
    }
    std::string line(now.what);
    if (now.total > 0) {
      auto const share = std::clamp(static_cast<double>(now.done) / static_cast<double>(now.total), 0.0, 1.0);
      if (bars_) {
        auto const full = static_cast<std::size_t>(share * 30);
        line += " [" + std::string(full, '=') + std::string(30 - full, ' ') + "]";
      }
      line += " " + std::to_string(static_cast<int>(share * 100)) + " %";
    }
    line += ", " + short_number(rate) + " " + std::string(now.unit) + "/s";
    if (left >= 0) {
      line += ", " + std::to_string(static_cast<std::int64_t>(left / 60)) + " min " +
              std::to_string(static_cast<std::int64_t>(left) % 60) + " s left";
    }
    if (bars_) {
      std::fprintf(stderr, "\r\033[K%s", line.c_str());
      bar_open_ = true;
      std::fflush(stderr);
    } else {
      std::printf("%s\n", line.c_str());
      example::flush_output();
    }
  }

  bool json_;
  bool quiet_;
  bool bars_;
  bool bar_open_ = false;
  std::string what_;
  clock::time_point began_;
  clock::time_point shown_;
};

} // namespace glt_partition
