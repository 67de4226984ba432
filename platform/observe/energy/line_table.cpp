// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/line_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "models/isa/instruction.h"

namespace spica::energy {

namespace {

std::string disassembly(const loader::Program& program, std::uint32_t pc, isa::TensorStyle style) {
  const std::optional<std::uint32_t> word = program.word_at(pc);
  return word ? isa::disassemble(isa::decode(*word, style), pc) : "";
}

void add(LineEnergy& sum, const LineEnergy& one) {
  for (std::size_t i = 0; i < sum.activity.counts.size(); ++i)
    sum.activity.counts[i] += one.activity.counts[i];
  for (std::size_t i = 0; i < sum.activity.cycles.size(); ++i)
    sum.activity.cycles[i] += one.activity.cycles[i];
  sum.active_pj += one.active_pj;
}

}  // namespace

std::uint64_t LineEnergy::cycles() const {
  return std::accumulate(activity.cycles.begin(), activity.cycles.end(), std::uint64_t{0});
}

LineTable::LineTable(const EnergyReport& report, const loader::SourceMap& sources,
                     const loader::Program& program) {
  std::map<std::string, std::size_t> functions;  // by name: place in the order of addresses
  std::map<std::tuple<std::size_t, std::string, unsigned>, LineEnergy> lines;
  for (const InstructionEnergy& instruction : report.instructions()) {
    LineEnergy one;
    one.activity = instruction.activity;
    one.active_pj = instruction.active_pj;
    if (instruction.pc != protocol::kNoPc) {
      const loader::Location& place = sources.lookup(instruction.pc);
      one.function = place.frame.function;
      one.file = place.frame.file;
      one.line = place.frame.line;
      one.pc = instruction.pc;
      one.text = disassembly(program, instruction.pc, report.tensor_style());
    }
    const std::size_t order = functions.emplace(one.function, functions.size()).first->second;
    auto [at, is_new] = lines.try_emplace({order, one.file, one.line});
    LineEnergy& line = at->second;
    if (is_new) {
      line.function = one.function;
      line.file = one.file;
      line.line = one.line;
    }
    add(line, one);
    instructions_.push_back(std::move(one));
  }
  for (auto& [key, line] : lines) lines_.push_back(std::move(line));
}

}  // namespace spica::energy
