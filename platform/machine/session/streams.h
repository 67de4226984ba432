// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/concurrency_model.h"
#include "models/protocol/kernel_queue.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/session/grid.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::session {

/// A matrix product with a kernel for each number of products that run at once (models/protocol/kernel_choice.h).
struct ProductRequest {
  struct Kernel {
    GridRequest kernel;
    std::uint32_t cycles = 0;  // measured; 0: not known
  };
  std::uint32_t m = 0, n = 0, k = 0;
  std::array<Kernel, protocol::kDegrees> kernels;
};

/// What a stream does next.
struct StreamStep {
  enum class Kind : std::uint8_t { kLaunch, kRecord, kWait };
  Kind kind = Kind::kLaunch;
  GridRequest kernel;  // a launch
  std::optional<ProductRequest> product;  // that it is; `kernel` runs where the policy decides nothing
  std::vector<unsigned char> arguments;  // its argument block; empty: that of the program
  std::string label, argument_text;  // what people call the launch, empty: as the kernel; and its arguments
  std::string event;  // recorded, or waited for
};

/// Kernels in an order. What two streams do has none but by events: the n-th wait of a stream for an event waits for
/// the n-th time that it is recorded, or for the last one where it is recorded less often.
struct Stream {
  std::string name;
  std::vector<StreamStep> steps;
  std::uint32_t clusters = 0;  // that its kernels may run on, a bit each; 0: all
};

/// Streams as queues of packets in memory. Packet n of queue q is step n of stream q.
struct StreamPlan {
  struct Piece {
    std::string name;
    std::uint64_t address = 0;
    std::vector<unsigned char> bytes;
  };
  std::vector<Piece> pieces;  // of memory, to be written before the run
  /// A step that is a launch, for people.
  struct Launch {
    struct Kernel {
      std::string name, grid;  // as GridRequest
      std::uint64_t groups = 0;
    };
    std::string label, arguments;  // StreamStep::label, StreamStep::argument_text
    /// Where nothing is decided, then by degree_index(); empty: the step launches nothing.
    std::vector<Kernel> kernels;

    /// The one that ran.
    const Kernel& of(const protocol::KernelRun& run) const {
      return kernels[run.degree != 0 && kernels.size() > 1 ? 1 + protocol::degree_index(run.degree) : 0];
    }
  };
  std::vector<protocol::QueueSetup> queues;
  std::vector<std::string> names;  // of the streams
  std::vector<std::vector<Launch>> launches;  // by stream and step
  std::map<std::uint32_t, std::string> events;  // by the address of the signal
  std::uint32_t model = 0;  // address of the concurrency model; 0: none
};

/// Throws UserError: what grid_launch() finds wrong, more streams than queues, an event that nothing records, no room
/// in memory.
StreamPlan plan_streams(const std::vector<Stream>& streams, const loader::Program& program,
                        const soc::SocParams& params,
                        const std::optional<protocol::ConcurrencyModel>& model = std::nullopt);

}  // namespace spica::session
