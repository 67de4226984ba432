// SPDX-License-Identifier: Apache-2.0
#include "models/coalescer/access_table.h"

#include "testbenches/support/catch.h"

using namespace spica;
using coalescer::AccessTable;

TEST_CASE("an access is done with the answer to its last part, once all have been sent") {
  protocol::WarpPool pool;
  protocol::WarpPayload& payload = pool.take();
  AccessTable table{coalescer::Params{}};
  const unsigned slot = table.begin(payload, true);
  const std::uint64_t first = table.add_part(slot);
  AccessTable::Answered answered = table.answer(first);
  CHECK(answered.payload == &payload);
  CHECK(answered.row);
  CHECK_FALSE(answered.done);  // another part may follow
  const std::uint64_t second = table.add_part(slot);
  CHECK_FALSE(table.close(slot));
  CHECK(table.answer(second).done);
  pool.drop(payload);
}

TEST_CASE("an access that is answered before its last lane was looked at is done when it is closed") {
  protocol::WarpPool pool;
  protocol::WarpPayload& payload = pool.take();
  AccessTable table{coalescer::Params{}};
  const unsigned slot = table.begin(payload, false);
  table.answer(table.add_part(slot));
  CHECK(table.close(slot));
  CHECK(table.begin(payload, false) == slot);  // its place is free again
  pool.drop(payload);
}

TEST_CASE("the tag of a whole access names it without a place in the table") {
  protocol::WarpPool pool;
  protocol::WarpPayload& payload = pool.take();
  AccessTable table{coalescer::Params{}};
  const AccessTable::Answered answered = table.answer(AccessTable::whole(payload));
  CHECK(answered.payload == &payload);
  CHECK(answered.row);
  CHECK(answered.done);
  pool.drop(payload);
}
