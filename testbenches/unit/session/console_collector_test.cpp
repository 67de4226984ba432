// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/console_collector.h"

#include <sstream>
#include <string>

#include "testbenches/support/catch.h"

using namespace spica;
using session::ConsoleCollector;
using session::ConsoleOptions;

namespace {

void put(ConsoleCollector& console, unsigned core, unsigned warp, unsigned lane, const std::string& text) {
  protocol::Origin origin;
  origin.unit = protocol::Origin::Unit::kCore;
  origin.core = static_cast<std::uint16_t>(core);
  origin.warp = static_cast<std::uint8_t>(warp);
  console.put(origin, lane, text.data(), static_cast<unsigned>(text.size()));
}

}  // namespace

TEST_CASE("lanes that print letter by letter in step get a line each") {
  ConsoleCollector console;
  for (const char letter : std::string("hi\n"))
    for (unsigned lane = 0; lane < 3; ++lane)
      put(console, 0, 0, lane, std::string(1, letter == 'i' ? static_cast<char>('0' + lane) : letter));
  CHECK(console.text() == "h0\nh1\nh2\n");
}

TEST_CASE("a terminal gets control characters in print, the text keeps them") {
  std::ostringstream terminal, pipe;
  ConsoleOptions options;
  ConsoleCollector to_pipe(&pipe, options);
  options.printable_sink = true;
  ConsoleCollector to_terminal(&terminal, options);
  const std::string line = "\x1b[2J\ta\xFF\xC3\xB6\r\n";
  put(to_pipe, 0, 0, 0, line);
  put(to_terminal, 0, 0, 0, line);
  CHECK(pipe.str() == line);
  CHECK(terminal.str() == "\\x1b[2J\ta\\xff\xC3\xB6\n");
  CHECK(to_pipe.text() == line);
  CHECK(to_terminal.text() == line);
}

TEST_CASE("lines keep the order in which they completed") {
  ConsoleCollector console;
  put(console, 1, 0, 0, "began first");
  put(console, 0, 2, 0, "done first\n");
  CHECK(console.text() == "done first\n");
  put(console, 1, 0, 0, "\nand");
  CHECK(console.text() == "done first\nbegan first\n");
}

TEST_CASE("the zero bytes of sprintf end nothing and show nothing") {
  ConsoleCollector console;
  const auto piece = [](const char* text) { return std::string(text) + '\0'; };
  put(console, 0, 0, 0, piece("a = ") + piece("3") + piece("\n") + piece("next\n"));
  CHECK(console.text() == "a = 3\nnext\n");
}

TEST_CASE("flush ends open lines by core, warp and lane, once") {
  ConsoleCollector console;
  put(console, 1, 0, 0, "d");
  put(console, 0, 1, 0, "c");
  put(console, 0, 0, 2, "b");
  put(console, 0, 0, 1, "a");
  put(console, 0, 0, 0, "\n");
  console.flush();
  console.flush();
  CHECK(console.text() == "\na\nb\nc\nd\n");
}

TEST_CASE("the sink sees whole lines only, and labels when asked for") {
  std::ostringstream out;
  ConsoleOptions options;
  options.label_lines = true;
  ConsoleCollector console(&out, options);
  put(console, 3, 1, 7, "par");
  CHECK(out.str().empty());
  put(console, 3, 1, 7, "tial\n");
  CHECK(out.str() == "[core 3 warp 1 lane 7] partial\n");
  CHECK(console.text() == out.str());
}

TEST_CASE("too much text is dropped with one note") {
  ConsoleOptions options;
  options.max_bytes = 5;
  ConsoleCollector console(nullptr, options);
  put(console, 0, 0, 0, "12\n45");
  CHECK(console.dropped() == 0);
  put(console, 0, 0, 0, std::string("6\n\0x\n", 5));
  console.flush();
  CHECK(console.dropped() == 4);
  CHECK(console.text() == "12\n[console: more than 5 bytes, the rest was dropped]\n45\n");
}
