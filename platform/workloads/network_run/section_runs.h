// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "platform/run/job_options.h"
#include "platform/workloads/network/operators.h"
#include "platform/workloads/network_run/blocks.h"
#include "platform/workloads/network_run/kernel_plan.h"
#include "platform/workloads/network_run/network_check.h"

namespace spica::network {

/// What came of sections of a network.
struct SectionResults {
  std::map<std::size_t, Constant> tensors;  // of the machine: those that later operators or outputs use
  std::map<std::size_t, Constant> reference;  // of a ReferenceRun
  std::map<std::size_t, Difference> differences;  // by operator, of those that were checked
};

/// Runs consecutive sections in the fast mode, each on a machine of its own in a child process: only the tensors of one
/// section are in memory at a time. `options`: machine and program. `inputs`: of the network. Throws UserError: a section
/// has too little memory, or did not end.
SectionResults run_sections(const job::JobOptions& options, const std::filesystem::path& configs,
                            const Network& network, const KernelPlan& kernels,
                            const std::map<std::size_t, Constant>& inputs,
                            const std::vector<OperatorRange>& sections);

}  // namespace spica::network
