// SPDX-License-Identifier: Apache-2.0
#include "testbenches/block/matrix_unit/unit_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace spica::testbench {

namespace {

std::uint32_t lower(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
unsigned field(std::uint64_t value, unsigned high, unsigned low) {
  return static_cast<unsigned>(value >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
}

float from_half(unsigned half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const int fraction = static_cast<int>(half & 1023);
  float value = std::ldexp(static_cast<float>(exponent == 0 ? fraction : 1024 + fraction),
                           (exponent == 0 ? 1 : exponent) - 25);
  if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
  return (half & 0x8000) != 0 ? -value : value;
}

unsigned to_half(float value) {
  if (std::isnan(value)) return 0x7E00;
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (std::isinf(value)) return sign | 0x7C00;
  int exponent = magnitude == 0 ? -24 : std::ilogb(magnitude) - 10;
  if (exponent < -24) exponent = -24;
  double steps = std::nearbyint(std::ldexp(magnitude, -exponent));  // to even
  if (steps == 2048) {
    steps = 1024;
    ++exponent;
  }
  if (exponent > 5) return sign | 0x7C00;
  const auto whole = static_cast<unsigned>(steps);
  return sign | (whole < 1024 ? whole : static_cast<unsigned>(exponent + 25) << 10 | (whole - 1024));
}

float kept(float value, const UnitModel::Shape& shape) {
  if (std::isnan(value)) return std::nanf("");
  return shape.fp16_sums ? from_half(to_half(value)) : value;
}

}  // namespace

const std::vector<UnitModel::Machine>& UnitModel::machines() {
  static const std::vector<Machine> all{
      {"virgo", {}},
      {"virgo-16k", {8, false, 4 * 1024, 32, 32, 32, Commands::kQuartile8, 16 * 1024}},
      {"virgo-dual", {4, false, 16 * 1024, 64, 64, 64, Commands::kQuartile8, 64 * 1024}},  // unit 1
      {"fp16-quartile", {16, true, 32 * 1024, 128, 64, 128, Commands::kQuartile12, 128 * 1024}},
      {"fp16-virgo", {16, true, 32 * 1024, 128, 64, 128, Commands::kHexadecile, 128 * 1024}},
      {"attention", {8, false, 16 * 1024, 64, 64, 64, Commands::kHexadecile, 256 * 1024}},
      {"virgo, FP16 sums", {8, false, 16 * 1024, 64, 64, 64, Commands::kQuartile8, 64 * 1024, true}},
      {"fp16-virgo, FP16 sums", {16, true, 32 * 1024, 128, 64, 128, Commands::kHexadecile, 128 * 1024, true}},
  };
  return all;
}

UnitModel::UnitModel(const Shape& s) : shape(s), shared(s.shared_bytes), sums(s.accumulator_bytes / 4) {
  for (unsigned i = 0; i < 2; ++i) {
    slots_[i].a_row = i * (shared_rows() / 2);
    slots_[i].b_end = (i + 1) * (shared_rows() / 2);
    weights_[i].assign(std::size_t{s.dim} * s.dim, 0.0f);
  }
}

float UnitModel::read_element(const std::uint8_t* at, bool half) const {
  if (half) return from_half(at[0] | at[1] << 8);
  float value;
  std::memcpy(&value, at, 4);
  return value;
}

void UnitModel::load_row(std::uint32_t from, std::uint32_t to_row, unsigned columns) {
  for (unsigned i = 0; i < columns * element(); ++i)
    shared.at(std::size_t{to_row} * row_bytes() + i) = global[from + i];
}

void UnitModel::load_sums(std::uint32_t from, std::uint32_t row, unsigned columns, bool half, bool add) {
  for (unsigned c = 0; c < columns; ++c) {
    std::uint8_t bytes[4];
    const unsigned width = half ? 2 : 4;
    for (unsigned i = 0; i < width; ++i) bytes[i] = global[from + c * width + i];
    float& sum = sums.at(std::size_t{row} * shape.dim + c);
    const float value = read_element(bytes, half);
    sum = kept(add ? sum + value : value, shape);
  }
}

/// A row of the accumulator as it goes out.
std::vector<std::uint8_t> UnitModel::sums_row(std::uint32_t row, unsigned columns) const {
  std::vector<std::uint8_t> bytes;
  for (unsigned c = 0; c < columns; ++c) {
    const float sum = sums.at(std::size_t{row} * shape.dim + c);
    std::uint32_t bits;
    std::memcpy(&bits, &sum, 4);
    if (shape.fp16) bits = to_half(sum);
    for (unsigned i = 0; i < element(); ++i) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
  return bytes;
}

void UnitModel::mvin(unsigned state, std::uint32_t from, std::uint64_t to) {
  const bool accumulator = field(to, 31, 31) != 0, add = field(to, 30, 30) != 0;
  const unsigned columns = field(to, 47, 32), rows = field(to, 63, 48);
  const Load& load = load_[state];
  const bool half = shape.fp16 && (!accumulator || load.shrink);
  for (unsigned first = 0; first < columns; first += shape.dim) {
    const unsigned here = std::min(shape.dim, columns - first);
    for (unsigned r = 0; r < rows; ++r) {
      const std::uint32_t row =
          (accumulator ? field(to, 28, 0) : field(to, 31, 0)) + first / shape.dim * load.block_stride + r;
      const std::uint32_t at = from + r * load.stride + first * (half ? 2 : 4);
      if (accumulator) load_sums(at, row, here, half, add);
      else load_row(at, row, here);
    }
  }
}

void UnitModel::mvout(std::uint32_t to, std::uint64_t from) {
  const unsigned columns = field(from, 47, 32), rows = field(from, 63, 48);
  for (unsigned first = 0; first < columns; first += shape.dim)
    for (unsigned r = 0; r < rows; ++r) {
      const auto bytes = sums_row(field(from, 28, 0) + first + r, std::min(shape.dim, columns - first));
      for (unsigned i = 0; i < bytes.size(); ++i)
        global[to + r * store_stride_ + first * element() + i] = bytes[i];
    }
}

void UnitModel::mvout_shared(std::uint32_t to_row, std::uint64_t from) {
  for (unsigned r = 0; r < field(from, 63, 48); ++r) {
    const auto bytes = sums_row(field(from, 28, 0) + r, field(from, 47, 32));
    for (unsigned i = 0; i < bytes.size(); ++i)
      shared.at(std::size_t{to_row + r} * row_bytes() + i) = bytes[i];
  }
}

void UnitModel::preload(std::uint32_t row, unsigned rows, unsigned columns) {
  for (unsigned r = 0; r < shape.dim; ++r)
    for (unsigned c = 0; c < shape.dim; ++c)
      weights_[1][r * shape.dim + c] =
          r < rows && c < columns
              ? read_element(&shared.at(std::size_t{row + r} * row_bytes() + c * element()), shape.fp16)
              : 0.0f;
}

void UnitModel::compute(std::uint32_t row, unsigned rows, unsigned columns, bool flip) {
  if (flip) std::swap(weights_[0], weights_[1]);
  if (!target_.valid) return;
  for (unsigned r = 0; r < target_.rows; ++r)
    for (unsigned c = 0; c < target_.columns; ++c) {
      float chain = 0;
      for (unsigned k = 0; k < shape.dim; ++k) {
        const float a =
            r < rows && k < columns
                ? read_element(&shared.at(std::size_t{row + r} * row_bytes() + k * element()), shape.fp16)
                : 0.0f;
        chain = std::fma(a, weights_[0][k * shape.dim + c], chain);
      }
      float& sum = sums.at(std::size_t{target_.row + r} * shape.dim + c);
      sum = kept(target_.add ? sum + chain : chain, shape);
    }
}

void UnitModel::rocc(unsigned function, std::uint64_t rs1, std::uint64_t rs2) {
  Slot& slot = slots_[next_];
  const std::uint32_t address = lower(rs1), local = lower(rs2);
  switch (function) {
    case 0:
      if (field(rs1, 1, 0) == 1) {
        Load& load = load_[field(rs1, 4, 3)];
        load = {lower(rs2), field(rs1, 31, 16), field(rs1, 2, 2) != 0};
      } else if (field(rs1, 1, 0) == 2) {
        store_stride_ = lower(rs2);
      }
      return;
    case 1: return mvin(1, address, rs2);
    case 2: return mvin(0, address, rs2);
    case 14: return mvin(2, address, rs2);
    case 3: return mvout(address, rs2);
    case 23: return mvout_shared(address, rs2);
    case 4:
    case 5:
      if (target_.valid && target_.rows == 0) {  // extents that the preload did not give
        target_.rows = address == 0xFFFFFFFF ? shape.dim : field(rs1, 63, 48);
        target_.columns = shape.dim;
      }
      return compute(address, address == 0xFFFFFFFF ? 0 : field(rs1, 63, 48), field(rs1, 47, 32),
                     function == 4);
    case 6:
      if (address != 0xFFFFFFFF) preload(address, field(rs1, 63, 48), field(rs1, 47, 32));
      target_ = {local != 0xFFFFFFFF, field(rs2, 30, 30) != 0, field(rs2, 28, 0), field(rs2, 63, 48),
                 field(rs2, 47, 32)};
      return;
    case 7: return;
    case 8: return loop(rs1, rs2);
    case 9:
      slot.i = field(rs2, 15, 0), slot.j = field(rs2, 31, 16), slot.k = field(rs2, 47, 32);
      slot.pad_i = field(rs1, 15, 0), slot.pad_j = field(rs1, 31, 16), slot.pad_k = field(rs1, 47, 32);
      return;
    case 10: slot.a = address, slot.b = local; return;
    case 11: slot.d = address, slot.c = local; return;
    case 12: slot.stride_a = address, slot.stride_b = local; return;
    case 13: slot.stride_d = address, slot.stride_c = local; return;
    case 24: slot.a_row = address, slot.b_end = local; return;
    case 25: slot.c_row = address; return;
    default: throw std::logic_error("no such command");
  }
}

void UnitModel::loop(std::uint64_t rs1, std::uint64_t rs2) {
  const Slot s = slots_[next_];
  next_ ^= 1;
  ++loops;
  const unsigned dim = shape.dim, half_rows = shared_rows() / 2;
  const bool spad_only = field(rs2, 9, 9) != 0, low_d = field(rs1, 2, 2) != 0;
  const unsigned a_id = field(rs1, 19, 18), b_id = field(rs1, 17, 16);
  const std::uint32_t a_row = a_id == 0 ? s.a_row : (a_id - 1) * half_rows;
  const std::uint32_t b_first = (b_id == 0 ? s.b_end : b_id * half_rows) - s.k * s.j * dim;
  const std::uint32_t c_row = field(rs2, 63, 32) != 0 ? field(rs2, 63, 32) : s.c_row;
  const auto rows_i = [&](unsigned i) { return dim - (i + 1 == s.i ? s.pad_i : 0); };
  const auto cols_j = [&](unsigned j) { return dim - (j + 1 == s.j ? s.pad_j : 0); };
  const auto cols_k = [&](unsigned k) { return dim - (k + 1 == s.k ? s.pad_k : 0); };
  const auto sums_at = [&](unsigned i, unsigned j) {
    return (sums_start_ + (i * s.j + j) * dim) % sums_rows();
  };

  if (field(rs2, 3, 3) == 0)  // A
    for (unsigned i = 0; i < s.i; ++i)
      for (unsigned k = 0; k < s.k; ++k)
        for (unsigned r = 0; r < rows_i(i); ++r)
          load_row(s.a + (i * dim * s.stride_a + k * dim) * element() + r * load_[0].stride,
                   a_row + (i * s.k + k) * dim + r, cols_k(k));
  if (field(rs2, 4, 4) == 0)  // B
    for (unsigned k = 0; k < s.k; ++k)
      for (unsigned j = 0; j < s.j; ++j)
        for (unsigned r = 0; r < cols_k(k); ++r)
          load_row(s.b + (k * dim * s.stride_b + j * dim) * element() + r * load_[1].stride,
                   b_first + (k * s.j + j) * dim + r, cols_j(j));
  if (field(rs2, 5, 5) == 0 && s.d != 0)  // D
    for (unsigned i = 0; i < s.i; ++i)
      for (unsigned j = 0; j < s.j; ++j)
        for (unsigned r = 0; r < rows_i(i); ++r)
          load_sums(s.d + (i * dim * s.stride_d + j * dim) * (low_d ? element() : 4) + r * load_[2].stride,
                    sums_at(i, j) + r, cols_j(j), shape.fp16 && load_[2].shrink, false);
  if (field(rs2, 6, 6) == 0) {  // execute
    for (unsigned k = 0; k < s.k; ++k)
      for (unsigned j = 0; j < s.j; ++j)
        for (unsigned i = 0; i < s.i; ++i) {
          if (i == 0) preload(b_first + (k * s.j + j) * dim, cols_k(k), cols_j(j));
          target_ = {true, k != 0 || field(rs1, 0, 0) != 0, sums_at(i, j), rows_i(i), cols_j(j)};
          compute(a_row + (i * s.k + k) * dim, rows_i(i), cols_k(k), i == 0);
        }
    target_.valid = false;
  }
  if (field(rs2, 7, 7) == 0 && (spad_only || s.c != 0))  // store
    for (unsigned i = 0; i < s.i; ++i)
      for (unsigned j = 0; j < s.j; ++j)
        for (unsigned r = 0; r < rows_i(i); ++r) {
          const auto bytes = sums_row(sums_at(i, j) + r, cols_j(j));
          for (unsigned x = 0; x < bytes.size(); ++x) {
            if (spad_only)
              shared.at(std::size_t{c_row + (i * s.j + j) * dim + r} * row_bytes() + x) = bytes[x];
            else global[s.c + (i * s.stride_c + j) * dim * element() + r * store_stride_ + x] = bytes[x];
          }
        }
  if (field(rs2, 6, 6) == 0 && (spad_only ? field(rs2, 8, 8) != 0 : s.c != 0))
    sums_start_ = (sums_start_ + sums_rows() / 2) % sums_rows();
}

void UnitModel::bounds_of_tile() {
  rocc(9, 0,
       std::uint64_t{shape.tile_k / shape.dim} << 32 | shape.tile_n / shape.dim << 16 |
           shape.tile_m / shape.dim);
}

void UnitModel::tile_loop(std::uint32_t a_row, std::uint32_t b_end, std::uint32_t flags, std::uint32_t skips,
                          std::uint32_t c_row) {
  bounds_of_tile();
  rocc(24, a_row, b_end);
  rocc(8, flags, std::uint64_t{c_row} << 32 | skips);
}

void UnitModel::cisc(std::uint32_t word) {
  constexpr std::uint32_t kExecute = 0x2B8, kLoad = 0x2E0, kStoreShared = 0x278, kStoreGlobal = 0x78;
  const unsigned op = field(word, 4, 0);
  if (shape.commands == Commands::kHexadecile) {
    const unsigned h = shared_rows() / 16;
    const unsigned a = field(word, 15, 8) * h, b = (field(word, 23, 16) + 1) * h;
    counted += op != 8 && op != 11 && op != 16 ? 1 : 0;
    switch (op) {
      case 0: return tile_loop(a, b, field(word, 24, 24), kExecute, 0);
      case 1: return tile_loop(a, b, 0, 0x238, field(word, 31, 24) * h);
      case 2: return;
      case 8: return rocc(12, field(word, 19, 8), field(word, 31, 20));
      case 9: bounds_of_tile(); return rocc(8, 0, std::uint64_t{a} << 32 | kStoreShared);
      case 10: return tile_loop(a, b, 0, kLoad, 0);
      case 11: return rocc(13, field(word, 19, 8), field(word, 31, 20));
      case 12: bounds_of_tile(); return rocc(8, 0, kStoreGlobal);
      default: throw std::logic_error("no such opcode");
    }
  }
  // For the 64^3 tile v1 has tile * tile * DIM = 512 rows; in general the size of an A tile.
  const bool v1 = shape.commands == Commands::kQuartile8;
  const unsigned q =
      v1 ? shape.tile_m / shape.dim * (shape.tile_k / shape.dim) * shape.dim : shared_rows() / 4;
  switch (op) {
    case 0: return tile_loop(0, 3 * q, 0, kExecute, 0);
    case 1: return tile_loop(0, 3 * q, 1, kExecute, 0);
    case 2: return tile_loop(q, 4 * q, 1, kExecute, 0);
    case 3: return tile_loop(q, 4 * q, 0, kExecute, 0);
    case 8:
      return v1 ? rocc(12, field(word, 15, 8), field(word, 23, 16))
                : rocc(12, field(word, 19, 8), field(word, 31, 20));
    case 9: bounds_of_tile(); return rocc(8, 0, kStoreShared);
    case 10: return tile_loop(0, 3 * q, 0, kLoad, 0);
    case 11: return tile_loop(q, 4 * q, 0, kLoad, 0);
    case 12: return tile_loop(0, q, 0, kLoad, 0);
    case 13: return tile_loop(2 * q, 3 * q, 0, kLoad, 0);
    default: throw std::logic_error("no such opcode");
  }
}

}  // namespace spica::testbench
