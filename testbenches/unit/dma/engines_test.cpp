// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "models/dma/engines.h"
#include "testbenches/support/catch.h"

using namespace spica::dma;
using spica::protocol::DmaCommand;

namespace {

DmaCommand move(std::uint32_t address, unsigned rows, unsigned blocks) {
  DmaCommand m;
  m.global_address = address;
  m.global_stride = 256;
  m.local_address = 0x400;
  m.local_stride = 32;
  m.block_stride = 256;
  m.rows = static_cast<std::uint16_t>(rows);
  m.blocks = static_cast<std::uint16_t>(blocks);
  m.block_bytes = 32;
  return m;
}

}  // namespace

TEST_CASE("the request that covers more of the rest wins and the smaller one on a tie") {
  const auto is = [](const Request& r, std::uint32_t address, std::uint32_t bytes, std::uint32_t offset,
                     std::uint32_t covered) {
    return r.address == address && r.bytes == bytes && r.offset == offset && r.covered == covered;
  };
  CHECK(is(split_request(0x1000, 64, 64), 0x1000, 64, 0, 64));
  CHECK(is(split_request(0x1000, 32, 64), 0x1000, 32, 0, 32));
  CHECK(is(split_request(0x1020, 64, 64), 0x1020, 32, 0, 32));
  CHECK(is(split_request(0x1010, 64, 64), 0x1000, 64, 16, 48));
  CHECK(is(split_request(0x1004, 8, 64), 0x1000, 32, 4, 8));
  CHECK(is(split_request(0x103C, 64, 64), 0x1020, 32, 28, 4));
  CHECK(is(split_request(0x1000, 64, 32), 0x1000, 32, 0, 32));
}

TEST_CASE("a segment is always covered completely and in order") {
  unsigned wrong = 0;
  for (std::uint32_t start = 0; start < 64; ++start)
    for (std::uint32_t length = 1; length <= 64; ++length) {
      std::uint32_t at = start, left = length;
      while (left != 0) {
        const Request r = split_request(at, left, 64);
        wrong += r.covered == 0 || r.address % r.bytes != 0 || r.address + r.offset != at ||
                 r.offset + r.covered > r.bytes;
        if (r.covered == 0) break;
        at += r.covered;
        left -= r.covered;
      }
    }
  CHECK(wrong == 0);
}

TEST_CASE("reads of several commands go out in order until the ids are used up") {
  DmaParams p;
  p.read_ids = 5;
  LoadEngine e(p);
  const DmaCommand first = move(0x1000, 3, 2), second = move(0x8000, 8, 2);
  int one = 1, two = 2;
  e.push(first, &one);
  e.push(second, &two);
  CHECK(e.start());
  CHECK(e.start());
  CHECK_FALSE(e.start());
  for (unsigned r = 0; r < 3; ++r) CHECK(e.next_read().request.address == 0x1000 + 256 * r);
  CHECK(e.next_read().request.address == 0x8000);
  CHECK(e.next_read().request.address == 0x8100);
  CHECK(e.has_read());
  CHECK_FALSE(e.has_id());
}

TEST_CASE("rows become writes when their last byte is there, in any order of answers") {
  DmaParams p;
  LoadEngine e(p);
  const DmaCommand m = move(0x1010, 1, 2);  // two requests: 48 bytes, then 16
  int handle = 0;
  e.push(m, &handle);
  e.start();
  const auto first = e.next_read(), second = e.next_read();
  CHECK_FALSE(e.has_read());
  unsigned char data[64];
  for (unsigned i = 0; i < 64; ++i) data[i] = static_cast<unsigned char>(i);
  e.arrived(second.id, data);
  CHECK_FALSE(e.has_write(false));  // block 1 has its last 16 bytes only
  e.arrived(first.id, data);
  REQUIRE(e.has_write(false));
  const auto block0 = e.write(false);
  CHECK(block0.address == 0x400);
  CHECK(block0.data[0] == 16);
  e.pop_write(false);
  const auto block1 = e.write(false);
  CHECK(block1.address == 0x500);
  CHECK(block1.data[0] == 48);
  CHECK(block1.data[16] == 0);
  e.pop_write(false);
  CHECK_FALSE(e.written(block0.command, false));
  CHECK(e.written(block1.command, false));
  CHECK(e.handle(block1.command) == &handle);
  CHECK_FALSE(e.failed(block1.command));
  e.release(block1.command);
  CHECK(e.idle());
}

TEST_CASE("only a few commands are tracked at a time") {
  DmaParams p;
  LoadEngine e(p);
  const DmaCommand m = move(0x1000, 1, 1);
  for (unsigned i = 0; i < 5; ++i) e.push(m, nullptr);
  unsigned started = 0;
  while (e.start()) ++started;
  CHECK(started == p.tracked());
}

TEST_CASE("how many loads are tracked follows from the size of the array unless a key says it") {
  DmaParams p;
  for (const unsigned dim : {4u, 8u, 16u}) {
    p.accumulator_row_bytes = 4 * dim;
    CHECK(p.tracked() == 16 / dim + 1);
  }
  p.tracked_loads = 7;
  CHECK(p.tracked() == 7);
}

TEST_CASE("a store fetches ahead as far as its row buffers and completes with the last acknowledge") {
  DmaParams p;
  p.store_rows = 2;
  StoreEngine e(p, true);
  DmaCommand m = move(0x1000, 3, 2);
  m.local_address = 4;
  m.local_stride = 1;
  m.block_stride = 8;
  e.push(m, nullptr);
  StoreEngine::Fetch f[4];
  for (auto& fetch : f) {
    REQUIRE(e.next_fetch(fetch));
    e.fetch_sent();
  }
  CHECK(f[0].row == 4);
  CHECK(f[1].row == 12);
  CHECK(f[2].row == 5);
  StoreEngine::Fetch more;
  CHECK_FALSE(e.next_fetch(more));
  const unsigned char zero[32] = {};
  e.fetched(f[1].buffer, f[1].offset, zero, 32);
  CHECK_FALSE(e.has_row());
  e.fetched(f[0].buffer, f[0].offset, zero, 32);
  REQUIRE(e.has_row());
  CHECK(e.next_write().request.bytes == 64);
  e.write_sent();
  CHECK(e.next_fetch(more));
  CHECK_FALSE(e.written(0, false));  // two rows left
}

TEST_CASE("a command goes to the engine of its kind until that is full, with the DMA as unit") {
  DmaParams p;
  p.store_queue = 1;
  Engines e(p);
  spica::protocol::Origin issuer;
  issuer.unit = spica::protocol::Origin::Unit::kCore;
  issuer.core = 3;
  DmaCommand m = move(0x1000, 1, 1);
  CHECK(e.push(m, nullptr, issuer));
  CHECK(e.stores_idle());
  e.loads.start();
  CHECK(e.loads.origin(0).unit == spica::protocol::Origin::Unit::kDma);
  CHECK(e.loads.origin(0).core == 3);
  m.kind = DmaCommand::Kind::kAccumulatorToShared;
  CHECK(e.push(m, nullptr, issuer));
  CHECK_FALSE(e.push(m, nullptr, issuer));
  CHECK_FALSE(e.shared_store.idle());
  m.kind = DmaCommand::Kind::kAccumulatorToGlobal;
  CHECK(e.push(m, nullptr, issuer));
  CHECK_FALSE(e.global_store.idle());
  e.reset();
  CHECK(e.idle());
}

TEST_CASE("a load whose read fails has zeros for its bytes and fails when all of it is written") {
  DmaParams p;
  LoadEngine e(p);
  const DmaCommand m = move(0x1010, 1, 2);
  e.push(m, nullptr);
  e.start();
  const auto first = e.next_read(), second = e.next_read();
  unsigned char data[64];
  std::memset(data, 5, sizeof data);
  e.arrived(first.id, data);
  e.arrived(second.id, nullptr);
  CHECK(e.write(false).data[31] == 5);
  e.pop_write(false);
  CHECK(e.write(false).data[15] == 5);
  CHECK(e.write(false).data[16] == 0);
  CHECK_FALSE(e.written(0, false));
  CHECK(e.written(0, false));
  CHECK(e.failed(0));
}
