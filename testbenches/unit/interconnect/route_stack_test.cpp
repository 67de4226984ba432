// SPDX-License-Identifier: Apache-2.0

#include "models/protocol/payload/route_stack.h"
#include "models/protocol/payload/payload_pool.h"
#include "testbenches/support/catch.h"

using namespace spica;
using protocol::RouteStack;

TEST_CASE("ports come back in reverse order of the buses") {
  protocol::LinePool pool;
  protocol::LinePayload& payload = pool.take();
  const int outer = 0, inner = 0;
  RouteStack::push(payload, &outer, 3);
  RouteStack::push(payload, &inner, 7);
  CHECK(RouteStack::pop(payload, &inner) == 7);
  CHECK(RouteStack::pop(payload, &outer) == 3);
  pool.drop(payload);
}

TEST_CASE("a payload taken back in flight starts its way anew") {
  protocol::LinePool pool;
  const int outer = 0, inner = 0;
  for (unsigned i = 0; i < 3 * RouteStack::kMaxBuses; ++i) {
    protocol::LinePayload& payload = pool.take();
    RouteStack::push(payload, &outer, i);
    RouteStack::push(payload, &inner, 1);
    pool.drop(payload);  // never came back through the buses
  }
  protocol::LinePayload& payload = pool.take();
  RouteStack::push(payload, &outer, 5);
  CHECK(RouteStack::pop(payload, &outer) == 5);
  pool.drop(payload);
}
