// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/command_processor/command_processor_params.h"
#include "models/command_processor/concurrency.h"
#include "models/command_processor/outside.h"
#include "models/command_processor/queue.h"
#include "models/protocol/kernel_choice.h"

namespace spica::command_processor {

/// Reads the packet at the head of a queue from memory: the launch of its kernel, and of a product those of its
/// variants; and the model that the policy `predicted` decides with.
class HeadReader {
 public:
  HeadReader(const CommandProcessorParams& params, const Outside& outside, Concurrency& concurrency)
      : params_(params), outside_(outside), concurrency_(concurrency) {}

  /// What is wrong with the packet; "": nothing.
  std::string read(Queue& queue);

  // -- the model: its address; false where it is not
  std::uint32_t model() const { return model_; }
  bool use_model(std::uint32_t address) {
    model_ = address;
    return read_model();
  }
  /// Where the policy needs one and has none, as after a state is loaded, which has its address.
  bool has_model() { return concurrency_.can_decide() || read_model(); }

  void reset() { model_ = 0; }
  /// Not saved: params_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(model_);
  }

 private:
  std::string make_launch(const protocol::KernelChoice::Variant& kernel, std::uint32_t arguments,
                          std::uint32_t clusters, protocol::GridLaunch& launch) const;
  std::string product_of(Queue& queue);
  bool read_model();

  const CommandProcessorParams& params_;
  const Outside& outside_;
  Concurrency& concurrency_;
  std::uint32_t model_ = 0;  // its address
};

}  // namespace spica::command_processor
