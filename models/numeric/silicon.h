// SPDX-License-Identifier: Apache-2.0
// The rules of sums of known matrix units, with their evidence.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/numeric/block_format.h"
#include "models/numeric/sum_rule.h"

namespace spica::numeric {

/// Operands that no unit of a machine has: IEEE binary64; FP8 of CDNA3, whose NaN is the code of a negative zero (fnuz of
/// llvm APFloat).
inline constexpr FormatInfo kFp64{"f64", "fp64", 64, 64,   MacKind::kFp32, true,
                                  true,  11,     52, 1023, Specials::kIeee};
inline constexpr FormatInfo kE4m3Fnuz{"e4m3fnuz", "fp8_e4m3fnuz", 8, 8, MacKind::kFp8, true, true, 4, 3, 8};
inline constexpr FormatInfo kE5m2Fnuz{"e5m2fnuz", "fp8_e5m2fnuz", 8, 8, MacKind::kFp8, true, true, 5, 2, 16};

/// Operands of matrix instructions.
struct OperandInfo {
  const char* key;
  const FormatInfo* element;
  ScaleFormat scale = ScaleFormat::kNone;
  std::uint8_t scale_block = 0;  // elements along k that share a scale
  bool minus_zero_is_nan = false;
};
extern const OperandInfo kOperandInfos[];
extern const unsigned kOperandCount;
/// By key, such as "fp16" or "nvfp4"; nullptr: there is none.
const OperandInfo* operand_info(std::string_view key);
/// Elements with scales or without; nullptr: no unit multiplies them.
const OperandInfo* operand_info(const FormatInfo& element, ScaleFormat scale);
/// Elements of a unit's format, with scales or without: there is one.
const OperandInfo& operand_info(Format element, ScaleFormat scale = ScaleFormat::kNone);

enum class Evidence : std::uint8_t {
  kHardware,  // words of the hardware
  kModels,  // public models agree
  kSpecified,  // the specification of the instruction
  kOneModel,  // one public model
  kContradicted,  // public models contradict each other
  kAnalogy,  // nothing public; follows a rule nearby
};

/// A rule and where it holds.
struct SiliconRule {
  std::string_view silicon;  // Silicon::key
  std::string_view instruction;  // mma, wgmma, tcgen05, mfma
  std::string_view operands;  // OperandInfo::key, several separated by blanks
  SumRule rule;
  Evidence evidence;
  std::string_view source;
  std::string_view uncertain = {};  // what is not certain; empty: nothing

  bool is_uncertain() const { return !uncertain.empty(); }
};

/// A generation of matrix units, with one instruction where instructions differ.
struct Silicon {
  std::string_view key;  // as parameters name it
  std::string_view names;  // devices
  std::string_view family;  // SiliconRule::silicon
  std::string_view instruction;  // empty: any
};

/// `words`, separated by blanks, have `word` among them.
bool has_word(std::string_view words, std::string_view word);

const std::vector<Silicon>& all_silicon();
const std::vector<SiliconRule>& silicon_rules();
const Silicon* silicon_of(std::string_view key);

/// The rule of sums in `result` for these operands; nullptr: there is none. `instruction`: empty for that of the key.
const SiliconRule* find_rule(std::string_view silicon, std::string_view operands, SumResult result,
                             std::string_view instruction = {});
/// The combinations for which a silicon has a rule, such as "fp16 -> fp32, bf16 -> fp32".
std::string known_combinations(std::string_view silicon, std::string_view instruction = {});
/// That a silicon has no rule for a combination, which rules it has, and which numerics have one: " has no rule for
/// fp8_e4m3 -> fp32; it has fp16 -> fp32; numerics with that rule: ada, hopper".
std::string without_rule(std::string_view silicon, std::string_view operands, SumResult result);
/// "fp16 -> fp32".
std::string combination(std::string_view operands, SumResult result);

/// fp32, fp16, fp64, int32; kE8m13 is fp32.
std::string_view result_key(SumResult result);
std::optional<SumResult> result_of_key(std::string_view key);
bool same_width(SumResult a, SumResult b);

/// "hardware words", "one public model (UNCERTAIN)" and so on.
std::string text(const SiliconRule& rule);

/// Sums of integers: exact, of all units alike.
SumRule integer_rule();

/// Silicon whose rule for these operands is `rule`, by device names: "A100, A2, Ada". Empty: none.
std::string adds_like(const SumRule& rule, std::string_view operands,
                      std::vector<const SiliconRule*>* rules = nullptr);

}  // namespace spica::numeric
