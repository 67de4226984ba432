// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/synchronous/wmma_micro_ops.h"

#include "testbenches/support/catch.h"

using namespace spica;
using tensor_core::WmmaMicroOp;
using tensor_core::WmmaMicroOps;

TEST_CASE("a wmma is 4 sets of 4 steps of 2 micro-ops with the published registers") {
  for (const unsigned bank : {0u, 1u}) {
    const WmmaMicroOp* micro_op = WmmaMicroOps::of(bank).data();
    for (unsigned set = 0; set < 4; ++set)
      for (unsigned step = 0; step < 4; ++step)
        for (unsigned substep = 0; substep < 2; ++substep, ++micro_op) {
          CHECK(micro_op->a == 32 + 2 * set + substep);
          CHECK(micro_op->b == 32 + 8 + 2 * set + substep);
          CHECK(micro_op->c == 32 + (bank == 0 ? 16 : 24) + 2 * step + substep);
          CHECK(micro_op->step == step);
          CHECK(micro_op->substep == substep);
          CHECK(micro_op->last == (set == 3 && step == 3 && substep == 1));
        }
  }
}

TEST_CASE("the micro-ops together read and write the rows that the decoder names") {
  for (const unsigned bank : {0u, 1u}) {
    const isa::Instruction wmma = isa::decode(bank == 0 ? 0x0000007B : 0x000000FB);
    REQUIRE(static_cast<unsigned>(wmma.imm) == bank);
    std::uint64_t reads = 0, writes = 0;
    for (const WmmaMicroOp& micro_op : WmmaMicroOps::of(bank)) {
      reads |= micro_op.reads;
      writes |= std::uint64_t{1} << micro_op.c;
    }
    CHECK(reads == wmma.reads);
    CHECK(writes == wmma.writes());
  }
}

TEST_CASE("the second half of a pair names the rows of both, neighbours in the register file") {
  isa::RegisterFile registers(8);
  const auto& list = WmmaMicroOps::of(1);
  for (std::size_t i = 1; i < list.size(); i += 2) {
    const protocol::TensorPair rows = list[i].pair(registers);
    CHECK(rows.a == registers.row(list[i - 1].a));
    CHECK(rows.b == registers.row(list[i - 1].b));
    CHECK(rows.c == registers.row(list[i - 1].c));
    CHECK(rows.c + protocol::kTensorLanes == registers.row(list[i].c));
  }
}
