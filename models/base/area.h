// SPDX-License-Identifier: Apache-2.0
// The structures a block is made of: amounts in a few kinds, whose sizes a table gives, and the shapes of memories and
// crossbars, which give the energy of an access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spica::base {

/// What all blocks are made of. The order is that of kStructures.
enum class Structure : std::uint8_t {
  kSramBit,
  kTwoPortBit,
  kSramColumn,
  kRegisterBit,
  kFlopBit,
  kMuxBit,
  kCompareBit,
  kMacFp32,
  kMacFp16,
  kMacInt8,
  kAddFp32,
  kFmaFp32,
  kDivideFp32,
  kAlu,
  kMultiplier,
  kDivider,
  kInstructionControl,
  kController,
};

struct StructureKind {
  std::string_view name, doc;
};

/// By Structure.
inline constexpr std::array<StructureKind, 18> kStructures{{
    {"sram_bit", "bit of a memory with one port: level 1 and level 2 caches"},
    {"two_port_bit", "bit of a memory with a read and a write port: shared memory, accumulators"},
    {"sram_column",
     "bit of the width of a memory of any size: sense amplifiers, drivers, its share of the decoder"},
    {"register_bit",
     "bit of a small array with a read and a write port: register files, queues, tables. Each further read port is a copy"},
    {"flop_bit", "bit of a register that is read or written all at once, with its enable"},
    {"mux_bit", "bit of a two-to-one multiplexer, with its wires: crossbars are made of them"},
    {"compare_bit", "bit of a comparison for equality: tags, entries of miss files"},
    {"mac_fp32", "multiply-accumulate of FP32, with its pipeline registers"},
    {"mac_fp16", "multiply-accumulate of FP16 operands into FP32, with its pipeline registers"},
    {"mac_int8", "multiply-accumulate of 8-bit operands into 32 bits, with its pipeline registers"},
    {"add_fp32", "FP32 adder, with its pipeline registers"},
    {"fma_fp32", "FP32 unit of one lane: fused multiply-add, compare, convert"},
    {"divide_fp32", "FP32 division and square root of one lane"},
    {"alu", "32-bit integer unit of one lane: add, logic, shift, compare, branch"},
    {"multiplier", "32-bit integer multiplier of one lane"},
    {"divider", "32-bit integer divider of one lane"},
    {"instruction_control",
     "control of a core: fetch, decode, scheduling, scoreboard and commit, without registers and units"},
    {"controller",
     "a state machine with its address generators: of a bank of a cache, of a DMA, of a matrix unit"},
}};

constexpr std::size_t index_of(Structure structure) { return static_cast<std::size_t>(structure); }

/// An amount of a structure in a part of a block: {"register_file", Structure::kRegisterBit, 393216}.
struct AreaTerm {
  std::string_view part;
  Structure structure;
  double amount;
};

/// The shape of a memory or a crossbar in a block. Fields that do not apply are 0.
struct PartShape {
  std::string_view part;
  double bits = 0;  // of one macro
  double width = 0;  // bits of one access
  double inputs = 0, outputs = 0;  // of a crossbar
};

/// The parts of a block, as a function of its parameters.
class AreaTerms {
 public:
  AreaTerms& add(std::string_view part, Structure structure, double amount) {
    if (amount > 0) terms_.push_back({part, structure, amount});
    return *this;
  }
  /// A memory of `bits` bits of kind `bit`, in `macros` macros of `width` bits per word.
  AreaTerms& add_memory(std::string_view part, Structure bit, double bits, double macros, double width) {
    return add(part, bit, bits)
        .add(part, Structure::kSramColumn, macros * width)
        .shape({part, macros > 0 ? bits / macros : 0, width});
  }
  /// A small array or a row of registers, which has no columns of its own: queues, tables, register files.
  AreaTerms& add_array(std::string_view part, Structure bit, double bits, double macros, double width) {
    return add(part, bit, bits).shape({part, macros > 0 ? bits / macros : 0, width});
  }
  /// A crossbar: each of `outputs` chooses among `inputs`, `width` bits wide.
  AreaTerms& add_crossbar(std::string_view part, double inputs, double outputs, double width) {
    return add(part, Structure::kMuxBit, outputs * (inputs - 1) * width)
        .shape({part, 0, width, inputs, outputs});
  }
  /// Sets the shape of a part. Only the first shape of a part counts.
  AreaTerms& shape(const PartShape& one) {
    if (shape_of(one.part) == nullptr) shapes_.push_back(one);
    return *this;
  }
  const PartShape* shape_of(std::string_view part) const {
    for (const PartShape& known : shapes_)
      if (known.part == part) return &known;
    return nullptr;
  }
  const std::vector<PartShape>& shapes() const { return shapes_; }

  bool empty() const { return terms_.empty(); }
  std::vector<AreaTerm>::const_iterator begin() const { return terms_.begin(); }
  std::vector<AreaTerm>::const_iterator end() const { return terms_.end(); }

 private:
  std::vector<AreaTerm> terms_;
  std::vector<PartShape> shapes_;
};

}  // namespace spica::base
