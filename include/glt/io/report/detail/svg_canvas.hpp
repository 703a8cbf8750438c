// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/report/detail/number_text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace glt::io::detail {

/// Length of the UTF-8 character at the beginning of a text, or 0 if XML 1.0 does not allow it.
[[nodiscard]] inline std::size_t xml_character(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  auto const first = byte(0);
  if (first < 0x80) {
    return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  }
  std::size_t const length = first >= 0xF0 && first < 0xF8 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC0 || first >= 0xF8 || text.size() < length) {
    return 0;
  }
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return 0;
    }
    code = code << 6U | (byte(i) & 0x3FU);
  }
  std::uint32_t const least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  bool const surrogate = code >= 0xD800 && code < 0xE000;
  return code < least || code > 0x10FFFF || surrogate || code == 0xFFFE || code == 0xFFFF ? 0 : length;
}

/// Text as content of an element or attribute; what XML does not allow becomes U+FFFD.
[[nodiscard]] inline std::string xml_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    auto const length = xml_character(text);
    switch (text.front()) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '\'':
      escaped += "&apos;";
      break;
    default:
      escaped += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return escaped;
}

/// The first characters of a text that is too long, and an ellipsis.
[[nodiscard]] inline std::string shortened(std::string_view text, std::size_t most) {
  if (places(text) <= most) {
    return std::string(text);
  }
  std::size_t end = 0;
  for (std::size_t taken = 0; taken < most; ++taken) {
    do {
      ++end;
    } while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U);
  }
  return std::string(text.substr(0, end)) + "…";
}

/// How text of an SVG picture is set.
struct svg_text_style {
  double size = 10;
  char const* anchor = "start"; ///< which end stands at the given place: start, middle or end
  char const* colour = "#333333";
  bool bold = false;
  bool upwards = false; ///< from bottom to top
};

/// An SVG picture in the making; text is escaped here.
class svg_canvas {
public:
  /// A filled rectangle that says `hint` when the pointer is over it.
  void rectangle(double x, double y, double width, double height, std::string_view colour, std::string_view hint = {}) {
    body_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) + attribute("height", height) +
             " fill=\"" + xml_text(colour) + "\"";
    body_ += hint.empty() ? "/>\n" : "><title>" + xml_text(hint) + "</title></rect>\n";
  }

  void line(double x1, double y1, double x2, double y2, std::string_view colour, bool dashed = false) {
    body_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
             " stroke=\"" + xml_text(colour) + "\"" + (dashed ? " stroke-dasharray=\"4 3\"/>\n" : "/>\n");
  }

  /// A small filled circle that says `hint` when the pointer is over it.
  void dot(double x, double y, double radius, std::string_view colour, std::string_view hint) {
    body_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) + " fill=\"" +
             xml_text(colour) + "\"><title>" + xml_text(hint) + "</title></circle>\n";
  }

  /// Points that are joined by lines.
  void polyline(std::span<std::pair<double, double> const> points, std::string_view colour) {
    body_ += "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" + xml_text(colour) + "\" points=\"";
    for (auto const& [x, y] : points) {
      body_ += trimmed(x, 2) + "," + trimmed(y, 2) + " ";
    }
    body_ += "\"/>\n";
  }

  void text(double x, double y, std::string_view content, svg_text_style const& style = {}) {
    body_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("font-size", style.size) + " text-anchor=\"" +
             style.anchor + "\" fill=\"" + style.colour + "\"";
    body_ += style.bold ? " font-weight=\"bold\"" : "";
    body_ += style.upwards ? " transform=\"rotate(-90 " + trimmed(x, 2) + " " + trimmed(y, 2) + ")\"" : "";
    body_ += ">" + xml_text(content) + "</text>\n";
  }

  /// A filled outline in the commands of SVG paths.
  void path(std::string_view commands, std::string_view colour) {
    body_ += "<path fill=\"" + xml_text(colour) + "\" d=\"" + xml_text(commands) + "\"/>\n";
  }

  /// Until `end_group`, places are counted from (x, y) in units of `scale`.
  void begin_group(double x, double y, double scale) {
    body_ += "<g shape-rendering=\"crispEdges\" transform=\"translate(" + trimmed(x, 2) + " " + trimmed(y, 2) +
             ") scale(" + trimmed(scale, 6) + ")\">\n";
  }
  void end_group() { body_ += "</g>\n"; }

  /// The file: everything drawn so far on a white ground.
  [[nodiscard]] std::string file(double width, double height, std::string_view title) const {
    auto const size = attribute("width", width) + attribute("height", height);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" + size +
           " viewBox=\"0 0 " + trimmed(width, 2) + " " + trimmed(height, 2) +
           "\" font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">\n<title>" + xml_text(title) +
           "</title>\n<rect" + size + " fill=\"#ffffff\"/>\n" + body_ + "</svg>\n";
  }

private:
  static std::string attribute(char const* name, double value) {
    return " " + std::string(name) + "=\"" + trimmed(value, 2) + "\"";
  }

  std::string body_;
};

} // namespace glt::io::detail
