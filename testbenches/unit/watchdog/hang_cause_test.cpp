// SPDX-License-Identifier: Apache-2.0

#include "models/isa/csr.h"
#include "platform/observe/watchdog/wait_graph.h"
#include "testbenches/support/catch.h"

using namespace spica::watchdog;
using Catch::Contains;

namespace {

/// A machine of two cores with four warps each, all ended.
HangFacts machine() {
  HangFacts facts;
  facts.cores_per_cluster = 2;
  facts.warps_per_core = 4;
  for (unsigned core = 0; core < 2; ++core)
    for (unsigned w = 0; w < 4; ++w) {
      WarpFact warp;
      warp.core = core;
      warp.warp = w;
      warp.started = true;
      warp.pc = 0x80000000 + 0x100 * core + 0x10 * w;
      facts.warps.push_back(warp);
    }
  return facts;
}

WarpFact& warp(HangFacts& facts, unsigned core, unsigned w) { return facts.warps[4 * core + w]; }

void wait(HangFacts& facts, unsigned core, unsigned w, unsigned id, unsigned count) {
  WarpFact& fact = warp(facts, core, w);
  fact.running = fact.at_barrier = true;
  fact.mask = 1;
  fact.barrier_id = id;
  fact.barrier_count = count;
}

void spin(HangFacts& facts, unsigned core, unsigned w, Poll poll) {
  WarpFact& fact = warp(facts, core, w);
  fact.running = true;
  fact.mask = 1;
  fact.activity.state = WarpActivity::State::kSpinning;
  fact.activity.branch_pc = fact.pc;
  fact.activity.polls = {poll};
}

Poll load(std::uint32_t address) { return {Poll::What::kLoad, 0x80000004, 15, address, 0}; }
Poll csr(std::uint32_t number, std::uint32_t value) {
  return {Poll::What::kCsr, 0x80000004, 15, number, value};
}

HangCause cause_of(const HangFacts& facts) {
  Names names;
  names.place = [](std::uint32_t pc) { return "f, x.c:" + std::to_string(pc & 0xFFF); };
  names.in_library = [](std::uint32_t) { return false; };
  names.peripheral = [](std::uint32_t) { return false; };
  names.address = [](std::uint32_t address) { return "word " + std::to_string(address); };
  return find_cause(WaitGraph(facts), names);
}

}  // namespace

TEST_CASE("more warps than a core has is an impossible configuration") {
  HangFacts facts = machine();
  for (unsigned core = 0; core < 2; ++core)
    for (unsigned w = 0; w < 4; ++w) wait(facts, core, w, 1, 8);
  const HangCause cause = cause_of(facts);
  CHECK(cause.kind == HangKind::kConfiguration);
  CHECK_THAT(cause.sentence, Contains("barrier 1 waits for 8 warps") && Contains("has 4"));
}

TEST_CASE("counts that differ are named with both sides") {
  HangFacts facts = machine();
  for (unsigned w = 0; w < 4; ++w) wait(facts, 0, w, 3, w == 2 ? 3 : 4);
  const HangCause cause = cause_of(facts);
  CHECK(cause.kind == HangKind::kDeadlock);
  CHECK_THAT(cause.sentence, Contains("core 0, warp 2 waits for 3") && Contains("waits for 4"));
}

TEST_CASE("a warp that left a barrier with another count") {
  HangFacts facts = machine();
  wait(facts, 0, 0, 3, 4);
  for (unsigned w = 1; w < 4; ++w) {
    warp(facts, 0, w).barrier_id = 3;
    warp(facts, 0, w).barrier_count = 3;
  }
  CHECK_THAT(cause_of(facts).sentence, Contains("core 0, warp 1 waits for 3 and has continued"));
}

TEST_CASE("a warp that was at the barrier alone, before, is no disagreement") {
  HangFacts facts = machine();
  for (unsigned w = 1; w < 4; ++w) wait(facts, 0, w, 0, 4);
  spin(facts, 0, 0, csr(spica::isa::csr::kActiveWarps, 15));
  warp(facts, 0, 0).barrier_count = 1;
  CHECK_THAT(cause_of(facts).sentence, Contains("core 0, warp 0 waits for the others to end"));
}

TEST_CASE(
    "counts that differed are named when all warps have ended and a core has completed the barrier twice") {
  HangFacts facts = machine();
  facts.open_barriers = {{0, 3, 0b10}};
  for (unsigned w = 0; w < 4; ++w) {
    warp(facts, 1, w).barrier_id = 3;
    warp(facts, 1, w).barrier_count = w == 2 ? 4 : 2;
  }
  HangCause cause = cause_of(facts);
  CHECK(cause.kind == HangKind::kDeadlock);
  CHECK(
      cause.sentence ==
      "the warps of core 1 that came to barrier 3 expected different numbers of warps: core 1, warp 0 counted 2, "
      "core 1, warp 2 counted 4; all warps have ended, and the barrier still waits for core 0");

  warp(facts, 1, 1).barrier_count = 1;  // that of the start-up, perhaps
  CHECK_THAT(cause_of(facts).sentence, Contains("core 1, warp 0 counted 2"));
  warp(facts, 1, 2).barrier_count = 2;
  CHECK_THAT(cause_of(facts).sentence, Contains("core 1, warp 1 counted 1, core 1, warp 0 counted 2"));
  warp(facts, 1, 1).barrier_id = 0;
  CHECK_THAT(cause_of(facts).sentence, Contains("different numbers of warps; all warps have ended"));
}

TEST_CASE("a barrier of no warps") {
  HangFacts facts = machine();
  wait(facts, 0, 0, 0, 0);
  CHECK_THAT(cause_of(facts).sentence, Contains("count of 0"));
}

TEST_CASE("a warp that ended before its barrier is the cause") {
  HangFacts facts = machine();
  for (unsigned core = 0; core < 2; ++core)
    for (unsigned w = 0; w < 4; ++w)
      if (core != 1 || w != 3) wait(facts, core, w, 0, 4);
  const HangCause cause = cause_of(facts);
  CHECK(cause.kind == HangKind::kDeadlock);
  CHECK_THAT(cause.sentence,
             Contains("1 warp short on core 1") && Contains("core 1, warp 3 ended at f, x.c:304"));
}

TEST_CASE("a core without warps is the cause") {
  HangFacts facts = machine();
  for (unsigned w = 0; w < 4; ++w) wait(facts, 0, w, 0, 4);
  CHECK_THAT(cause_of(facts).sentence, Contains("waits for core 1, where no warp"));
}

TEST_CASE("warps at different barriers wait for each other") {
  HangFacts facts = machine();
  for (unsigned core = 0; core < 2; ++core)
    for (unsigned w = 0; w < 4; ++w) wait(facts, core, w, w / 2, 4);
  CHECK_THAT(cause_of(facts).sentence, Contains("different barriers") &&
                                           Contains("core 0, warp 0 at barrier 0") &&
                                           Contains("core 0, warp 2 at barrier 1"));
}

TEST_CASE("a spinning warp for which a barrier waits is the cause") {
  HangFacts facts = machine();
  for (unsigned core = 0; core < 2; ++core)
    for (unsigned w = 0; w < 4; ++w)
      if (core != 0 || w != 1) wait(facts, core, w, 0, 4);
  spin(facts, 0, 1, load(64));
  const HangCause cause = cause_of(facts);
  CHECK(cause.kind == HangKind::kLiveLock);
  CHECK_THAT(cause.sentence, Contains("core 0, warp 1 spins at f, x.c:16") &&
                                 Contains("word 64, always 0x0") &&
                                 Contains("7 other warps wait at a barrier"));
}

TEST_CASE("a warp that waits for the others to end is not the cause") {
  HangFacts facts = machine();
  for (unsigned core = 0; core < 2; ++core)
    for (unsigned w = 1; w < 4; ++w) wait(facts, core, w, 0, 4);
  spin(facts, 0, 0, csr(spica::isa::csr::kActiveWarps, 15));
  spin(facts, 1, 0, csr(spica::isa::csr::kActiveWarps, 15));
  const HangCause cause = cause_of(facts);
  CHECK(cause.kind == HangKind::kDeadlock);
  CHECK_THAT(cause.sentence,
             Contains("1 warp short on core 0") && Contains("core 0, warp 0 waits for the others to end"));
}

TEST_CASE("two warps that wait for each other's flags are both named") {
  HangFacts facts = machine();
  spin(facts, 0, 1, load(64));
  spin(facts, 1, 2, load(128));
  CHECK_THAT(cause_of(facts).sentence, Contains("core 0, warp 1 spins") && Contains("word 64") &&
                                           Contains("core 1, warp 2 spins at f, x.c:288, reading word 128"));
}

TEST_CASE("a barrier inside a split is pointed out") {
  HangFacts facts = machine();
  wait(facts, 0, 0, 0, 4);
  warp(facts, 0, 0).splits = {{0x80000020, 0xFE}};
  CHECK_THAT(cause_of(facts).advice, Contains("core 0, warp 0 waits inside a split"));
}

TEST_CASE("waiting for a property of the machine is an impossible configuration") {
  HangFacts facts = machine();
  spin(facts, 0, 0, csr(spica::isa::csr::kCores, 2));
  CHECK(cause_of(facts).kind == HangKind::kConfiguration);
}

TEST_CASE("waiting for an idle unit says that it is idle") {
  HangFacts facts = machine();
  spin(facts, 0, 0, csr(spica::isa::csr::kAccelerator, 0));
  CHECK_THAT(cause_of(facts).sentence, Contains("no unit has work") && Contains("no other warp runs"));
}

TEST_CASE("a machine that makes no progress without a guilty warp") {
  HangFacts facts = machine();
  CHECK(cause_of(facts).kind == HangKind::kMachine);
  CHECK_THAT(cause_of(facts).sentence, Contains("all warps have ended"));
}

TEST_CASE("lanes that wait behind an open split for those that spin are named, with the split") {
  HangFacts facts = machine();
  spin(facts, 0, 1, load(64));
  warp(facts, 0, 1).splits = {{0x80000020, 0xFE}};
  const HangCause cause = cause_of(facts);
  CHECK(cause.kind == HangKind::kLiveLock);
  CHECK_THAT(
      cause.sentence,
      Contains("core 0, warp 1, lane 0 spins at f, x.c:16") &&
          Contains("lanes 1-7 of the same warp wait for it on the other side of the split at f, x.c:32"));
  CHECK_THAT(cause.advice, Contains("Lanes of a warp take turns"));
}

TEST_CASE("a split that the loop itself goes through is named when lanes wait there while others read") {
  HangFacts facts = machine();
  Poll poll = load(64);
  poll.lanes = 0xFE;
  poll.waiting = 1;
  poll.split_pc = 0x80000024;
  spin(facts, 0, 1, poll);
  CHECK_THAT(
      cause_of(facts).sentence,
      Contains("lanes 1-7 spin at") &&
          Contains("lane 0 of the same warp waits for them on the other side of the split at f, x.c:36"));
}

TEST_CASE("an open split is not blamed when nobody waits there, or when the poll is one of a register") {
  HangFacts facts = machine();
  spin(facts, 0, 1, load(64));
  warp(facts, 0, 1).splits = {{0x80000020, 0}};
  CHECK_THAT(cause_of(facts).sentence, !Contains("split"));
  warp(facts, 0, 1).splits = {{0x80000020, 0xFE}};
  warp(facts, 0, 1).activity.polls = {csr(0xACC, 1)};
  CHECK_THAT(cause_of(facts).sentence, !Contains("split"));
  // Open at this moment, but the loop opens and closes it.
  warp(facts, 0, 1).activity.polls = {load(64)};
  warp(facts, 0, 1).activity.splits = {0x80000020};
  CHECK_THAT(cause_of(facts).sentence, !Contains("split"));
}

TEST_CASE("a warp that arrives once more than the others is named with both places") {
  HangFacts facts = machine();
  for (unsigned w = 0; w < 4; ++w) {
    warp(facts, 0, w).barrier_visits.resize(2);
    warp(facts, 0, w).barrier_visits[1] = {1, 0x80000044, 0, 0, 0};
  }
  wait(facts, 0, 0, 1, 4);
  warp(facts, 0, 0).barrier_visits[1] = {2, 0x80000044, 0x80000022, 0x80000022, 0x80000044};
  const HangCause cause = cause_of(facts);
  CHECK(cause.kind == HangKind::kDeadlock);
  CHECK_THAT(cause.sentence, Contains("core 0, warp 0 arrives at barrier 1 once more") &&
                                 Contains("x.c:34") && Contains("x.c:68") &&
                                 Contains("core 0, warps 1-3 ended"));
  // Where most wait, those that left are the cause.
  for (unsigned w = 1; w < 3; ++w) {
    wait(facts, 0, w, 1, 4);
    warp(facts, 0, w).barrier_visits[1].arrivals = 2;
  }
  CHECK_THAT(cause_of(facts).sentence, Contains("1 warp short on core 0"));
}

TEST_CASE("the lane that holds a lock is named") {
  HangFacts facts = machine();
  Poll poll = load(0x80001000);
  poll.what = Poll::What::kAtomic;
  poll.value = 1;
  poll.lanes = 0xFE;
  poll.waiting = 1;
  poll.split_pc = 0x80000010;
  poll.addresses.fill(0x80001000);
  spin(facts, 0, 1, poll);
  facts.changes[0x80001000] = {spica::protocol::Origin::Unit::kCore, 1, 0, 0, 1};
  const HangCause cause = cause_of(facts);
  CHECK_THAT(cause.sentence,
             Contains("for which lanes 1-7 spin, is held by lane 0 of the same warp, which waits"));
  CHECK_THAT(cause.advice, Contains("release the lock inside the loop"));
}
