// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/decode_table.h"

#include <vector>

#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::DecodeTable;
using namespace testbench::rv;

TEST_CASE("a word is decoded once and found again") {
  DecodeTable table;
  const isa::Instruction& first = table.get(addi(1, 2, 3));
  CHECK(first.opcode == isa::Opcode::kAddi);
  CHECK(first.rd == 1);
  CHECK(&table.get(addi(1, 2, 3)) == &first);
  CHECK(&table.get(addi(1, 2, 4)) != &first);
}

TEST_CASE("references stay valid while the table grows far beyond its first size") {
  DecodeTable table;
  constexpr int kWords = 5000;
  std::vector<const isa::Instruction*> known;
  for (int i = 0; i < kWords; ++i)
    known.push_back(&table.get(lui(static_cast<u32>(i % 32), static_cast<u32>(i))));
  for (int i = 0; i < kWords; ++i) {
    const u32 word = lui(static_cast<u32>(i % 32), static_cast<u32>(i));
    REQUIRE(known[static_cast<std::size_t>(i)]->word == word);
    REQUIRE(&table.get(word) == known[static_cast<std::size_t>(i)]);
  }
}

TEST_CASE("illegal words, also 0 and all ones, are instructions of the table like others") {
  DecodeTable table;
  for (const u32 word : {0u, ~0u}) {
    const isa::Instruction& instruction = table.get(word);
    CHECK(instruction.opcode == isa::Opcode::kIllegal);
    CHECK(instruction.word == word);
    CHECK(&table.get(word) == &instruction);
  }
}

TEST_CASE("words that share a slot are distinguished") {
  DecodeTable table;
  // Consecutive words of one register often fall into neighbouring slots; none may shadow another.
  for (u32 rd = 0; rd < 32; ++rd)
    for (int imm = -40; imm < 40; ++imm) {
      const isa::Instruction& instruction = table.get(addi(rd, rd, imm));
      REQUIRE(instruction.imm == imm);
      REQUIRE(instruction.word == addi(rd, rd, imm));
    }
}

TEST_CASE("a place is decoded anew when it holds another word") {
  DecodeTable table;
  const u32 pc = 0x80000010;
  for (const int imm : {0, 1, 2, 1})
    for (const u32 place : {pc, pc + 4, pc + 0x10000}) {  // far places share what is kept
      const isa::Instruction& instruction = table.get(addi(1, 1, imm), place);
      CHECK(instruction.imm == imm);
      CHECK(&instruction == &table.get(addi(1, 1, imm)));
    }
}
