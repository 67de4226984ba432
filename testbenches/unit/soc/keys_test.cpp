// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/keys.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "platform/base/config/config.h"
#include "platform/machine/soc/key_of.h"
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

TEST_CASE("the key of a parameter is the one that its description has, also of a group and in a list") {
  const soc::SocParams params = soc::any_machine(1);
  const auto& cluster = params.cluster;
  CHECK(key_of(params, params.clusters) == "clusters");
  CHECK(key_of(params, cluster) == "cluster");
  CHECK(key_of(params, cluster.core) == "cluster.core");
  CHECK(key_of(params, cluster.core.warps) == "cluster.core.warps");
  CHECK(key_of(params, cluster.matrix_units[1]) == "cluster.matrix_units.1");
  CHECK(key_of(params, cluster.matrix_units[1].dim) == "cluster.matrix_units.1.dim");
  CHECK(key_of(params, params.main_memory.dramsys.config) == "main_memory.dramsys.config");
  CHECK(setting(params, params.l2.partitions, "2") == "l2.partitions=2");
  const auto known = config::list<soc::SocParams>();
  for (const std::string& key :
       {key_of(params, cluster.core.lanes), key_of(params, params.command_processor.policy)}) {
    INFO(key);
    CHECK(std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.key == key; }));
  }
}

TEST_CASE("what is no parameter of the machine has no key") {
  const soc::SocParams params, other;
  CHECK_THROWS_AS(key_of(params, other.clusters), std::logic_error);
  CHECK_THROWS_AS(key_of(params, params.cluster.core.warps + 0), std::logic_error);
}
