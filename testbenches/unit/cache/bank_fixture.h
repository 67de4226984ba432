// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/cache/bank.h"
#include "models/protocol/payload/payload_pool.h"
#include "testbenches/support/catch.h"

namespace spica::cache {

using base::Cycle;

/// A bank of its own, fed by hand.
struct BankFixture {
  Params params;
  protocol::LinePool pool;
  std::unique_ptr<ResponsePath> responses;
  std::unique_ptr<Bank> bank;
  Cycle seen = 0;  // responses up to here have left
  std::vector<protocol::LinePayload*> payloads;

  explicit BankFixture(WritePolicy policy = WritePolicy::kWriteThrough) {
    params.banks = 1;
    params.write_policy = policy;
    params.replacement = Replacement::kLru;
    params.size_bytes = 4 * 32 * 4;
  }
  Bank& get() {
    if (!bank) {
      responses = std::make_unique<ResponsePath>(params);
      bank = std::make_unique<Bank>(params, 0, *responses);
    }
    return *bank;
  }
  ~BankFixture() {
    for (auto* payload : payloads) pool.drop(*payload);
  }
  void accept(std::uint64_t line, bool write = false, bool whole = false) {
    add(line * params.line_bytes, whole ? static_cast<unsigned>(params.line_bytes) : 4, write, 0);
  }
  /// A request that says which sectors of a line it is about.
  void accept_sectors(std::uint64_t line, Sectors sectors, bool write = false) {
    add(line * params.line_bytes, static_cast<unsigned>(params.line_bytes), write, sectors);
  }
  /// Of these bytes.
  void add(std::uint64_t address, unsigned bytes, bool write, Sectors sectors) {
    protocol::LinePayload& payload = pool.take();
    payload.setup(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, bytes, {});
    payload.info.sectors = sectors;
    payloads.push_back(&payload);
    get().append().fill(payload, 0, LineMap(params.line_bytes, params.sectors));
  }
  /// One cycle, as the cache does it; names what happened.
  Outcome step(Cycle now) {
    get();
    for (Cycle due = responses->next(seen); due <= now; due = responses->next(due))
      responses->deliver(due, [](unsigned, std::uint32_t, protocol::Payload&) {});
    seen = now;
    if (get().take_hit(now) == nullptr) get().step(now);
    return get().outcome();
  }
  /// Brings a line in and answers what waited for it; returns the next free cycle.
  Cycle fetch(Cycle now, std::uint64_t line) {
    accept(line);
    REQUIRE(step(now) == Outcome::kReadMiss);
    const MemoryRequest request = get().memory().pop();
    get().fill(request.mshr, request.sectors);
    REQUIRE(step(now + 1) == Outcome::kFill);
    REQUIRE(step(now + 3) == Outcome::kReplay);
    return now + 4;
  }
};

}  // namespace spica::cache
