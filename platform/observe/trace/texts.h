// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "models/isa/instruction.h"
#include "platform/machine/loader/user_frame.h"

namespace spica::trace {

/// Texts of instructions and their places, each computed once.
class Texts {
 public:
  explicit Texts(const loader::SourceMap& sources) : sources_(sources) {}

  /// "lw a0,4(a1)"
  const std::string& instruction(const isa::Instruction& instruction, std::uint32_t pc) {
    Entry& entry = entries_[pc];
    if (entry.text.empty() || entry.word != instruction.word) {
      entry.word = instruction.word;
      entry.text = isa::disassemble(instruction, pc);
    }
    return entry.text;
  }
  /// "gemm main.cpp:42", or the known part of it; for an inlined library function the line that called it.
  const std::string& place(std::uint32_t pc) {
    Entry& entry = entries_[pc];
    if (entry.has_place) return entry.place;
    entry.has_place = true;
    const loader::Frame& frame = loader::user_frame(sources_.lookup(pc));
    const std::string line = frame.place(false);
    entry.place = frame.function + (frame.function.empty() || line.empty() ? "" : " ") + line;
    return entry.place;
  }

 private:
  struct Entry {
    std::uint32_t word = 0;
    bool has_place = false;
    std::string text, place;
  };
  const loader::SourceMap& sources_;
  std::unordered_map<std::uint32_t, Entry> entries_;  // never iterated
};

}  // namespace spica::trace
