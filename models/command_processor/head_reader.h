// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/command_processor/command_processor_params.h"
#include "models/command_processor/concurrency.h"
#include "models/command_processor/outside.h"
#include "models/command_processor/queue.h"
#include "models/protocol/host_queues/kernel_choice.h"

namespace spica::command_processor {

/// Reads the packet at the head of a queue from memory: the launch of its kernel or, for a product, of its variants;
/// also the model used by the policy `predicted`.
class HeadReader {
 public:
  HeadReader(const CommandProcessorParams& params, const Outside& outside, Concurrency& concurrency)
      : params_(params), outside_(outside), concurrency_(concurrency) {}

  /// Returns the error in the packet; "": none.
  std::string read(Queue& queue);

  // -- the model: its address; false if that is not in memory
  std::uint32_t model() const { return model_; }
  bool use_model(std::uint32_t address) {
    model_ = address;
    return read_model();
  }
  /// True if the model is loaded, or can be. After a checkpoint is restored, only its address is known.
  bool has_model() { return concurrency_.can_decide() || read_model(); }

  void reset() { model_ = 0; }
  /// Not saved: params_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(model_);
  }

 private:
  std::string make_launch(const protocol::KernelChoice::Variant& kernel, std::uint32_t arguments,
                          const protocol::ClusterSet& clusters, protocol::GridLaunch& launch) const;
  std::string product_of(Queue& queue);
  bool read_model();

  const CommandProcessorParams& params_;
  const Outside& outside_;
  Concurrency& concurrency_;
  std::uint32_t model_ = 0;  // address of the model
};

}  // namespace spica::command_processor
