// SPDX-License-Identifier: Apache-2.0
// Whole tiles through the unit: MMIO and CSR commands, DMA, array, accumulator, and back to global
// memory.
#include "testbenches/block/matrix_unit/gemm_support.h"

using namespace spica;
using namespace spica::testbench;

namespace {

MatrixBench::Options fp16_options(CommandSet set) {
  MatrixBench::Options o;
  o.unit.dim = 16;
  o.unit.operand = OperandFormat::kFp16;
  o.unit.accumulator_bytes = 32 * 1024;
  o.unit.tile_m = 128;
  o.unit.tile_n = 64;
  o.unit.tile_k = 128;
  o.unit.shared_bytes = 128 * 1024;
  o.unit.command_set = set;
  o.unit.command_queue = 4;
  o.dma.accumulator_row_bytes = 64;
  o.dma.tracked_loads = 2;
  return o;
}

/// B with `packed` elements along k side by side.
std::vector<float> in_words(const std::vector<float>& w, unsigned n, unsigned packed) {
  std::vector<float> words(w.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::size_t row = i / n, column = i % n;
    words[(row / packed * n + column) * packed + row % packed] = w[i];
  }
  return words;
}

/// `k`: words.
void check_product(MatrixBench& b, unsigned m, unsigned n, unsigned k, OperandFormat format,
                   void (*program)(MatrixBench&, unsigned, unsigned, unsigned)) {
  const auto packed = static_cast<unsigned>(b.options.unit.macs_per_cell);
  const auto a = random_matrix(m * k * packed, 1, format), w = random_matrix(k * packed * n, 2, format);
  store(b.gmem, kA, a, format);
  store(b.gmem, kB, in_words(w, n, packed), format);
  program(b, m, n, k);
  b.bench.run();
  REQUIRE(b.idle());
  CHECK(b.faults.faults.empty());
  CHECK(b.driver.errors == 0);
  const auto dim = static_cast<unsigned>(b.options.unit.dim);
  check_c(b, reference(a, w, m, n, k * packed, dim * packed), b.options.unit.result_format());
  const auto& stats = b.unit.stats();
  const std::uint64_t element = b.options.unit.element_bytes();
  CHECK(stats.macs.value() == std::uint64_t{m} * n * k * packed);
  CHECK(stats.block_operations.value() == m * n * k / (dim * dim * dim));
  // Shared-memory operand bytes per MAC are exactly b/DIM + b/TM.
  CHECK(stats.operand_bytes.value() * dim * m * packed == stats.macs.value() * element * (dim + m));
  CHECK(b.shared.read_bytes == stats.operand_bytes.value());
  // The DMA writes each tile of A and B once.
  CHECK(b.shared.written_bytes == element * (m * k + k * n));
  CHECK(b.dma.stats().bytes_a.value() == element * m * k);
  CHECK(b.dma.stats().bytes_b.value() == element * k * n);
  CHECK(b.dma.stats().bytes_stored_global.value() == element * m * n);
}

/// The v2 kernel's loop over k.
void program_v2(MatrixBench& b, unsigned, unsigned n, unsigned k) {
  Driver& d = b.driver;
  const unsigned tiles = k / static_cast<unsigned>(b.options.unit.tile_k);
  d.rocc(MATRIX_UNIT_CONFIG, 0x3F80000000010004, 0x0001000000000000);
  d.rocc(MATRIX_UNIT_CONFIG, 0x00003C0000100101, k * 2);
  d.rocc(MATRIX_UNIT_CONFIG, 0x00003C0000100109, n * 2);
  d.rocc(MATRIX_UNIT_CONFIG, 2, std::uint64_t{0x46700000} << 32 | n * 2);
  for (unsigned t = 0; t < tiles; ++t) {
    const unsigned a = 4 * (t & 1), last_b = a + 11;
    d.rocc(MATRIX_UNIT_LOOP_ADDRESS_AB, kA + t * 128 * 2, kB + t * 128 * n * 2);
    d.cisc(n << 20 | k << 8 | MATRIX_UNIT_H_STRIDE_AB);
    d.cisc(last_b << 16 | a << 8 | MATRIX_UNIT_H_LOAD);
    d.fence();
    d.cisc((t == 0 ? 0u : MATRIX_UNIT_H_ACCUMULATE) | last_b << 16 | a << 8 | MATRIX_UNIT_H_COMPUTE);
  }
  d.fence();
  d.rocc(MATRIX_UNIT_LOOP_ADDRESS_DC, 0, kC);
  d.cisc(n << 20 | MATRIX_UNIT_H_STRIDE_DC);
  d.cisc(MATRIX_UNIT_H_STORE_GMEM);
  d.fence();
}

/// A product of two or three tiles, whose words are as wide as those of an FP16 or an FP32 unit: bit exact, and in the
/// cycles of that unit.
void check_format(OperandFormat format, std::uint64_t macs_per_cell) {
  const std::uint64_t word = macs_per_cell * numeric::info(format).stored_bits;
  MatrixBench::Options o = word == 16 ? fp16_options(CommandSet::kHexadecile) : MatrixBench::Options{};
  o.unit.operand = format;
  o.unit.macs_per_cell = macs_per_cell;
  MatrixBench b(o);
  if (word == 16) check_product(b, 128, 64, 256, format, program_v2);
  else check_product(b, 64, 64, 192, format, program_v1);
  b.unit.settle_stats();
  const auto computing = static_cast<unsigned>(matrix_unit::Activity::kComputing);
  CHECK(b.unit.stats().cycles.cycles(computing) == (word == 16 ? 2 : 3) * 4096);
}

}  // namespace

TEST_CASE("an FP32 product of three k tiles is bit exact and moves every byte once") {
  // 8-bit strides of v1 end at 255 elements.
  MatrixBench b({});
  check_product(b, 64, 64, 192, OperandFormat::kFp32, program_v1);
  b.unit.settle_stats();
  const auto& cycles = b.unit.stats().cycles;
  CHECK(cycles.total() == b.unit.now());
  CHECK(cycles.cycles(static_cast<unsigned>(matrix_unit::Activity::kComputing)) == 3 * 4096);
}

TEST_CASE("an FP16 product by quartile commands is bit exact") {
  MatrixBench b(fp16_options(CommandSet::kQuartile));
  check_product(b, 128, 64, 384, OperandFormat::kFp16, program_v1);
}

TEST_CASE("an FP16 product by hexadecile commands is bit exact") {
  MatrixBench b(fp16_options(CommandSet::kHexadecile));
  check_product(b, 128, 64, 384, OperandFormat::kFp16, program_v2);
}

TEST_CASE("products of BF16 with one in a cell are bit exact") { check_format(OperandFormat::kBf16, 1); }
TEST_CASE("products of BF16 with two in a cell are bit exact") { check_format(OperandFormat::kBf16, 2); }
TEST_CASE("products of TF32 with one in a cell are bit exact") { check_format(OperandFormat::kTf32, 1); }
TEST_CASE("products of FP16 with two in a cell are bit exact") { check_format(OperandFormat::kFp16, 2); }
TEST_CASE("products of FP8 E4M3 with two in a cell are bit exact") { check_format(OperandFormat::kE4m3, 2); }
TEST_CASE("products of FP8 E4M3 with four in a cell are bit exact") { check_format(OperandFormat::kE4m3, 4); }
TEST_CASE("products of FP8 E5M2 with four in a cell are bit exact") { check_format(OperandFormat::kE5m2, 4); }
TEST_CASE("products of FP6 E3M2 with two in a cell are bit exact") { check_format(OperandFormat::kE3m2, 2); }
TEST_CASE("products of FP6 E2M3 with four in a cell are bit exact") { check_format(OperandFormat::kE2m3, 4); }
TEST_CASE("products of FP4 with four in a cell are bit exact") { check_format(OperandFormat::kE2m1, 4); }
TEST_CASE("products of FP4 with eight in a cell are bit exact") { check_format(OperandFormat::kE2m1, 8); }

TEST_CASE("v1 strides of 256 elements and more do not fit their 8 bits") {
  MatrixBench b({});
  program_v1(b, 64, 64, 256);
  b.bench.run();
  REQUIRE(b.idle());
  // A is read with a block stride of 0: the rows of block row 1 come from block row 0; the volume
  // is the same.
  CHECK(b.dma.stats().bytes_a.value() == 4 * 64 * 256);
  bool beyond = false;
  for (const auto& seen : b.gmem.seen())
    beyond |= seen.command == tlm::TLM_READ_COMMAND && seen.address >= kA + 8 * 256 * 4 && seen.address < kB;
  CHECK_FALSE(beyond);
}

TEST_CASE("loads of the next tile overlap the computation of this one") {
  MatrixBench b({});
  program_v1(b, 64, 64, 192);
  b.bench.run();
  REQUIRE(b.idle());
  const auto& dma = b.dma.stats();
  const auto& cycles = b.unit.stats().cycles;
  const auto loading = cycles.cycles(static_cast<unsigned>(matrix_unit::Activity::kLoading));
  // 32 KiB per tile at 32 bytes per cycle take at least 1024 cycles; of three loads only the first
  // is in the open.
  CHECK(dma.shared_writes.value() == 3 * 1024);
  CHECK(loading >= 1024);
  CHECK(loading < 1024 + 200);
}

TEST_CASE("a loop with loads and execution and store runs execution after its own loads") {
  MatrixBench b({});
  const unsigned n = 64;
  const auto a = random_matrix(n * n, 5, OperandFormat::kFp32),
             w = random_matrix(n * n, 6, OperandFormat::kFp32);
  store(b.gmem, kA, a, OperandFormat::kFp32);
  store(b.gmem, kB, w, OperandFormat::kFp32);
  Driver& d = b.driver;
  d.rocc(MATRIX_UNIT_CONFIG, 0x80101, n * 4);
  d.rocc(MATRIX_UNIT_CONFIG, 0x80109, n * 4);
  d.rocc(MATRIX_UNIT_CONFIG, 2, n * 4);
  d.rocc(MATRIX_UNIT_LOOP_BOUNDS, 0, 0x0000000800080008);
  d.rocc(MATRIX_UNIT_LOOP_ADDRESS_AB, kA, kB);
  d.rocc(MATRIX_UNIT_LOOP_STRIDE_AB, n, n);
  d.rocc(MATRIX_UNIT_LOOP_ADDRESS_DC, 0, kC);
  d.rocc(MATRIX_UNIT_LOOP_STRIDE_DC, 0, n);
  d.rocc(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
  d.rocc(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_LOOP_SKIP_LOAD_D);
  d.fence();
  b.bench.run();
  REQUIRE(b.idle());
  CHECK(b.faults.faults.empty());
  check_c(b, reference(a, w, n, n, n, 8), OperandFormat::kFp32);
  // Loads need 1024 cycles, execution 4096: together they take little more than execution.
  CHECK(b.driver.last < 4096 + 700);
  CHECK(b.driver.last > 4096);
}
