// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/cells.h"

#include "models/protocol/payload/payload_pool.h"
#include "testbenches/support/catch.h"

using namespace spica;
using shared_memory::Cells;

namespace {

struct CellsBench {
  Cells cells{1024};
  protocol::LinePool pool;
  protocol::LinePayload& line = pool.take();
  protocol::WarpAccess access;
  ~CellsBench() { pool.drop(line); }

  std::uint32_t atomic(protocol::Atomic operation, unsigned lane, std::uint32_t offset,
                       std::uint32_t operand) {
    protocol::RequestInfo info;
    info.atomic = operation;
    access.data[lane] = operand;
    stored = cells.perform_atomic(info, access, lane, offset);
    return access.data[lane];
  }
  bool stored = false;
};

}  // namespace

TEST_CASE("bytes move behind those that are skipped, and only where they are enabled") {
  CellsBench f;
  f.line.setup(tlm::TLM_WRITE_COMMAND, 0, 64, {});
  for (unsigned i = 0; i < 64; ++i) f.line.data[i] = static_cast<unsigned char>(i);
  f.cells.move(f.line, 32, 100, 32);
  CHECK(f.cells.data()[99] == 0);
  CHECK(f.cells.data()[100] == 32);
  CHECK(f.cells.data()[131] == 63);
  f.line.use_byte_enables();
  f.line.enables[3] = 0xFF;
  f.cells.move(f.line, 0, 200, 8);
  CHECK(f.cells.data()[203] == 3);
  CHECK(f.cells.data()[204] == 0);
  f.line.setup(tlm::TLM_READ_COMMAND, 0, 4, {});
  f.cells.move(f.line, 0, 130, 4);
  CHECK(f.line.data[1] == 63);
  CHECK(f.line.data[2] == 0);
}

TEST_CASE("a row moves what its lanes move one by one") {
  CellsBench f;
  for (unsigned lane = 0; lane < 8; ++lane) f.access.data[lane] = 0x01010101 * (lane + 1);
  f.cells.move_row(f.access, true, 64, 8);
  for (unsigned lane = 0; lane < 8; ++lane) {
    f.access.data[lane] = 0;
    f.cells.move_lane(f.access, lane, false, 64 + 4 * lane);
    CHECK(f.access.data[lane] == 0x01010101 * (lane + 1));
  }
  f.access.bytes = 1;
  f.access.data[0] = ~0u;
  f.cells.move_lane(f.access, 0, false, 68);
  CHECK(f.access.data[0] == 2);
}

TEST_CASE("an atomic answers with the old word and says whether it stored") {
  CellsBench f;
  CHECK(f.atomic(protocol::Atomic::kAdd, 3, 8, 5) == 0);
  CHECK(f.stored);
  CHECK(f.atomic(protocol::Atomic::kAdd, 3, 8, 5) == 5);
  CHECK(f.atomic(protocol::Atomic::kLoadReserved, 1, 8, 0) == 10);
  CHECK_FALSE(f.stored);
}

TEST_CASE("a store ends the reservation of its word, a host's access does not") {
  CellsBench f;
  f.atomic(protocol::Atomic::kLoadReserved, 1, 8, 0);
  f.line.setup(tlm::TLM_WRITE_COMMAND, 0, 32, {});
  f.cells.move(f.line, 0, 0, 32);
  CHECK(f.atomic(protocol::Atomic::kStoreConditional, 1, 8, 7) == 0);
  CHECK(f.stored);
  f.atomic(protocol::Atomic::kLoadReserved, 1, 8, 0);
  f.cells.perform(f.line, 0, 0, 32);
  CHECK(f.atomic(protocol::Atomic::kStoreConditional, 1, 8, 7) == 1);
  CHECK_FALSE(f.stored);
  f.cells.clear();
  CHECK(f.cells.data()[8] == 0);
}
