// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/operation.h"

#include <algorithm>

namespace spica::tensor_core::warp_mma {

namespace {

using Code = unsigned;
// Rows of isa::kMmaForms.
constexpr Code kSquareFp32 = 0, kSquareFp16 = 4, kTallFp32 = 8, kWideFp32 = 9, kTallFp16 = 10, kWideFp16 = 11;
constexpr Code kSquareInt8 = 12, kSmallInt4 = 14, kTallInt8 = 16, kWideInt8 = 18;
constexpr Code kDeepFp32 = 20, kDeepFp16 = 21, kFlatFp32 = 22, kFlatFp16 = 23;
constexpr Code kSquareBf16 = 24, kSquareTf32 = 25, kDoubleInt8 = 26, kDoubleInt4 = 28, kDeepBf16 = 30,
               kFlatTf32 = 31;
constexpr Code kNarrow = isa::kFirstNarrowForm, kFp4 = 40;  // of each format: FP32 sums, then FP16 sums
constexpr Code kScaled = 42, kScaledFp4 = 46;

/// Volta (raihan figure 5 and table II; cutlass include/cute/atom/mma_traits_sm70.hpp): threadgroup g = lane / 4;
/// threadgroups X and X + 4 work on one 8x8 block of D and hold the rows of A and the columns of B that it needs, so
/// that each element of A and B is held twice.
std::vector<Operation> volta() {
  const FragmentMap a_rows("l0 l1 l4 l2", "x0 x1 x2 x3"), a_columns("x0 x1 l4 l2", "l0 l1 x2 x3");
  const FragmentMap b_rows("l0 l1 x2 x3", "x0 x1 l4 l3"), b_columns("x0 x1 x2 x3", "l0 l1 l4 l3");
  const FragmentMap c_fp32("l0 x1 l4 l2", "x0 l1 x2 l3"), c_fp16("l0 l1 l4 l2", "x0 x1 x2 l3");
  std::vector<Operation> all;
  for (Code layout = 0; layout < 4; ++layout) {
    const FragmentMap& a = (layout & 1) != 0 ? a_columns : a_rows;
    const FragmentMap& b = (layout & 2) != 0 ? b_columns : b_rows;
    all.push_back({kSquareFp32 + layout, a, b, c_fp32, 4, 2, {8, 2, 10, {}, 2}, true});
    all.push_back({kSquareFp16 + layout, a, b, c_fp16, 4, 4, {8, 4, 13, {}, 4}, true});
  }
  return all;
}

/// Volta's fragments; an operation is one step, whose times the parameters say. Sums of four products, as Volta's.
std::vector<Operation> block() {
  std::vector<Operation> all = volta();
  for (Operation& operation : all) {
    operation.terms = 16;
    operation.part_elements = 8;
    operation.timing = {0, 64, 64, {}, 0};
    operation.reuses_operands = false;
  }
  return all;
}

/// Turing (raihan section III, figures 7 and 8, table I; cutlass include/cute/atom/mma_traits_sm75.hpp): the map does
/// not depend on the layout in memory. The order of the atoms of the shapes that no source shows is a choice.
std::vector<Operation> turing() {
  const FragmentMap a16("l2 l3 l4 x1", "x0 l0 l1 x2"), b16("x0 l0 l1 x1", "l2 l3 l4 x2");
  const FragmentMap c16("l2 l3 l4 x1", "x0 l0 l1 x2");
  const FragmentMap a32("l2 l3 l4 x1 x3", "x0 l0 l1 x2"), b8("x0 l0 l1 x1", "l2 l3 l4");
  const FragmentMap c32("l2 l3 l4 x1 x2", "x0 l0 l1");
  const FragmentMap a8("l2 l3 l4", "x0 l0 l1 x1"), b32("x0 l0 l1 x2", "l2 l3 l4 x1 x3");
  const FragmentMap c8("x0 l0 l1", "l2 l3 l4 x1 x2");
  constexpr unsigned kHalfRate = 16, kRate = 8, kInt8Rate = 4;
  std::vector<Operation> all;
  for (Code layout = 0; layout < 4; ++layout) {
    all.push_back({kSquareFp32 + layout, a16, b16, c16, 8, 4, {8, kHalfRate, 0, {42, 56, 78, 99}, 4}});
    all.push_back({kSquareFp16 + layout, a16, b16, c16, 8, 4, {8, kRate, 0, {44, 52, 60, 74}, 2}});
  }
  all.push_back({kTallFp32, a32, b8, c32, 8, 4, {8, kHalfRate, 0, {48, 60, 81, 104}, 4}});
  all.push_back({kTallFp16, a32, b8, c32, 8, 4, {8, kRate, 0, {44, 52, 60, 74}, 2}});
  all.push_back({kWideFp32, a8, b32, c8, 8, 4, {8, kHalfRate, 0, {42, 56, 77, 99}, 4}});
  all.push_back({kWideFp16, a8, b32, c8, 8, 4, {8, kRate, 0, {42, 50, 58, 72}, 2}});
  for (Code is_unsigned = 0; is_unsigned < 2; ++is_unsigned) {
    const FragmentMap a_int8("l2 l3 l4 x2", "x0 x1 l0 l1"), b_int8("x0 x1 l0 l1", "l2 l3 l4 x2");
    const Timing timing{8, kInt8Rate, 0, {40, 44, 47, 59}, 2};
    all.push_back({kSquareInt8 + is_unsigned, a_int8, b_int8, c16, 16, 2, timing});
    all.push_back({kTallInt8 + is_unsigned,
                   {"l2 l3 l4 x2 x3", "x0 x1 l0 l1"},
                   {"x0 x1 l0 l1", "l2 l3 l4"},
                   {"l2 l3 l4 x1 x2", "x0 l0 l1"},
                   16,
                   2,
                   {8, kInt8Rate, 0, {52, 55, 59, 73}, 2}});
    all.push_back({kWideInt8 + is_unsigned,
                   {"l2 l3 l4", "x0 x1 l0 l1"},
                   {"x0 x1 l0 l1", "l2 l3 l4 x2 x3"},
                   {"l2 l3 l4", "x0 l0 l1 x1 x2"},
                   16,
                   2,
                   {8, kInt8Rate, 0, {38, 42, 46, 56}, 2}});
    all.push_back({kSmallInt4 + is_unsigned,
                   {"l2 l3 l4", "x0 x1 x2 l0 l1"},
                   {"x0 x1 x2 l0 l1", "l2 l3 l4"},
                   {"l2 l3 l4", "x0 l0 l1"},
                   32,
                   2,
                   {8, kInt8Rate, 0, {230}, 2}});
  }
  return all;
}

/// Ampere (sun table 3: time; mma-sim nv.py: sums of eight products; cutlass include/cute/atom/mma_traits_sm80.hpp): an
/// operation is one step, one of 16x16x16 two (HMMA.16816, one for each half of n; sun section 2.2). The measured
/// latencies, 17.7 to 24.7 cycles, have the start in them. How long a step takes the ways from the register file is a
/// choice: as long as its widest operand needs.
///
/// Formats (ptx 9.7.14, tables of shapes and fragments of mma): a word of a register holds one TF32, two BF16, four
/// 8-bit or eight 4-bit elements along k where it holds two of FP16; everything else, time among it, is the same for
/// the same words (sun table 3). 16x16x32 and 16x16x64 of integers are two instructions of 16x8, as 16x16x16 of FP16
/// is. FP8, FP6 and FP4, which an A100 lacks, lie and take time as integers of the same width,
/// with block scales or without.
std::vector<Operation> ampere() {
  const FragmentMap a16("l2 l3 l4 x1", "x0 l0 l1 x2"), b16("x0 l0 l1 x1", "l2 l3 l4");
  const FragmentMap a8("l2 l3 l4 x1", "x0 l0 l1"), b8("x0 l0 l1", "l2 l3 l4");
  const FragmentMap c("l2 l3 l4 x1", "x0 l0 l1");
  const FragmentMap b_square("x0 l0 l1 x1", "l2 l3 l4 x2"), c_square("l2 l3 l4 x1", "x0 l0 l1 x2");
  std::vector<Operation> all;
  for (Code layout = 0; layout < 4; ++layout) {
    all.push_back({kSquareFp32 + layout, a16, b_square, c_square, 16, 4, {0, 8, 25, {}, 4}});
    all.push_back({kSquareFp16 + layout, a16, b_square, c_square, 16, 4, {0, 8, 24, {}, 4}});
  }
  const std::vector<Operation> single = {{kDeepFp32, a16, b16, c, 16, 4, {0, 8, 25, {}, 4}},
                                         {kDeepFp16, a16, b16, c, 16, 4, {0, 8, 24, {}, 4}},
                                         {kFlatFp32, a8, b8, c, 8, 4, {0, 4, 18, {}, 4}},
                                         {kFlatFp16, a8, b8, c, 8, 4, {0, 4, 18, {}, 2}}};
  all.insert(all.end(), single.begin(), single.end());
  const FragmentMap a_tf32("l2 l3 l4 x0", "l0 l1 x1"), b_tf32("l0 l1 x0", "l2 l3 l4");
  const FragmentMap b_tf32_square("l0 l1 x0", "l2 l3 l4 x1");
  all.push_back({kSquareBf16, a16, b_square, c_square, 16, 4, {0, 8, 25, {}, 4}});
  all.push_back({kSquareTf32, a_tf32, b_tf32_square, c_square, 8, 4, {0, 8, 25, {}, 4}});
  all.push_back({kDeepBf16, a16, b16, c, 16, 4, {0, 8, 25, {}, 4}});
  all.push_back({kFlatTf32, a_tf32, b_tf32, c, 8, 4, {0, 8, 25, {}, 4}});
  const FragmentMap a_int8("l2 l3 l4 x2", "x0 x1 l0 l1"), b_int8("x0 x1 l0 l1", "l2 l3 l4 x2");
  const FragmentMap a_deep("l2 l3 l4 x2", "x0 x1 l0 l1 x3"), b_deep("x0 x1 l0 l1 x2", "l2 l3 l4 x3");
  const FragmentMap a_int4("l2 l3 l4 x3", "x0 x1 x2 l0 l1 x4"), b_int4("x0 x1 x2 l0 l1 x3", "l2 l3 l4 x4");
  for (Code is_unsigned = 0; is_unsigned < 2; ++is_unsigned) {
    all.push_back({kSquareInt8 + is_unsigned, a_int8, b_int8, c_square, 16, 4, {0, 4, 18, {}, 2}});
    all.push_back({kDoubleInt8 + is_unsigned, a_deep, b_deep, c_square, 32, 4, {0, 8, 25, {}, 4}});
    all.push_back({kDoubleInt4 + is_unsigned, a_int4, b_int4, c_square, 64, 4, {0, 8, 25, {}, 4}});
  }
  for (Code form = kNarrow; form < kFp4; ++form)
    all.push_back({form, a_deep, b_deep, c_square, 32, 4, {0, 8, form % 2 == 0 ? 25u : 24u, {}, 4}});
  all.push_back({kFp4, a_int4, b_int4, c_square, 64, 4, {0, 8, 25, {}, 4}});
  all.push_back({kFp4 + 1, a_int4, b_int4, c_square, 64, 4, {0, 8, 24, {}, 4}});
  for (Code form = kScaled; form < kScaledFp4; ++form)
    all.push_back({form, a_deep, b_deep, c_square, 32, 4, {0, 8, 25, {}, 4}});
  for (Code form = kScaledFp4; form < isa::kMmaFormCount; ++form)
    all.push_back({form, a_int4, b_int4, c_square, 64, 4, {0, 8, 25, {}, 4}});
  return all;
}

}  // namespace

const std::vector<Operation>& operations(Generation style) {
  static const auto counted = [](std::vector<Operation> all) {
    for (auto one = all.begin(); one != all.end(); ++one) {
      const auto like =
          std::find_if(all.begin(), one, [&one](const Operation& i) { return one->counts_as(i); });
      if (like == one) one->count();
      else one->counts = like->counts;
    }
    return all;
  };
  switch (style) {
    case Generation::kVolta: {
      static const std::vector<Operation> all = counted(volta());
      return all;
    }
    case Generation::kTuring: {
      static const std::vector<Operation> all = counted(turing());
      return all;
    }
    case Generation::kBlock: {
      static const std::vector<Operation> all = counted(block());
      return all;
    }
    case Generation::kAmpere: break;
  }
  static const std::vector<Operation> all = counted(ampere());
  return all;
}

const Operation* square_operation(Generation style, numeric::Format operand, unsigned sum_bits,
                                  numeric::ScaleFormat scale) {
  const Operation* found = nullptr;
  for (const Operation& one : operations(style)) {
    const isa::MmaForm& form = one.shape();
    const bool is_square = form.m == 16 && form.n == 16 && !form.a_column_major && form.b_column_major;
    if (form.operand == operand && form.scale == scale && is_square &&
        numeric::bits(form.accumulate) == sum_bits && (found == nullptr || form.k > found->shape().k))
      found = &one;
  }
  return found;
}

}  // namespace spica::tensor_core::warp_mma
