// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/keys.h"

#include <algorithm>
#include <string>

#include "platform/base/config/config.h"
#include "platform/machine/soc/soc_config.h"
#include "testbenches/support/catch.h"

using namespace spica;

TEST_CASE("settings that messages name are parameters of a machine") {
  const auto parameters = config::list<soc::SocParams>();
  for (const std::string key : soc::keys::kAll) {
    INFO(key);
    CHECK(std::any_of(parameters.begin(), parameters.end(), [&](const auto& one) { return one.key == key; }));
  }
}
