// SPDX-License-Identifier: Apache-2.0
// A program of four instructions, and a place for files.
#pragma once

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "models/protocol/payload/issue_reason.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/trace/tracer.h"

namespace spica::testbench {

constexpr std::uint32_t kBase = 0x8000'0000;
constexpr std::uint32_t kAddi = 0x00150513;  // addi a0,a0,1
constexpr std::uint32_t kLoad = 0x0045a503;  // lw a0,4(a1)
constexpr std::uint32_t kStore = 0x00a5a423;  // sw a0,8(a1)

inline loader::Program small_program() {
  loader::Program program;
  loader::Segment text;
  text.name = ".text";
  text.address = kBase;
  text.executable = true;
  for (const std::uint32_t word : {kAddi, kLoad, kStore, kAddi}) {
    unsigned char bytes[4];
    std::memcpy(bytes, &word, 4);
    text.bytes.insert(text.bytes.end(), bytes, bytes + 4);
  }
  program.segments.push_back(text);
  program.symbols.push_back({"first", kBase, 8, loader::Symbol::Kind::kFunction, true});
  program.symbols.push_back({"second", kBase + 8, 8, loader::Symbol::Kind::kFunction, true});
  return program;
}

class TraceBench {
 public:
  TraceBench() : program(small_program()), sources(program) {
    folder = std::filesystem::temp_directory_path() / ("spica-trace-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    context.clock_mhz = 400;
    context.cores = 2;
    context.warps = 2;
    context.lanes = 4;
    context.operand_latency = 2;
    context.cores_per_cluster = 2;
    context.source_name = [](unsigned) { return "cluster_0.matrix_unit_0"; };
    context.units = {7};
    for (const std::string_view name : protocol::warp_state_names()) context.reasons.emplace_back(name);
    context.sources = &sources;
  }
  ~TraceBench() { std::filesystem::remove_all(folder); }

  trace::Tracer& trace(const std::string& file, std::vector<std::string> filters = {}, bool no_cycles = false,
                       std::uint64_t limit = 1 << 20) {
    trace::TraceOptions options;
    options.traces = {(folder / file).string()};
    options.filters = std::move(filters);
    options.no_cycles = no_cycles;
    options.limit = limit;
    tracer = std::make_unique<trace::Tracer>(options, context, program);
    return *tracer;
  }
  std::string text(const std::string& file) const {
    std::ostringstream all;
    all << std::ifstream(folder / file).rdbuf();
    return all.str();
  }

  static protocol::Origin at(unsigned core, unsigned warp, unsigned offset, std::uint32_t lanes = 0xF) {
    return {protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(warp), static_cast<std::uint16_t>(core),
            kBase + offset, lanes};
  }
  void issue(base::Cycle cycle, const protocol::Origin& origin, std::uint32_t word) {
    const isa::Instruction instruction = isa::decode(word);
    tracer->on_issue({cycle, origin, instruction, registers});
  }
  void state(base::Cycle cycle, const protocol::Origin& origin, protocol::IssueReason reason) {
    tracer->on_warp_state(cycle, origin, static_cast<unsigned>(reason));
  }

  loader::Program program;
  loader::SourceMap sources;
  std::filesystem::path folder;
  trace::Context context;
  isa::RegisterFile registers{4};
  std::unique_ptr<trace::Tracer> tracer;
};

}  // namespace spica::testbench
