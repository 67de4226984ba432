// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/synchronous/micro_op_queues.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::tensor_core;

namespace {

void push(MicroOpQueues& queues, unsigned warp, unsigned number, base::Cycle ready = 0) {
  protocol::TensorResult micro_op;
  micro_op.warp = static_cast<std::uint8_t>(warp);
  micro_op.result = static_cast<std::uint8_t>(number);
  queues.push(micro_op, ready);
}

/// Takes and accepts the next micro-op of a warp.
protocol::TensorResult accept(MicroOpQueues& queues, unsigned warp, base::Cycle now = 0) {
  const protocol::TensorResult row = queues.take(warp, now, 0);
  queues.accept(warp);
  return row;
}

}  // namespace

TEST_CASE("a warp has room for as many dispatched micro-ops as its buffer is deep") {
  MicroOpQueues queues(2, 2, 4);
  push(queues, 1, 0);
  CHECK(queues.room(1));
  push(queues, 1, 1);
  CHECK_FALSE(queues.room(1));
  CHECK(queues.room(0));
  accept(queues, 1);
  CHECK(queues.room(1));
}

TEST_CASE("every second accepted micro-op of a warp completes a pair, whatever other warps do") {
  MicroOpQueues queues(2, 2, 4);
  for (unsigned warp : {0u, 1u})
    for (unsigned i = 0; i < 2; ++i) push(queues, warp, i);
  accept(queues, 0);
  CHECK(queues.halves() == 0b01);
  accept(queues, 1);
  CHECK(queues.halves() == 0b11);
  accept(queues, 1);
  CHECK(queues.halves() == 0b01);
  accept(queues, 0);
  CHECK(queues.halves() == 0);
}

TEST_CASE("only warps whose next micro-op has left the operand stage are ready") {
  MicroOpQueues queues(3, 2, 4);
  push(queues, 0, 0, 5);
  push(queues, 2, 0, 4);
  CHECK(queues.waiting() == 0b101);
  CHECK(queues.ready(3) == 0);
  CHECK(queues.ready(4) == 0b100);
  CHECK(queues.ready(5) == 0b101);
}

TEST_CASE("a warp whose micro-op is accepted is ready again when the next one has left the operand stage") {
  MicroOpQueues queues(1, 3, 4);
  push(queues, 0, 0, 5);
  push(queues, 0, 1, 5);
  push(queues, 0, 2, 8);
  REQUIRE(queues.ready(6) == 1);
  accept(queues, 0, 6);
  CHECK(queues.ready(7) == 1);
  accept(queues, 0, 7);
  CHECK(queues.ready(7) == 0);
  CHECK(queues.ready(8) == 1);
  accept(queues, 0, 8);
  CHECK(queues.waiting() == 0);
  CHECK(queues.ready(9) == 0);
}

TEST_CASE("with an interval the next micro-op of a warp is ready one interval after the last one left") {
  MicroOpQueues queues(1, 2, 4);
  push(queues, 0, 0, 5);
  push(queues, 0, 1, 5);
  REQUIRE(queues.ready(6) == 1);
  queues.take(0, 6, 2);
  CHECK(queues.ready(7) == 0);
  CHECK(queues.ready(8) == 1);
}

TEST_CASE("the metadata queue is full until its oldest micro-op is written back") {
  MicroOpQueues queues(1, 2, 2);
  for (unsigned i = 0; i < 2; ++i) {
    push(queues, 0, i);
    CHECK(queues.metadata_full() == 0);
    accept(queues, 0);
  }
  CHECK(queues.metadata_full() == 1);
  queues.remove_oldest(0);
  CHECK(queues.metadata_full() == 0);
}

TEST_CASE("micro-ops of a warp keep their order ") {
  MicroOpQueues queues(1, 2, 4);
  unsigned pushed = 0, accepted = 0;
  for (unsigned turn = 0; turn < 50; ++turn) {
    while (queues.room(0)) push(queues, 0, pushed++);
    CHECK(accept(queues, 0).result == accepted++);
    queues.remove_oldest(0);
  }
}
