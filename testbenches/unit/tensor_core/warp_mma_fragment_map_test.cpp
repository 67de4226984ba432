// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/fragment_map.h"

#include <map>
#include <utility>

#include "models/tensor_core/warp_mma/operation.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/tensor_core/operation_of_form.h"

using namespace spica;
using namespace spica::tensor_core::warp_mma;

namespace {

/// A map written down a second time, from the threadgroups' base rows and columns.
using Formula = Place (*)(unsigned lane, unsigned x);

unsigned row_base(unsigned g) { return 8 * (g & 1) + 4 * (g >> 2); }
unsigned column_base(unsigned g) { return 8 * ((g >> 1) & 1) + 4 * (g >> 2); }

Place volta_a_rows(unsigned l, unsigned x) { return {row_base(l / 4) + l % 4, x}; }
Place volta_a_columns(unsigned l, unsigned x) { return {row_base(l / 4) + x % 4, l % 4 + 4 * (x / 4)}; }
Place volta_b_columns(unsigned l, unsigned x) { return {x, column_base(l / 4) + l % 4}; }
Place volta_b_rows(unsigned l, unsigned x) { return {l % 4 + 4 * (x / 4), column_base(l / 4) + x % 4}; }
Place volta_c_fp32(unsigned l, unsigned x) {
  return {row_base(l / 4) + (l & 1) + (x & 2), 8 * (l >> 3 & 1) + (l & 2) + (x & 1) + (x & 4)};
}
Place volta_c_fp16(unsigned l, unsigned x) { return {row_base(l / 4) + l % 4, 8 * (l >> 3 & 1) + x}; }

void check_map(const FragmentMap& map, unsigned elements, Formula formula) {
  REQUIRE(map.elements() == elements);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned x = 0; x < elements; ++x) REQUIRE(map.place(lane, x) == formula(lane, x));
}

/// Lanes that hold each element: the same for all.
unsigned coverage(const FragmentMap& map) {
  std::map<std::pair<unsigned, unsigned>, unsigned> count;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned x = 0; x < map.elements(); ++x) {
      const Place place = map.place(lane, x);
      ++count[{place.row, place.column}];
    }
  REQUIRE(count.size() == std::size_t{map.rows()} * map.columns());
  const unsigned copies = count.begin()->second;
  for (const auto& [place, times] : count) REQUIRE(times == copies);
  return copies;
}

}  // namespace

TEST_CASE("the fragments of Volta are those that the threadgroups' base rows and columns give") {
  for (unsigned layout = 0; layout < 4; ++layout) {
    for (const unsigned form : {layout, 4 + layout}) {
      const Operation& operation = *find_operation(Generation::kVolta, form);
      check_map(operation.a, 16, (layout & 1) != 0 ? volta_a_columns : volta_a_rows);
      check_map(operation.b, 16, (layout & 2) != 0 ? volta_b_columns : volta_b_rows);
      check_map(operation.c, 8, form < 4 ? volta_c_fp32 : volta_c_fp16);
    }
  }
}

TEST_CASE("the fragments of Turing are those of eight neighbouring rows or columns by groups of four lanes") {
  const auto g = [](unsigned l) { return l / 4; };
  const auto t = [](unsigned l) { return l % 4; };
  for (unsigned l = 0; l < kLanes; ++l) {
    for (unsigned x = 0; x < 16; ++x) {
      const auto at = [&](unsigned form) -> const Operation& {
        return *find_operation(Generation::kTuring, form);
      };
      const Operation& square = at(0);
      if (x < 8) {
        CHECK(square.a.place(l, x) == Place{g(l) + 8 * (x >> 1 & 1), 2 * t(l) + (x & 1) + 8 * (x >> 2)});
        CHECK(square.b.place(l, x) == Place{2 * t(l) + (x & 1) + 8 * (x >> 1 & 1), g(l) + 8 * (x >> 2)});
        CHECK(square.c.place(l, x) == Place{g(l) + 8 * (x >> 1 & 1), 2 * t(l) + (x & 1) + 8 * (x >> 2)});
        CHECK(at(8).c.place(l, x) == Place{g(l) + 8 * (x >> 1 & 1) + 16 * (x >> 2), 2 * t(l) + (x & 1)});
        CHECK(at(9).c.place(l, x) == Place{2 * t(l) + (x & 1), g(l) + 8 * (x >> 1 & 1) + 16 * (x >> 2)});
        CHECK(at(12).a.place(l, x) == Place{g(l) + 8 * (x >> 2), 4 * t(l) + (x & 3)});
        CHECK(at(12).b.place(l, x) == Place{4 * t(l) + (x & 3), g(l) + 8 * (x >> 2)});
        CHECK(at(16).c.place(l, x) == Place{g(l) + 8 * (x >> 1), 2 * t(l) + (x & 1)});
        CHECK(at(18).c.place(l, x) == Place{g(l), 2 * t(l) + (x & 1) + 8 * (x >> 1)});
        CHECK(at(14).a.place(l, x) == Place{g(l), 8 * t(l) + x});
        CHECK(at(14).b.place(l, x) == Place{8 * t(l) + x, g(l)});
      }
      CHECK(at(8).a.place(l, x) ==
            Place{g(l) + 8 * (x >> 1 & 1) + 16 * (x >> 3), 2 * t(l) + (x & 1) + 8 * (x >> 2 & 1)});
      CHECK(at(9).b.place(l, x) ==
            Place{2 * t(l) + (x & 1) + 8 * (x >> 2 & 1), g(l) + 8 * (x >> 1 & 1) + 16 * (x >> 3)});
      CHECK(at(16).a.place(l, x) == Place{g(l) + 8 * (x >> 2), 4 * t(l) + (x & 3)});
      CHECK(at(18).b.place(l, x) == Place{4 * t(l) + (x & 3), g(l) + 8 * (x >> 2)});
    }
  }
}

TEST_CASE("the fragments of Ampere are those of mma.m16n8k16 and m16n8k8, and two of these side by side") {
  const auto at = [](unsigned form) -> const Operation& {
    return *find_operation(Generation::kAmpere, form);
  };
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned g = l / 4, t = l % 4;
    for (unsigned x = 0; x < 8; ++x) {
      for (const unsigned form : {0, 5, 20, 21})
        CHECK(at(form).a.place(l, x) == Place{g + 8 * (x >> 1 & 1), 2 * t + (x & 1) + 8 * (x >> 2)});
      for (const unsigned form : {0, 4}) {
        CHECK(at(form).b.place(l, x) == Place{2 * t + (x & 1) + 8 * (x >> 1 & 1), g + 8 * (x >> 2)});
        CHECK(at(form).c.place(l, x) == Place{g + 8 * (x >> 1 & 1), 2 * t + (x & 1) + 8 * (x >> 2)});
      }
      if (x >= 4) continue;
      CHECK(at(20).b.place(l, x) == Place{2 * t + (x & 1) + 8 * (x >> 1), g});
      CHECK(at(22).a.place(l, x) == Place{g + 8 * (x >> 1), 2 * t + (x & 1)});
      for (const unsigned form : {20, 23})
        CHECK(at(form).c.place(l, x) == Place{g + 8 * (x >> 1), 2 * t + (x & 1)});
      if (x < 2) CHECK(at(22).b.place(l, x) == Place{2 * t + x, g});
    }
  }
}

TEST_CASE("other formats of Ampere have the words of FP16 (ptx, fragments of mma)") {
  const auto at = [](unsigned form) -> const Operation& {
    return *find_operation(Generation::kAmpere, form);
  };
  const auto check = [](const Operation& one, unsigned elements, unsigned columns) {  // of a word
    const Operation& fp16 = *find_operation(Generation::kAmpere, 0);
    for (unsigned l = 0; l < kLanes; ++l) {
      for (unsigned word = 0; word < 4; ++word) {
        const Place a = fp16.a.place(l, 2 * word), b = fp16.b.place(l, 2 * word);
        for (unsigned i = 0; i < elements; ++i) {
          CHECK(one.a.place(l, elements * word + i) == Place{a.row, a.column / 2 * elements + i});
          if (columns == 16)
            CHECK(one.b.place(l, elements * word + i) == Place{b.row / 2 * elements + i, b.column});
        }
      }
    }
  };
  check(at(24), 2, 16);
  check(at(25), 1, 16);
  check(at(26), 4, 16);
  check(at(29), 8, 16);
  check(at(30), 2, 8);
  check(at(31), 1, 8);
}

TEST_CASE("each element of A and B is held twice on Volta and once on Turing and Ampere, each of C once") {
  for (const Generation style : {Generation::kVolta, Generation::kTuring, Generation::kAmpere}) {
    for (const Operation& operation : operations(style)) {
      CAPTURE(operation.form);
      const unsigned copies = style == Generation::kVolta ? 2 : 1;
      CHECK(coverage(operation.a) == copies);
      CHECK(coverage(operation.b) == copies);
      CHECK(coverage(operation.c) == 1);
      CHECK(operation.a.copies() == copies);
      CHECK(operation.b.copies() == copies);
      const isa::MmaForm& form = operation.shape();
      CHECK(operation.a.rows() == form.m);
      CHECK(operation.a.columns() == form.k);
      CHECK(operation.b.rows() == form.k);
      CHECK(operation.b.columns() == form.n);
      CHECK(operation.c.rows() == form.m);
      CHECK(operation.c.columns() == form.n);
    }
  }
}

TEST_CASE("a fragment's neighbours in memory say how wide its loads are") {
  const Operation& volta = *find_operation(Generation::kVolta, 0);  // A and B row-major
  CHECK(volta.a.run(true) == 16);  // two loads of 16 bytes
  CHECK(volta.b.run(true) == 4);  // four loads of 8 bytes
  const Operation& turing = *find_operation(Generation::kTuring, 0);
  CHECK(turing.a.run(true) == 2);  // k is contiguous: 4 bytes
  CHECK(turing.b.run(true) == 1);  // it is not: 2 bytes
  CHECK(turing.b.run(false) == 2);
}

TEST_CASE("of the copies of an element the one of the same workgroup is found") {
  const Operation& operation = *find_operation(Generation::kVolta, 0);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned x = 0; x < 8; ++x) {
      const Place d = operation.c.place(lane, x);
      const auto a = operation.a.holder({d.row, 5}, lane), b = operation.b.holder({5, d.column}, lane);
      CHECK(a.lane / 4 % 4 == lane / 4 % 4);
      CHECK(b.lane / 4 % 4 == lane / 4 % 4);
      CHECK(operation.a.place(a.lane, a.x) == Place{d.row, 5});
      CHECK(operation.b.place(b.lane, b.x) == Place{5, d.column});
    }
  }
}
