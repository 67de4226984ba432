// SPDX-License-Identifier: Apache-2.0

#include "models/base/channel_account.h"

#include <random>

#include "testbenches/support/accounts.h"
#include "testbenches/support/catch.h"

using namespace spica::base;
using spica::testbench::accounts_add_up;
using spica::testbench::charged;

namespace {

struct Charged {
  StatGroup stats;
  ChannelAccount dut{stats.account("use", "cycles by reason", {"idle", "moving", "busy", "held"})};
  static constexpr unsigned kHeld = ChannelAccount::kFirstWait;
  void settle(Cycle now) {
    dut.advance(now);
    stats.settle(now);
  }
  /// "idle moving busy held"
  std::string sums() const {
    std::string text;
    for (const char* reason : {"idle", "moving", "busy", "held"})
      text += (text.empty() ? "" : " ") + std::to_string(charged(stats, "use", reason));
    return text;
  }
};

}  // namespace

TEST_CASE("a channel moves a transfer, is busy while another one waits, and held while nothing passes") {
  Charged f;
  f.dut.carry(10, 14, 10);
  f.dut.wait(Charged::kHeld, 12);  // from the third cycle of the transfer on
  f.dut.carry(20, 21, 20);
  f.dut.stop_waiting(20);
  f.settle(30);
  CHECK(f.sums() == "19 3 2 6");
  CHECK(accounts_add_up(f.stats, 30));
}

TEST_CASE("transfers and waits that are known ahead are charged when their time comes") {
  Charged f;
  f.dut.carry(5, 10, 2);
  f.dut.wait(2, 10, Charged::kHeld, 2);  // the next one waits for it from cycle 2 on
  f.dut.carry(10, 12, 2);
  f.settle(7);
  CHECK(f.sums() == "2 0 2 3");
  f.settle(40);
  CHECK(f.sums() == "30 2 5 3");
}

TEST_CASE("an account settled at any cycles has the same sums") {
  std::mt19937 random(3);
  Charged once, often;
  Cycle now = 0, end = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    now += random() % 4;
    const Cycle from = std::max<Cycle>(now, end) + random() % 2, to = from + 1 + random() % 5;
    const unsigned what = random() % 4;
    for (Charged* f : {&once, &often}) {
      if (what == 0) f->dut.carry(from, to, now);
      if (what == 1) f->dut.wait(Charged::kHeld, now);
      if (what == 2) f->dut.stop_waiting(now);
      if (what == 3) f->dut.wait(now, now + 3, Charged::kHeld, now);
    }
    if (what == 0) end = to;
    if (random() % 2 == 0) often.settle(now);
  }
  once.settle(now + 100);
  often.settle(now + 100);
  CHECK(once.sums() == often.sums());
  CHECK(accounts_add_up(once.stats, now + 100));
}

TEST_CASE("a cleared channel is idle") {
  Charged f;
  f.dut.carry(3, 50, 3);
  f.dut.wait(Charged::kHeld, 3);
  f.dut.clear(10);
  f.settle(20);
  CHECK(f.sums() == "13 0 7 0");
}
