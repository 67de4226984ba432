// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/shared_memory_params.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/shared_memory/shared_memory_stats.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::shared_memory;

namespace {

struct Reporter {
  std::vector<std::vector<std::string>> found;
  void operator()(std::initializer_list<std::string_view> keys, std::string_view) {
    found.emplace_back(keys.begin(), keys.end());
  }
};

struct RangeCheck {
  template <class Number>
  void operator()(std::string_view key, const Number& value, std::string_view, base::Range range,
                  std::string_view doc, std::string_view source) {
    CAPTURE(key);
    CHECK(range.contains(value));
    CHECK_FALSE(doc.empty());
    CHECK_FALSE(source.empty());
  }
  template <class... Rest>
  void operator()(std::string_view, const Rest&...) {}
};

}  // namespace

TEST_CASE("the defaults are legal and every parameter is documented") {
  const SharedMemoryParams params;
  SharedMemoryParams::describe(params, RangeCheck{});
  Reporter reporter;
  SharedMemoryParams::check(params, reporter);
  CHECK(reporter.found.empty());
}

TEST_CASE("contradictions name their keys") {
  SharedMemoryParams params;
  params.words = 32;
  params.word_bytes = 8;
  Reporter reporter;
  SharedMemoryParams::check(params, reporter);
  CHECK(reporter.found == std::vector<std::vector<std::string>>{{"words", "word_bytes"}});

  params = {};
  params.broadcast = true;
  Reporter path;
  SharedMemoryParams::check(params, path);
  CHECK(path.found == std::vector<std::vector<std::string>>{{"broadcast", "unaligned"}});

  params = {};
  params.banks = 1;
  params.words = 32;
  params.word_bytes = 8;
  Reporter line;
  SharedMemoryParams::check(params, line);
  CHECK(line.found == std::vector<std::vector<std::string>>{{"words", "word_bytes"}});
}

TEST_CASE("every statistic has a unique name and a description") {
  SharedMemoryParams params;
  params.wide_ports = {WideClient::kMatrixA, WideClient::kMatrixB, WideClient::kMatrixA, WideClient::kMatrixB,
                       WideClient::kDma};
  SharedMemoryStats stats(params);
  std::vector<std::string> names;
  for (const auto& entry : stats.counters()) {
    CHECK_FALSE(entry.description.empty());
    CHECK(std::find(names.begin(), names.end(), entry.name) == names.end());
    names.emplace_back(entry.name);
  }
  CHECK(std::find(names.begin(), names.end(), "matrix_a_1_words_read") != names.end());
  CHECK(std::find(names.begin(), names.end(), "bank_3_words_written") != names.end());
  CHECK(std::find(names.begin(), names.end(), "conflict_degree_8") != names.end());
}
