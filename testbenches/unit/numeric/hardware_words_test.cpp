// SPDX-License-Identifier: Apache-2.0
// Words that GPUs computed: the folder model_validation of khattak's repository (docs/sources.md), if SPICA_TENSOR_WORDS
// names it. GPU/FORMAT/a_GPU_FORMAT.txt and b_... have a dot product per line, FP32 words in hexadecimal; c_GPU_fp32.txt and
// d_GPU_RESULT.txt one FP32 word per line, in binary.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "models/numeric/convert.h"
#include "models/numeric/half.h"
#include "models/numeric/mma.h"
#include "testbenches/support/catch.h"

using namespace spica::numeric;

namespace {

struct Gpu {
  const char* name;
  const char* silicon;
};
constexpr Gpu kGpus[] = {{"V100", "volta"}, {"A100", "ampere"}, {"A2", "ampere"},   {"Ada", "ada"},
                         {"L40S", "ada"},   {"H100", "hopper"}, {"H200", "hopper"}, {"B200", "blackwell"}};
struct FormatFolder {
  const char* name;
  const char* key;
};
constexpr FormatFolder kFolders[] = {
    {"fp16", "fp16"}, {"bf16", "bf16"}, {"tf32", "tf32"}, {"E4M3", "fp8_e4m3"}, {"E5M2", "fp8_e5m2"}};

float single_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::vector<std::vector<std::uint32_t>> rows_of(const std::filesystem::path& file, int base) {
  std::vector<std::vector<std::uint32_t>> rows;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; words >> word;)
      rows.back().push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, base)));
  }
  return rows;
}

/// The words of one set that differ; `count`: all of it.
unsigned differing(const std::filesystem::path& folder, const Gpu& gpu, const FormatFolder& format,
                   const char* result, unsigned& count) {
  const std::string name = std::string("_") + gpu.name + "_";
  const auto a = rows_of(folder / ("a" + name + format.name + ".txt"), 16);
  const auto b = rows_of(folder / ("b" + name + format.name + ".txt"), 16);
  const auto c = rows_of(folder / ("c" + name + "fp32.txt"), 2),
             d = rows_of(folder / ("d" + name + result + ".txt"), 2);
  const bool is_fp8 = std::strncmp(format.key, "fp8", 3) == 0, half = std::strcmp(result, "fp16") == 0;
  // FP8 sums in FP32 on Hopper are those of wgmma, without C; all other sets are of wmma and mma.
  const bool is_wgmma = is_fp8 && !half && std::strcmp(gpu.silicon, "hopper") == 0;
  const Mma mma(gpu.silicon, format.key, result, is_wgmma ? "wgmma" : "mma");
  const Format operand = *format_of_key(format.key);
  unsigned different = 0;
  count = 0;
  for (std::size_t row = 0; row < d.size(); ++row) {
    std::vector<std::uint32_t> left, right;
    for (const std::uint32_t word : a.at(row))
      left.push_back(nearest(operand, single_of(word), Overflow::kSaturate));
    for (const std::uint32_t word : b.at(row))
      right.push_back(nearest(operand, single_of(word), Overflow::kSaturate));
    const std::size_t products = (left.size() + mma.rule().block_products() - 1) /
                                 mma.rule().block_products() * mma.rule().block_products();
    left.resize(products);
    right.resize(products);
    std::uint32_t addend = is_wgmma ? 0 : c.at(row).at(0), found = 0;
    if (half) addend = half_from_float(single_of(addend));
    mma(left.data(), right.data(), &addend, &found, 1, 1, static_cast<unsigned>(products));
    const std::uint32_t word = d[row].at(0);
    different += found != (half ? half_from_float(single_of(word)) : word);
    ++count;
  }
  return different;
}

}  // namespace

TEST_CASE("words of GPUs are those of their rules, where the public files are") {
  const char* const root = std::getenv("SPICA_TENSOR_WORDS");
  if (root == nullptr) {
    std::cout << "skipped: SPICA_TENSOR_WORDS names no folder of words\n";
    return;
  }
  unsigned sets = 0, words = 0;
  for (const Gpu& gpu : kGpus) {
    for (const FormatFolder& format : kFolders) {
      for (const char* result : {"fp32", "fp16"}) {
        const std::filesystem::path folder = std::filesystem::path(root) / gpu.name / format.name;
        if (!std::filesystem::exists(folder / (std::string("d_") + gpu.name + "_" + result + ".txt")))
          continue;
        unsigned count = 0;
        CAPTURE(gpu.name, format.name, result);
        CHECK(differing(folder, gpu, format, result, count) == 0);
        CHECK(count != 0);
        ++sets;
        words += count;
      }
    }
  }
  std::cout << sets << " sets, " << words << " words\n";
  REQUIRE(sets != 0);
}
