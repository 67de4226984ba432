// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/peripheral_lanes.h"

#include <cstring>

#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::PeripheralLanes;

TEST_CASE("an access to a peripheral is a request for each lane, and what is read is put together by lane") {
  protocol::WarpPool pool;
  protocol::WarpPayload& access = pool.take();
  access.set_command(tlm::TLM_READ_COMMAND);
  access.access.mask = 0b1010;
  access.access.bytes = 2;
  access.access.address[1] = 0x100;
  access.access.address[3] = 0x302;
  PeripheralLanes lanes(1u << 24);
  lanes.begin(access);
  protocol::LinePayload& one = lanes.next();
  CHECK(one.get_address() == 0x100);
  CHECK(one.get_data_length() == 2);
  CHECK(one.info.origin.lanes == 0b0010);
  CHECK(lanes.unsent());
  protocol::LinePayload& other = lanes.next();
  CHECK(other.get_address() == 0x302);
  CHECK_FALSE(lanes.unsent());
  const std::uint32_t words[] = {0xBEEF, 0xCAFE};
  std::memcpy(other.data.data(), &words[1], 2);
  lanes.answer(other);
  CHECK_FALSE(lanes.answered());
  lanes.begin(access);  // it has its turn already
  CHECK_FALSE(lanes.unsent());
  std::memcpy(one.data.data(), &words[0], 2);
  lanes.answer(one);
  CHECK(lanes.answered());
  CHECK(access.access.data[1] == 0xBEEF);
  CHECK(access.access.data[3] == 0xCAFE);
}

TEST_CASE("a store to a peripheral carries the data of each lane") {
  protocol::WarpPool pool;
  protocol::WarpPayload& access = pool.take();
  access.set_command(tlm::TLM_WRITE_COMMAND);
  access.access.mask = 0b1;
  access.access.bytes = 4;
  access.access.data[0] = 0x12345678;
  PeripheralLanes lanes(0);
  lanes.begin(access);
  protocol::LinePayload& request = lanes.next();
  std::uint32_t word = 0;
  std::memcpy(&word, request.data.data(), 4);
  CHECK(request.is_write());
  CHECK(word == 0x12345678);
  lanes.answer(request);
  CHECK(lanes.answered());
}
