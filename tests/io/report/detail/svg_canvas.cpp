// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/xml.hpp"

#include <glt/io/report/detail/svg_canvas.hpp>

#include <stdexcept>
#include <string>

using namespace glt::io::detail;

namespace {

std::string const unknown = "\xEF\xBF\xBD";

} // namespace

TEST_CASE("what XML reserves is escaped, and what it forbids is replaced") {
  CHECK(xml_text("") == "");
  CHECK(xml_text("a < b && \"c\" > 'd'") == "a &lt; b &amp;&amp; &quot;c&quot; &gt; &apos;d&apos;");
  CHECK(xml_text("tab\tline\n") == "tab\tline\n");
  CHECK(xml_text("ß€𝔤") == "ß€𝔤");
  CHECK(xml_text(std::string("\0\x01\x1F", 3)) == unknown + unknown + unknown);
  CHECK(xml_text("\x80y") == unknown + "y");                                    // continues nothing
  CHECK(xml_text("x\xC3") == "x" + unknown);                                    // ends too early
  CHECK(xml_text("\xC3(") == unknown + "(");                                    // does not continue
  CHECK(xml_text("\xC0\xAF") == unknown + unknown);                             // too long for its code
  CHECK(xml_text("\xED\xA0\x80") == unknown + unknown + unknown);               // half of a pair
  CHECK(xml_text("\xEF\xBF\xBE") == unknown + unknown + unknown);               // no character
  CHECK(xml_text("\xF4\x90\x80\x80") == unknown + unknown + unknown + unknown); // beyond the last code
  CHECK(xml_text("\xFF") == unknown);
}

TEST_CASE("long text is shortened between characters") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc…");
  CHECK(shortened("ßßßß", 2) == "ßß…");
  CHECK(shortened("", 0) == "");
}

TEST_CASE("the file is XML with everything drawn in it") {
  svg_canvas canvas;
  canvas.rectangle(1.256, 2, 3, 4, "#ff0000");
  canvas.rectangle(0, 0, 1, 1, "red\" onload=\"x", "a < b");
  canvas.line(0, 1, 2, 3, "#000000", true);
  canvas.begin_group(5, 6, 0.5);
  canvas.path("M0 0h1", "#111111");
  canvas.end_group();
  canvas.text(7, 8, "R&D", {.size = 12, .anchor = "end", .bold = true, .upwards = true});
  auto const elements = glt_test::xml_reader(canvas.file(100, 50.5, "<title>")).elements();
  REQUIRE(elements.size() == 10);
  CHECK(elements[0].name == "svg");
  CHECK(elements[0].attributes.at("viewBox") == "0 0 100 50.5");
  CHECK(elements[0].attributes.at("xmlns") == "http://www.w3.org/2000/svg");
  CHECK(elements[1].text == "<title>");
  CHECK(elements[2].attributes.at("fill") == "#ffffff");
  CHECK(elements[3].attributes.at("x") == "1.26");
  CHECK(elements[4].attributes.at("fill") == "red\" onload=\"x");
  CHECK(elements[5].text == "a < b");
  CHECK(elements[6].attributes.at("stroke-dasharray") == "4 3");
  CHECK(elements[7].attributes.at("transform") == "translate(5 6) scale(0.5)");
  CHECK(elements[8].attributes.at("d") == "M0 0h1");
  CHECK(elements[9].text == "R&D");
  CHECK(elements[9].attributes.at("transform") == "rotate(-90 7 8)");
}

TEST_CASE("the check of XML sees what is wrong") {
  for (char const* const text : {"", "<a>", "<a></b>", "<a/><b/>", "<a b=\"1\" b=\"2\"/>", "<a b=\"<\"/>", "x<a/>",
                                 "<a>></a>", "<a", "<a b=\"1/>"}) {
    CAPTURE(text);
    CHECK(glt_test::thrown<std::runtime_error>([&] { glt_test::xml_reader(text).elements(); }) !=
          "(nothing was thrown)");
  }
}
