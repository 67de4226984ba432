// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/silicon.h"

#include <algorithm>
#include <stdexcept>

namespace spica::numeric {

const OperandInfo kOperandInfos[] = {
    {"fp16", &info(Format::kFp16)},
    {"bf16", &info(Format::kBf16)},
    {"tf32", &info(Format::kTf32)},
    {"fp32", &info(Format::kFp32)},
    {"fp64", &kFp64},
    {"fp8_e4m3", &info(Format::kE4m3)},
    {"fp8_e5m2", &info(Format::kE5m2)},
    {"fp8_e4m3fnuz", &kE4m3Fnuz, ScaleFormat::kNone, 0, true},
    {"fp8_e5m2fnuz", &kE5m2Fnuz, ScaleFormat::kNone, 0, true},
    {"fp6_e3m2", &info(Format::kE3m2)},
    {"fp6_e2m3", &info(Format::kE2m3)},
    {"fp4_e2m1", &info(Format::kE2m1)},
    {"mxfp8_e4m3", &info(Format::kE4m3), ScaleFormat::kE8m0, 32},
    {"mxfp8_e5m2", &info(Format::kE5m2), ScaleFormat::kE8m0, 32},
    {"mxfp6_e3m2", &info(Format::kE3m2), ScaleFormat::kE8m0, 32},
    {"mxfp6_e2m3", &info(Format::kE2m3), ScaleFormat::kE8m0, 32},
    {"mxfp4_e2m1", &info(Format::kE2m1), ScaleFormat::kE8m0, 32},
    {"nvfp4", &info(Format::kE2m1), ScaleFormat::kUe4m3, 16},
    {"int8", &info(Format::kInt8)},
    {"uint8", &info(Format::kUint8)},
    {"int4", &info(Format::kInt4)},
    {"uint4", &info(Format::kUint4)},
};
const unsigned kOperandCount = sizeof kOperandInfos / sizeof kOperandInfos[0];

const OperandInfo* operand_info(std::string_view key) {
  for (const OperandInfo& operand : kOperandInfos)
    if (operand.key == key) return &operand;
  return nullptr;
}

const OperandInfo* operand_info(const FormatInfo& element, ScaleFormat scale) {
  for (const OperandInfo& operand : kOperandInfos)
    if (operand.element == &element && operand.scale == scale) return &operand;
  return nullptr;
}

const OperandInfo& operand_info(Format element, ScaleFormat scale) {
  const OperandInfo* operand = operand_info(info(element), scale);
  if (operand == nullptr) throw std::logic_error("no unit multiplies this format with these scales");
  return *operand;
}

namespace {

constexpr SumResult kResults[] = {SumResult::kFp32, SumResult::kFp16, SumResult::kFp64, SumResult::kInt32};

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

const std::vector<Silicon>& all_silicon() {
  static const std::vector<Silicon> all = {
      {"volta", "V100", "volta", "mma"},
      {"turing", "T4, RTX 20", "turing", "mma"},
      {"ampere", "A100, A2", "ampere", "mma"},
      {"ada", "Ada, L40S", "ada", "mma"},
      {"hopper", "H100, H200 (wgmma)", "hopper", "wgmma"},
      {"hopper_mma", "H100, H200 (mma)", "hopper", "mma"},
      {"blackwell", "B200 (tcgen05)", "blackwell", "tcgen05"},
      {"blackwell_mma", "B200 (mma)", "blackwell", "mma"},
      {"cdna1", "MI100", "cdna1", "mfma"},
      {"cdna2", "MI200", "cdna2", "mfma"},
      {"cdna3", "MI300", "cdna3", "mfma"},
  };
  return all;
}

const Silicon* silicon_of(std::string_view key) {
  for (const Silicon& one : all_silicon())
    if (one.key == key) return &one;
  return nullptr;
}

bool same_width(SumResult a, SumResult b) { return result_key(a) == result_key(b); }

const SiliconRule* find_rule(std::string_view silicon, std::string_view operands, SumResult result,
                             std::string_view instruction) {
  const Silicon* const found = silicon_of(silicon);
  if (found == nullptr) return nullptr;
  if (instruction.empty()) instruction = found->instruction;
  for (const SiliconRule& rule : silicon_rules())
    if (rule.silicon == found->family && rule.instruction == instruction &&
        has_word(rule.operands, operands) && same_width(rule.rule.result, result))
      return &rule;
  return nullptr;
}

std::string combination(std::string_view operands, SumResult result) {
  return std::string(operands) + " -> " + std::string(result_key(result));
}

std::string known_combinations(std::string_view silicon, std::string_view instruction) {
  const Silicon* const found = silicon_of(silicon);
  if (found == nullptr) return {};
  if (instruction.empty()) instruction = found->instruction;
  std::string all;
  for (const OperandInfo& operand : kOperandInfos)
    for (const SumResult result : kResults)
      if (find_rule(silicon, operand.key, result, instruction) != nullptr)
        all += (all.empty() ? "" : ", ") + combination(operand.key, result);
  return all;
}

std::string without_rule(std::string_view silicon, std::string_view operands, SumResult result) {
  std::string keys;
  for (const Silicon& other : all_silicon())
    if (find_rule(other.key, operands, result) != nullptr)
      keys += (keys.empty() ? "; numerics with that rule: " : ", ") + std::string(other.key);
  return " has no rule for " + combination(operands, result) + "; it has " + known_combinations(silicon) +
         keys;
}

std::string_view result_key(SumResult result) {
  if (result == SumResult::kFp64) return "fp64";
  if (result == SumResult::kInt32) return "int32";
  return result == SumResult::kFp16 ? "fp16" : "fp32";
}

std::optional<SumResult> result_of_key(std::string_view key) {
  for (const SumResult result : kResults)
    if (result_key(result) == key) return result;
  return std::nullopt;
}

std::string text(const SiliconRule& rule) {
  std::string result = [&] {
    switch (rule.evidence) {
      case Evidence::kHardware: return "hardware words";
      case Evidence::kModels: return "public models agree";
      case Evidence::kSpecified: return "as specified";
      case Evidence::kOneModel: return "one public model";
      case Evidence::kContradicted: return "public models contradict each other";
      case Evidence::kAnalogy: break;
    }
    return "by analogy";
  }();
  result += " (" + std::string(rule.source) + ")";
  if (!rule.uncertain.empty()) result += "; UNCERTAIN: " + std::string(rule.uncertain);
  return result;
}

SumRule integer_rule() {
  SumRule rule;
  rule.adder = Adder::kInteger;
  rule.step_products = 1;
  rule.fraction_bits = 0;
  rule.result = SumResult::kInt32;
  return rule;
}

std::string adds_like(const SumRule& rule, std::string_view operands,
                      std::vector<const SiliconRule*>* rules) {
  std::string names;
  for (const Silicon& silicon : all_silicon()) {
    const SiliconRule* const found = find_rule(silicon.key, operands, rule.result);
    if (found == nullptr || found->rule != rule) continue;
    names += (names.empty() ? "" : ", ") + std::string(silicon.names);
    if (rules != nullptr) rules->push_back(found);
  }
  return names;
}

}  // namespace spica::numeric
