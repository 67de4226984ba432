// SPDX-License-Identifier: Apache-2.0
// <spica/matrix.h>: products of tiles of several shapes from matrices whose rows are longer than they are, tiles that
// the DMA and that threads have copied, sums to global and to shared memory, copies of plain memory. Whole numbers, so
// that every sum is exact. Compiled by `spica cc` and by gcc, for FP32 and for FP16. Exit code 1 and a line for what is
// wrong.
#include <float_bits.h>
#include <spawn.h>
#include <spica/matrix.h>
#include <spica/simt.h>
#include <stdio.h>

namespace {

#if MATRIX_UNIT_ELEMENT_BYTES == 2
using Element = spica::half;
Element element(unsigned x) { return {static_cast<uint16_t>(float_to_half_bits(static_cast<float>(x)))}; }
unsigned number(Element x) {
  return static_cast<unsigned>(half_bits_to_float(static_cast<uint32_t>(x.bits) << 16));
}
#else
using Element = float;
Element element(unsigned x) { return static_cast<float>(x); }
unsigned number(Element x) { return static_cast<unsigned>(x); }
#endif

constexpr unsigned kRow = 200, kRows = 170;
Element a[kRows * kRow], b[kRows * kRow], c[kRows * kRow], line[1000];
constexpr unsigned kDim = MATRIX_UNIT_DIM, kM = 4 * kDim, kN = 2 * kDim, kK = 3 * kDim, kLine = 19 * kDim;

struct Shared {
  spica::Tile<Element, kM, kK> a[2];
  spica::Tile<Element, kK, kN> b[2];
  spica::Tile<Element, kM, kN> c, copied;
  Element line[kLine];
};
unsigned bad;

// Small enough that sums of k terms are whole numbers in FP16.
unsigned of_a(unsigned i, unsigned j) { return (i + 2 * j) % 3; }
unsigned of_b(unsigned i, unsigned j) { return (3 * i + j) % 5; }

void expect(const char* what, unsigned i, unsigned j, Element is, unsigned must) {
  if (number(is) == must) return;
  if (bad++ < 5) printf("%s: row %u, column %u is %u, must be %u\n", what, i, j, number(is), must);
}

// Element (i, j) of the product of the part of A at row `first` and column `at` and that of B at row `at` and column
// `column`, `length` deep.
unsigned product(unsigned first, unsigned at, unsigned column, unsigned length, unsigned i, unsigned j) {
  unsigned sum = 0;
  for (unsigned k = 0; k < length; ++k) sum += of_a(first + i, at + k) * of_b(at + k, column + j);
  return sum;
}

void drive(Shared& shared) {
  const spica::Matrix<const Element> from_a{a, kRow}, from_b{b, kRow};
  const spica::Matrix<Element> to{c, kRow};
  spica::MatrixUnit unit;
  spica::Accumulator<Element, kM, kN> sums;

  // Two steps along k, the second pair loaded while the first is multiplied.
  auto loaded = unit.load(shared.a[0], from_a.at(3, 5), shared.b[0], from_b.at(5, 7));
  (void)unit.mma(sums, shared.a[0], shared.b[0], loaded);
  loaded = unit.load(shared.a[1], from_a.at(3, 5 + kK), shared.b[1], from_b.at(5 + kK, 7));
  (void)unit.mma(sums, shared.a[1], shared.b[1], loaded);
  unit.store(to.at(1, 2), sums).wait();
  for (unsigned i = 0; i < kM; ++i)
    for (unsigned j = 0; j < kN; ++j)
      expect("two steps", i, j, c[(1 + i) * kRow + 2 + j], product(3, 5, 7, 2 * kK, i, j));

  // Tiles one by one, the product into shared memory; a new product, so the old sums are gone.
  (void)unit.load(shared.a[0], from_a.at(0, 0));
  unit.load(shared.b[1], from_b.at(0, 9)).wait();
  (void)unit.mma(sums, shared.a[0], shared.b[1]);
  unit.store(shared.c, sums).wait();
  for (unsigned i = 0; i < kM; ++i)
    for (unsigned j = 0; j < kN; ++j) expect("shared", i, j, shared.c(i, j), product(0, 0, 9, kK, i, j));
  for (unsigned i = 0; i < kM; ++i)
    for (unsigned j = 0; j < kK; ++j) expect("tile", i, j, shared.a[0](i, j), of_a(i, j));

  // Memory as it lies, whole blocks and a rest; and again after loads of matrices with other rows.
  unit.copy_async(shared.line, line + 5, kLine).wait();
  for (unsigned i = 0; i < kLine; ++i) expect("line", 0, i, shared.line[i], (5 + i) % 1000);
  simt_fence();  // what was read is overwritten
  unit.copy_async(shared.line, line + 40, 3 * kDim).wait();
  for (unsigned i = 0; i < kLine; ++i)
    expect("short line", 0, i, shared.line[i], ((i < 3 * kDim ? 40 : 5) + i) % 1000);
}

void task(unsigned, void*) {
  Shared& shared = spica::shared<Shared>();
  spica::copy(spica::all_threads(), shared.copied, spica::Matrix<const Element>{a + 2 * kRow + 1, kRow});
  const unsigned driver = simt_hart() == 0;
  SIMT_IF(driver)
  drive(shared);
  SIMT_END_IF
  spica::barrier();
  spica::copy(spica::all_threads(), spica::Matrix<Element>{c + 100 * kRow, kRow}, shared.copied);
}

}  // namespace

int main() {
  for (unsigned i = simt_core(); i < kRows; i += simt_cores())
    for (unsigned j = 0; j < kRow; ++j) {
      a[i * kRow + j] = element(of_a(i, j));
      b[i * kRow + j] = element(of_b(i, j));
    }
  if (simt_core() == 0)
    for (unsigned i = 0; i < 1000; ++i) line[i] = element(i);
  simt_barrier(0, 1);
  spawn_tasks(spica::threads(), task, nullptr);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  for (unsigned i = 0; i < kM; ++i)
    for (unsigned j = 0; j < kN; ++j)
      expect("copied by threads", i, j, c[(100 + i) * kRow + j], of_a(2 + i, 1 + j));
  if (bad == 0) puts("right");
  return bad != 0 ? 1 : 0;
}
