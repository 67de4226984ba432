// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/command_processor/command_processor_params.h"
#include "models/command_processor/concurrency.h"
#include "models/command_processor/head_reader.h"
#include "models/command_processor/kernel_runs.h"
#include "models/command_processor/outside.h"
#include "models/command_processor/queue.h"

namespace spica::command_processor {

/// The queues as seen by a firmware (FIRMWARE_... of command_processor_regs.h), and their changes since it last looked.
class FirmwareView {
 public:
  FirmwareView(const CommandProcessorParams& params, const Outside& outside, const std::vector<Queue>& queues,
               const KernelRuns& runs, const Concurrency& concurrency, const HeadReader& reader)
      : params_(params),
        outside_(outside),
        queues_(queues),
        runs_(runs),
        concurrency_(concurrency),
        reader_(reader) {}

  /// Reads a register; reading NEW, GIVEN or ENDED clears it. Empty: no such register.
  std::optional<std::uint32_t> read(std::uint64_t offset);

  // -- changes of a queue, which wake the firmware
  void new_head(unsigned queue) { changes_.heads |= 1u << queue; }
  void dispatched(unsigned queue) { changes_.dispatched |= 1u << queue; }
  void ended(unsigned queue) { changes_.ended |= 1u << queue; }
  bool changed() const { return (changes_.heads | changes_.dispatched | changes_.ended) != 0; }

  void reset() { changes_ = {}; }
  /// Not saved: params_; reader_, which is saved elsewhere.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(changes_);
  }

 private:
  struct Changes {  // queues, one bit each
    std::uint32_t heads = 0, dispatched = 0, ended = 0;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(heads, dispatched, ended);
    }
  };

  std::optional<std::uint32_t> head_register(std::uint64_t offset) const;
  std::uint32_t state_bits(const Queue& queue) const;

  const CommandProcessorParams& params_;
  const Outside& outside_;
  const std::vector<Queue>& queues_;
  const KernelRuns& runs_;
  const Concurrency& concurrency_;
  const HeadReader& reader_;
  Changes changes_;
};

}  // namespace spica::command_processor
