// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "models/tensor_core/warp_mma/semantics.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/tensor_core/operation_of_form.h"

using namespace spica;
using namespace spica::tensor_core::warp_mma;
using protocol::FragmentAccess;

namespace {

FragmentAccess access_of(Generation generation, unsigned form, char matrix, bool column_major) {
  const Operation& operation = *find_operation(generation, form);
  if (matrix == 'c') return fragment_access(operation.c, operation.shape().accumulate, true, column_major);
  return fragment_access(matrix == 'a' ? operation.a : operation.b, operation.shape().operand, false,
                         column_major);
}

/// Cycles of a memory of 32 banks of 4 bytes: in each phase every bank serves its different words one by one.
unsigned cycles(const FragmentAccess& access, unsigned stride) {
  unsigned sum = 0;
  for (const auto& phase : access.phases) {
    std::map<unsigned, std::set<unsigned>> words;  // by bank
    for (const auto& piece : phase) {
      const unsigned word = access.address(piece, 0, stride) / 4;
      words[word % 32].insert(word);
    }
    std::size_t most = 0;
    for (const auto& [bank, different] : words) most = std::max(most, different.size());
    sum += static_cast<unsigned>(most);
  }
  return sum;
}

}  // namespace

TEST_CASE("a fragment of Volta is loaded in as few and as wide accesses as its map allows") {
  struct Width {
    char matrix;
    bool column_major;
    unsigned form, lane_bytes, loads;
  };
  for (const Width& width :
       {Width{'a', false, 0, 16, 2}, Width{'a', true, 1, 8, 4}, Width{'b', false, 0, 8, 4},
        Width{'b', true, 2, 16, 2}, Width{'c', false, 0, 4, 8}, Width{'c', true, 0, 4, 8},
        Width{'c', false, 4, 4, 4}, Width{'c', true, 4, 2, 8}}) {
    CAPTURE(width.matrix, width.form, width.column_major);
    const FragmentAccess access = access_of(Generation::kVolta, width.form, width.matrix, width.column_major);
    CHECK(access.lane_bytes == width.lane_bytes);
    CHECK(access.phases.size() == width.loads * std::max(1u, width.lane_bytes / 4));
  }
}

TEST_CASE("each element of a fragment is moved once") {
  for (const Generation generation : {Generation::kVolta, Generation::kTuring, Generation::kAmpere}) {
    for (const Operation& operation : operations(generation)) {
      for (const char matrix : {'a', 'b', 'c'}) {
        for (const bool column_major : {false, true}) {
          const FragmentAccess access = access_of(generation, operation.form, matrix, column_major);
          std::set<std::array<unsigned, 3>> places;  // lane, register, bit
          for (const auto& phase : access.phases)
            for (const auto& piece : phase) places.insert({piece.lane, piece.row, piece.shift});
          CAPTURE(operation.form, matrix, column_major);
          CHECK(places.size() == access.phases.size() * 32);
          const FragmentMap& map = matrix == 'a' ? operation.a : matrix == 'b' ? operation.b : operation.c;
          if (!access.phases.empty())
            CHECK(places.size() * access.bytes * 8 == kLanes * map.elements() * access.element_bits);
        }
      }
    }
  }
}

TEST_CASE("loads of A of Volta take the cycles that 32 banks of 4 bytes need") {
  const FragmentAccess rows = access_of(Generation::kVolta, 0, 'a', false);
  const FragmentAccess columns = access_of(Generation::kVolta, 1, 'a', true);
  CHECK(cycles(rows, 16) == 16);
  CHECK(cycles(columns, 16) == 8);
  CHECK(cycles(rows, 64) == 64);
  CHECK(cycles(columns, 64) == 32);
  CHECK(cycles(rows, 128) == 64);
  CHECK(cycles(columns, 128) == 32);
  for (const unsigned skewed : {72, 136}) {
    CHECK(cycles(rows, skewed) == 16);
    CHECK(cycles(columns, skewed) == 16);
  }
}
