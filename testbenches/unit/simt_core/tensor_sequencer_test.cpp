// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/tensor_sequencer.h"

#include <catch2/catch.hpp>

using namespace spica;
using simt_core::TensorSequencer;

TEST_CASE("a wmma is 4 sets of 4 steps of 2 micro-ops with the published registers") {
  for (const unsigned bank : {0u, 1u}) {
    TensorSequencer sequencer;
    for (unsigned set = 0; set < 4; ++set)
      for (unsigned step = 0; step < 4; ++step)
        for (unsigned substep = 0; substep < 2; ++substep) {
          const auto micro_op = sequencer.next(bank);
          CHECK(micro_op.a == 32 + 2 * set + substep);
          CHECK(micro_op.b == 32 + 8 + 2 * set + substep);
          CHECK(micro_op.c == 32 + (bank == 0 ? 16 : 24) + 2 * step + substep);
          CHECK(micro_op.set == set);
          CHECK(micro_op.step == step);
          CHECK(micro_op.substep == substep);
          CHECK(micro_op.last == (set == 3 && step == 3 && substep == 1));
          sequencer.advance();
        }
    CHECK_FALSE(sequencer.active());
    CHECK(sequencer.next(bank).set == 0);
  }
}

TEST_CASE("the micro-ops together read and write the rows that the decoder names") {
  for (const unsigned bank : {0u, 1u}) {
    const isa::Instruction wmma = isa::decode(bank == 0 ? 0x0000007B : 0x000000FB);
    REQUIRE(static_cast<unsigned>(wmma.imm) == bank);
    TensorSequencer sequencer;
    std::uint64_t reads = 0, writes = 0;
    for (unsigned i = 0; i < TensorSequencer::kMicroOps; ++i) {
      reads |= sequencer.next(bank).reads();
      writes |= std::uint64_t{1} << sequencer.next(bank).c;
      sequencer.advance();
    }
    CHECK(reads == wmma.reads);
    CHECK(writes == wmma.writes());
  }
}

TEST_CASE("a sequencer is active between its first and its last micro-op") {
  TensorSequencer sequencer;
  CHECK_FALSE(sequencer.active());
  sequencer.advance();
  CHECK(sequencer.active());
  sequencer.reset();
  CHECK_FALSE(sequencer.active());
}
