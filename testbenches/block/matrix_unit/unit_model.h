// SPDX-License-Identifier: Apache-2.0
// What the commands of a matrix unit do to memory, without time: an independent model, written from
// the published description (docs/sources.md: virgo, gemmini) with their numbers and without the
// headers of the unit. Commands take effect one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace spica::testbench {

class UnitModel {
 public:
  enum class Commands { kQuartile8, kQuartile12, kHexadecile };  // quartile commands: bits of a stride
  struct Shape {
    unsigned dim = 8;
    bool fp16 = false;
    unsigned accumulator_bytes = 16 * 1024;
    unsigned tile_m = 64, tile_n = 64, tile_k = 64;
    Commands commands = Commands::kQuartile8;
    unsigned shared_bytes = 64 * 1024;
    bool fp16_sums = false;  // in the accumulator
  };

  /// The units of the configurations, and others.
  struct Machine {
    const char* name;
    Shape shape;
  };
  static const std::vector<Machine>& machines();
  /// CISC commands that wait during an expansion: none in v1, then 4.
  static unsigned queue_of(const Shape& shape) { return shape.commands == Commands::kQuartile8 ? 0 : 4; }

  explicit UnitModel(const Shape& shape);

  void rocc(unsigned function, std::uint64_t rs1, std::uint64_t rs2);
  void cisc(std::uint32_t word);

  // Numbers that follow from the shape.
  unsigned element() const { return shape.fp16 ? 2 : 4; }
  unsigned row_bytes() const { return shape.dim * element(); }
  unsigned shared_rows() const { return shape.shared_bytes / row_bytes(); }
  unsigned sums_rows() const { return shape.accumulator_bytes / (4 * shape.dim); }

  const Shape shape;
  std::unordered_map<std::uint32_t, std::uint8_t> global;
  std::vector<std::uint8_t> shared;
  std::vector<float> sums;
  unsigned loops = 0;    // LOOP_WS commands seen
  unsigned counted = 0;  // CISC commands that count as a running loop

  /// Registers of the slot that the next LOOP_WS uses; they stay when the loop is over.
  struct Slot {
    unsigned i = 0, j = 0, k = 0, pad_i = 0, pad_j = 0, pad_k = 0;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;
    std::uint32_t stride_a = 0, stride_b = 0, stride_c = 0, stride_d = 0;
    std::uint32_t a_row = 0, b_end = 0, c_row = 0;
  };
  const Slot& next_slot() const { return slots_[next_]; }
  std::uint32_t sums_start() const { return sums_start_; }

 private:
  struct Load {
    std::uint32_t stride = 0, block_stride = 0;
    bool shrink = false;
  };
  float read_element(const std::uint8_t* at, bool half) const;
  void load_row(std::uint32_t from, std::uint32_t to_row, unsigned columns);
  void load_sums(std::uint32_t from, std::uint32_t row, unsigned columns, bool half, bool add);
  std::vector<std::uint8_t> sums_row(std::uint32_t row, unsigned columns) const;
  void mvin(unsigned state, std::uint32_t from, std::uint64_t to);
  void mvout(std::uint32_t to, std::uint64_t from);
  void mvout_shared(std::uint32_t to_row, std::uint64_t from);
  void preload(std::uint32_t row, unsigned rows, unsigned columns);
  void compute(std::uint32_t row, unsigned rows, unsigned columns, bool flip);
  void loop(std::uint64_t rs1, std::uint64_t rs2);
  void tile_loop(std::uint32_t a_row, std::uint32_t b_end, std::uint32_t flags, std::uint32_t skips,
                 std::uint32_t c_row);
  void bounds_of_tile();

  std::array<Slot, 2> slots_;
  unsigned next_ = 0;
  std::uint32_t sums_start_ = 0;
  std::array<Load, 3> load_;
  std::uint32_t store_stride_ = 0;
  std::vector<float> weights_[2];  // in use, preloaded
  struct {
    bool valid = false, add = false;
    std::uint32_t row = 0;
    unsigned rows = 0, columns = 0;
  } target_;
};

}  // namespace spica::testbench
