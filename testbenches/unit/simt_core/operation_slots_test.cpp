// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/operation_slots.h"

#include <string>
#include <vector>

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::simt_core;

namespace {

/// Notes what it is told.
struct Client final : MemoryClient {
  std::vector<std::string> seen;
  void on_load_data(unsigned slot, const MemoryOperation& operation, const protocol::WarpAccess&,
                    bool last) override {
    note(last ? "last of " : "part of ", slot, operation);
  }
  void on_lanes(const MemoryOperation&) override { seen.emplace_back("lanes"); }
  void on_memory_done(unsigned slot, const MemoryOperation& operation) override {
    note("done ", slot, operation);
  }
  void note(const std::string& what, unsigned slot, const MemoryOperation& operation) {
    seen.push_back(what + std::to_string(slot) + " of warp " + std::to_string(operation.warp));
  }
  void on_copies_landed(unsigned warp) override { seen.push_back("landed " + std::to_string(warp)); }
  void on_access_error(const protocol::Payload&) override { seen.emplace_back("error"); }
  void on_memory_event() override { seen.emplace_back("event"); }
};

struct Bench {
  std::vector<unsigned> quiet;
  PendingAccesses accesses{[](unsigned) {}, [this](unsigned warp) { quiet.push_back(warp); }};
  Client client;
  OperationSlots slots{4, MemoryPorts::first_tag(1), nullptr, client, accesses};

  unsigned allocate(unsigned warp, std::uint8_t special = 0) {
    return slots.allocate({nullptr, 0x80000000, 0xFF, static_cast<std::uint8_t>(warp), 8, 0, special, {}});
  }
};

}  // namespace

TEST_CASE("a load is done when all of its requests are answered, and its slot is free then") {
  Bench b;
  const unsigned slot = b.allocate(3);
  protocol::WarpPayload& one = b.slots.add_part(slot, protocol::Route::kGlobal);
  protocol::WarpPayload& other = b.slots.add_part(slot, protocol::Route::kShared);
  CHECK(b.slots.is_plain(slot));
  CHECK(b.slots.part_of(slot, one.access) == 0);
  CHECK(b.slots.part_of(slot, other.access) == 1);
  CHECK(MemoryPorts::number_in_queue(other.info.tag) == slot);
  CHECK(b.accesses.waits_for(3));
  b.slots.load_done(slot, other.access);
  CHECK_FALSE(b.slots.all_free());
  CHECK(b.quiet.empty());
  b.slots.load_done(slot, one.access);
  CHECK(b.client.seen == std::vector<std::string>{"part of 0 of warp 3", "last of 0 of warp 3"});
  CHECK(b.slots.all_free());
  CHECK(b.quiet == std::vector<unsigned>{3});
}

TEST_CASE("a store is done when it is accepted, but its warp waits for the acknowledge") {
  Bench b;
  const unsigned slot = b.allocate(2);
  protocol::WarpPayload& store = b.slots.add_part(slot, protocol::Route::kGlobal);
  store.info.origin.warp = 2;
  b.slots.store_begins(slot);
  CHECK(b.accesses.waits_for(2));
  b.slots.store_done(slot);
  CHECK(b.client.seen == std::vector<std::string>{"done 0 of warp 2"});
  CHECK(b.slots.all_free());
  CHECK(b.quiet.empty());
  b.slots.store_ends(store);
  CHECK(b.quiet == std::vector<unsigned>{2});
}

TEST_CASE("what a request may have of an earlier one is cleared, also in one that is split off") {
  Bench b;
  const unsigned slot = b.allocate(0);
  protocol::WarpPayload& draft = b.slots.draft();
  draft.access.row = true;
  draft.access.operand = protocol::Operand::kB;
  draft.access.sharing.destination = 5;
  draft.access.address[1] = 0x100;
  protocol::WarpPayload& whole = b.slots.add_part(slot, protocol::Route::kGlobal);
  CHECK(&whole == &draft);
  CHECK_FALSE(whole.access.row);
  CHECK(whole.access.operand == protocol::Operand::kNone);
  CHECK(whole.access.sharing.destination == 0);
  whole.set_command(tlm::TLM_READ_COMMAND);
  whole.access.bytes = 2;
  const protocol::WarpPayload& part = b.slots.split(slot, whole);
  CHECK(part.is_read());
  CHECK(part.access.bytes == 2);
  CHECK(part.access.address[1] == 0x100);
  CHECK(MemoryPorts::is_copy(part.info.tag));
  CHECK(b.slots.operation(slot).parts == 2);
}

TEST_CASE(
    "the warp of an asynchronous copy does not wait for it, and the store of a fence is nothing to wait for") {
  Bench b;
  const unsigned copy = b.allocate(1, MemoryOperation::kAsync);
  b.slots.add_copy(copy);
  b.slots.add_copy(copy);
  CHECK_FALSE(b.accesses.waits_for(1));
  CHECK_FALSE(b.slots.copy_done(copy));
  CHECK(b.slots.copy_done(copy));
  const unsigned fence = b.allocate(1);
  CHECK(b.slots.add_fence_store(fence).info.timing_only);
  CHECK_FALSE(b.slots.is_plain(fence));
  b.slots.add_wait(fence);  // it is in the queue
  b.slots.store_done(fence);
  CHECK(b.client.seen == std::vector<std::string>{"done 0 of warp 1"});
  CHECK(b.slots.all_free());
}
