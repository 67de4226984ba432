// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/arithmetic.h"

#include <array>
#include <cstring>
#include <random>

#include "models/numeric/convert.h"
#include "models/numeric/half.h"
#include "models/tensor_core/warp_mma/semantics.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/tensor_core/operation_of_form.h"

using namespace spica;
using namespace spica::tensor_core::warp_mma;
using numeric::Format;

namespace {

using Fragment = std::array<std::uint32_t, 8 * kLanes>;

float float_of(std::uint32_t word) {
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}
std::uint32_t encoded(int value, Format format) {
  if (format == Format::kFp32 || format == Format::kTf32 || format == Format::kBf16) {
    const auto single = static_cast<float>(value);
    std::uint32_t word;
    std::memcpy(&word, &single, 4);
    return format == Format::kBf16 ? word >> 16 : word;
  }
  if (format == Format::kFp16) return numeric::half_from_float(static_cast<float>(value));
  if (numeric::info(format).is_float) {
    const auto single = static_cast<float>(value);
    unsigned char code = 0;
    numeric::encode(format, numeric::Overflow::kSpecial, &single, 1, &code);
    return code;
  }
  return static_cast<std::uint32_t>(value) &
         (numeric::bits(format) == 32 ? ~0u : (1u << numeric::bits(format)) - 1);
}
int decoded(std::uint32_t field, Format format) {
  if (format == Format::kFp32 || format == Format::kTf32) return static_cast<int>(float_of(field));
  if (format == Format::kBf16) return static_cast<int>(float_of(field << 16));
  if (format == Format::kFp16)
    return static_cast<int>(numeric::float_from_half(static_cast<std::uint16_t>(field)));
  return numeric::integer_at(&field, 0, format);
}

void set(Fragment& fragment, unsigned lane, unsigned x, Format format, int value) {
  const unsigned width = numeric::info(format).stored_bits, per_word = 32 / width,
                 shift = x % per_word * width;
  std::uint32_t& word = fragment[x / per_word * kLanes + lane];
  const std::uint32_t mask = width == 32 ? ~0u : ((1u << width) - 1) << shift;
  word = (word & ~mask) | encoded(value, format) << shift;
}
int get(const Fragment& fragment, unsigned lane, unsigned x, Format format) {
  const unsigned width = numeric::info(format).stored_bits, per_word = 32 / width;
  const std::uint32_t field = fragment[x / per_word * kLanes + lane] >> x % per_word * width;
  return decoded(width == 32 ? field : field & ((1u << width) - 1), format);
}

/// Matrices of small integers and the fragments that hold them.
struct Problem {
  explicit Problem(const Operation& operation, unsigned seed) : op(operation) {
    std::mt19937 random(seed);
    const bool is_signed = numeric::info(op.shape().operand).is_signed;
    const auto fill = [&](const FragmentMap& map, Fragment& fragment, Format format, auto& matrix, int low,
                          int high) {
      for (auto& row : matrix)
        for (int& value : row) value = std::uniform_int_distribution(low, high)(random);
      for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned x = 0; x < map.elements(); ++x) {
          const Place place = map.place(lane, x);
          set(fragment, lane, x, format, matrix[place.row][place.column]);
        }
    };
    fill(op.a, a, op.shape().operand, matrix_a, is_signed ? -4 : 0, 4);
    fill(op.b, b, op.shape().operand, matrix_b, is_signed ? -4 : 0, 4);
    fill(op.c, c, op.shape().accumulate, matrix_c, -50, 50);
    if (!op.has_scales()) return;
    const bool is_e8m0 = op.shape().scale == numeric::ScaleFormat::kE8m0;
    for (Fragment* const fragment : {&a, &b})  // all 1
      std::fill_n(fragment->begin() + isa::kScaleRegister * kLanes, kLanes,
                  is_e8m0 ? 0x7F7F'7F7F : 0x3838'3838);
  }
  /// With the elements of k below `most` only.
  int expected(Place place, unsigned most) const {
    int sum = matrix_c[place.row][place.column];
    for (unsigned k = 0; k < most; ++k) sum += matrix_a[place.row][k] * matrix_b[k][place.column];
    return sum;
  }
  int actual(unsigned lane, unsigned x) const { return get(c, lane, x, op.shape().accumulate); }

  const Operation& op;
  Fragment a{}, b{}, c{};
  std::array<std::array<int, 64>, 64> matrix_a{}, matrix_b{}, matrix_c{};  // the largest extents
};

numeric::SumRule rule_of(Generation style, const Operation& operation) {
  tensor_core::TensorCoreParams params;
  params.style = style == Generation::kVolta    ? tensor_core::Style::kVolta
                 : style == Generation::kTuring ? tensor_core::Style::kTuring
                                                : tensor_core::Style::kAmpere;
  numeric::SumRule exact;  // of these integers, where the style has no rule for the format
  exact.result = numeric::sum_result(operation.shape().accumulate);
  return sum_rule(params, operation.shape()).value_or(exact);
}

template <class Check>
void for_each_operation(Check&& check) {
  for (const Generation style : {Generation::kVolta, Generation::kTuring, Generation::kAmpere}) {
    for (const Operation& operation : operations(style)) {
      CAPTURE(static_cast<int>(style), operation.form);
      check(operation, tensor_core::warp_mma::Arithmetic(operation, rule_of(style, operation)));
    }
  }
}

}  // namespace

TEST_CASE("an operation multiplies matrices of integers exactly, in every form of every tensor core") {
  for_each_operation([](const Operation& operation, const tensor_core::warp_mma::Arithmetic& arithmetic) {
    Problem problem(operation, 1);
    arithmetic.multiply(problem.a.data(), problem.b.data(), problem.c.data(), problem.c.data());
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned x = 0; x < operation.c.elements(); ++x)
        REQUIRE(problem.actual(lane, x) == problem.expected(operation.c.place(lane, x), operation.shape().k));
  });
}

TEST_CASE("after each set exactly its elements of k are added, and all steps together are the operation") {
  for_each_operation([](const Operation& operation, const tensor_core::warp_mma::Arithmetic& arithmetic) {
    Problem problem(operation, 2), whole(operation, 2);
    for (unsigned step = 0; step < operation.steps(); ++step) {
      arithmetic.multiply_step(step, problem.a.data(), problem.b.data(), problem.c.data());
      const unsigned set = step / operation.parts(), part = step % operation.parts();
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned x = 0; x < operation.c.elements(); ++x) {
          const bool done = x / operation.part_elements <= part;
          REQUIRE(problem.actual(lane, x) ==
                  problem.expected(operation.c.place(lane, x), (set + (done ? 1 : 0)) * operation.terms));
        }
      }
    }
    arithmetic.multiply(whole.a.data(), whole.b.data(), whole.c.data(), whole.c.data());
    CHECK(problem.c == whole.c);
  });
}

TEST_CASE("a step that is left out changes exactly the elements of its part") {
  for_each_operation([](const Operation& operation, const tensor_core::warp_mma::Arithmetic& arithmetic) {
    for (unsigned missing = 0; missing < operation.steps(); ++missing) {
      Problem problem(operation, 3);
      for (unsigned step = 0; step < operation.steps(); ++step)
        if (step != missing)
          arithmetic.multiply_step(step, problem.a.data(), problem.b.data(), problem.c.data());
      unsigned different = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned x = 0; x < operation.c.elements(); ++x) {
          if (problem.actual(lane, x) == problem.expected(operation.c.place(lane, x), operation.shape().k))
            continue;
          REQUIRE(x / operation.part_elements == missing % operation.parts());
          ++different;
        }
      }
      CHECK(different > kLanes * operation.part_elements / 2);  // the others' sum of products happens to be 0
    }
  });
}

TEST_CASE("an element that one lane of Volta holds changes results of its workgroup only") {
  const Operation& operation = *find_operation(Generation::kVolta, 0);
  const tensor_core::warp_mma::Arithmetic arithmetic(operation, rule_of(Generation::kVolta, operation));
  Problem before(operation, 4);
  arithmetic.multiply(before.a.data(), before.b.data(), before.c.data(), before.c.data());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (const bool of_a : {true, false}) {
      Problem after(operation, 4);
      set(of_a ? after.a : after.b, lane, 6, Format::kFp16, 100);
      arithmetic.multiply(after.a.data(), after.b.data(), after.c.data(), after.c.data());
      for (unsigned other = 0; other < kLanes; ++other)
        for (unsigned x = 0; x < 8; ++x)
          if (after.actual(other, x) != before.actual(other, x)) REQUIRE(other / 4 % 4 == lane / 4 % 4);
      CHECK(after.c != before.c);
    }
  }
}

TEST_CASE("steps 0 and 1 of Volta read B of the lower threadgroups, steps 2 and 3 that of the upper ones") {
  const Operation& operation = *find_operation(Generation::kVolta, 2);  // A row-major, B column-major
  const tensor_core::warp_mma::Arithmetic arithmetic(operation, rule_of(Generation::kVolta, operation));
  for (unsigned step = 0; step < 4; ++step) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      Problem before(operation, 5), after(operation, 5);
      set(after.b, lane, 0, Format::kFp16, 100);
      arithmetic.multiply_step(step, before.a.data(), before.b.data(), before.c.data());
      arithmetic.multiply_step(step, after.a.data(), after.b.data(), after.c.data());
      CHECK((after.c != before.c) == (lane / 16 == step / 2));
    }
  }
}
