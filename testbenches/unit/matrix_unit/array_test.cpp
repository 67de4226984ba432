// SPDX-License-Identifier: Apache-2.0
// The arithmetic against an independent scalar model, and the array's steps.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "models/base/host_dispatch.h"
#include "models/matrix_unit/array_kernels.h"
#include "models/matrix_unit/systolic_array.h"
#include "models/numeric/convert.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/exact_sums.h"

using namespace spica::matrix_unit;
using spica::base::Cycle;
using spica::base::HostCode;

namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Value of an FP16 number from its definition.
float half_value(std::uint16_t half) {
  const int exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31)
    value =
        fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  return static_cast<float>((half & 0x8000) != 0 ? -value : value);
}

/// Operand bits: mostly ordinary, with every kind of special value.
std::uint32_t operand(std::mt19937& random, OperandFormat format) {
  static constexpr std::uint32_t kSpecial32[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                                 0x7F800001, 1,          0x807FFFFF, 0x7F7FFFFF, 0x00800000};
  static constexpr std::uint32_t kSpecial16[] = {0,      0x8000, 0x7C00, 0xFC00, 0x7E00,
                                                 0x7C01, 1,      0x83FF, 0x7BFF, 0x0400};
  const bool special = random() % 64 == 0;
  if (format == OperandFormat::kFp16)
    return special ? kSpecial16[random() % 10] : static_cast<std::uint32_t>(random() & 0xBFFF);
  if (special) return kSpecial32[random() % 10];
  return static_cast<std::uint32_t>(
      random() % 4 == 0 ? random() : (random() & 0x807FFFFF) | (120 + random() % 14) << 23);
}

void check_kernels(unsigned dim, OperandFormat format, HostCode code) {
  const ArrayKernels& kernels = array_kernels(dim, code);
  const unsigned bytes = format == OperandFormat::kFp32 ? 4 : 2;
  std::mt19937 random(dim * 10 + bytes);
  unsigned wrong = 0, nans = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<unsigned char> a(dim * dim * bytes), b(a.size());
    std::vector<float> fa(dim * dim), fb(dim * dim), sums(dim * dim), got(dim * dim);
    for (unsigned i = 0; i < dim * dim; ++i) {
      const std::uint32_t x = operand(random, format), y = operand(random, format);
      std::memcpy(&a[i * bytes], &x, bytes);
      std::memcpy(&b[i * bytes], &y, bytes);
      fa[i] = bytes == 4 ? float_of(x) : half_value(static_cast<std::uint16_t>(x));
      fb[i] = bytes == 4 ? float_of(y) : half_value(static_cast<std::uint16_t>(y));
      sums[i] = float_of(operand(random, OperandFormat::kFp32));
    }
    std::vector<float> wide_a(dim * dim), wide_b(dim * dim);
    spica::numeric::decode(format, a.data(), dim * dim, wide_a.data(), code);
    spica::numeric::decode(format, b.data(), dim * dim, wide_b.data(), code);
    kernels.multiply(wide_a.data(), wide_b.data(), dim, got.data());
    std::vector<float> added = sums, set = sums;
    kernels.add(added.data(), got.data(), dim * dim);
    kernels.set(set.data(), got.data(), dim * dim);
    for (unsigned i = 0; i < dim; ++i)
      for (unsigned j = 0; j < dim; ++j) {
        float chain = 0;
        for (unsigned k = 0; k < dim; ++k) chain = std::fma(fa[i * dim + k], fb[k * dim + j], chain);
        const float total = sums[i * dim + j] + chain;
        const auto canonical = [](float v) { return std::isnan(v) ? 0x7FC00000u : bits_of(v); };
        wrong += bits_of(added[i * dim + j]) != canonical(total);
        wrong += bits_of(set[i * dim + j]) != canonical(chain);
        nans += std::isnan(total);
      }
  }
  INFO("dim " << dim << (bytes == 4 ? " fp32" : " fp16")
              << (code == HostCode::kAvx2 ? " avx2" : " baseline"));
  CHECK(wrong == 0);
  CHECK(nans > 0);  // the special values were there
}

UnitCommand preload(std::uint32_t row, std::uint16_t rows = 8) {
  UnitCommand c;
  c.kind = UnitCommand::Kind::kPreload;
  c.has_operand = true;
  c.operand_row = row;
  c.rows = rows;
  c.columns = 8;
  return c;
}
UnitCommand compute(std::uint32_t row, bool flip, std::uint32_t to, bool accumulate) {
  UnitCommand c = preload(row);
  c.kind = UnitCommand::Kind::kCompute;
  c.flip = flip;
  c.has_result = true;
  c.accumulator_row = to;
  c.accumulate = accumulate;
  c.result_rows = c.result_columns = 8;
  return c;
}

/// A memory behind both ports that reads a row per cycle, in the order of the requests. A row read in
/// cycle t is there in cycle t + latency.
class Memory {
 public:
  Memory(SystolicArray& array, Cycle latency) : array_(array), latency_(latency) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<float>(i % 11) - 4;
  }
  std::vector<float> words = std::vector<float>(64 * 8);
  unsigned rows[2] = {}, requests[2] = {};
  Cycle last_start[2] = {};

  /// Rows of `now`; true when there were some.
  bool deliver(Cycle now) {
    bool some = false;
    for (auto at = under_way_.begin(); at != under_way_.end();) {
      if (at->due != now) {
        ++at;
        continue;
      }
      const auto* data = reinterpret_cast<const unsigned char*>(&words[at->read.row * 8]);
      at->b ? array_.arrived_b(now, at->read.tag, at->read.rows, data)
            : array_.arrived_a(now, at->read.tag, at->read.rows, data);
      at = under_way_.erase(at);
      some = true;
    }
    return some;
  }
  void request(Cycle now) {
    SystolicArray::Read read;
    if (array_.next_a(now, read)) {
      array_.sent_a(now, read);
      note(false, now, read);
    }
    if (array_.next_b(now, read)) {
      array_.sent_b(now, read);
      note(true, now, read);
    }
  }

 private:
  struct UnderWay {
    bool b;
    SystolicArray::Read read;
    Cycle due;
  };
  void note(bool b, Cycle now, const SystolicArray::Read& read) {
    CHECK(read.bytes == read.rows * 32);
    rows[b] += read.rows;
    ++requests[b];
    last_start[b] = now;
    under_way_.push_back({b, read, now + read.rows - 1 + latency_});
  }
  SystolicArray& array_;
  Cycle latency_;
  std::vector<UnderWay> under_way_;
};

}  // namespace

TEST_CASE("block products are bit exact on random and special values, baseline code") {
  for (const unsigned dim : {4u, 8u, 16u})
    for (const OperandFormat format : {OperandFormat::kFp32, OperandFormat::kFp16})
      check_kernels(dim, format, HostCode::kBaseline);
}

TEST_CASE("block products are bit exact on random and special values, AVX2 code") {
  if (!spica::base::host_runs(HostCode::kAvx2)) return;
  for (const unsigned dim : {4u, 8u, 16u})
    for (const OperandFormat format : {OperandFormat::kFp32, OperandFormat::kFp16})
      check_kernels(dim, format, HostCode::kAvx2);
}

TEST_CASE("a compute overlaps the preload after it and takes DIM steps") {
  MatrixUnitParams p;
  SystolicArray array(p);
  Accumulator sums(p);
  Memory memory(array, 1);
  std::vector<unsigned> done;
  array.push(preload(0), 1);
  array.push(compute(8, true, 0, false), 2);
  array.push(preload(16), 3);
  array.push(compute(24, true, 0, true), 4);
  unsigned computing = 0, preloading = 0;
  Cycle last_step = 0, last_drain = 0;
  for (Cycle now = 0; now < 100; ++now) {
    memory.deliver(now);
    if (array.drain(now, sums, done) != 0) last_drain = now;
    const auto finished = array.finish_pass(now, done);
    if (finished.step == SystolicArray::Step::kCompute) computing += finished.steps;
    if (finished.step == SystolicArray::Step::kPreload) preloading += finished.steps;
    if (finished.steps != 0) last_step = now;
    array.start_pass(now);
    memory.request(now);
  }
  CHECK(array.idle());
  CHECK(memory.rows[0] == 16);
  CHECK(memory.rows[1] == 16);
  CHECK(memory.requests[0] == 2);  // a block in one burst
  CHECK(memory.requests[1] == 2);
  CHECK(preloading == 8);
  CHECK(computing == 16);
  CHECK(last_step == 24);  // rows read in cycle t enter in t + 1
  CHECK(last_drain == last_step + p.array_latency());
  CHECK(done == std::vector<unsigned>{1, 3, 2, 4});
  unsigned wrong = 0;
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 0; j < 8; ++j) {
      float first = 0, second = 0;
      for (unsigned k = 0; k < 8; ++k) {
        first = std::fma(memory.words[(8 + i) * 8 + k], memory.words[k * 8 + j], first);
        second = std::fma(memory.words[(24 + i) * 8 + k], memory.words[(16 + k) * 8 + j], second);
      }
      wrong += sums.row(i)[j] != first + second;
    }
  CHECK(wrong == 0);
}

TEST_CASE("calls in the cycles of next_event alone give the same steps as calls in every cycle") {
  for (const Cycle latency : {1u, 4u, 9u, 20u})
    for (const std::uint64_t ahead : {1u, 5u, 16u, 64u}) {
      std::vector<std::vector<Cycle>> ends;
      for (const bool every : {true, false}) {
        MatrixUnitParams p;
        p.operand_rows = ahead;
        SystolicArray array(p);
        Accumulator sums(p);
        Memory memory(array, latency);
        std::vector<unsigned> done;
        for (unsigned block = 0; block < 3; ++block) {
          array.push(preload(16 * block), 2 * block);
          array.push(compute(16 * block + 8, true, 0, block != 0), 2 * block + 1);
        }
        auto& list = ends.emplace_back();
        Cycle due = 0;
        for (Cycle now = 0; now < 2000; ++now) {
          // Rows that arrive make a call of their own.
          if (!memory.deliver(now) && !every && now != due) continue;
          array.drain(now, sums, done);
          if (array.finish_pass(now, done).steps != 0) list.push_back(now);
          array.start_pass(now);
          memory.request(now);
          due = array.next_event(now);
        }
        CHECK(array.idle());
      }
      INFO("latency " << latency << ", rows ahead " << ahead);
      CHECK(ends[0].size() == 4);
      CHECK(ends[0] == ends[1]);
    }
}

TEST_CASE("a block whose rows have not arrived holds both operands up") {
  MatrixUnitParams p;
  SystolicArray array(p);
  std::vector<unsigned> done;
  const std::vector<unsigned char> rows(8 * 32);
  array.push(compute(8, false, 0, false), 1);
  array.push(preload(0), 2);
  array.start_pass(0);
  SystolicArray::Read a, b;
  REQUIRE(array.next_a(0, a));
  array.sent_a(0, a);
  REQUIRE(array.next_b(0, b));
  array.sent_b(0, b);
  CHECK(a.rows == 8);
  CHECK(array.next_event(8) == spica::base::kNever);
  array.arrived_a(9, a.tag, a.rows, rows.data());
  CHECK(array.finish_pass(9, done).steps == 0);
  CHECK(array.next_event(9) == spica::base::kNever);
  array.arrived_b(12, b.tag, b.rows, rows.data());
  const auto finished = array.finish_pass(12, done);
  CHECK(finished.step == SystolicArray::Step::kCompute);
  CHECK(finished.steps == 8);
  CHECK(array.next_drain() == 12 + p.array_latency());
}

TEST_CASE("single rows may arrive in any order and enter in theirs") {
  MatrixUnitParams p;
  p.operand_rows = 4;  // too few for bursts
  SystolicArray array(p);
  std::vector<unsigned> done;
  const float row[8] = {};
  array.push(preload(0, 2), 1);  // two rows, the others are zero and need no data
  array.start_pass(0);
  SystolicArray::Read first, second;
  REQUIRE(array.next_b(0, first));
  CHECK(first.rows == 1);
  array.sent_b(0, first);
  CHECK_FALSE(array.next_b(0, second));  // one row per cycle
  REQUIRE(array.next_b(1, second));
  array.sent_b(1, second);
  array.arrived_b(5, second.tag, 1, reinterpret_cast<const unsigned char*>(row));
  CHECK(array.next_event(5) == spica::base::kNever);
  array.arrived_b(7, first.tag, 1, reinterpret_cast<const unsigned char*>(row));
  CHECK(array.next_event(7) == 7 + p.dim - 1);
  CHECK(array.finish_pass(7 + p.dim - 2, done).steps == 0);
  CHECK(array.finish_pass(7 + p.dim - 1, done).step == SystolicArray::Step::kPreload);
  CHECK(done == std::vector<unsigned>{1});
}

TEST_CASE("reads run at most operand_rows ahead of the array") {
  MatrixUnitParams p;
  p.operand_rows = 5;
  SystolicArray array(p);
  array.push(preload(0), 1);
  array.start_pass(0);
  SystolicArray::Read read;
  Cycle now = 0;
  for (; array.next_b(now, read); ++now) array.sent_b(now, read);
  CHECK(now == 5);
}

TEST_CASE("bursts stand for a read in each cycle and stop at operand_rows too") {
  MatrixUnitParams p;
  p.operand_rows = 20;
  SystolicArray array(p);
  for (unsigned i = 0; i < 3; ++i) array.push(compute(8 * i, false, 0, false), i);
  std::vector<std::pair<Cycle, unsigned>> bursts;
  SystolicArray::Read read;
  for (Cycle now = 0; now < 40; ++now) {
    array.start_pass(now);
    if (!array.next_a(now, read)) continue;
    array.sent_a(now, read);
    bursts.push_back({now, read.rows});
  }
  CHECK(bursts == std::vector<std::pair<Cycle, unsigned>>{{0, 8}, {8, 8}, {16, 4}});
}

TEST_CASE("chains of products of every format are rounded as rationals say, on every kind of host") {
  namespace exact = spica::numeric::exact;
  constexpr unsigned kDim = 8, kDepth = 12;
  std::mt19937 random(6);
  for (const auto& choice : kOperandFormats.items) {
    for (unsigned round = 0; round < 6; ++round) {
      std::vector<float> a(kDim * kDepth), b(kDepth * kDim), out(kDim * kDim);
      for (float& value : a) value = exact::random_number(choice.value, random, round % 2 != 0);
      for (float& value : b) value = exact::random_number(choice.value, random, round % 2 != 0);
      for (const HostCode code : {HostCode::kBaseline, HostCode::kAvx2}) {
        if (!spica::base::host_runs(code)) continue;
        array_kernels(kDim, code).multiply(a.data(), b.data(), kDepth, out.data());
        unsigned wrong = 0;
        for (unsigned i = 0; i < kDim; ++i)
          for (unsigned j = 0; j < kDim; ++j) {
            float sum = 0;
            for (unsigned k = 0; k < kDepth; ++k)
              sum = exact::multiply_add(a[i * kDepth + k], b[k * kDim + j], sum);
            const float is = out[i * kDim + j];
            wrong += std::isnan(sum) ? !std::isnan(is) : bits_of(is) != bits_of(sum);
          }
        CAPTURE(choice.name, round);
        CHECK(wrong == 0);
      }
    }
  }
}
