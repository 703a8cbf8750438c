// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace glt_test {

/// An element of an XML file and the text directly inside of it.
struct xml_element {
  std::string name;
  std::map<std::string, std::string> attributes{};
  std::string text{};
};

/// Reads a small XML file by the letter: tags that match, attributes in quotes and once each, known entities,
/// one root.
class xml_reader {
public:
  explicit xml_reader(std::string_view text) : rest_(text) {}

  /// The elements in the order of their beginnings; throws std::runtime_error if the file is not well-formed.
  std::vector<xml_element> elements() {
    if (rest_.starts_with("<?xml ")) {
      static_cast<void>(until("?>"));
    }
    std::vector<std::size_t> open;
    while (!rest_.empty()) {
      auto const before = unescaped(take(rest_.find('<')));
      if (!open.empty()) {
        made_[open.back()].text += before;
      } else if (before.find_first_not_of(" \n") != std::string::npos) {
        throw std::runtime_error("text outside of the root: " + before);
      }
      if (rest_.empty()) {
        break;
      }
      if (rest_.starts_with("</")) {
        rest_.remove_prefix(2);
        auto const name = until(">");
        if (open.empty() || made_[open.back()].name != name) {
          throw std::runtime_error("</" + std::string(name) + "> does not end what is open");
        }
        open.pop_back();
        continue;
      }
      if (open.empty() && !made_.empty()) {
        throw std::runtime_error("two roots");
      }
      rest_.remove_prefix(1);
      if (begin_element()) {
        open.push_back(made_.size() - 1);
      }
    }
    if (!open.empty() || made_.empty()) {
      throw std::runtime_error("the file ends too early");
    }
    return made_;
  }

private:
  std::string_view take(std::size_t count) {
    auto const taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view until(std::string_view end) {
    auto const place = rest_.find(end);
    if (place == std::string_view::npos) {
      throw std::runtime_error("nothing more that ends with " + std::string(end));
    }
    auto const taken = take(place);
    rest_.remove_prefix(end.size());
    return taken;
  }

  // True if it stays open.
  bool begin_element() {
    xml_element element;
    element.name = take(rest_.find_first_of(" />"));
    while (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
      auto const key = std::string(until("=\""));
      auto const value = until("\"");
      if (key.find_first_of(" <>&\"") != std::string::npos || value.find('<') != std::string_view::npos ||
          !element.attributes.emplace(key, unescaped(value)).second) {
        throw std::runtime_error("attribute " + key + " of " + element.name);
      }
    }
    made_.push_back(element);
    bool const stays_open = !rest_.starts_with('/');
    rest_.remove_prefix(stays_open ? 0 : 1);
    if (!rest_.starts_with('>')) {
      throw std::runtime_error("<" + element.name + " has no end");
    }
    rest_.remove_prefix(1);
    return stays_open;
  }

  static std::string unescaped(std::string_view text) {
    static std::map<std::string, char> const entities{
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '>') {
        throw std::runtime_error("a bare > in " + std::string(text));
      }
      if (text[i] != '&') {
        plain += text[i];
        continue;
      }
      auto const end = text.find(';', i);
      plain += entities.at(std::string(text.substr(i + 1, end - i - 1)));
      i = end;
    }
    return plain;
  }

  std::string_view rest_;
  std::vector<xml_element> made_;
};

/// The texts of an SVG picture, in the order in which they are drawn; hints under the pointer are not among them.
inline std::vector<std::string> texts_of(std::string_view svg) {
  std::vector<std::string> texts;
  for (auto const& element : xml_reader(svg).elements()) {
    if (element.name == "text") {
      texts.push_back(element.text);
    }
  }
  return texts;
}

/// What an SVG picture says under the pointer; the first is the title of the picture.
inline std::vector<std::string> hints_of(std::string_view svg) {
  std::vector<std::string> hints;
  for (auto const& element : xml_reader(svg).elements()) {
    if (element.name == "title") {
      hints.push_back(element.text);
    }
  }
  return hints;
}

/// Two texts of an SVG picture that touch, or one that leaves the picture; empty if there are none.
///
/// Letters are taken to be 0.55 as wide as they are high.
inline std::string touching_texts(std::string_view svg) {
  struct box {
    double left, right, top, bottom;
    std::string text;
  };
  auto const elements = xml_reader(svg).elements();
  auto const number = [](xml_element const& element, char const* key) { return std::stod(element.attributes.at(key)); };
  box const page{0, number(elements.at(0), "width"), 0, number(elements.at(0), "height"), ""};
  std::vector<box> boxes;
  for (auto const& element : elements) {
    if (element.name != "text") {
      continue;
    }
    double places = 0;
    for (char const c : element.text) {
      places += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    }
    auto const size = number(element, "font-size");
    auto const length = places * size * 0.55;
    auto const& anchor = element.attributes.at("text-anchor");
    auto const before = anchor == "start" ? 0 : anchor == "end" ? length : length / 2;
    auto const x = number(element, "x");
    auto const y = number(element, "y");
    bool const upwards = element.attributes.contains("transform");
    box const made = upwards ? box{x - size * 0.8, x, y - length + before, y + before, element.text}
                             : box{x - before, x - before + length, y - size * 0.8, y, element.text};
    if (made.left < page.left || made.right > page.right || made.top < page.top || made.bottom > page.bottom) {
      return "outside: " + made.text;
    }
    for (auto const& other : boxes) {
      if (made.left < other.right && other.left < made.right && made.top < other.bottom && other.top < made.bottom) {
        return other.text + " touches " + made.text;
      }
    }
    boxes.push_back(made);
  }
  return "";
}

} // namespace glt_test
