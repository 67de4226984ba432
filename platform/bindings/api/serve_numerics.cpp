// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/serve_numerics.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/numeric/mma.h"
#include "platform/bindings/api/errors.h"

namespace spica::api {

namespace {

using client::Reader;
using client::Writer;

numeric::Mma mma_of(Reader& request) {
  const auto silicon = request.get<std::string>(), operands = request.get<std::string>();
  const auto result = request.get<std::string>();
  return {silicon, operands, result, request.get<std::string>()};
}

/// `count` words from a text of bytes.
template <class Word>
std::vector<Word> words_of(Reader& request, std::size_t count) {
  const auto bytes = request.get<std::string>();
  if (bytes.size() != count * sizeof(Word))
    throw std::invalid_argument("a matrix has not the number of words of its shape");
  std::vector<Word> words(count);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

/// Bytes of block scales; nullptr: none.
const std::uint8_t* scales_of(const std::string& bytes) {
  return bytes.empty() ? nullptr : reinterpret_cast<const std::uint8_t*>(bytes.data());
}
/// `lines`: rows of A, or columns of B.
void check_scales(const numeric::Mma& mma, const std::string& scales, unsigned lines, unsigned k) {
  if (!scales.empty() && mma.has_scales() &&
      scales.size() != std::size_t{lines} * (k / mma.operands().scale_block))
    throw std::invalid_argument("scales have not one byte for each block of " +
                                std::to_string(mma.operands().scale_block) + " elements along k");
}

template <class Word>
void multiply(const numeric::Mma& mma, Reader& request, Writer& done) {
  const auto m = request.get<std::uint32_t>(), n = request.get<std::uint32_t>(),
             k = request.get<std::uint32_t>();
  const auto size = [](std::uint32_t rows, std::uint32_t columns) { return std::size_t{rows} * columns; };
  const std::vector<Word> a = words_of<Word>(request, size(m, k)), b = words_of<Word>(request, size(k, n));
  const std::vector<Word> c = words_of<Word>(request, size(m, n));
  std::vector<Word> d(size(m, n));
  const auto scale_a = request.get<std::string>(), scale_b = request.get<std::string>();
  if constexpr (sizeof(Word) == sizeof(std::uint32_t)) {
    check_scales(mma, scale_a, m, k);
    check_scales(mma, scale_b, n, k);
    mma(a.data(), b.data(), scales_of(scale_a), scales_of(scale_b), c.data(), d.data(), m, n, k);
  } else {
    if (!scale_a.empty() || !scale_b.empty()) throw std::invalid_argument("fp64 has no scales");
    mma(a.data(), b.data(), c.data(), d.data(), m, n, k);
  }
  std::memcpy(done.room(d.size() * sizeof(Word)), d.data(), d.size() * sizeof(Word));
}

template <class Serve>
void with_errors(const Serve& serve) {
  try {
    serve();
  } catch (const std::invalid_argument& error) {
    throw Error(error.what());
  }
}

}  // namespace

void serve_mma(Reader& request, Writer& done) {
  with_errors([&] {
    const numeric::Mma mma = mma_of(request);
    if (mma.is_double()) multiply<std::uint64_t>(mma, request, done);
    else multiply<std::uint32_t>(mma, request, done);
  });
}

void serve_explain(Reader& request, Writer& done) {
  with_errors([&] {
    const numeric::Mma mma = mma_of(request);
    const auto k = request.get<std::uint32_t>();
    const std::vector<std::uint32_t> a = words_of<std::uint32_t>(request, k),
                                     b = words_of<std::uint32_t>(request, k);
    const auto c = request.get<std::uint32_t>();
    const auto scale_a = request.get<std::string>(), scale_b = request.get<std::string>();
    check_scales(mma, scale_a, 1, k);
    check_scales(mma, scale_b, 1, k);
    const std::vector<numeric::StepTrace> steps =
        mma.explain(a.data(), b.data(), k, c, scales_of(scale_a), scales_of(scale_b));
    done << numeric::text(mma.rule())
         << (mma.silicon_rule() != nullptr ? numeric::text(*mma.silicon_rule()) : "")
         << std::uint64_t{steps.size()};
    for (const numeric::StepTrace& step : steps) {
      done << step.aligned << step.is_partial << std::int32_t{step.exponent} << std::int32_t{step.grid}
           << step.c << step.result << std::uint64_t{step.addends.size()};
      for (const auto& addend : step.addends)
        done << std::int32_t{addend.k} << std::int32_t{addend.exponent} << addend.value << addend.kept;
    }
  });
}

}  // namespace spica::api
