// SPDX-License-Identifier: Apache-2.0
#include "models/load_reuse/fragment_map.h"

#include <map>
#include <random>

#include "testbenches/support/catch.h"

using spica::load_reuse::FragmentMap;
constexpr auto kNone = FragmentMap::kNone;

TEST_CASE("a place in common is free again when all have overwritten it") {
  FragmentMap map(4);
  const std::uint32_t place = map.place(1, 7), own = map.place(2, 7);
  CHECK(place != own);
  CHECK(map.share(place, 2, 7) == own);  // whose value is lost
  CHECK(map.share(place, 3, 7) != kNone);
  CHECK(map.free() == 2);
  CHECK(map.holder(place, 7, 2) == 1);
  CHECK(map.write(1, 7) == kNone);  // the leader goes to another place; two are left
  CHECK(map.place(1, 7) != place);
  CHECK(map.holder(place, 7, 2) == 3);
  CHECK(map.write(3, 7) == kNone);
  CHECK(map.holder(place, 7, 2) == 2);
  CHECK(map.write(2, 7) == place);  // the last one: nobody has the value any more
  CHECK(map.free() == 0);
}

TEST_CASE("a fragment that is alone stays where it is") {
  FragmentMap map(2);
  const std::uint32_t place = map.place(1, 3);
  CHECK(map.write(1, 3) == place);
  CHECK(map.place(1, 3) == place);
  CHECK(map.share(place, 1, 3) == kNone);
  CHECK(map.free() == 0);
}

TEST_CASE("whatever is shared and written, each fragment has the value it was given") {
  constexpr unsigned kWarps = 5;
  FragmentMap map(kWarps);
  std::map<std::uint32_t, unsigned> contents;  // by place
  std::map<std::pair<unsigned, unsigned>, unsigned> expected;
  for (unsigned w = 0; w < kWarps; ++w)
    for (unsigned f = 0; f < 32; ++f) contents[map.place(w, f)] = expected[{w, f}] = w * 32 + f;
  std::mt19937 random(3);
  const auto draw = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
  for (unsigned step = 0; step < 5000; ++step) {
    const unsigned w = draw(kWarps), f = draw(4), from = draw(kWarps);
    if (draw(2) == 0) {
      map.share(map.place(from, f), w, f);
      expected[{w, f}] = expected[{from, f}];
    } else {
      map.write(w, f);
      contents[map.place(w, f)] = expected[{w, f}] = 1000 + step;
    }
    for (const auto& [name, value] : expected) REQUIRE(contents[map.place(name.first, name.second)] == value);
  }
}
