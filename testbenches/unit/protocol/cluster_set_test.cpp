// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/host_queues/cluster_set.h"
#include "testbenches/support/catch.h"

using spica::protocol::ClusterSet;

TEST_CASE("a set of clusters allows its members, and without members all") {
  ClusterSet set;
  CHECK(set.all());
  CHECK(set.allows(0));
  CHECK(set.allows(255));
  set.insert(31);
  set.insert(32);
  set.insert(200, 255);
  CHECK_FALSE(set.all());
  CHECK_FALSE(set.allows(30));
  CHECK(set.allows(31));
  CHECK(set.allows(32));
  CHECK_FALSE(set.allows(33));
  CHECK(set.allows(255));
  CHECK(set.word(0) == 0x80000000u);
  CHECK(set.word(1) == 1);
}

TEST_CASE("a set of clusters as text is its ranges") {
  CHECK(ClusterSet().text() == "all");
  CHECK(ClusterSet{5}.text() == "5");
  CHECK(ClusterSet{0, 1, 2, 7, 255}.text() == "0-2,7,255");
  ClusterSet every;
  every.insert(0, 255);
  CHECK(every.text() == "0-255");
}
