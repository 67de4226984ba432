// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/operation.h"

#include "testbenches/support/catch.h"
#include "testbenches/unit/tensor_core/operation_of_form.h"

using namespace spica::tensor_core::warp_mma;

namespace {

using Ends = std::vector<unsigned>;

unsigned rows_read(const Operation& operation) {
  unsigned rows = 0;
  for (unsigned step = 0; step < operation.steps(); ++step) rows += operation.rows_read(step);
  return rows;
}

}  // namespace

TEST_CASE("the steps of one warp alone end when those of Volta do (raihan figure 5)") {
  for (unsigned layout = 0; layout < 4; ++layout) {
    CHECK(find_operation(Generation::kVolta, layout)->ends() ==
          Ends{10, 12, 14, 18, 20, 22, 24, 28, 30, 32, 34, 38, 40, 42, 44, 54});
    CHECK(find_operation(Generation::kVolta, 4 + layout)->ends() == Ends{12, 21, 25, 34, 38, 47, 51, 64});
  }
}

TEST_CASE("the steps of one warp alone end when those of Turing do (raihan table I)") {
  const auto ends = [](unsigned form) { return find_operation(Generation::kTuring, form)->ends(); };
  CHECK(ends(0) == Ends{42, 56, 78, 99});
  CHECK(ends(4) == Ends{44, 52, 60, 74});
  CHECK(ends(12) == Ends{40, 44, 47, 59});
  CHECK(ends(8) == Ends{48, 60, 81, 104});
  CHECK(ends(10) == Ends{44, 52, 60, 74});
  CHECK(ends(16) == Ends{52, 55, 59, 73});
  CHECK(ends(9) == Ends{42, 56, 77, 99});
  CHECK(ends(11) == Ends{42, 50, 58, 72});
  CHECK(ends(18) == Ends{38, 42, 46, 56});
  CHECK(ends(14) == Ends{230});
}

TEST_CASE("an operation of Ampere takes its published latency, one of 16x16x16 two steps") {
  const auto ends = [](unsigned form) { return find_operation(Generation::kAmpere, form)->ends(); };
  CHECK(ends(20) == Ends{25});
  CHECK(ends(21) == Ends{24});
  CHECK(ends(22) == Ends{18});
  CHECK(ends(23) == Ends{18});
  CHECK(ends(0) == Ends{8, 33});
}

TEST_CASE(
    "a step takes the ways from the register file: on Volta as long as the tensor core, later by its operands") {
  const auto operands = [](Generation style, unsigned form) {
    return find_operation(style, form)->timing.operands;
  };
  CHECK(operands(Generation::kVolta, 0) == 2);
  CHECK(operands(Generation::kVolta, 4) == 4);
  CHECK(operands(Generation::kTuring, 0) == 4);
  for (const unsigned form : {4, 12}) CHECK(operands(Generation::kTuring, form) == 2);
  CHECK(operands(Generation::kAmpere, 20) == 4);
}

TEST_CASE("Volta reads 48 register rows for FP32 accumulators and 32 for FP16, and writes 32 and 16") {
  for (unsigned layouts = 0; layouts < 4; ++layouts) {
    CAPTURE(layouts);
    const Operation& fp32 = *find_operation(Generation::kVolta, layouts);
    CHECK(rows_read(fp32) == 48);
    CHECK(fp32.rows_written() * fp32.steps() == 32);
    CHECK(fp32.rows_read(0) == 6);
    CHECK(fp32.rows_read(1) == 2);
    const Operation& fp16 = *find_operation(Generation::kVolta, 4 + layouts);
    CHECK(rows_read(fp16) == 32);
    CHECK(fp16.rows_written() * fp16.steps() == 16);
  }
}

TEST_CASE("a set of Turing reads two rows of A, one of B and its accumulators") {
  CHECK(find_operation(Generation::kTuring, 0)->rows_read(2) == 2 + 1 + 4);
  CHECK(find_operation(Generation::kTuring, 4)->rows_read(2) == 2 + 1 + 2);
  CHECK(find_operation(Generation::kTuring, 12)->rows_read(1) == 1 + 1 + 2);
}

TEST_CASE("steps of one operation keep the tensor core as long as its throughput says") {
  // 4096 multiply-adds: 128 per cycle on Volta, 128 (FP32 accumulators: 64) and for 8 bits 256 on Turing.
  const auto busy = [](Generation style, unsigned form) {
    const Operation& operation = *find_operation(style, form);
    return operation.steps() * operation.timing.interval;
  };
  for (const unsigned form : {0, 4}) CHECK(busy(Generation::kVolta, form) == 32);
  for (const unsigned form : {4, 10, 11}) CHECK(busy(Generation::kTuring, form) == 32);
  for (const unsigned form : {0, 8, 9}) CHECK(busy(Generation::kTuring, form) == 64);
  for (const unsigned form : {12, 13, 16, 17, 18, 19}) CHECK(busy(Generation::kTuring, form) == 16);
  // 256 on Ampere: 4096, 2048 and 1024 multiply-adds.
  for (const unsigned form : {0, 4}) CHECK(busy(Generation::kAmpere, form) == 16);
  for (const unsigned form : {20, 21}) CHECK(busy(Generation::kAmpere, form) == 8);
  for (const unsigned form : {22, 23}) CHECK(busy(Generation::kAmpere, form) == 4);
  // 256 of BF16, 128 of TF32, 512 of 8 bits, 1024 of 4 bits (sun table 3).
  const auto rate = [&](unsigned form) {
    return find_operation(Generation::kAmpere, form)->macs() / busy(Generation::kAmpere, form);
  };
  for (const unsigned form : {24, 30}) CHECK(rate(form) == 256);
  for (const unsigned form : {25, 31}) CHECK(rate(form) == 128);
  for (const unsigned form : {12, 13, 26, 27}) CHECK(rate(form) == 512);
  for (const unsigned form : {28, 29}) CHECK(rate(form) == 1024);
  // FP8 and FP6 as integers of 8 bits, FP4 as those of 4.
  for (const unsigned form : {32, 33, 34, 35, 36, 37, 38, 39}) CHECK(rate(form) == 512);
  for (const unsigned form : {40, 41}) CHECK(rate(form) == 1024);
  for (const unsigned form : {42, 43, 44, 45}) CHECK(rate(form) == 512);
  for (const unsigned form : {46, 47}) CHECK(rate(form) == 1024);
}

TEST_CASE(
    "narrow floating-point operands lie and take time as integers of their width, sums as those of FP16") {
  const auto operation = [](unsigned form) -> const Operation& {
    return *find_operation(Generation::kAmpere, form);
  };
  for (unsigned form = spica::isa::kFirstNarrowForm; form < spica::isa::kMmaFormCount; ++form) {
    CAPTURE(form);
    const Operation& one = operation(form);
    const Operation& integers = operation(one.shape().k == 32 ? 26 : 28);
    const bool is_single = one.shape().accumulate == spica::numeric::Format::kFp32;
    const Operation& halves = operation(is_single ? 0 : 4);
    CHECK(one.has_scales() == (form >= 42));
    for (unsigned step = 0; is_single && step < one.steps(); ++step)  // a row of scales of A, and one of B
      CHECK(one.rows_read(step) == integers.rows_read(step) + (one.has_scales() ? 2 : 0));
    CHECK(one.a_registers() == integers.a_registers());
    CHECK(one.b_registers() == integers.b_registers());
    CHECK(one.c_registers() == halves.c_registers());
    CHECK(one.ends() == (is_single ? integers : halves).ends());
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned x = 0; x < one.a.elements(); ++x)
        CHECK(one.a.place(lane, x) == integers.a.place(lane, x));
      for (unsigned x = 0; x < one.b.elements(); ++x)
        CHECK(one.b.place(lane, x) == integers.b.place(lane, x));
      for (unsigned x = 0; x < one.c.elements(); ++x) CHECK(one.c.place(lane, x) == halves.c.place(lane, x));
    }
  }
}

TEST_CASE("the largest square of a format is the one with most elements of k") {
  using spica::numeric::Format;
  const auto depth = [](Generation style, Format format) {
    const Operation* const operation = square_operation(style, format);
    return operation == nullptr ? 0u : unsigned{operation->shape().k};
  };
  CHECK(depth(Generation::kVolta, Format::kFp16) == 16);
  CHECK(depth(Generation::kVolta, Format::kBf16) == 0);
  CHECK(depth(Generation::kTuring, Format::kInt8) == 16);
  CHECK(depth(Generation::kTuring, Format::kInt4) == 0);  // 8x8x32 alone
  CHECK(depth(Generation::kAmpere, Format::kBf16) == 16);
  CHECK(depth(Generation::kAmpere, Format::kTf32) == 8);
  CHECK(depth(Generation::kAmpere, Format::kInt8) == 32);
  CHECK(depth(Generation::kAmpere, Format::kInt4) == 64);
  for (const Format format : {Format::kE4m3, Format::kE5m2, Format::kE3m2, Format::kE2m3}) {
    CHECK(depth(Generation::kAmpere, format) == 32);
    CHECK(depth(Generation::kTuring, format) == 0);
    CHECK(square_operation(Generation::kAmpere, format, 16)->shape().k == 32);
  }
  CHECK(depth(Generation::kAmpere, Format::kE2m1) == 64);
  CHECK(square_operation(Generation::kAmpere, Format::kBf16, 16) == nullptr);
}

TEST_CASE("a form that a tensor core does not have is not found") {
  CHECK(find_operation(Generation::kVolta, 8) == nullptr);
  CHECK(find_operation(Generation::kVolta, 12) == nullptr);
  CHECK(find_operation(Generation::kTuring, 20) == nullptr);
  CHECK(operations(Generation::kVolta).size() == 8);
  CHECK(operations(Generation::kTuring).size() == 20);
  CHECK(find_operation(Generation::kAmpere, 14) == nullptr);
  CHECK(operations(Generation::kAmpere).size() == 38);
}
