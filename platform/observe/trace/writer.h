// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/protocol/ports/probe_if.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/trace/filter.h"
#include "platform/observe/trace/texts.h"
#include "platform/observe/trace/trace_file.h"

namespace spica::trace {

/// A counter that is sampled while the machine runs.
struct Meter {
  std::string name;  // "DRAM"
  std::string unit;  // "bytes read"
  std::function<std::uint64_t()> value;
};

/// A kernel launched from a queue; names are empty if unknown.
struct KernelText {
  std::string stream;  // stream of the queue
  std::string name, kernel;  // name in the stream, name in the program
  std::string grid;  // work groups: "16", "8x2"
  std::string arguments;
};

/// The writers' information about the machine and the program.
struct Context {
  double clock_mhz = 1;
  unsigned cores = 1, warps = 1, lanes = 1;  // cores of all clusters; warps of a core
  unsigned cores_per_cluster = 1;
  unsigned operand_latency = 1;  // cycles from issue to the execution unit
  bool timed = true;             // false: the fast mode, in which cycles are estimates
  std::function<std::string(unsigned source)> source_name;  // name of a unit
  /// The name of a command to a unit: `word` of CSR 0xACC (`cisc`), else a RoCC function.
  std::function<std::string(unsigned source, std::uint32_t word, bool cisc)> command_name;
  std::vector<unsigned> units;                              // source numbers of the units
  std::vector<std::string> reasons;                         // names of warp states and issue slots
  std::vector<Meter> meters;
  unsigned queues = 0;  // queues of a command processor
  std::string queues_block;  // its name
  std::function<KernelText(const protocol::KernelRun&)> kernel_text;  // empty: kernels are unknown
  const loader::SourceMap* sources = nullptr;
  const loader::Program* program = nullptr;
  Filter filter;
};

/// A kind of trace. It receives events only while it is switched on.
class Writer : public protocol::ProbeIf {
 public:
  Writer(const Context& context, const std::string& path, std::uint64_t limit)
      : context_(context),
        texts_(*context.sources),
        file_(path, limit, 4096 + 1024 * std::uint64_t{context.cores} * context.warps) {}

  /// Events follow from now on.
  virtual void start(base::Cycle) {}
  /// No more events for now; open items are closed.
  virtual void stop(base::Cycle) {}
  /// The counts of the meters from one cycle to another.
  virtual void sample(base::Cycle, base::Cycle, const std::vector<std::uint64_t>&) {}
  /// The end of the file. `why`: the reason, if it ends before the run; empty: the run is over.
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
