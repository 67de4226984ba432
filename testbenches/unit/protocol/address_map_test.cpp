// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/payload/address_map.h"

#include "testbenches/support/catch.h"

using namespace spica::protocol;

namespace {

AddressMap example() {
  AddressMap map;
  map.add({"shared", 0xFF000000, 0x10000, Route::kShared, 0});
  map.add({"registers", 0xFF013000, 0x100, Route::kPeripheral, 2});
  map.add({"window", 0xFF000000, 0x20000, Route::kUnmapped, 0});
  map.add({"memory", 0x80000000, 0x80000000, Route::kGlobal, 0});
  return map;
}

}  // namespace

TEST_CASE("the first region that contains an address counts") {
  const AddressMap map = example();
  CHECK(map.route(0x80000000) == Route::kGlobal);
  CHECK(map.route(0xFF00FFFF) == Route::kShared);
  CHECK(map.route(0xFF010000) == Route::kUnmapped);
  CHECK(map.route(0xFF013004) == Route::kPeripheral);
  CHECK(map.route(0xFF020000) == Route::kGlobal);
  CHECK(map.route(0x7FFFFFFF) == Route::kUnmapped);
  CHECK(map.find(0x7FFFFFFF) == nullptr);
}
