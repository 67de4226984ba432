// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/fences.h"

#include "testbenches/support/catch.h"

using spica::simt_core::Fences;

TEST_CASE("a fence leaves its latency after the last answer that came while it was in the queue") {
  Fences fences(3);
  fences.answered(10);  // nothing waits for it
  CHECK(fences.due() == 3);
  fences.enter();
  fences.enter();
  CHECK(fences.any());
  fences.answered(12);
  CHECK(fences.due() == 15);
  fences.leave();
  fences.answered(20);
  CHECK(fences.due() == 23);
  fences.leave();
  CHECK_FALSE(fences.any());
  fences.answered(30);
  CHECK(fences.due() == 23);
  fences.reset();
  CHECK(fences.due() == 3);
}
