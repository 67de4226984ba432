// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/assembly/plan.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

/// The structure of the machine as a list of blocks and links.
///
///   cluster n ── masters ──► bus ──► l2 ──► main_memory
///   cluster n ── masters ──► network ──► l2_0, l2_1 ... ──► main_memory      with network.kind crossbar
///   host      ─────────────► bus                         debug access
///   dispatcher ── cores, barriers of cluster n                work groups, if it is present
///   host_port ─────────────► bus, cluster n              for a host in the same simulation, if it is present
///
/// The owner provides `fault`, `console`, `marker` and `host`; `machine` if there is a host port; `memory` if main
/// memory is external.
assembly::Plan machine_plan(const SocParams& params);

/// True if the kind of the named block comes from a plugin or another program.
bool is_foreign(const assembly::Plan& plan, const std::string& block);

/// The plan as text: the blocks in tick order, each with its links.
std::string plan_text(const SocParams& params);

}  // namespace spica::soc
