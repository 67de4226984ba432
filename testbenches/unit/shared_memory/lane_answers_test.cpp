// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/lane_answers.h"

#include "testbenches/support/catch.h"

using namespace spica;
using shared_memory::LaneAnswers;

TEST_CASE("the lowest lane with an answer chooses the access, and lanes of others wait") {
  protocol::WarpPool pool;
  protocol::Payload &one = pool.take(), &two = pool.take();
  LaneAnswers answers;
  answers.add({&one, nullptr, 0x80});
  answers.add({&two, nullptr, 0x7F});
  LaneAnswers::Group taken = answers.take();
  CHECK(taken.payload == &two);
  CHECK(taken.lanes == 0x7F);
  REQUIRE(answers.waiting().size() == 1);
  taken = answers.take();
  CHECK(taken.payload == &one);
  CHECK(taken.lanes == 0x80);
  CHECK(answers.empty());
}

TEST_CASE("answers of a lane keep their order, and those of one access are taken together") {
  protocol::WarpPool pool;
  protocol::Payload &one = pool.take(), &two = pool.take();
  LaneAnswers answers;
  answers.add({&one, nullptr, 0b0110});
  answers.add({&two, nullptr, 0b0010});  // behind the first one in lane 1
  answers.add({&one, nullptr, 0b1000});
  LaneAnswers::Group taken = answers.take();
  CHECK(taken.payload == &one);
  CHECK(taken.lanes == 0b1110);
  taken = answers.take();
  CHECK(taken.payload == &two);
  CHECK(taken.lanes == 0b0010);
}

TEST_CASE("part of a group can be taken") {
  protocol::WarpPool pool;
  protocol::Payload &one = pool.take(), &two = pool.take();
  LaneAnswers answers;
  answers.add({&one, nullptr, 0b0010});
  answers.add({&two, nullptr, 0b0011});
  LaneAnswers::Group taken = answers.take();
  CHECK(taken.payload == &two);  // lane 0 is the lowest
  CHECK(taken.lanes == 0b0001);
  taken = answers.take();
  CHECK(taken.payload == &one);
  taken = answers.take();
  CHECK(taken.payload == &two);
  CHECK(taken.lanes == 0b0010);
}
