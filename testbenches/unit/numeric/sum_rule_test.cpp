// SPDX-License-Identifier: Apache-2.0
// Rules of sums against a second, exact description, and against words of public sources. SPICA_SUMS=1000000 draws so many
// dot products of each rule.
#include <map>
#include <random>
#include <set>
#include <string>

#include "models/numeric/fingerprint.h"
#include "models/numeric/mma.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/exact_dot.h"
#include "testbenches/unit/numeric/draws.h"

using namespace spica::numeric;
namespace ref = spica::numeric::exact_dot;

namespace {

using K = ref::Rule::Kind;

struct Known {
  const char* silicon;
  const char* instruction;
  const char* operands;
  const char* result;
  ref::Rule rule;
};
ref::Rule single(int products, int bits, int floor = -100'000) {
  ref::Rule rule;
  rule.products = products;
  rule.fraction_bits = bits;
  rule.floor = floor;
  return rule;
}
ref::Rule half(int products, int bits, int floor = -100'000) {
  ref::Rule rule = single(products, bits, floor);
  rule.half = rule.nearest = true;
  return rule;
}
ref::Rule e8m13(int products) {
  ref::Rule rule = single(products, 13);
  rule.e8m13 = true;
  return rule;
}
ref::Rule last(ref::Rule rule) {
  rule.c_last = 32;
  rule.pairs = true;
  return rule;
}
ref::Rule other(K kind, int products, int floor = -100'000) {
  ref::Rule rule = single(products, 24, floor);
  rule.kind = kind;
  rule.nearest = true;
  rule.flush = kind == K::kTree;
  return rule;
}

std::vector<Known> known_rules() {
  std::vector<Known> all = {{"volta", "mma", "fp16", "fp32", single(4, 23)},
                            {"volta", "mma", "fp16", "fp16", half(4, 23, -19)},
                            {"turing", "mma", "fp16", "fp32", single(8, 24)},
                            {"turing", "mma", "fp16", "fp16", half(8, 24)},
                            {"ampere", "mma", "fp16", "fp32", single(8, 24, -132)},
                            {"ampere", "mma", "fp16", "fp16", half(8, 24, -20)},
                            {"ampere", "mma", "bf16", "fp32", single(8, 24, -132)},
                            {"ampere", "mma", "tf32", "fp32", single(4, 24, -132)},
                            {"ada", "mma", "fp16", "fp32", single(8, 24, -132)},
                            {"ada", "mma", "fp16", "fp16", half(8, 24, -20)},
                            {"ada", "mma", "bf16", "fp32", single(8, 24, -132)},
                            {"ada", "mma", "tf32", "fp32", single(4, 24, -132)},
                            {"cdna1", "mfma", "fp16", "fp32", other(K::kExact, 4)},
                            {"cdna1", "mfma", "bf16", "fp32", other(K::kExact, 2)},
                            {"cdna2", "mfma", "fp16", "fp32", other(K::kTree, 4)},
                            {"cdna2", "mfma", "bf16", "fp32", other(K::kTree, 2)},
                            {"cdna2", "mfma_1k", "bf16", "fp32", other(K::kTree, 4)},
                            {"cdna3", "mfma", "fp16", "fp32", other(K::kTwice, 8, -126)},
                            {"cdna3", "mfma", "bf16", "fp32", other(K::kTwice, 8, -126)},
                            {"cdna3", "mfma", "tf32", "fp32", other(K::kTwice, 4, -126)},
                            {"cdna3", "mfma", "fp32", "fp32", other(K::kChain, 1)}};
  for (const char* operands : {"fp8_e4m3fnuz", "fp8_e5m2fnuz"})
    all.push_back({"cdna3", "mfma", operands, "fp32", other(K::kOddEven, 16, -126)});
  for (const char* instruction : {"wgmma", "mma"}) {
    all.push_back({"hopper", instruction, "fp16", "fp32", single(16, 25, -133)});
    all.push_back({"hopper", instruction, "fp16", "fp16", half(16, 25, -21)});
    all.push_back({"hopper", instruction, "bf16", "fp32", single(16, 25, -133)});
    all.push_back({"hopper", instruction, "tf32", "fp32", single(8, 25, -133)});
  }
  for (const char* instruction : {"tcgen05", "mma"}) {
    all.push_back({"blackwell", instruction, "fp16", "fp32", single(16, 25, -133)});
    all.push_back({"blackwell", instruction, "fp16", "fp16", half(16, 25, -15)});
    all.push_back({"blackwell", instruction, "bf16", "fp32", single(16, 25, -133)});
    all.push_back({"blackwell", instruction, "tf32", "fp32", single(8, 25, -133)});
  }
  for (const char* operands : {"fp8_e4m3", "fp8_e5m2"}) {
    all.push_back({"ada", "mma", operands, "fp32", e8m13(16)});
    all.push_back({"ada", "mma", operands, "fp16", half(16, 13)});
    all.push_back({"hopper", "wgmma", operands, "fp32", e8m13(32)});
    all.push_back({"hopper", "wgmma", operands, "fp16", half(32, 13)});
    for (const char* silicon : {"hopper", "blackwell"}) {
      all.push_back({silicon, "mma", operands, "fp32", last(single(16, 25))});
      all.push_back({silicon, "mma", operands, "fp16", last(half(16, 25))});
    }
  }
  for (const char* operands : {"fp8_e4m3", "fp8_e5m2", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1"}) {
    all.push_back({"blackwell", "tcgen05", operands, "fp32", single(32, 25)});
    all.push_back({"blackwell", "tcgen05", operands, "fp16", half(32, 25)});
  }
  return all;
}

/// Operands and C, drawn narrow, wide, at the ends of the exponents, and so that products cancel.
class Draw {
 public:
  Draw(const ref::Format& format, const ref::Rule& rule, unsigned seed)
      : format_(format), rule_(rule), random_(seed) {}
  void operator()(std::vector<std::uint32_t>& a, std::vector<std::uint32_t>& b,
                  std::vector<std::uint32_t>& c) {
    const unsigned kind = random_() % 8;
    for (std::uint32_t& word : a) word = number(format_, kind);
    for (std::uint32_t& word : b) word = number(format_, kind);
    if (kind == 3) {  // large products that cancel, between small ones
      for (std::size_t i = 1; i < a.size(); i += 2) {
        if (random_() % 4 != 0) {
          a[i] = number(format_, 8);
          b[i] = number(format_, 8);
          a[i - 1] = number(format_, 8);
          b[i - 1] = number(format_, 8);
        } else {
          a[i] = a[i - 1] ^ sign(format_);
          b[i] = b[i - 1];
        }
      }
    }
    const ref::Format& sums = rule_.half ? ref::kFormats[0] : ref::kFormats[3];
    for (std::uint32_t& word : c)
      word = random_() % 8 == 0 || kind == 3 ? 0 : rule_.half ? number(sums, kind) : near_products(kind);
  }

 private:
  static std::uint32_t sign(const ref::Format& format) {
    return 1u << (format.exponent_bits + format.fraction_bits + format.unused);
  }
  std::uint32_t number(const ref::Format& format, unsigned kind) {
    const auto bits = static_cast<std::uint32_t>(random_());
    const std::uint32_t most = (1u << format.exponent_bits) - 1;
    std::uint32_t field = bits >> 24 & most;
    const auto bias = static_cast<std::uint32_t>(format.bias);
    if (kind < 4) field = std::min(most - 1, bias - std::min(bias, 2u) + bits % 4);
    if (kind == 3) field = std::min(most - 1, bias + bits % 6);
    if (kind == 8) field = bias - std::min(bias, 4 + bits / 256 % 12);
    if (kind == 5) field = std::min(most, bits >> 24 & 3);
    if (kind == 6) field = most - (bits >> 24 & 1);
    if (kind != 7 && kind != 6 && format.specials == ref::Format::kIeee) field = std::min(field, most - 1);
    if (bits % 32 == 31) return bits & sign(format);
    const std::uint32_t fraction =
        static_cast<std::uint32_t>(random_()) & ((1u << (format.fraction_bits + format.unused)) - 1);
    return (bits << 1 & sign(format)) | field << (format.fraction_bits + format.unused) | fraction;
  }
  std::uint32_t near_products(unsigned kind) {
    const auto bits = static_cast<std::uint32_t>(random_());
    if (kind == 7 || kind == 4) return bits;
    const int spread = static_cast<int>(random_() % 40) - 30, center = kind == 5 ? 2 * (1 - format_.bias) : 0;
    const int field = std::clamp(127 + center + spread, 0, kind == 6 ? 255 : 254);
    return (bits & 0x807F'FFFF) | static_cast<std::uint32_t>(field) << 23;
  }
  const ref::Format& format_;
  const ref::Rule rule_;
  std::mt19937 random_;
};

unsigned depth_of(const ref::Rule& rule) { return rule.products > 16 || rule.c_last != 0 ? 64 : 32; }

std::vector<ref::Value> decoded(const ref::Format& format, const std::vector<std::uint32_t>& words) {
  std::vector<ref::Value> values;
  for (const std::uint32_t word : words) values.push_back(ref::decoded(format, word));
  return values;
}

/// The number of draws until the unit and a rule of the reference differ; `most`: they do not.
unsigned first_difference(const Mma& mma, const ref::Format& format, const ref::Rule& drawn_for,
                          const ref::Rule& rule, unsigned most) {
  Draw draw(format, drawn_for, 52);
  const unsigned k = depth_of(drawn_for);
  const ref::Dot dot(rule);
  std::vector<std::uint32_t> a(k), b(k), c(1);
  for (unsigned i = 0; i < most; ++i) {
    draw(a, b, c);
    std::uint32_t found = 0;
    mma(a.data(), b.data(), c.data(), &found, 1, 1, k);
    if (found != dot(decoded(format, a), decoded(format, b), c[0])) return i;
  }
  return most;
}

/// Mutations of a rule, by name.
std::map<std::string, ref::Rule> mutations(const ref::Rule& rule) {
  std::map<std::string, ref::Rule> all;
  const auto add = [&](const char* name, auto change) {
    ref::Rule changed = rule;
    change(changed);
    all[name] = changed;
  };
  const bool has_bits = rule.kind == K::kAligned || rule.kind == K::kTwice || rule.kind == K::kOddEven;
  if (has_bits) {
    add("F - 1", [](ref::Rule& r) { --r.fraction_bits; });
    add("F + 1", [](ref::Rule& r) { ++r.fraction_bits; });
    add("normalized products", [](ref::Rule& r) { r.normalized = true; });
    add("sticky bit", [](ref::Rule& r) { r.sticky = true; });
  }
  if (rule.products > 1 && rule.c_last == 0) add("n / 2", [](ref::Rule& r) { r.products /= 2; });
  if (rule.c_last != 0) {
    add("k in halves", [](ref::Rule& r) { r.pairs = false; });
    add("C first", [](ref::Rule& r) { r.c_last = 0; });
  } else if (rule.kind == K::kAligned) {
    add("C last", [](ref::Rule& r) { r.c_last = r.products; });
  }
  if (rule.kind != K::kChain && rule.kind != K::kTree)
    add("rounding", [](ref::Rule& r) { r.nearest = !r.nearest; });
  if (rule.flush) add("subnormal numbers", [](ref::Rule& r) { r.flush = false; });
  return all;
}

}  // namespace

TEST_CASE("sums are those of an exact reference, for each silicon, format and result") {
  for (const Known& known : known_rules()) {
    CAPTURE(known.silicon, known.instruction, known.operands, known.result);
    const Mma mma(known.silicon, known.operands, known.result, known.instruction);
    const unsigned most = spica::testbench::draws(1'500);
    REQUIRE(first_difference(mma, ref::format_of(known.operands), known.rule, known.rule, most) == most);
  }
}

TEST_CASE("each rule of the table has a reference") {
  std::set<std::string> tested;
  for (const Known& known : known_rules())
    tested.insert(std::string(known.silicon) + known.instruction + known.operands + known.result);
  for (const SiliconRule& rule : silicon_rules()) {
    for (unsigned i = 0; i < kOperandCount; ++i) {
      const OperandInfo& operand = kOperandInfos[i];
      const bool has_own_test = operand.scale != ScaleFormat::kNone || rule.rule.adder == Adder::kInteger ||
                                rule.rule.adder == Adder::kChain;
      for (const Silicon& silicon : all_silicon()) {
        if (has_own_test || silicon.key != rule.silicon ||
            find_rule(silicon.key, operand.key, rule.rule.result, rule.instruction) != &rule)
          continue;
        CAPTURE(rule.silicon, rule.instruction, operand.key, result_key(rule.rule.result));
        CHECK(tested.count(std::string(rule.silicon) + std::string(rule.instruction) + operand.key +
                           std::string(result_key(rule.rule.result))) == 1);
      }
    }
  }
}

TEST_CASE("each mutation of a rule breaks a fingerprint and a random set") {
  std::string missing;
  for (const Known& known : known_rules()) {
    const ref::Format& format = ref::format_of(known.operands);
    // The products of narrower formats lie so close together that most mutations change no sum.
    if (has_word("fp8_e5m2 fp8_e5m2fnuz fp6_e3m2 fp6_e2m3 fp4_e2m1", known.operands)) continue;
    const Mma mma(known.silicon, known.operands, known.result, known.instruction);
    for (const auto& [name, rule] : mutations(known.rule)) {
      CAPTURE(known.silicon, known.instruction, known.operands, known.result, name);
      bool breaks = false;
      for (const Fingerprint& one : fingerprints()) {
        if (!one.suits(known.operands, known.result)) continue;
        const Fingerprint::Operands words = one.words(mma.operands());
        const std::vector<std::uint32_t> a(words.a.begin(), words.a.end()), b(words.b.begin(), words.b.end());
        const std::uint32_t found =
            ref::Dot(rule)(decoded(format, a), decoded(format, b), static_cast<std::uint32_t>(one.c));
        breaks = breaks || found != one.result_by(mma);
      }
      if (!breaks)
        missing +=
            std::string(known.silicon) + " " + known.operands + " -> " + known.result + ": " + name + "\n";
      const unsigned most = 4'000, at = first_difference(mma, format, known.rule, rule, most);
      if (at == most)
        missing += std::string(known.silicon) + " " + known.operands + " -> " + known.result + ": " + name +
                   " (random)\n";
    }
  }
  INFO(missing);
  CHECK(missing.empty());
}
