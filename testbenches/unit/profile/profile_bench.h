// SPDX-License-Identifier: Apache-2.0
// A program with two functions, and what a core tells of it.
#pragma once

#include <cstring>
#include <vector>

#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "platform/observe/profile/profile.h"

namespace spica::testbench {

constexpr std::uint32_t kMain = 0x8000'0000, kLeaf = 0x8000'0010;
constexpr std::uint32_t kNop = 0x00000013;
constexpr std::uint32_t kCall = 0x00c000ef;      // jal ra,+12
constexpr std::uint32_t kTail = 0x0080006f;      // jal zero,+8
constexpr std::uint32_t kReturn = 0x00008067;    // jalr zero,0(ra)

struct Event {
  std::uint32_t pc, word;
};

inline protocol::Origin origin_of(std::uint32_t pc, unsigned core = 0, unsigned warp = 0,
                                  std::uint32_t lanes = 0xF) {
  return {protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(warp), static_cast<std::uint16_t>(core),
          pc, lanes};
}

inline loader::Program two_functions(bool symbols = true) {
  loader::Program program;
  loader::Segment text;
  text.name = ".text";
  text.address = kMain;
  text.executable = true;
  for (const std::uint32_t word : {kNop, kCall, kNop, kReturn, kNop, kNop, kReturn, kNop}) {
    unsigned char bytes[4];
    std::memcpy(bytes, &word, 4);
    text.bytes.insert(text.bytes.end(), bytes, bytes + 4);
  }
  program.segments.push_back(text);
  if (symbols) {
    program.symbols.push_back({"main", kMain, 16, loader::Symbol::Kind::kFunction, true});
    program.symbols.push_back({"leaf", kLeaf, 16, loader::Symbol::Kind::kFunction, true});
  }
  return program;
}

}  // namespace spica::testbench
