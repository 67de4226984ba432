// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_queues/kernel_queue.h"
#include "platform/base/json/value.h"
#include "platform/machine/session/streams.h"
#include "platform/run/job.h"
#include "platform/workloads/network/operators.h"
#include "platform/workloads/network_run/blocks.h"
#include "platform/workloads/network_run/kernel_launch.h"
#include "platform/workloads/network_run/kernel_plan.h"
#include "platform/workloads/network_run/network_check.h"
#include "platform/workloads/network_run/placement.h"

namespace spica::network {

/// The blocks of a network on a machine: operators are equal if their launches are, but for addresses. Throws UserError
/// with all operators without a kernel.
Blocks equal_blocks(const Network& network, const KernelPlan& kernels, const soc::SocParams& machine);

/// Runs operators of a network on a machine: data stays in its memory, all operators are launches of one stream.
class NetworkJob {
 public:
  /// The file whose program has all kernels of a network on a machine. Throws UserError, with all operators without one.
  static const KernelFile& program(const Network& network, const KernelPlan& kernels,
                                   const soc::SocParams& machine);

  struct Result {
    // File of configs/network-kernels with its first kernel; kernels with " + " between them.
    std::string design, kernels;
    std::uint64_t launches = 0;
    // Of its first kernel and of its last one; kNever: it was not launched, or has not ended.
    base::Cycle launched = base::kNever, ended = base::kNever;
    std::string label;  // of the launches that were measured
  };

  /// Writes the tensors that the operators of `runs` use, and selects these. `network` must outlive this. `given`: inputs,
  /// and tensors that operators which do not run would have written. Throws UserError: too little memory, operators without
  /// a kernel.
  NetworkJob(job::Job& job, const Network& network, const KernelPlan& kernels,
             std::map<std::size_t, Constant> given, std::vector<OperatorRange> runs);

  /// Checks each operator that ran for the inputs that it had.
  void check();
  /// By operator; empty: not checked.
  const std::vector<std::optional<Difference>>& differences() const { return differences_; }
  /// The elements of an output of the network.
  std::vector<double> output(const Port& port) const;
  /// The type that an output has in memory.
  ElementType type(const Port& port) const { return memory_.places[port.operand.tensor].type; }
  /// The elements of a tensor, from the machine if it has a place there.
  Constant in_memory(std::size_t tensor) const;
  /// The elements of a constant or a given tensor, as they were written.
  Constant given(std::size_t tensor) const;
  bool runs(std::size_t op) const;
  /// By operator; of those that did not run, they are empty.
  std::vector<Result> results() const;
  /// Bytes of all tensors with a place.
  std::uint64_t bytes() const;

 private:
  void write_tensors();
  void write_numbers();
  std::vector<bool> used_tensors() const;
  template <class Visit>
  void each_launch(const KernelPlan& kernels, const KernelMemory& memory, Visit&& visit) const;
  std::vector<std::uint64_t> room(const KernelPlan& kernels) const;
  std::uint64_t resident(const session::GridRequest& kernel) const;
  session::Stream stream(const KernelPlan& kernels);

  job::Job& job_;
  const Network& network_;
  const std::map<std::size_t, Constant> given_;
  const std::vector<OperatorRange> runs_;
  KernelMemory memory_;
  std::vector<std::string> labels_;  // of operators: their names, made different
  struct Launch {
    std::size_t op = 0;
    std::string design, kernel;
    bool rounds_sums = false;
  };
  std::vector<Launch> launches_;
  std::vector<std::optional<Difference>> differences_;  // by operator; none before check()
};

}  // namespace spica::network
