// SPDX-License-Identifier: Apache-2.0
// <spica/matrix.h>: matrices that the DMA converts and transposes as it loads them, in pairs and one by one, between
// loads of matrices as they are. Numbers that every format has, so that all is exact. Compiled for FP32 and for FP16.
// Exit code 1 and a line for what is wrong.
#include <number_formats.h>
#include <spawn.h>
#include <spica/matrix.h>
#include <stdio.h>

namespace {

#if MATRIX_UNIT_ELEMENT_BYTES == 2
using Element = spica::half;
using Other = float;
Element element(int x) { return {static_cast<uint16_t>(float_to_fp16_bits(static_cast<float>(x)))}; }
float number(Element x) { return fp16_bits_to_float(x.bits); }
Other other(int x) { return static_cast<float>(x); }
#else
using Element = float;
using Other = spica::half;
Element element(int x) { return static_cast<float>(x); }
float number(Element x) { return x; }
Other other(int x) { return {static_cast<uint16_t>(float_to_fp16_bits(static_cast<float>(x)))}; }
#endif

constexpr unsigned kDim = MATRIX_UNIT_DIM, kM = 2 * kDim, kN = 4 * kDim, kK = 3 * kDim, kRow = 100;
Element plain[kRow * kRow], c[kM * kN];
Other others[kRow * kRow];
int8_t bytes[kRow * kRow];
spica::bf16 brain[kRow * kRow];
spica::fp8_e4m3 narrow[kRow * kRow];

struct Shared {
  spica::Tile<Element, kM, kK> a;
  spica::Tile<Element, kK, kN> b;
};
unsigned bad;

int value(unsigned i, unsigned j) { return static_cast<int>((3 * i + 5 * j) % 7) - 3; }

void expect(const char* what, unsigned i, unsigned j, Element is, float must) {
  if (number(is) == must) return;
  if (bad++ < 5)
    printf("%s: row %u, column %u is %d hundredths, must be %d\n", what, i, j,
           static_cast<int>(100 * number(is)), static_cast<int>(100 * must));
}

template <unsigned rows, unsigned columns, class Must>
void expect_tile(const char* what, spica::Tile<Element, rows, columns>& tile, Must must) {
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < columns; ++j) expect(what, i, j, tile(i, j), must(i, j));
  simt_fence();  // what was read is overwritten
}
auto times(float scale, unsigned row, unsigned column) {
  return [=](unsigned i, unsigned j) { return scale * static_cast<float>(value(row + i, column + j)); };
}
auto turned(float scale, unsigned row, unsigned column) {
  return [=](unsigned i, unsigned j) { return scale * static_cast<float>(value(row + j, column + i)); };
}

void drive(Shared& s) {
  const spica::Matrix<const Element> as_it_is{plain, kRow};
  const spica::Matrix<const int8_t> int8{bytes, kRow};
  const spica::Matrix<const spica::fp8_e4m3> fp8{narrow, kRow};
  const spica::Matrix<const spica::bf16> bf16{brain, kRow};
  const spica::Matrix<const Other> wide{others, kRow};
  spica::MatrixUnit unit;

  unit.load(s.a, as_it_is.at(1, 2), s.b, spica::scaled(int8.at(3, 4), 0.5f)).wait();
  expect_tile("A beside int8", s.a, times(1, 1, 2));
  expect_tile("int8", s.b, times(0.5f, 3, 4));
  unit.load(s.a, spica::transposed(as_it_is.at(6, 5)), s.b, fp8.at(7, 8)).wait();
  expect_tile("transposed A", s.a, turned(1, 6, 5));
  expect_tile("fp8", s.b, times(1, 7, 8));
  unit.load(s.a, as_it_is.at(0, 1), s.b, as_it_is.at(2, 3)).wait();
  expect_tile("A as it is", s.a, times(1, 0, 1));
  expect_tile("B as it is", s.b, times(1, 2, 3));

  (void)unit.load(s.b, spica::transposed(spica::scaled(wide.at(4, 9), 2.0f)));
  unit.load(s.a, bf16.at(9, 4)).wait();
  expect_tile("one of another format, transposed", s.b, turned(2, 4, 9));
  expect_tile("bf16", s.a, times(1, 9, 4));
  unit.load(s.a, as_it_is.at(8, 8)).wait();
  expect_tile("one as it is", s.a, times(1, 8, 8));

  // Loads of the same form do not tell it again; a product of what they brought.
  spica::Accumulator<Element, kM, kN> sums;
  for (unsigned k = 0; k < 2 * kK; k += kK) {
    auto loaded = unit.load(s.a, as_it_is.at(0, k), s.b, spica::scaled(int8.at(k, 0), 0.25f));
    unit.mma(sums, s.a, s.b, loaded).wait();
  }
  unit.store(spica::Matrix<Element>{c, kN}, sums).wait();
  for (unsigned i = 0; i < kM; ++i)
    for (unsigned j = 0; j < kN; ++j) {
      int sum = 0;
      for (unsigned k = 0; k < 2 * kK; ++k) sum += value(i, k) * value(k, j);
      expect("product", i, j, c[i * kN + j], 0.25f * static_cast<float>(sum));
    }
}

void task(unsigned, void*) { drive(spica::shared<Shared>()); }

}  // namespace

int main() {
  if (simt_core() != 0) return 0;
  for (unsigned i = 0; i < kRow; ++i)
    for (unsigned j = 0; j < kRow; ++j) {
      const unsigned at = i * kRow + j;
      const float x = static_cast<float>(value(i, j));
      plain[at] = element(value(i, j));
      others[at] = other(value(i, j));
      bytes[at] = static_cast<int8_t>(value(i, j));
      brain[at] = {static_cast<uint16_t>(float_to_bf16_bits(x))};
      narrow[at] = {static_cast<uint8_t>(float_to_fp8_e4m3_bits(x))};
    }
  simt_fence();
  spawn_tasks(1, task, nullptr);
  if (bad == 0) puts("right");
  return bad != 0 ? 1 : 0;
}
