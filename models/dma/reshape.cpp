// SPDX-License-Identifier: Apache-2.0
#include "models/dma/reshape.h"

#include <array>
#include <cstring>

#include "models/base/invariant.h"
#include "models/numeric/convert.h"

namespace spica::dma {

namespace {

constexpr std::size_t kMostBytes =
    1024;  // of a row on the far side: 128 bytes of 4-bit elements, which were FP32

/// Word `row` of each far row, in sequence.
void gather(const protocol::Move& move, const unsigned char* far, std::uint32_t row, unsigned char* words) {
  const std::uint32_t word = move.conversion.far_bytes(move.transposed_word), stride = move.far_row_bytes();
  for (std::uint32_t column = 0; column < move.far_rows(); ++column)
    std::memcpy(words + column * word, far + column * stride + row * word, word);
}

}  // namespace

void reshape(const protocol::Move& move, const unsigned char* far, std::uint32_t row, std::uint32_t block,
             unsigned char* near) {
  const protocol::Conversion& conversion = move.conversion;
  const std::uint32_t bytes = conversion.far_bytes(move.block_bytes);
  std::array<unsigned char, kMostBytes> gathered;
  const unsigned char* words = far + row * move.far_row_bytes() + block * bytes;
  if (move.transposes()) {
    SPICA_INVARIANT(bytes <= gathered.size());
    gather(move, far, row, gathered.data());
    words = gathered.data();
  }
  if (conversion.present)
    numeric::convert(conversion.from, words, move.elements_of_row(), conversion.scale, conversion.to, near);
  else std::memcpy(near, words, bytes);
}

}  // namespace spica::dma
