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
#include "platform/workloads/network_run/network_check.h"
#include "platform/workloads/network_run/placement.h"

namespace spica::network {

/// Runs a network on a machine: data stays in its memory, all operators are launches of one stream.
class NetworkJob {
 public:
  /// The file whose program has all kernels of a network on a machine. Throws UserError, with all operators without one.
  static const KernelFile& program(const Network& network, const KernelCatalogue& kernels, ElementType format,
                                   const soc::SocParams& machine);

  struct Result {
    std::string name, type;
    std::uint64_t launches = 0, cycles = 0;  // from the launch of its first kernel to the end of its last one
    bool is_reused = false;  // it did not run: all is that of an equal operator of the second block
    std::string label;  // of the launches that were measured
    std::optional<Difference> difference;  // empty: not checked
  };

  /// Writes constants and inputs, and selects what runs. `network` must outlive this. `blocks_once`: of equal blocks, only
  /// the first two run; tensors that others would have written come from the reference. Throws UserError: too little memory,
  /// operators without a kernel or, for blocks, without a reference.
  NetworkJob(job::Job& job, const Network& network, const KernelCatalogue& kernels,
             const std::map<std::size_t, Constant>& inputs, ElementType format, bool blocks_once);

  /// Checks each operator for the inputs that it had.
  void check();
  /// The elements of an output of the network.
  std::vector<double> output(const Port& port) const;
  /// The type that an output has in memory.
  ElementType type(const Port& port) const { return memory_.places[port.operand.tensor].type; }
  /// The elements of constants and inputs, as the machine has them.
  Constant in_memory(std::size_t tensor) const;
  /// In the order of the network.
  std::vector<Result> results() const;
  const Blocks& blocks() const { return blocks_; }
  /// Bytes of all tensors.
  std::uint64_t bytes() const;

 private:
  void write_tensors(const std::map<std::size_t, Constant>& inputs);
  void write_numbers(ElementType format);
  std::uint64_t resident(const session::GridRequest& kernel) const;
  session::Stream stream(const KernelCatalogue& kernels);
  Blocks blocks_of_launches(const KernelCatalogue& kernels) const;
  void write_results_of_blocks();

  job::Job& job_;
  const Network& network_;
  KernelMemory memory_;
  Blocks blocks_;
  std::vector<std::string> labels_;  // of operators: their names, made different
  std::vector<std::size_t> operators_;  // by launch
  std::vector<std::optional<Difference>> differences_;  // by operator; none before check()
};

}  // namespace spica::network
