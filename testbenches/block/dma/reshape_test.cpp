// SPDX-License-Identifier: Apache-2.0
// Loads that convert, scale and transpose, in both modes.
#include <fmt/format.h>

#include <cmath>
#include <random>
#include <sstream>

#include "models/numeric/bounded.h"
#include "models/numeric/convert.h"
#include "testbenches/block/dma/fast_dma_bench.h"
#include "testbenches/support/apart.h"

using namespace spica;
using namespace spica::testbench;
using numeric::Format;

namespace {

constexpr std::uint32_t kFar = 0x1000;

/// Bits [at, at + width) of bytes, from bit 0 of the first one on.
std::uint32_t bits_at(const std::vector<unsigned char>& bytes, std::size_t at, unsigned width) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < width; ++i) value |= (bytes[(at + i) / 8] >> (at + i) % 8 & 1u) << i;
  return value;
}
void set_bits(std::vector<unsigned char>& bytes, std::size_t at, unsigned width, std::uint32_t value) {
  for (unsigned i = 0; i < width; ++i) {
    unsigned char& byte = bytes[(at + i) / 8];
    byte = static_cast<unsigned char>((byte & ~(1u << (at + i) % 8)) | (value >> i & 1u) << (at + i) % 8);
  }
}

/// Shared memory behind a load, element by element; `global` is what lies from kFar on.
std::vector<unsigned char> expected(const Move& m, const std::vector<unsigned char>& global,
                                    std::vector<unsigned char> shared) {
  const protocol::Conversion& c = m.conversion;
  const bool converts = c.present;
  const unsigned from = converts ? numeric::info(c.from).stored_bits : 8,
                 to = converts ? numeric::info(c.to).stored_bits : 8;
  const unsigned elements = m.block_bytes * 8u / to,
                 of_word = m.transposes() ? m.transposed_word * 8u / to : 1;
  for (unsigned row = 0; row < m.rows; ++row)
    for (unsigned block = 0; block < m.blocks; ++block)
      for (unsigned e = 0; e < elements; ++e) {
        const unsigned far_row = m.transposes() ? e / of_word : row;
        const unsigned far_element = m.transposes() ? row * of_word + e % of_word : block * elements + e;
        std::uint32_t code = bits_at(
            global,
            (m.global_address - kFar + far_row * m.global_stride) * std::size_t{8} + far_element * from,
            from);
        if (converts) {
          const float value = numeric::value_of(c.from, code) * c.scale;
          code = numeric::nearest(
              c.to, value,
              std::isinf(value) ? numeric::bounded_overflow(c.to) : numeric::Overflow::kSaturate);
        }
        set_bits(shared,
                 (m.local_address + row * m.local_stride + block * m.block_stride) * std::size_t{8} + e * to,
                 to, code);
      }
  return shared;
}

/// Something that a matrix unit may ask for.
Move any_load(std::mt19937& random) {
  const auto one_of = [&](std::initializer_list<unsigned> values) {
    return *(values.begin() + random() % values.size());
  };
  Move m;
  const unsigned dim = one_of({4, 8, 16}), word = one_of({2, 4}), row_bytes = dim * word;
  m.rows = static_cast<std::uint16_t>(1 + random() % dim);
  m.block_bytes = static_cast<std::uint16_t>(row_bytes);
  m.blocks = static_cast<std::uint16_t>(row_bytes <= 32 ? one_of({1, 2}) : 1);
  m.local_stride = row_bytes;
  m.block_stride = dim * row_bytes;
  m.local_address = row_bytes * (random() % 8);
  m.conversion.present = random() % 4 != 0;
  do {
    m.conversion.from = static_cast<Format>(random() % 14);
    m.conversion.to = static_cast<Format>(random() % 14);
  } while (m.conversion.from == Format::kInt32 || m.conversion.to == Format::kInt32 ||
           word * 8 % numeric::info(m.conversion.to).stored_bits != 0);
  constexpr float kScales[] = {1, 0.5f, 3, 0.0078740157f, -1};
  m.conversion.scale = kScales[random() % 5];
  const bool whole = word * 8 / numeric::info(m.conversion.to).stored_bits *
                         numeric::info(m.conversion.from).stored_bits % 8 ==
                     0;
  if (random() % 2 == 0 && (whole || !m.conversion.present)) {
    m.transposed_word = static_cast<std::uint8_t>(word);
    m.blocks = 1;
  }
  m.global_address = kFar + static_cast<std::uint32_t>(random() % 64);
  m.global_stride = m.far_row_bytes() + static_cast<std::uint32_t>(random() % 40);
  return m;
}

dma::DmaParams able(std::uint64_t units = 8, std::uint64_t latency = 4) {
  dma::DmaParams params;
  params.scale_units = units;
  params.scale_latency = latency;
  params.transposer = true;
  return params;
}

/// A load of 8 rows of two blocks of 8 words, from FP8 to FP16.
Move usual() {
  Move m = FastBench::move(Move::Kind::kGlobalToShared, kFar, 8, 2);
  m.conversion = {Format::kE4m3, Format::kFp16, 1, true};
  return m;
}

/// The cycles of the first and of the last row at shared memory.
std::pair<Cycle, Cycle> rows_of(const Move& move, const dma::DmaParams& params) {
  const std::string text = apart([&] {
    DmaBench b(6, 64, 2, 64, params);
    b.build();
    auto& c = b.load(0, 0, 0);
    static_cast<Move&>(c.move) = move;
    b.agent.at(10, c);
    b.bench.run();
    return c.is_response_ok() ? fmt::format("{} {}", b.smem.seen().front().cycle, b.smem.seen().back().cycle)
                              : "";
  });
  std::pair<Cycle, Cycle> rows;
  std::istringstream(text) >> rows.first >> rows.second;
  return rows;
}
Cycle cycles_of(const Move& move, const dma::DmaParams& params) {
  const auto [first, last] = rows_of(move, params);
  return last - first;
}

/// Bytes of shared memory that are not as wanted behind a load in the cycle mode; all when it failed.
std::string wrong_bytes(const Move& m, const std::vector<unsigned char>& global,
                        const std::vector<unsigned char>& wanted, const dma::DmaParams& params,
                        bool reversed) {
  return apart([&] {
    DmaBench b(20, 64, 3, 64, params);
    b.build(reversed);
    for (unsigned i = 0; i < 4096; ++i) {
      b.gmem.byte(kFar + i) = global[i];
      b.smem.byte(i) = 9;
    }
    auto& command = b.load(0, 0, 0);
    static_cast<Move&>(command.move) = m;
    b.agent.at(10, command);
    b.bench.run();
    unsigned wrong = command.is_response_ok() ? 0 : 4096;
    for (unsigned i = 0; i < 4096; ++i) wrong += b.smem.byte(i) != wanted[i];
    return std::to_string(wrong);
  });
}

}  // namespace

TEST_CASE(
    "a load converts, scales and transposes as its elements one by one, in both modes, in any order of answers") {
  std::mt19937 random(22);
  unsigned converted = 0, transposed = 0;
  for (unsigned round = 0; round < 150; ++round) {
    const Move m = any_load(random);
    const bool reversed = round % 3 == 0;  // that memory has bytes of its own
    std::vector<unsigned char> global(4096);
    for (unsigned i = 0; i < 4096; ++i)
      global[i] = reversed ? ReverseMemory::value(kFar + i) : static_cast<unsigned char>(random());
    const std::vector<unsigned char> wanted = expected(m, global, std::vector<unsigned char>(4096, 9));
    converted += m.conversion.present;
    transposed += m.transposes();
    INFO("round " << round << ", from " << numeric::info(m.conversion.from).key << " to "
                  << numeric::info(m.conversion.to).key << (m.transposes() ? ", transposed" : ""));

    FastBench fast(able(), fmt::format("bench{}", round).c_str());
    std::copy(global.begin(), global.end(), fast.global.begin());
    Move in_fast = m;
    in_fast.global_address = m.global_address - kFar + static_cast<std::uint32_t>(FastBench::kGlobal);
    CHECK(fast.perform(in_fast));
    CHECK(fast.shared == wanted);
    CHECK(wrong_bytes(m, global, wanted, able(1 + random() % 20, 1 + random() % 16), reversed) == "0");
  }
  CHECK(converted > 50);
  CHECK(transposed > 30);
}

TEST_CASE("scale units that take fewer elements than rows bring are what a load waits for") {
  // 16 rows of 16 elements.
  const Cycle plain = cycles_of(FastBench::move(Move::Kind::kGlobalToShared, kFar, 8, 2), able());
  CHECK(plain == 15);
  CHECK(cycles_of(usual(), able(16)) == 15);
  CHECK(cycles_of(usual(), able(8)) == 15 * 2);
  CHECK(cycles_of(usual(), able(1)) == 15 * 16);
  CHECK(cycles_of(usual(), able(8, 16)) == 15 * 2);  // pipelined
}

TEST_CASE(
    "the first row of a converted load comes a latency later, that of a transposed one behind all of the block") {
  const auto first = [](const Move& move, const dma::DmaParams& params) {
    return rows_of(move, params).first;
  };
  const Move plain = FastBench::move(Move::Kind::kGlobalToShared, kFar, 8, 1);
  Move converted = plain, transposed = plain;
  converted.conversion = {Format::kFp16, Format::kBf16, 1, true};
  transposed.transposed_word = 4;
  const Cycle usual = first(plain, able(16));
  CHECK(first(converted, able(16, 4)) == usual + 4);
  CHECK(first(converted, able(16, 9)) == usual + 9);
  CHECK(first(converted, able(8, 4)) == usual + 5);  // a row takes two cycles
  CHECK(first(transposed, able()) == usual + 8);     // eight reads, one a cycle
}

TEST_CASE("what is converted and transposed is counted, and read as it is in memory") {
  DmaBench b(6, 64, 2, 64, able());
  b.build();
  auto& c = b.load(0, 0, 0);
  static_cast<Move&>(c.move) = usual();
  auto& d = b.load(0, 0, 0);
  static_cast<Move&>(d.move) = FastBench::move(Move::Kind::kGlobalToShared, kFar, 8, 1);
  d.move.transposed_word = 4;
  b.agent.at(10, c);
  b.agent.at(11, d);
  b.bench.run();
  CHECK(b.dma.stats().scaled_elements.value() == 8 * 32);
  CHECK(b.dma.stats().transposed_rows.value() == 8);
  CHECK(b.dma.stats().bytes_a.value() == 8 * 32 + 8 * 32);
}
