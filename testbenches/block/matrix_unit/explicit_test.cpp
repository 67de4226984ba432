// SPDX-License-Identifier: Apache-2.0
// Commands given one by one: mvin, preload, compute, mvout; stores to shared memory; bias.
#include "testbenches/block/matrix_unit/gemm_support.h"

using namespace spica;
using namespace spica::testbench;

namespace {

constexpr std::uint64_t local(std::uint32_t address, std::uint32_t rows, std::uint32_t columns) {
  return std::uint64_t{rows} << 48 | std::uint64_t{columns} << 32 | address;
}
constexpr std::uint64_t kGarbage = local(0xFFFFFFFF, 8, 8);
constexpr std::uint32_t kAcc = MATRIX_UNIT_LOCAL_ACCUMULATOR;

/// Strides of `columns` elements for all loads and for stores.
void configure(Driver& d, unsigned columns) {
  d.rocc(MATRIX_UNIT_CONFIG, 0x3F80000000010004, 0x0001000000000000);
  for (const std::uint32_t state : {0u, 1u, 2u})
    d.rocc(MATRIX_UNIT_CONFIG, 0x80101 | state << MATRIX_UNIT_LOAD_STATE_SHIFT, columns * 4);
  d.rocc(MATRIX_UNIT_CONFIG, 2, columns * 4);
}

}  // namespace

TEST_CASE("one block by explicit commands is bit exact, with bias and kept weights") {
  MatrixBench b({});
  const unsigned n = 8;
  const auto a = random_matrix(2 * n * n, 1, OperandFormat::kFp32);  // two blocks of A one above the other
  const auto w = random_matrix(n * n, 2, OperandFormat::kFp32),
             bias = random_matrix(n * n, 3, OperandFormat::kFp32);
  store(b.gmem, kA, a, OperandFormat::kFp32);
  store(b.gmem, kB, w, OperandFormat::kFp32);
  store(b.gmem, kB + 0x1000, bias, OperandFormat::kFp32);
  Driver& d = b.driver;
  configure(d, n);
  d.rocc(MATRIX_UNIT_MVIN, kA, local(16, 8, 8));
  d.rocc(MATRIX_UNIT_MVIN, kA + 256, local(24, 8, 8));
  d.rocc(MATRIX_UNIT_MVIN2, kB, local(1024, 8, 8));
  d.rocc(MATRIX_UNIT_MVIN3, kB + 0x1000, local(kAcc | 8, 8, 8));
  d.rocc(MATRIX_UNIT_PRELOAD, local(1024, 8, 8), local(kAcc | 0, 8, 8));
  d.rocc(MATRIX_UNIT_COMPUTE_FLIP, local(16, 8, 8), kGarbage);
  d.rocc(MATRIX_UNIT_PRELOAD, kGarbage, local(kAcc | MATRIX_UNIT_LOCAL_ACCUMULATE | 8, 8, 8));
  d.rocc(MATRIX_UNIT_COMPUTE_STAY, local(24, 8, 8), kGarbage);
  d.rocc(MATRIX_UNIT_MVOUT, kC, local(kAcc | 0, 8, 8));
  d.rocc(MATRIX_UNIT_MVOUT, kC + 256, local(kAcc | 8, 8, 8));
  d.rocc(MATRIX_UNIT_FLUSH, 0, 0);
  d.fence();
  b.bench.run();
  REQUIRE(b.idle());
  CHECK(b.faults.faults.empty());
  auto want = reference(a, w, 2 * n, n, n, 8);
  for (unsigned i = 0; i < n * n; ++i) want[n * n + i] = bias[i] + want[n * n + i];
  check_c(b, want, OperandFormat::kFp32);
  CHECK(b.unit.stats().preloads.value() == 1);
  CHECK(b.unit.stats().accumulator_rows_loaded.value() == 8);
}

TEST_CASE("rows and columns that an operand does not have count as zero") {
  MatrixBench b({});
  const unsigned m = 5, k = 6, n = 7;
  const auto a = random_matrix(m * k, 1, OperandFormat::kFp32),
             w = random_matrix(k * n, 2, OperandFormat::kFp32);
  for (auto& byte : b.shared.bytes()) byte = 0x7F;  // NaN wherever nothing is loaded
  store(b.gmem, kA, a, OperandFormat::kFp32);
  store(b.gmem, kB, w, OperandFormat::kFp32);
  Driver& d = b.driver;
  configure(d, k);
  d.rocc(MATRIX_UNIT_CONFIG, 0x80109, n * 4);
  d.rocc(MATRIX_UNIT_CONFIG, 2, n * 4);
  d.rocc(MATRIX_UNIT_MVIN, kA, local(0, m, k));
  d.rocc(MATRIX_UNIT_MVIN2, kB, local(8, k, n));
  d.rocc(MATRIX_UNIT_PRELOAD, local(8, k, n), local(kAcc, m, n));
  d.rocc(MATRIX_UNIT_COMPUTE_FLIP, local(0, m, k), kGarbage);
  d.rocc(MATRIX_UNIT_MVOUT, kC, local(kAcc, m, n));
  d.fence();
  b.bench.run();
  REQUIRE(b.idle());
  CHECK(b.faults.faults.empty());
  // A chain that goes on with zeros does not change, so the reference ends at k.
  std::vector<float> want(m * n);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j)
      for (unsigned x = 0; x < k; ++x)
        want[i * n + j] = std::fma(a[i * k + x], w[x * n + j], want[i * n + j]);
  check_c(b, want, OperandFormat::kFp32);
}

TEST_CASE("a load of two blocks with a narrower second one is split and fills both") {
  MatrixBench b({});
  const auto a = random_matrix(8 * 13, 1, OperandFormat::kFp32);
  store(b.gmem, kA, a, OperandFormat::kFp32);
  configure(b.driver, 13);
  b.driver.rocc(MATRIX_UNIT_MVIN, kA, local(0, 8, 13));
  b.driver.fence();
  b.bench.run();
  CHECK(b.unit.stats().loads.value() == 2);
  unsigned wrong = 0;
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned c = 0; c < 13; ++c) {
      float got;
      std::memcpy(&got, &b.shared.bytes()[(c / 8 * 8 + r) * 32 + c % 8 * 4], 4);
      wrong += got != a[r * 13 + c];
    }
  CHECK(wrong == 0);
}

TEST_CASE("an accumulator tile goes to shared memory in blocks") {
  MatrixBench b({});
  const unsigned n = 64;
  std::vector<float> a(n * n), w(n * n);
  const auto values = random_matrix(n * n, 4, OperandFormat::kFp32);
  // A at row 0 is the identity, B at the end of quartile 2, both in blocks of 8 x 8.
  const auto place = [&](std::size_t row, unsigned i, unsigned j, float value) {
    const std::size_t block = (i / 8) * 8 + j / 8;
    std::memcpy(&b.shared.bytes()[(row + block * 8 + i % 8) * 32 + j % 8 * 4], &value, 4);
  };
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) {
      place(0, i, j, i == j ? 1.0f : 0.0f);
      place(1024, i, j, values[i * n + j]);
    }
  b.driver.cisc(MATRIX_UNIT_Q_COMPUTE_0);
  b.driver.fence();
  b.driver.cisc(MATRIX_UNIT_Q_STORE_SPAD);
  b.driver.fence();
  b.bench.run();
  REQUIRE(b.idle());
  unsigned wrong = 0;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) {
      float got;
      std::memcpy(&got, &b.shared.bytes()[((i / 8 * 8 + j / 8) * 8 + i % 8) * 32 + j % 8 * 4], 4);
      wrong += got != values[i * n + j];
    }
  CHECK(wrong == 0);
  CHECK(b.dma.stats().bytes_stored_shared.value() == n * n * 4);
}

TEST_CASE("one block of the accumulator goes to a given row of shared memory") {
  MatrixBench b({});
  const auto bias = random_matrix(64, 3, OperandFormat::kFp32);
  store(b.gmem, kA, bias, OperandFormat::kFp32);
  configure(b.driver, 8);
  b.driver.rocc(MATRIX_UNIT_MVIN3, kA, local(kAcc | 16, 8, 8));
  b.driver.rocc(MATRIX_UNIT_MVOUT_SPAD, 100, local(kAcc | 16, 8, 8));
  b.driver.fence();
  b.bench.run();
  REQUIRE(b.idle());
  CHECK(b.faults.faults.empty());
  CHECK(std::memcmp(&b.shared.bytes()[100 * 32], bias.data(), 256) == 0);
}

TEST_CASE("a load waits for the compute that still reads the rows it overwrites") {
  MatrixBench b({});
  const auto a = random_matrix(64, 1, OperandFormat::kFp32), w = random_matrix(64, 2, OperandFormat::kFp32);
  const auto later = random_matrix(64, 9, OperandFormat::kFp32);
  store(b.gmem, kA, a, OperandFormat::kFp32);
  store(b.gmem, kB, w, OperandFormat::kFp32);
  store(b.gmem, kB + 0x1000, later, OperandFormat::kFp32);
  Driver& d = b.driver;
  configure(d, 8);
  d.rocc(MATRIX_UNIT_MVIN, kA, local(0, 8, 8));
  d.rocc(MATRIX_UNIT_MVIN2, kB, local(8, 8, 8));
  d.rocc(MATRIX_UNIT_PRELOAD, local(8, 8, 8), local(kAcc, 8, 8));
  d.rocc(MATRIX_UNIT_COMPUTE_FLIP, local(0, 8, 8), kGarbage);
  d.rocc(MATRIX_UNIT_MVIN, kB + 0x1000, local(0, 8, 8));
  d.rocc(MATRIX_UNIT_MVOUT, kC, local(kAcc, 8, 8));
  d.fence();
  b.bench.run();
  REQUIRE(b.idle());
  check_c(b, reference(a, w, 8, 8, 8, 8), OperandFormat::kFp32);
  CHECK(std::memcmp(b.shared.bytes().data(), later.data(), 256) == 0);
}

TEST_CASE("a loop that loads bias adds every k block to it") {
  MatrixBench b({});
  const unsigned n = 16;
  const auto a = random_matrix(n * n, 1, OperandFormat::kFp32),
             w = random_matrix(n * n, 2, OperandFormat::kFp32);
  const auto bias = random_matrix(n * n, 3, OperandFormat::kFp32);
  store(b.gmem, kA, a, OperandFormat::kFp32);
  store(b.gmem, kB, w, OperandFormat::kFp32);
  store(b.gmem, kB + 0x8000, bias, OperandFormat::kFp32);
  Driver& d = b.driver;
  configure(d, n);
  d.rocc(MATRIX_UNIT_LOOP_BOUNDS, 0, 0x0000000200020002);
  d.rocc(MATRIX_UNIT_LOOP_ADDRESS_AB, kA, kB);
  d.rocc(MATRIX_UNIT_LOOP_STRIDE_AB, n, n);
  d.rocc(MATRIX_UNIT_LOOP_ADDRESS_DC, kB + 0x8000, kC);
  d.rocc(MATRIX_UNIT_LOOP_STRIDE_DC, n, n);
  d.rocc(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
  d.rocc(MATRIX_UNIT_LOOP_WS, MATRIX_UNIT_LOOP_ACCUMULATE, 0);
  d.fence();
  b.bench.run();
  REQUIRE(b.idle());
  CHECK(b.faults.faults.empty());
  std::vector<float> want = bias;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j)
      for (unsigned kb = 0; kb < n; kb += 8) {
        float chain = 0;
        for (unsigned k = kb; k < kb + 8; ++k) chain = std::fma(a[i * n + k], w[k * n + j], chain);
        want[i * n + j] += chain;
      }
  check_c(b, want, OperandFormat::kFp32);
  CHECK(b.dma.stats().bytes_d.value() == n * n * 4);
}
