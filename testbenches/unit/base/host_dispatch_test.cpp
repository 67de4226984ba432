// SPDX-License-Identifier: Apache-2.0
#include "models/base/host_dispatch.h"

#include "testbenches/support/catch.h"

using namespace spica::base;

TEST_CASE("every host runs the baseline, and what is chosen is a version that the host runs") {
  CHECK(host_runs(HostCode::kBaseline));
  CHECK(host_runs(host_code()));
  CHECK(host_version(1, 2, HostCode::kBaseline) == 1);
  CHECK(host_version(1, 2, HostCode::kAvx2) == 2);
  CHECK(host_version(HostCode::kBaseline, HostCode::kAvx2) == host_code());
}
