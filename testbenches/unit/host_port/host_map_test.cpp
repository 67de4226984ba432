// SPDX-License-Identifier: Apache-2.0
#include "models/host_port/host_map.h"

#include "testbenches/support/catch.h"

using namespace spica;
using host_port::HostMap;
using host_port::HostPortParams;
using Kind = HostMap::Kind;

namespace {

/// Two clusters of 64 KB and a print buffer; global memory reaches over their window and goes on behind it.
HostMap map() {
  using protocol::Route;
  protocol::AddressMap guest;
  guest.add({"shared_memory", 0xFF00'0000, 0x10000, Route::kShared, 0});
  guest.add({"print_buffer", 0xFF01'0000, 0x800, Route::kPeripheral, 0});
  guest.add({"cluster_window", 0xFF00'0000, 0x20000, Route::kUnmapped, 0});
  guest.add({"global_memory", 0x8000'0000, 0x8000'0000, Route::kGlobal, 0});
  HostPortParams params;
  params.clusters = 2;
  return {params, guest};
}

}  // namespace

TEST_CASE("the registers of the port are a block of their own") {
  CHECK(map().find(0x0FFF'FFFF).kind == Kind::kNone);
  CHECK(map().find(0x1000'0000).kind == Kind::kRegisters);
  CHECK(map().find(0x1000'0FFC).address == 0xFFC);
  CHECK(map().find(0x1000'1000).kind == Kind::kNone);
}

TEST_CASE("a window shows shared memory by offset and peripherals by guest address, cluster by cluster") {
  const HostMap::Place shared = map().find(0x2100'FFFC);
  CHECK(shared.kind == Kind::kShared);
  CHECK(shared.cluster == 1);
  CHECK(shared.address == 0xFFFC);
  CHECK(shared.begin == 0x2100'0000);
  CHECK(shared.size == 0x10000);
  CHECK(shared.holds(0x2100'FFFC, 4));
  CHECK_FALSE(shared.holds(0x2100'FFFC, 5));
  const HostMap::Place print = map().find(0x2001'07FF);
  CHECK(print.kind == Kind::kPeripheral);
  CHECK(print.cluster == 0);
  CHECK(print.address == 0xFF01'07FF);
  CHECK(print.begin == 0x2001'0000);
  CHECK(map().find(0x2001'0800).kind == Kind::kNone);  // a hole in the window
  CHECK(map().find(0x2002'0000).kind == Kind::kNone);  // behind it
  CHECK(map().find(0x2200'0000).kind == Kind::kNone);  // no such cluster
}

TEST_CASE("global memory is where cores see it, without what shadows it") {
  const HostMap::Place below = map().find(0xFEFF'FFFC), above = map().find(0xFF02'0000);
  CHECK(below.kind == Kind::kGlobal);
  CHECK(below.address == 0xFEFF'FFFC);
  CHECK(below.begin == 0x8000'0000);
  CHECK(below.size == 0x7F00'0000);
  CHECK(above.kind == Kind::kGlobal);
  CHECK(above.begin == 0xFF02'0000);
  CHECK(map().find(0xFF00'0000).kind == Kind::kNone);
  CHECK(map().find(0x7FFF'FFFF).kind == Kind::kNone);
  CHECK(map().find(0x1'0000'0000).kind == Kind::kNone);
}
