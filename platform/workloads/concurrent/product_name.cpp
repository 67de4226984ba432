// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/product_name.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::concurrent {

namespace {

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

/// "128", or "4k".
std::optional<std::uint32_t> extent_of(std::string text) {
  std::uint64_t factor = 1;
  if (!text.empty() && text.back() == 'k') {
    factor = 1024;
    text.pop_back();
  }
  const auto number = input::parse_number(text);
  constexpr std::uint64_t kMost = 9'999'999;
  if (!number || *number == 0 || *number > kMost || *number * factor > kMost) return std::nullopt;
  return static_cast<std::uint32_t>(*number * factor);
}

}  // namespace

ProductName ProductName::parse(const std::string& text) {
  const std::vector<std::string> words = words_of(text, '_');
  ProductName name;
  bool good = words.size() == 3 || words.size() == 4;
  std::uint32_t* const extents[] = {&name.size.m, &name.size.n, &name.size.k};
  for (std::size_t i = 0; good && i < 3; ++i) {
    const auto extent = extent_of(words[i]);
    good = extent.has_value();
    if (good) *extents[i] = *extent;
  }
  if (good && words.size() == 4) {
    const std::string& flags = words[3];
    good = flags.size() == 2 && flags.find_first_not_of("01") == std::string::npos;
    name.transposed_a = flags[0] == '1';
    name.transposed_b = good && flags[1] == '1';
  }
  if (!good)
    throw input::UserError(fmt::format("\"{}\" is not a matrix product: M_N_K_T1T2, like 64_128_256_00",
                                       input::printable(text)));
  return name;
}

std::string ProductName::text() const {
  return fmt::format("{}_{}_{}_{:d}{:d}", size.m, size.n, size.k, int{transposed_a}, int{transposed_b});
}

std::vector<ProductName> parse_products(const std::string& text) {
  std::vector<ProductName> products;
  for (const std::string& word : words_of(text, ',')) products.push_back(ProductName::parse(word));
  if (products.empty())
    throw input::UserError("no matrix product given; write M_N_K_T1T2, separated by commas");
  return products;
}

workloads::GemmSize tile_of(const std::string& kernel) {
  const std::vector<std::string> words = words_of(kernel, '_');
  if (words.size() < 2 || words[0] != "gemm")
    throw input::UserError(fmt::format("kernel \"{}\" does not name its tile, for example gemm_64x32x16",
                                       input::printable(kernel)));
  return workloads::parse_gemm_size(words[1]);
}

}  // namespace spica::concurrent
