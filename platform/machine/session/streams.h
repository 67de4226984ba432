// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_queues/concurrency_model.h"
#include "models/protocol/host_queues/kernel_queue.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/session/grid.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::session {

/// A matrix product with a kernel for each number of concurrent products (models/protocol/host_queues/kernel_choice.h).
struct ProductRequest {
  struct Kernel {
    GridRequest kernel;
    std::uint32_t cycles = 0;  // measured; 0: unknown
  };
  std::uint32_t m = 0, n = 0, k = 0;
  std::array<Kernel, protocol::kDegrees> kernels;
};

/// One step of a stream.
struct StreamStep {
  enum class Kind : std::uint8_t { kLaunch, kRecord, kWait };
  Kind kind = Kind::kLaunch;
  GridRequest kernel;  // for a launch
  std::optional<ProductRequest>
      product;  // the product it computes; `kernel` runs if the policy makes no decision
  std::vector<unsigned char> arguments;  // its argument block; empty: that of the program
  std::string label, argument_text;  // display name of the launch (empty: the kernel's) and of its arguments
  std::string event;  // the event recorded or waited for
};

/// Kernels in order. Two streams are ordered only by events: the n-th wait of a stream for an event matches the n-th
/// record, or the last one if there are fewer.
struct Stream {
  std::string name;
  std::vector<StreamStep> steps;
  protocol::ClusterSet clusters;  // clusters on which its kernels may run
};

/// Streams as packet queues in memory. Packet n of queue q is step n of stream q.
struct StreamPlan {
  struct Piece {
    std::string name;
    std::uint64_t address = 0;
    std::vector<unsigned char> bytes;
  };
  std::vector<Piece> pieces;  // parts of memory to write before the run
  /// A launch step, for reports.
  struct Launch {
    struct Kernel {
      std::string name, grid;  // as in GridRequest
      std::uint64_t groups = 0;
    };
    std::string label, arguments;  // StreamStep::label, StreamStep::argument_text
    /// The default kernel, then one per degree_index(); empty: the step launches nothing.
    std::vector<Kernel> kernels;

    /// The kernel that ran.
    const Kernel& of(const protocol::KernelRun& run) const {
      return kernels[run.degree != 0 && kernels.size() > 1 ? 1 + protocol::degree_index(run.degree) : 0];
    }
  };
  std::vector<protocol::QueueSetup> queues;
  std::vector<std::string> names;  // names of the streams
  std::vector<std::vector<Launch>> launches;  // by stream and step
  std::map<std::uint32_t, std::string> events;  // by address of the signal
  std::uint32_t model = 0;  // address of the concurrency model; 0: none
};

/// Throws UserError: errors of grid_launch(), more streams than queues, an event that is never recorded, insufficient
/// memory.
StreamPlan plan_streams(const std::vector<Stream>& streams, const loader::Program& program,
                        const soc::SocParams& params,
                        const std::optional<protocol::ConcurrencyModel>& model = std::nullopt);

}  // namespace spica::session
