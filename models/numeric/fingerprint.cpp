// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/fingerprint.h"

#include <charconv>
#include <stdexcept>

#include "models/numeric/convert.h"

namespace spica::numeric {

namespace {

constexpr std::uint32_t kHalfOne = 0x3C00, kE4m3One = 0x38, kFnuzOne = 0x40, kBf16One = 0x3F80;
// FP16 words of numbers that BF16 and TF32 have, and E4M3 words of numbers that E5M2 has.
constexpr std::string_view kHalves = "fp16 bf16 tf32", kFp8 = "fp8_e4m3 fp8_e5m2", kFnuz = "fp8_e4m3fnuz";

constexpr Fingerprint kFingerprints[] = {
    {"F1", kHalves, "fp32", 16, "0:3C00*3C00 1:0C00*0C00", 0, kHalfOne, 0xBF80'0000,
     "24 or more fraction bits"},
    {"F2", kHalves, "fp32", 16, "0:3C00*3C00 1:0800*0C00", 0, kHalfOne, 0xBF80'0000,
     "25 or more fraction bits"},
    {"F3", kHalves, "fp32", 16, "0:3C00*3C00 1:0800*0800", 0, kHalfOne, 0xBF80'0000,
     "26 or more fraction bits"},
    {"F4", kHalves, "fp32", 16, "0:3C00*3C00 1:2000*2000", 0, kHalfOne, 0xBF80'0000,
     "14 or more fraction bits"},
    {"F5", kHalves, "fp32", 16, "0:3C00*3C00 3:BC00*3C00 4:0200*0200", 0, kHalfOne, 0,
     "at most 4 products at once"},
    {"F6", kHalves, "fp32", 16, "0:3C00*3C00 7:BC00*3C00 8:0200*0200", 0, kHalfOne, 0,
     "at most 8 products at once, the lower half of k first"},
    {"F7", kHalves, "fp32", 16, "0:BC00*3C00 15:0200*0200", 0, kHalfOne, 0x3F80'0000, "C in the first step"},
    {"F8", kHalves, "fp32", 16, "0:1600*0800", 0, kHalfOne, 0x3F80'0000,
     "sums rounded toward zero or to nearest"},
    {"F9", kHalves, "fp32", 16, "0:0800*8800", 0, kHalfOne, 0x3F80'0000, "terms cut toward zero or down"},
    {"F10", kHalves, "fp32", 16, "0:3E00*3E00 1:3E00*BE00 2:0C00*0C00", 0, kHalfOne, 0,
     "products not normalized"},
    {"F11", "fp16", "fp32", 16, "0:0001*6400 1:1400*AC00 2:0200*0200", 0, kHalfOne, 0,
     "subnormal numbers with the least exponent"},
    {"F12", kHalves, "fp32", 16, "0-3:0C00*0800", 0, kHalfOne, 0x3F80'0000, "no sticky bit"},
    {"F13", "fp16", "fp32", 16, "0-15:3FFF*3FFF", 0, kHalfOne, 0x3580'0000,
     "carries, and rounding of each step"},
    {"F14", "tf32", "fp32", 8, "0:3F801FFF*3F800000", 0, 0x3F80'0000, 0, "operands cut to TF32"},
    {"F15", kFp8, "fp32", 32, "0:38*38 1:38*B8", 0, kE4m3One, 0x3F80'0600, "E8M13 sums"},
    {"F16", kFp8, "fp32", 32, "0:38*38 1:04*04", 0, kE4m3One, 0, "13 or 25 fraction bits"},
    {"F17", kFp8, "fp32", 32, "0:38*38 15:B8*38 16:01*01", 0, kE4m3One, 0, "k of 32 in halves"},
    {"F18", kFp8, "fp32", 32, "0:03*01", 0, kE4m3One, 0x4300'0000, "C last, to nearest"},
    {"F19", "fp16", "fp32", 16, "0:7C00*0000", 0, kHalfOne, 0, "the word of NaN"},
    {"F20", kHalves, "fp32", 16, "", 0x8000, kHalfOne, 0x8000'0000, "a zero sum is positive"},
    {"F21", "bf16", "fp32", 16, "0-1:7F7F*3F80", 0, kBf16One, 0x7F7F'FFFF, "overflow of a cut sum"},
    {"F22", "fp16", "fp32", 16, "0:0001*3C00", 0, kHalfOne, 0, "subnormal operands kept or zero"},
    {"F23", kHalves, "fp32", 16, "0:0C00*8800 1:0800*8100", 0, kHalfOne, 0x3F80'0000,
     "the sum of products cut down before C (CDNA3)"},
    {"F24", kHalves, "fp32", 16, "0:3C00*3C00", 0, kHalfOne, 0xB080'0000, "C cut down (CDNA3)"},
    {"F25", kFnuz, "fp32", 32, "0:78*78 1:01*80", 0, kFnuzOne, 0, "NaN of fnuz formats"},
    {"F26", kFnuz, "fp32", 32, "0:78*78 1:01*81", 0, kFnuzOne, 0, "even and odd k apart"},
    {"F27", "fp64", "fp64", 4, "0-1:3FF0000000000000*3CA0000000000000", 0, 0, 0x3FF0'0000'0000'0000,
     "a rounding for each product of FP64"},
    {"F28", "int8", "int32", 32, "0:01*01", 0, 1, 0x7FFF'FFFF, "sums of integers wrap"},
    {"F29", "mxfp8_e4m3", "fp32", 32, "0:38*38 1:B8*38", 0, kE4m3One, 0x3F80'0001,
     "scales and C of MX blocks", 127},
    {"F30", "mxfp8_e4m3", "fp32", 32, "0:38*38 1:B8*38", 0, kE4m3One, 0x3580'0000,
     "the exponents of both scales in that of a product", 131},
    {"F31", "nvfp4", "fp32", 64, "0:2*2 16:A*2", 0, 2, 0x2E00'0000, "35 fraction bits", 0x38},
    {"F32", "nvfp4", "fp32", 64, "0:2*2 16:A*2", 0, 2, 0x2D80'0000, "no 36th fraction bit", 0x38},
    {"F33", "nvfp4", "fp32", 64, "0-15:7*7 16-31:F*7", 0, 2, 0x2E00'0000,
     "a group's exponent is that of its scales", 0x38},
    {"F34", "nvfp4", "fp32", 64, "0:2*2", 0, 2, 0, "significands of both scales", 0x3D},
    {"F35", "mxfp4_e2m1", "fp32", 64, "0:2*2 32:A*2", 0, 2, 0x2E00'0000, "35 fraction bits", 127},
    {"F36", kFp8, "fp16", 32, "0:38*38 1:08*08 2:B8*38", 0, kE4m3One, 0, "k mod 4 of 0 and 1 first"},
    {"F37", "fp16", "fp16", 16, "0:3C00*3C00 1:1200*3C00", 0, kHalfOne, 0,
     "FP16 sums rounded toward zero or to nearest"},
    {"F38", kHalves, "fp32", 16, "0-1:0C00*0800", 0, kHalfOne, 0x3F80'0000,
     "halves of a unit: each product or the step rounded"},
    {"F39", kHalves, "fp32", 16, "0:3C00*3C00 1:BC00*3C00 2:0200*0200", 0, kHalfOne, 0,
     "at most 2 products at once"},
    {"F40", kFp8, "fp32", 32, "0:38*38 1:01*01 2:B8*38", 0, kE4m3One, 0x4B00'0001, "C first or last of FP8"},
    {"F41", "tf32", "fp32", 8, "0:3F800000*3F800000 3:BF800000*3F800000 4:30800000*3F800000", 0, 0x3F80'0000,
     0, "at most 4 products at once"},
    {"F42", kFp8, "fp16", 32, "0:38*38 1:01*01 2:B8*38", 0, kE4m3One, 0, "13 or 25 fraction bits"},
    {"F43", kFp8, "fp16", 32, "0:38*38 15:B8*38 16:01*01", 0, kE4m3One, 0, "k of 32 in halves"},
    {"F44", kFp8, "fp16", 32, "0:08*10 2:01*01", 0, kE4m3One, 0x3C00, "C first or last"},
    {"F45", kHalves, "fp32", 16, "0-7:0800*0800", 0, kHalfOne, 0x3F80'0000,
     "no sticky bit below 25 fraction bits"},
    {"F46", kFp8, "fp32", 32, "0-7:01*01", 0, kE4m3One, 0x4380'0000, "no sticky bit below 25 fraction bits"},
    {"F47", kFp8, "fp32", 32, "0-1:04*04", 0, kE4m3One, 0x3F80'0000, "no sticky bit below 13 fraction bits"},
    {"F48", kFp8, "fp32", 32, "0:38*38 1:04*08 2:B8*38", 0, kE4m3One, 0, "13 or more fraction bits"},
    {"F49", kFp8, "fp32", 32, "0:38*38 1:04*04 2:B8*38", 0, kE4m3One, 0, "14 or more fraction bits"},
    {"F50", kFp8, "fp32", 32, "0:F0*38 1:01*01", 0, kE4m3One, 0x4300'0000, "25 or more fraction bits"},
    {"F51", kFp8, "fp32", 32, "0:F0*40 1:01*01", 0, kE4m3One, 0x4380'0000, "26 or more fraction bits"},
    {"F52", kFp8, "fp32", 32, "0:3C*3C 1:3C*BC 2:04*08", 0, kE4m3One, 0,
     "products not normalized, 13 fraction bits"},
    {"F53", kFp8, "fp32", 32, "0:54*5C 1:54*DC 4:01*01", 0, kE4m3One, 0, "products not normalized"},
    {"F54", kFp8, "fp32", 32, "0:38*38 7:B8*38 8:01*01", 0, kE4m3One, 0, "at most 8 products at once"},
    {"F55", kFp8, "fp32", 32, "0-1:38*38 2:04*08 3:08*08", 0, kE4m3One, 0,
     "the last bit of E8M13 cut or rounded"},
    {"F56", "fp16", "fp16", 16, "0:B800*3C00 1:0C00*0C00", 0, kHalfOne, 0x3800, "23 or more fraction bits"},
    {"F57", "fp16", "fp16", 16, "0:BC00*3C00 1:0C00*0C00", 0, kHalfOne, 0x3C00, "24 or more fraction bits"},
    {"F58", "fp16", "fp16", 16, "0:C000*3C00 1:0C00*0C00", 0, kHalfOne, 0x4000, "25 or more fraction bits"},
    {"F59", "fp16", "fp16", 16, "0:C400*3C00 1:0C00*0C00", 0, kHalfOne, 0x4400, "26 or more fraction bits"},
    {"F60", "fp16", "fp16", 16, "0:4C00*3C00 1:CC00*3C00 2:0C00*0C00", 0, kHalfOne, 0,
     "at most 2 products at once"},
    {"F61", "fp16", "fp16", 16, "0:4C00*3C00 3:CC00*3C00 4:0C00*0C00", 0, kHalfOne, 0,
     "at most 4 products at once"},
    {"F62", "fp16", "fp16", 16, "0:4C00*3C00 7:CC00*3C00 8:0C00*0C00", 0, kHalfOne, 0,
     "at most 8 products at once"},
    {"F63", "fp16", "fp16", 16, "0:BC00*3C00 1:1000*1000", 0, kHalfOne, 0x3C00, "C first or last"},
    {"F64", "fp16", "fp16", 16, "0:3E00*3E00 1:3E00*BE00 2:0C00*1000", 0, kHalfOne, 0,
     "products not normalized, 23 fraction bits"},
    {"F65", "fp16", "fp16", 16, "0:4200*3E00 1:4200*BE00 2:0C00*1000", 0, kHalfOne, 0,
     "products not normalized, 24 fraction bits"},
    {"F66", "fp16", "fp16", 16, "0:4200*4200 1:4200*C200 2:0C00*1000", 0, kHalfOne, 0,
     "products not normalized, 25 fraction bits"},
    {"F67", "fp16", "fp16", 16, "0:1000*3C00 1:0800*0800", 0, kHalfOne, 0x3C00, "no sticky bit"},
    {"F68", kFp8, "fp16", 32, "0:38*38 1:04*08 2:B8*38", 0, kE4m3One, 0, "13 or more fraction bits"},
    {"F69", kFp8, "fp16", 32, "0:38*38 1:04*04 2:B8*38", 0, kE4m3One, 0, "14 or more fraction bits"},
    {"F70", kFp8, "fp16", 32, "0:68*38 1:E8*38 4:01*01", 0, kE4m3One, 0, "24 or more fraction bits"},
    {"F71", kFp8, "fp16", 32, "0:70*38 1:F0*38 4:01*01", 0, kE4m3One, 0, "25 or more fraction bits"},
    {"F72", kFp8, "fp16", 32, "0:70*40 1:F0*40 4:01*01", 0, kE4m3One, 0, "26 or more fraction bits"},
    {"F74", kFp8, "fp16", 32, "0:08*14 1:38*38", 0, kE4m3One, 0,
     "FP16 sums rounded toward zero or to nearest"},
    {"F75", kFp8, "fp16", 32, "0:38*38 7:B8*38 8:01*01", 0, kE4m3One, 0, "at most 8 products at once"},
    {"F76", kFp8, "fp16", 32, "0:3C*3C 1:3C*BC 4:04*08", 0, kE4m3One, 0,
     "products not normalized, 13 fraction bits"},
    {"F77", kFp8, "fp16", 32, "0:6C*44 1:6C*C4 4:01*01", 0, kE4m3One, 0,
     "products not normalized, 25 fraction bits"},
    {"F78", kFp8, "fp16", 32, "0:08*10 1:04*04 4:38*38", 0, kE4m3One, 0,
     "no sticky bit below 13 fraction bits"},
    {"F79", kFp8, "fp16", 32, "0:70*44 4:30*38 5:01*01", 0, kE4m3One, 0,
     "no sticky bit below 25 fraction bits"},
    {"F80", kFnuz, "fp32", 32, "0:78*78 2:F8*78 8:01*01", 0, kFnuzOne, 0, "16 products at once"},
    {"F81", "bf16", "fp32", 16, "0:0040*4080", 0, kBf16One, 0, "subnormal operands kept or zero"},
    {"F82", kHalves, "fp32", 16, "0:3E00*3E00 1:3E00*BE00 2:0800*0C00", 0, kHalfOne, 0,
     "products not normalized, 25 fraction bits"},
    {"F83", kFnuz, "fp32", 32, "0:7C*7C 2:7C*FC 4:18*18", 0, kFnuzOne, 0, "products not normalized"},
    {"F84", kFnuz, "fp32", 32, "0:03*01", 0, kFnuzOne, 0x4180'0000, "sums rounded toward zero or to nearest"},
    {"F85", kFp8, "fp32", 32, "0:70*40 1:F0*40 2:01*01", 0, kE4m3One, 0, "k mod 4 of 0 and 1 first"},
    {"F86", kFp8, "fp32", 32, "0:70*40 15:F0*40 16:01*01", 0, kE4m3One, 0, "at most 16 products at once"},
    {"F87", kFp8, "fp16", 32, "0:70*40 15:F0*40 16:01*01", 0, kE4m3One, 0, "at most 16 products at once"},
    {"F88", kFp8, "fp16", 32, "0:B8*38 1:01*01", 0, kE4m3One, 0x3C00, "C first or last"},
    {"F89", kHalves, "fp32", 16, "0:3C00*3C00 1:0C00*1000 2:0C00*1400", 0, kHalfOne, 0x3F80'0000,
     "the last bit of a sum with a carry cut or rounded"},
    {"X1", "bf16", "fp32", 16, "0-7:1980*1980", 0, kBf16One, 0, "the least exponent of alignment"},
    {"X2", "bf16", "fp32", 16, "0:0000*7F00 1:2000*3F80", 0, kBf16One, 0,
     "products with a zero are left out"},
    {"X3", "fp16", "fp16", 16, "0:0200*0001", 0, kHalfOne, 0x0001, "the exponent of a subnormal C"},
    {"X8", "fp16", "fp16", 16, "0:0C00*0800 1:0004*0001", 0, kHalfOne, 0,
     "the least exponent with FP16 sums"},
};

template <class Number>
Number parsed(std::string_view& text, int base) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) throw std::logic_error("a fingerprint has no number here");
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}
bool skipped(std::string_view& text, char what) {
  if (text.empty() || text.front() != what) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

const std::vector<Fingerprint>& fingerprints() {
  static const std::vector<Fingerprint> all(std::begin(kFingerprints), std::end(kFingerprints));
  return all;
}

const Fingerprint* fingerprint(std::string_view name) {
  for (const Fingerprint& one : fingerprints())
    if (one.name == name) return &one;
  return nullptr;
}

bool Fingerprint::suits(std::string_view operand_key, std::string_view sum_key) const {
  return result == sum_key && has_word(operands, operand_key);
}

Fingerprint::Operands Fingerprint::words(const OperandInfo& operand) const {
  Operands all{std::vector<std::uint64_t>(k, a_rest), std::vector<std::uint64_t>(k, b_rest)};
  for (std::string_view rest = products; !rest.empty(); skipped(rest, ' ')) {
    const auto first = parsed<unsigned>(rest, 10);
    const unsigned last = skipped(rest, '-') ? parsed<unsigned>(rest, 10) : first;
    skipped(rest, ':');
    const auto a = parsed<std::uint64_t>(rest, 16);
    skipped(rest, '*');
    const auto b = parsed<std::uint64_t>(rest, 16);
    for (unsigned i = first; i <= last; ++i) {
      all.a.at(i) = a;
      all.b.at(i) = b;
    }
  }
  const OperandInfo& own = *operand_info(operands.substr(0, operands.find(' ')));
  if (own.key == operand.key) return all;
  for (std::vector<std::uint64_t>* const words : {&all.a, &all.b})
    for (std::uint64_t& word : *words)
      word = nearest(*format_of_key(operand.key),
                     number_of(*own.element, static_cast<std::uint32_t>(word)).value);
  return all;
}

std::optional<std::uint64_t> Fingerprint::result_by(const Mma& mma) const {
  const Operands all = words(mma.operands());
  if (!mma.is_integer() && !mma.rule().takes(k)) return std::nullopt;
  if (mma.is_double()) {
    std::uint64_t word = 0;
    mma(all.a.data(), all.b.data(), &c, &word, 1, 1, k);
    return word;
  }
  const std::vector<std::uint32_t> a(all.a.begin(), all.a.end()), b(all.b.begin(), all.b.end());
  const auto addend = static_cast<std::uint32_t>(c);
  std::uint32_t word = 0;
  if (mma.has_scales()) {
    const std::vector<std::uint8_t> scales(k / mma.operands().scale_block, scale);
    mma(a.data(), b.data(), scales.data(), scales.data(), &addend, &word, 1, 1, k);
  } else {
    mma(a.data(), b.data(), &addend, &word, 1, 1, k);
  }
  return word;
}

}  // namespace spica::numeric
