// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/packet.h"

#include <random>
#include <vector>

#include "testbenches/support/catch.h"

using namespace spica::debug;
using Kind = Item::Kind;

namespace {

std::vector<Item> read(std::string_view bytes) {
  PacketReader reader;
  reader.feed(bytes);
  std::vector<Item> items;
  while (auto item = reader.next()) items.push_back(*item);
  return items;
}

std::string random_bytes(std::mt19937& dice, std::size_t most) {
  std::string bytes(dice() % (most + 1), '\0');
  for (char& byte : bytes) byte = static_cast<char>(dice());
  return bytes;
}

}  // namespace

TEST_CASE("a frame is dollar, payload, number sign and the sum of the payload") {
  CHECK(frame("") == "$#00");
  CHECK(frame("OK") == "$OK#9a");
  CHECK(frame("a$b") ==
        "$a}\x04"
        "b#44");
}

TEST_CASE("what is framed is read again, whatever bytes it holds") {
  std::mt19937 dice(1);
  for (unsigned i = 0; i < 500; ++i) {
    const std::string payload = random_bytes(dice, 300);
    const auto items = read(frame(payload));
    REQUIRE(items.size() == 1);
    REQUIRE(items[0].kind == Kind::kPacket);
    REQUIRE(items[0].payload == payload);
  }
}

TEST_CASE("packets are found among acknowledgements, interrupts and noise, in any pieces") {
  const std::string bytes = "+x$qC#b4\x03-" + frame("m0,4") + "zz+";
  const std::vector<Kind> kinds = {Kind::kAck,  Kind::kPacket, Kind::kInterrupt,
                                   Kind::kNack, Kind::kPacket, Kind::kAck};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    PacketReader reader;
    std::vector<Kind> found;
    for (std::size_t i = 0; i < bytes.size(); i += piece) {
      reader.feed(std::string_view(bytes).substr(i, piece));
      while (auto item = reader.next()) found.push_back(item->kind);
    }
    REQUIRE(found == kinds);
  }
}

TEST_CASE("damaged packets are told, and the next one is read") {
  for (const char* damaged : {"$qC#b5", "$qC#zz", "$qC#b"}) {
    const auto items =
        read(std::string(damaged) + (std::string_view(damaged).back() == 'b' ? "x" : "") + frame("g"));
    REQUIRE(items.size() == 2);
    CHECK(items[0].kind == Kind::kDamaged);
    CHECK(items[1].kind == Kind::kPacket);
  }
  const auto cut = read("$qC$g#67");
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].kind == Kind::kDamaged);
  CHECK(cut[1].payload == "g");
}

TEST_CASE("a packet of the largest size is read and a longer one is not kept") {
  CHECK(read(frame(std::string(kMaxPacket, 'a')))[0].kind == Kind::kPacket);
  CHECK(read(frame(std::string(kMaxPacket + 1, 'a')))[0].kind == Kind::kDamaged);
}

TEST_CASE("random bytes neither crash the reader nor make packets with wrong sums") {
  std::mt19937 dice(2);
  for (unsigned i = 0; i < 2000; ++i) {
    const auto items = read(random_bytes(dice, 200));
    CHECK(items.size() <= 200);
  }
}

TEST_CASE("hexadecimal text is bytes, two digits each") {
  CHECK(to_hex(std::string("\x00\xff\x10", 3)) == "00ff10");
  CHECK(from_hex("00fF10") == std::string("\x00\xff\x10", 3));
  CHECK(!from_hex("0"));
  CHECK(!from_hex("0g"));
  CHECK(word_of("\x78\x56\x34\x12") == 0x12345678);
}

TEST_CASE("a cursor takes numbers, threads and words from the left") {
  Cursor cursor("m1f,-1;p2;rest");
  std::uint64_t number = 0;
  std::int64_t thread = 0;
  CHECK(!cursor.number(number));
  CHECK(cursor.take("m"));
  CHECK(cursor.number(number));
  CHECK(number == 0x1F);
  CHECK(!cursor.take(";"));
  CHECK(cursor.take(","));
  CHECK(cursor.thread(thread));
  CHECK(thread == -1);
  CHECK(cursor.take(";"));
  CHECK(cursor.until(';') == "p2");
  CHECK(cursor.until(';') == "rest");
  CHECK(cursor.empty());
  CHECK(!Cursor("11112222333344445").number(number));  // more than 64 bits
  CHECK(!Cursor("80000000").thread(thread));           // no thread has that number
  CHECK(!Cursor("-2").thread(thread));
}
