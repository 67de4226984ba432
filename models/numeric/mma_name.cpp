// SPDX-License-Identifier: Apache-2.0
// Silicon, instructions and formats by name.
#include <algorithm>
#include <stdexcept>

#include "models/numeric/mma.h"

namespace spica::numeric {

namespace {

/// Types as PTX writes them that differ from FormatInfo::name.
const OperandInfo* operand_of_name(std::string_view name) {
  for (unsigned i = 0; i < kOperandCount; ++i) {
    const OperandInfo& operand = kOperandInfos[i];
    if (operand.scale == ScaleFormat::kNone && name == operand.element->name) return &operand;
  }
  return nullptr;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find('.'), text.size());
    if (end != 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string silicon_keys() {
  std::string keys;
  for (const Silicon& silicon : all_silicon()) keys += (keys.empty() ? "" : ", ") + std::string(silicon.key);
  return keys;
}

}  // namespace

Mma::Mma(std::string_view silicon, std::string_view instruction) {
  const std::vector<std::string_view> words = words_of(instruction);
  if (words.empty())
    throw std::invalid_argument("an instruction has a name, such as mma.m16n8k16.f32.f16.f16");
  std::vector<std::string_view> types;
  for (const std::string_view word : words) {
    if (word == "satfinite") saturates_ = true;
    if (word == "s32" || operand_of_name(word) != nullptr) types.push_back(word);
  }
  const auto explained = [&](const std::string& what) {
    return std::invalid_argument("instruction '" + std::string(instruction) + "': " + what);
  };
  if (types.size() < 2) throw explained("types of D and A, such as f32.f16, are missing");
  const auto has = [&words](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const ScaleFormat scale = has("ue4m3")   ? ScaleFormat::kUe4m3
                            : has("ue8m0") ? ScaleFormat::kE8m0
                                           : ScaleFormat::kNone;
  if (has("block_scale") && scale == ScaleFormat::kNone)
    throw explained("the type of its scales, ue8m0 or ue4m3, is missing");
  const OperandInfo* operands = operand_of_name(types[1]);
  const auto sums = result_of_key(types[0] == "s32" ? "int32" : operand_of_name(types[0])->element->key);
  if (operands == nullptr || !sums) throw explained("D is f32, f16, f64 or s32, and A a narrower type");
  operands = operand_info(*operands->element, scale);
  if (operands == nullptr) throw explained("no unit multiplies these operands with these scales");
  std::string_view kind = words.front();
  if (kind == "wmma") kind = "mma";
  constexpr std::string_view kKinds[] = {"mma", "wgmma", "tcgen05", "mfma", "mfma_1k"};
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds))
    throw explained("instructions are mma, wmma, wgmma, tcgen05, mfma, mfma_1k");
  find(silicon, operands->key, *sums, kind);
  // B, if it has a type of its own: operands of one width only.
  if (types.size() > 2) {
    const OperandInfo* b = operand_of_name(types[2]);
    if (b != nullptr) b = operand_info(*b->element, scale);
    if (b != nullptr && b->element->bits == operands->element->bits &&
        b->element->is_float == operands->element->is_float)
      b_operands_ = b;
  }
}

Mma::Mma(std::string_view silicon, std::string_view operands, std::string_view result,
         std::string_view instruction) {
  const auto sums = result_of_key(result);
  if (!sums)
    throw std::invalid_argument("result '" + std::string(result) +
                                "' is unknown; known: fp32, fp16, fp64, int32");
  find(silicon, operands, *sums, instruction);
}

void Mma::find(std::string_view silicon, std::string_view operands, SumResult result,
               std::string_view instruction) {
  if (silicon_of(silicon) == nullptr)
    throw std::invalid_argument("silicon '" + std::string(silicon) +
                                "' is unknown; known: " + silicon_keys());
  silicon_rule_ = find_rule(silicon, operands, result, instruction);
  if (silicon_rule_ == nullptr) {
    const std::string known = known_combinations(silicon, instruction);
    throw std::invalid_argument(
        std::string(silicon) + (instruction.empty() ? "" : " (" + std::string(instruction) + ")") +
        " has no rule for " + combination(operands, result) +
        (known.empty() ? "; its instruction is " + std::string(silicon_of(silicon)->instruction)
                       : "; it has " + known));
  }
  rule_ = silicon_rule_->rule;
  operands_ = b_operands_ = operand_info(operands);
}

}  // namespace spica::numeric
