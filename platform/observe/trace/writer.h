// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/protocol/probe_if.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/trace/filter.h"
#include "platform/observe/trace/texts.h"
#include "platform/observe/trace/trace_file.h"

namespace spica::trace {

/// Something that is counted while the machine runs.
struct Meter {
  std::string name;  // "DRAM"
  std::string unit;  // "bytes read"
  std::function<std::uint64_t()> value;
};

/// What is known of a kernel that a packet of a queue has launched; names are empty where nothing is.
struct KernelText {
  std::string stream;  // of the queue
  std::string name, kernel;  // as the stream calls it, and its name in the program
  std::string grid;  // work groups: "16", "8x2"
  std::string arguments;
};

/// What writers know of the machine and the program.
struct Context {
  double clock_mhz = 1;
  unsigned cores = 1, warps = 1, lanes = 1;  // cores of all clusters; warps of a core
  unsigned cores_per_cluster = 1;
  unsigned operand_latency = 1;  // cycles from issue to the execution unit
  bool timed = true;             // false: the fast mode, in which cycles are estimates
  std::function<std::string(unsigned source)> source_name;  // of units
  /// Name of a command to a unit: `word` of CSR 0xACC (`cisc`), else a RoCC function.
  std::function<std::string(unsigned source, std::uint32_t word, bool cisc)> command_name;
  std::vector<unsigned> units;                              // their sources
  std::vector<std::string> reasons;                         // names of warp states and issue slots
  std::vector<Meter> meters;
  unsigned queues = 0;  // of a command processor
  std::string queues_block;  // its name
  std::function<KernelText(const protocol::KernelRun&)> kernel_text;  // empty: nothing is known of any
  const loader::SourceMap* sources = nullptr;
  const loader::Program* program = nullptr;
  Filter filter;
};

/// A kind of trace. It sees events only while it is switched on.
class Writer : public protocol::ProbeIf {
 public:
  Writer(const Context& context, const std::string& path, std::uint64_t limit)
      : context_(context),
        texts_(*context.sources),
        file_(path, limit, 4096 + 1024 * std::uint64_t{context.cores} * context.warps) {}

  /// Events come from now on.
  virtual void start(base::Cycle) {}
  /// No more events for now; what is open is closed.
  virtual void stop(base::Cycle) {}
  /// What the meters have counted from one cycle to another.
  virtual void sample(base::Cycle, base::Cycle, const std::vector<std::uint64_t>&) {}
  /// The end of the file. `why`: the reason if it is before the end of the run; empty: the run is over.
  virtual void finish(base::Cycle cycle, const std::string& why) = 0;

  TraceFile& file() { return file_; }

 protected:
  bool accepts(const protocol::Origin& origin) const { return context_.filter.accepts(origin); }
  unsigned warp_index(unsigned core, unsigned warp) const { return core * context_.warps + warp; }

  const Context& context_;
  Texts texts_;
  TraceFile file_;
};

}  // namespace spica::trace
