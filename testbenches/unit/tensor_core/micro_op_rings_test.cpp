// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/micro_op_rings.h"

#include <catch2/catch.hpp>

using namespace spica;
using namespace spica::tensor_core;

namespace {

protocol::TensorMicroOp micro_op(unsigned number, base::Cycle ready = 0) {
  protocol::TensorMicroOp result;
  result.result = static_cast<std::uint8_t>(number);
  result.ready = ready;
  return result;
}

}  // namespace

TEST_CASE("a warp has room for as many dispatched micro-ops as its buffer is deep") {
  MicroOpRings rings(2, 2, 4);
  rings.push(1, micro_op(0));
  CHECK(rings.room(1));
  rings.push(1, micro_op(1));
  CHECK_FALSE(rings.room(1));
  CHECK(rings.room(0));
  rings.accept(1);
  CHECK(rings.room(1));
}

TEST_CASE("every second accepted micro-op of a warp completes a pair, whatever other warps do") {
  MicroOpRings rings(2, 2, 4);
  for (unsigned warp : {0u, 1u})
    for (unsigned i = 0; i < 2; ++i) rings.push(warp, micro_op(i));
  CHECK_FALSE(rings.accept(0));
  CHECK_FALSE(rings.accept(1));
  CHECK(rings.accept(1));
  CHECK(rings.accept(0));
}

TEST_CASE("only warps whose next micro-op has left the operand stage are ready") {
  MicroOpRings rings(3, 2, 4);
  rings.push(0, micro_op(0, 5));
  rings.push(2, micro_op(0, 4));
  CHECK(rings.dispatched() == 0b101);
  CHECK(rings.next_ready(3, 0b111, 0) == MicroOpRings::kNone);
  CHECK(rings.next_ready(4, 0b111, 0) == 2);
  CHECK(rings.next_ready(5, 0b111, 0) == 0);
  CHECK(rings.next_ready(5, 0b111, 1) == 2);
  CHECK(rings.next_ready(5, 0b011, 1) == 0);  // once around
  CHECK(rings.next_ready(5, 0b010, 1) == MicroOpRings::kNone);
}

TEST_CASE("the metadata queue is full until its oldest micro-op is written back") {
  MicroOpRings rings(1, 2, 2);
  for (unsigned i = 0; i < 2; ++i) {
    rings.push(0, micro_op(i));
    CHECK(rings.metadata_full() == 0);
    rings.accept(0);
  }
  CHECK(rings.metadata_full() == 1);
  rings.remove_oldest(0);
  CHECK(rings.metadata_full() == 0);
}

TEST_CASE("micro-ops of a warp keep their order through all stages and many turns of the ring") {
  MicroOpRings rings(1, 2, 4);
  unsigned pushed = 0, written = 0;
  for (unsigned turn = 0; turn < 50; ++turn) {
    for (unsigned i = 0; i < 2; ++i) {
      rings.push(0, micro_op(pushed++));
      rings.accept(0);
    }
    for (unsigned i = 0; i < 2; ++i, ++written) {
      CHECK(rings.oldest(0).result == written);
      rings.remove_oldest(0);
    }
  }
}
