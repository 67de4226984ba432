// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/silicon.h"

namespace spica::numeric {

namespace {

using E = Evidence;
using Rules = std::vector<SiliconRule>;
constexpr int kNoFloor = SumRule::kNoFloor;
constexpr int kAmpereFloor = -132, kHopperFloor = -133;  // khattak models (X1)

/// Aligned, cut toward zero, FP32 cut toward zero.
SumRule single(std::uint8_t products, std::uint8_t bits, int floor = kNoFloor,
               SumResult result = SumResult::kFp32) {
  SumRule rule;
  rule.step_products = products;
  rule.fraction_bits = bits;
  rule.floor = static_cast<std::int16_t>(floor);
  rule.result = result;
  return rule;
}
/// The same with FP16 sums, to nearest even.
SumRule half(std::uint8_t products, std::uint8_t bits, int floor = kNoFloor) {
  SumRule rule = single(products, bits, floor, SumResult::kFp16);
  rule.round = Rounding::kNearest;
  return rule;
}
/// FP8 of `mma` of Hopper and Blackwell: two FP16 steps, C last.
SumRule two_steps(SumRule rule) {
  rule.c_after_products = 32;
  rule.takes_pairs = true;
  return rule;
}
SumRule nearest(Adder adder, std::uint8_t products, std::uint8_t bits = 0, int floor = kNoFloor) {
  SumRule rule = single(products, bits, floor);
  rule.adder = adder;
  rule.round = Rounding::kNearest;
  return rule;
}
SumRule flushing_tree(std::uint8_t products) {
  SumRule rule = nearest(Adder::kTree, products);
  rule.flushes = true;
  return rule;
}
SumRule scaled_groups() {
  SumRule rule = single(64, 35);
  rule.adder = Adder::kScaledGroups;
  return rule;
}
SumRule double_chain() {
  SumRule rule = nearest(Adder::kChain, 1);
  rule.result = SumResult::kFp64;
  return rule;
}

constexpr std::string_view kFp8 = "fp8_e4m3 fp8_e5m2", kFp8Fnuz = "fp8_e4m3fnuz fp8_e5m2fnuz";
constexpr std::string_view kFp6Fp4 = "fp6_e3m2 fp6_e2m3 fp4_e2m1";
constexpr std::string_view kFloorZero =
    "X1: the least E (models: -126 or as here); X2: zero * x has no exponent (one model: that of x)";
constexpr std::string_view kFloorAddend =
    "X1: the least E (models: -126 or as here); X3: a subnormal C has exponent -14 (one model: its own)";
constexpr std::string_view kAddend = "X3: a subnormal C has exponent -14 (one model: its own)";
constexpr std::string_view kWords = "khattak model_validation; mma-sim nv.py; khattak models";

Rules volta_to_ada() {
  Rules rules = {{"volta", "mma", "fp16", single(4, 23), E::kHardware, kWords},
                 {"volta", "mma", "fp16", half(4, 23, -19), E::kHardware, kWords, kFloorAddend},
                 {"turing", "mma", "fp16", single(8, 24), E::kOneModel, "mma-sim nv.py",
                  "X6: no words and no second model"},
                 {"turing", "mma", "fp16", half(8, 24), E::kOneModel, "mma-sim nv.py",
                  "X6: no words and no second model"}};
  for (const std::string_view family : {"ampere", "ada"}) {
    rules.push_back({family, "mma", "fp16", single(8, 24, kAmpereFloor), E::kHardware, kWords});
    rules.push_back({family, "mma", "fp16", half(8, 24, -20), E::kHardware, kWords, kFloorAddend});
    rules.push_back({family, "mma", "bf16", single(8, 24, kAmpereFloor), E::kHardware, kWords, kFloorZero});
    rules.push_back({family, "mma", "tf32", single(4, 24, kAmpereFloor), E::kHardware, kWords, kFloorZero});
  }
  rules.push_back(
      {"ampere", "mma", "fp64", double_chain(), E::kOneModel, "mma-sim nv.py", "one public model"});
  rules.push_back({"ada", "mma", kFp8, single(16, 13, kNoFloor, SumResult::kE8m13), E::kHardware, kWords});
  rules.push_back({"ada", "mma", kFp8, half(16, 13), E::kHardware,
                   "khattak model_validation (Ada); mma-sim nv.py", kAddend});
  return rules;
}

void add_hopper(Rules& rules) {
  for (const std::string_view instruction : {"wgmma", "mma"}) {
    rules.push_back({"hopper", instruction, "fp16", single(16, 25, kHopperFloor), E::kHardware, kWords});
    rules.push_back({"hopper", instruction, "fp16", half(16, 25, -21), E::kHardware, kWords, kFloorAddend});
    rules.push_back(
        {"hopper", instruction, "bf16", single(16, 25, kHopperFloor), E::kHardware, kWords, kFloorZero});
    rules.push_back({"hopper", instruction, "tf32", single(8, 25, kHopperFloor), E::kModels,
                     "mma-sim nv.py; khattak models", kFloorZero});
  }
  rules.push_back(
      {"hopper", "mma", "fp64", double_chain(), E::kOneModel, "mma-sim nv.py", "one public model"});
  rules.push_back({"hopper", "wgmma", kFp8, single(32, 13, kNoFloor, SumResult::kE8m13), E::kHardware,
                   "khattak model_validation (C = 0); mma-sim nv.py"});
  rules.push_back({"hopper", "wgmma", kFp8, half(32, 13), E::kOneModel, "mma-sim nv.py", "one public model"});
  rules.push_back({"hopper", "mma", kFp8, two_steps(single(16, 25)), E::kAnalogy, "as that of Blackwell",
                   "no words of mma with FP32 sums on Hopper"});
  rules.push_back({"hopper", "mma", kFp8, two_steps(half(16, 25)), E::kHardware,
                   "khattak model_validation (H100, H200); in no public model"});
}

void add_blackwell(Rules& rules) {
  for (const std::string_view instruction : {"tcgen05", "mma"}) {
    rules.push_back({"blackwell", instruction, "fp16", single(16, 25, kHopperFloor), E::kHardware, kWords,
                     "X5: one model has a second, rounding variant"});
    rules.push_back(
        {"blackwell", instruction, "fp16", half(16, 25, -15), E::kHardware, kWords, kFloorAddend});
    rules.push_back(
        {"blackwell", instruction, "bf16", single(16, 25, kHopperFloor), E::kHardware, kWords, kFloorZero});
    rules.push_back({"blackwell", instruction, "tf32", single(8, 25, kHopperFloor), E::kModels,
                     "mma-sim nv.py; khattak models", kFloorZero});
    for (const std::string_view scaled : {"mxfp8_e4m3 mxfp8_e5m2 mxfp6_e3m2 mxfp6_e2m3"})
      rules.push_back({"blackwell", instruction, scaled, single(32, 25), E::kOneModel, "mma-sim nv.py",
                       "one public model"});
    rules.push_back({"blackwell", instruction, "mxfp4_e2m1 nvfp4", scaled_groups(), E::kOneModel,
                     "mma-sim nv.py", "one public model"});
  }
  for (const std::string_view operands : {kFp8, kFp6Fp4}) {
    rules.push_back({"blackwell", "tcgen05", operands, single(32, 25), E::kOneModel, "mma-sim nv.py",
                     "one public model"});
    rules.push_back(
        {"blackwell", "tcgen05", operands, half(32, 25), E::kOneModel, "mma-sim nv.py", "one public model"});
  }
  rules.push_back({"blackwell", "mma", kFp8, two_steps(single(16, 25)), E::kHardware,
                   "khattak model_validation (B200); in no public model",
                   "the words prove that C is last; the split of k is that of FP16 sums"});
  rules.push_back({"blackwell", "mma", kFp8, two_steps(half(16, 25)), E::kHardware,
                   "khattak model_validation (B200); in no public model"});
}

void add_integers(Rules& rules) {
  for (const std::string_view family : {"turing", "ampere", "ada"})
    rules.push_back({family, "mma", "int8 uint8 int4 uint4", integer_rule(), E::kSpecified, "ptx 9.7.14"});
  for (const std::string_view instruction : {"wgmma", "mma"})
    rules.push_back(
        {"hopper", instruction, "int8 uint8", integer_rule(), E::kSpecified, "ptx 9.7.14, 9.7.15"});
  for (const std::string_view instruction : {"tcgen05", "mma"})
    rules.push_back(
        {"blackwell", instruction, "int8 uint8", integer_rule(), E::kSpecified, "ptx 9.7.14, 9.7.16"});
}

void add_cdna(Rules& rules) {
  constexpr std::string_view kTwoModels = "mma-sim amd.py; khattak models";
  rules.push_back({"cdna1", "mfma", "fp16", nearest(Adder::kExact, 4), E::kContradicted, kTwoModels,
                   "X4: a tree of FP32 additions in mma-sim"});
  rules.push_back({"cdna1", "mfma", "bf16", nearest(Adder::kExact, 2), E::kContradicted, kTwoModels,
                   "X4: a tree of FP32 additions in mma-sim"});
  rules.push_back({"cdna2", "mfma", "fp16", flushing_tree(4), E::kModels, kTwoModels});
  rules.push_back({"cdna2", "mfma", "bf16", flushing_tree(2), E::kModels, kTwoModels});
  rules.push_back({"cdna2", "mfma_1k", "bf16", flushing_tree(4), E::kModels, kTwoModels});
  constexpr std::string_view kCdna3 = "mma-sim amd.py";
  for (const std::string_view operands : {"fp16 bf16"})
    rules.push_back({"cdna3", "mfma", operands, nearest(Adder::kTwoAlignments, 8, 24, -126), E::kOneModel,
                     kCdna3, "one public model"});
  rules.push_back({"cdna3", "mfma", "tf32", nearest(Adder::kTwoAlignments, 4, 24, -126), E::kOneModel, kCdna3,
                   "one public model"});
  rules.push_back({"cdna3", "mfma", kFp8Fnuz, nearest(Adder::kOddEven, 16, 24, -126), E::kOneModel, kCdna3,
                   "one public model"});
  for (const std::string_view family : {"cdna1", "cdna2", "cdna3"}) {
    rules.push_back(
        {family, "mfma", "fp32", nearest(Adder::kChain, 1), E::kOneModel, kCdna3, "one public model"});
    if (family != "cdna1")
      rules.push_back({family, "mfma", "fp64", double_chain(), E::kOneModel, kCdna3, "one public model"});
  }
}

}  // namespace

const std::vector<SiliconRule>& silicon_rules() {
  static const Rules all = [] {
    Rules rules = volta_to_ada();
    add_hopper(rules);
    add_blackwell(rules);
    add_integers(rules);
    add_cdna(rules);
    return rules;
  }();
  return all;
}

}  // namespace spica::numeric
