// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/assembly/plan.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

/// The machine as a list of blocks and links: this is how it is put together.
///
///   cluster n ── masters ──► bus ──► l2 ──► main_memory
///   host      ─────────────► bus                         debug access
///   dispatcher ── cores, barriers of cluster n                work groups, if it is present
///   host_port ─────────────► bus, cluster n              for a host in the same simulation, if it is present
///
/// Its owner has `fault`, `console`, `marker` and `host`, `machine` where there is a host port, and `memory` where main
/// memory is external.
assembly::Plan machine_plan(const SocParams& params);

/// Whether the block of this name has a kind that comes from a plugin or another program.
bool is_foreign(const assembly::Plan& plan, const std::string& block);

/// The plan for people: the blocks in the order in which they tick, each with what it is linked to.
std::string plan_text(const SocParams& params);

}  // namespace spica::soc
