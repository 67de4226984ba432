// SPDX-License-Identifier: Apache-2.0

#include "models/coalescer/request_ports.h"

#include "testbenches/support/catch.h"

using namespace spica::coalescer;

TEST_CASE("a port takes a request when it has an id and the cache holds none") {
  Params params;
  params.lanes = 4;
  params.lane_ids = 2;
  RequestPorts ports(params);
  CHECK(ports.line() == 4);
  CHECK(ports.open(0b1111) == 0b1111);

  ports.take(1);
  CHECK(ports.open(0b1111) == 0b1111);
  ports.hold(1);
  CHECK(ports.held(1));
  CHECK(ports.open(0b1111) == 0b1101);
  ports.release(1);
  CHECK(ports.open(0b1111) == 0b1111);

  ports.take(1);  // the last id
  CHECK(ports.without_id(1));
  CHECK(ports.any_without_id(0b0011));
  CHECK_FALSE(ports.any_without_id(0b1101));
  CHECK(ports.open(0b1111) == 0b1101);
  ports.give_back(1);
  CHECK(ports.open(0b1111) == 0b1111);
}

TEST_CASE("the port of lines has ids of its own") {
  Params params;
  params.line_ids = 1;
  RequestPorts ports(params);
  CHECK(ports.line_open());
  ports.hold(ports.line());
  CHECK_FALSE(ports.line_open());
  ports.release(ports.line());
  ports.take(ports.line());
  CHECK_FALSE(ports.line_open());
  CHECK(ports.without_id(ports.line()));
  CHECK(ports.open(0xFF) == 0xFF);
  ports.clear();
  CHECK_FALSE(ports.without_id(ports.line()));
  CHECK_FALSE(ports.held(ports.line()));
}
