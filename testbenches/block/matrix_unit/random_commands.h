// SPDX-License-Identifier: Apache-2.0
// Random programs for a matrix unit: commands that make sense, given to the unit and to the model
// alike.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "testbenches/block/matrix_unit/unit_model.h"

namespace spica::testbench {

/// Where a random program goes: a bench, or files for a whole machine.
class CommandSink {
 public:
  virtual ~CommandSink() = default;
  virtual void set_global(std::uint32_t address, std::uint8_t value) = 0;
  virtual void set_shared(std::uint32_t offset, std::uint8_t value) = 0;
  virtual void rocc(unsigned function, std::uint64_t rs1, std::uint64_t rs2) = 0;
  virtual void cisc(std::uint32_t word) = 0;
  virtual void fence() = 0;
};

/// Fills memory of the sink and of the model with the same values, then gives both the same
/// commands.
///
/// The unit overlaps loops as the hardware does: a younger loop may load before an older one has
/// read. So a fence goes in front of a loop that touches shared memory which loops since the last
/// fence use, unless both only read. Operands and results lie in different parts of global memory,
/// as nothing orders these.
class RandomCommands {
 public:
  /// `queue`: CISC commands the unit can hold while it expands one.
  RandomCommands(CommandSink& sink, UnitModel& model, unsigned queue, unsigned seed);

  void add(unsigned commands);
  /// Makes the whole accumulator and the last loops visible in global memory, then waits.
  void finish();

  static constexpr std::uint32_t kOperands = 0xA0000000, kOperandBytes = 128 * 1024;
  static constexpr std::uint32_t kResults = 0xC0000000, kResultBytes = 256 * 1024;

 private:
  struct Rows {
    std::uint32_t begin, end;
    bool write;
  };
  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }
  unsigned between(unsigned first, unsigned last) { return first + below(last - first + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  void rocc(unsigned function, std::uint64_t rs1, std::uint64_t rs2);
  void cisc(std::uint32_t word);
  void fence();
  /// Fences when one of `rows` is in use by loops that may still run, then notes them.
  void use(const std::vector<Rows>& rows);

  void explicit_load();
  void explicit_store();
  void explicit_multiply();
  void manual_loop();
  void cisc_quartile();
  void cisc_hexadecile();
  void transfers(bool narrow_bias, unsigned row_elements);
  std::uint32_t operand_address(unsigned alignment);
  std::uint32_t result_address();

  CommandSink& sink_;
  UnitModel& model_;
  const unsigned queue_;
  std::mt19937 random_;
  std::vector<Rows> in_use_;
  unsigned unfenced_words_ = 0;
};

}  // namespace spica::testbench
