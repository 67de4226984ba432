// SPDX-License-Identifier: Apache-2.0
#include "testbenches/block/matrix_unit/random_commands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/numeric/half.h"

namespace spica::testbench {

namespace {

constexpr std::uint64_t local(std::uint32_t address, unsigned rows, unsigned columns) {
  return std::uint64_t{rows} << 48 | std::uint64_t{columns} << 32 | address;
}
constexpr std::uint32_t kAccumulator = 0x80000000, kAdd = 0x40000000, kGarbage = 0xFFFFFFFF;

}  // namespace

RandomCommands::RandomCommands(CommandSink& sink, UnitModel& model, unsigned queue, unsigned seed)
    : sink_(sink), model_(model), queue_(queue), random_(seed) {
  const unsigned element = model_.element();
  const auto value = [&]() -> std::uint32_t {
    const unsigned kind = below(200);
    float f =
        std::ldexp(static_cast<float>(static_cast<int>(below(4001)) - 2000), static_cast<int>(below(9)) - 12);
    if (kind == 0) f = -0.0f;
    if (kind == 1 && chance(10)) f = std::numeric_limits<float>::infinity();
    if (kind == 2) f = std::ldexp(f, element == 2 ? -14 : -120);  // subnormal values and sums
    if (element == 2) return numeric::half_from_float(f);
    std::uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return bits;
  };
  const auto fill = [&](unsigned bytes, auto&& set) {
    for (unsigned at = 0; at < bytes; at += element) {
      const std::uint32_t bits = value();
      for (unsigned i = 0; i < element; ++i) set(at + i, static_cast<std::uint8_t>(bits >> (8 * i)));
    }
  };
  fill(kOperandBytes, [&](unsigned at, std::uint8_t byte) {
    sink_.set_global(kOperands + at, byte);
    model_.global[kOperands + at] = byte;
  });
  fill(model_.shape.shared_bytes, [&](unsigned at, std::uint8_t byte) {
    sink_.set_shared(at, byte);
    model_.shared[at] = byte;
  });
}

void RandomCommands::rocc(unsigned function, std::uint64_t rs1, std::uint64_t rs2) {
  sink_.rocc(function, rs1, rs2);
  model_.rocc(function, rs1, rs2);
}

void RandomCommands::cisc(std::uint32_t word) {
  // A full queue loses words, without a queue each one has to wait for the one before.
  if (unfenced_words_ >= queue_) fence();
  ++unfenced_words_;
  sink_.cisc(word);
  model_.cisc(word);
}

void RandomCommands::fence() {
  sink_.fence();
  in_use_.clear();
  unfenced_words_ = 0;
}

void RandomCommands::use(const std::vector<Rows>& rows) {
  for (const Rows& mine : rows)
    for (const Rows& other : in_use_)
      if (mine.begin < other.end && other.begin < mine.end && (mine.write || other.write)) {
        fence();
        break;
      }
  in_use_.insert(in_use_.end(), rows.begin(), rows.end());
}

std::uint32_t RandomCommands::operand_address(unsigned alignment) {
  return kOperands + below(16 * 1024) / alignment * alignment;
}
std::uint32_t RandomCommands::result_address() {
  return kResults + below(64 * 1024) / model_.element() * model_.element();
}

/// Row lengths in global memory of all loads and of stores, in elements.
void RandomCommands::transfers(bool narrow_bias, unsigned row_elements) {
  const unsigned dim = model_.shape.dim, element = model_.element();
  for (const std::uint32_t state : {0u, 1u, 2u}) {
    const unsigned width = state == 2 && !narrow_bias ? 4 : element;
    rocc(0, std::uint64_t{0x3C00} << 32 | dim << 16 | 0x101 | state << 3 | (narrow_bias ? 4 : 0),
         std::uint64_t{row_elements} * width);
  }
  rocc(0, 2, std::uint64_t{0x46700000} << 32 | row_elements * element);
}

void RandomCommands::explicit_load() {
  const unsigned dim = model_.shape.dim, state = below(3);
  static constexpr unsigned kFunctions[] = {2, 1, 14};
  const bool accumulator = chance(40), narrow = model_.shape.fp16 && chance(50);
  const unsigned width = accumulator && !narrow ? 4 : model_.element();
  const unsigned blocks = std::max(1u, 64 / (dim * width));
  const unsigned rows = between(1, dim), columns = between(1, blocks * dim);
  const unsigned block_stride = dim + below(3) * 4;
  rocc(0, std::uint64_t{0x3C00} << 32 | block_stride << 16 | 0x101 | state << 3 | (narrow ? 4 : 0),
       between(1, 300) * width);
  const unsigned span = (blocks - 1) * block_stride + rows;
  const unsigned memory = accumulator ? model_.sums_rows() : model_.shared_rows();
  std::uint32_t to = below(memory - span + 1);
  if (accumulator) to |= kAccumulator | (chance(50) ? kAdd : 0);
  rocc(kFunctions[state], operand_address(width), local(to, rows, columns));
}

void RandomCommands::explicit_store() {
  const unsigned dim = model_.shape.dim;
  const unsigned rows = between(1, dim);
  if (chance(50)) {
    const std::uint32_t from = below(model_.sums_rows() - rows + 1);
    return rocc(23, below(model_.shared_rows() - rows + 1),
                local(kAccumulator | from, rows, between(1, dim)));
  }
  const unsigned blocks = std::max(1u, 64 / model_.row_bytes());
  const unsigned columns = between(1, blocks * dim);
  const std::uint32_t from = below(model_.sums_rows() - blocks * dim + 1);
  rocc(0, 2, std::uint64_t{0x46700000} << 32 | between(columns, 300) * model_.element());
  rocc(3, result_address(), local(kAccumulator | from, rows, columns));
}

/// A preload and some computes with its weights.
void RandomCommands::explicit_multiply() {
  const unsigned dim = model_.shape.dim;
  const unsigned k = between(1, dim), n = between(1, dim);
  for (unsigned i = 0; i < 1 + below(3); ++i) {
    const bool keep = i != 0 || chance(10);
    const unsigned m = between(1, dim);
    const std::uint32_t weights = keep ? kGarbage : below(model_.shared_rows() - k + 1);
    const std::uint32_t to = below(model_.sums_rows() - dim + 1) | kAccumulator | (chance(50) ? kAdd : 0);
    rocc(6, local(weights, k, n),
         chance(5) ? local(kGarbage, dim, dim) : local(to, m, chance(70) ? dim : between(1, dim)));
    const std::uint32_t a = chance(5) ? kGarbage : below(model_.shared_rows() - m + 1);
    rocc(keep ? 5 : 4, local(a, m, k), local(kGarbage, dim, dim));
  }
}

void RandomCommands::manual_loop() {
  const unsigned dim = model_.shape.dim, element = model_.element();
  const unsigned shared = model_.shared_rows(), blocks = model_.sums_rows() / dim;
  unsigned i, j, k;
  do {
    i = between(1, 5), j = between(1, 5), k = between(1, 5);
  } while (i * j > blocks || (i * k + k * j + i * j) * dim > shared);
  const bool pads = chance(40);
  const auto pad = [&] { return pads ? below(dim) : 0; };
  rocc(9, std::uint64_t{pad()} << 32 | pad() << 16 | pad(), std::uint64_t{k} << 32 | j << 16 | i);

  const bool load_a = chance(60), load_b = chance(60), load_d = chance(30), execute = chance(70),
             store = chance(60), spad_only = chance(50), low_d = model_.shape.fp16 && chance(50);
  const unsigned row_elements = between(std::max({i, j, k}) * dim, 150);
  const bool tile_ids = shared / 2 >= (i * k + k * j) * dim && chance(10);
  // A, B and C one after the other, so that they do not overlap; then anywhere.
  const std::uint32_t rows_a = i * k * dim, rows_b = k * j * dim, rows_c = i * j * dim;
  const std::uint32_t start = below(shared - rows_a - rows_b - rows_c + 1);
  std::uint32_t a = start, b_end = start + rows_a + rows_b, c = b_end;
  std::uint32_t ids = 0;
  if (tile_ids) {  // A from the start of a half, B up to the end of one; C between them
    const unsigned half_a = below(2), half_b = below(2);
    a = half_a * (shared / 2);
    b_end = (half_b + 1) * (shared / 2);
    c = a + rows_a;
    ids = (half_a + 1) << 18 | (half_b + 1) << 16;
    if (half_b < half_a || c + rows_c > b_end - rows_b) ids = 0;
    if (ids == 0) a = start, b_end = start + rows_a + rows_b, c = b_end;
  }
  transfers(low_d, row_elements);
  rocc(10, operand_address(element), operand_address(element));
  rocc(12, row_elements, row_elements);
  rocc(11, load_d ? operand_address(4) : 0, chance(90) ? result_address() : 0);
  rocc(13, row_elements, row_elements);
  rocc(24, ids == 0 ? a : below(shared), ids == 0 ? b_end : below(shared));
  const bool register_c = chance(20);  // C's row from its register instead of LOOP_WS
  rocc(25, register_c ? c : below(shared), 0);

  std::vector<Rows> rows;
  if (load_a || execute) rows.push_back({a, a + rows_a, load_a});
  if (load_b || execute) rows.push_back({b_end - rows_b, b_end, load_b});
  if (store && spad_only) rows.push_back({c, c + rows_c, true});
  use(rows);
  const std::uint32_t skips = (load_a ? 0 : 0x8) | (load_b ? 0 : 0x10) | (load_d ? 0 : 0x20) |
                              (execute ? 0 : 0x40) | (store ? 0 : 0x80) | (spad_only ? 0x200 : 0) |
                              (chance(30) ? 0x100 : 0);
  const std::uint32_t flags = ids | (low_d ? 4 : 0) | (chance(20) ? 2 : 0) | (chance(40) ? 1 : 0);
  rocc(8, flags, std::uint64_t{register_c || c == 0 ? 0 : c} << 32 | skips);
}

void RandomCommands::cisc_quartile() {
  const auto& shape = model_.shape;
  const bool v1 = shape.commands == UnitModel::Commands::kQuartile8;
  const unsigned q = shape.tile_m * shape.tile_k / shape.dim;  // rows of A: a quarter in all machines here
  const unsigned rows_b = shape.tile_k * shape.tile_n / shape.dim;
  const unsigned rows_c = shape.tile_m * shape.tile_n / shape.dim;
  static constexpr unsigned kOps[] = {0, 1, 2, 3, 9, 10, 11, 12, 13};
  const unsigned op = kOps[below(9)];
  const unsigned row_elements = between(std::max(shape.tile_k, shape.tile_n), v1 ? 255 : 300);
  if (op >= 10) {
    transfers(false, row_elements);
    rocc(10, operand_address(model_.element()), operand_address(model_.element()));
    cisc(v1 ? row_elements << 16 | row_elements << 8 | 8 : row_elements << 20 | row_elements << 8 | 8);
  }
  if (op == 9) {
    rocc(25, 0, 0);
    use({{0, rows_c, true}});
  } else {
    const bool load = op >= 10;
    const unsigned a = op == 13 ? 2 * q : op == 2 || op == 3 || op == 11 ? q : 0;
    const unsigned b_end = op == 12 ? q : op == 2 || op == 3 || op == 11 ? 4 * q : 3 * q;
    // Loads of A and B to the same quarter overlap unless B is small: leave those out.
    if (a + q > b_end - rows_b && b_end > a) return;
    use({{a, a + q, load}, {b_end - rows_b, b_end, load}});
  }
  cisc(op);
}

void RandomCommands::cisc_hexadecile() {
  const auto& shape = model_.shape;
  const unsigned h = model_.shared_rows() / 16;
  const unsigned rows_a = shape.tile_m * shape.tile_k / shape.dim,
                 rows_b = shape.tile_k * shape.tile_n / shape.dim,
                 rows_c = shape.tile_m * shape.tile_n / shape.dim;
  const auto sixteenths = [&](unsigned rows) { return (rows + h - 1) / h; };
  // A, C and B in this order, with random gaps.
  const unsigned gap = 16 - sixteenths(rows_a) - sixteenths(rows_b) - sixteenths(rows_c);
  const unsigned a = below(gap + 1), d = a + sixteenths(rows_a) + below(gap - a + 1);
  const unsigned b = between(d + sixteenths(rows_c) + sixteenths(rows_b) - 1, 15);
  const Rows in_a{a * h, a * h + rows_a, false}, in_b{(b + 1) * h - rows_b, (b + 1) * h, false};
  const unsigned row_elements = between(std::max(shape.tile_k, shape.tile_n), 300);
  switch (below(5)) {
    case 0: use({in_a, in_b}); return cisc((chance(50) ? 1u << 24 : 0) | b << 16 | a << 8);
    case 1:
      rocc(25, 0, 0);
      use({in_a, in_b, {d * h, d * h + rows_c, true}});
      return cisc(d << 24 | b << 16 | a << 8 | 1);
    case 2:
      rocc(25, 0, 0);
      use({{d * h, d * h + rows_c, true}});
      return cisc(d << 8 | 9);
    case 3:
      transfers(false, row_elements);
      rocc(10, operand_address(model_.element()), operand_address(model_.element()));
      cisc(row_elements << 20 | row_elements << 8 | 8);
      use({{in_a.begin, in_a.end, true}, {in_b.begin, in_b.end, true}});
      return cisc(b << 16 | a << 8 | 10);
    default:
      transfers(false, row_elements);
      rocc(11, 0, result_address());
      cisc(row_elements << 20 | row_elements << 8 | 11);
      return cisc(12);
  }
}

void RandomCommands::add(unsigned commands) {
  for (unsigned n = 0; n < commands; ++n) {
    const unsigned kind = below(100);
    if (kind < 20) {
      explicit_load();
    } else if (kind < 35) {
      explicit_store();
    } else if (kind < 55) {
      explicit_multiply();
    } else if (kind < 80) {
      manual_loop();
    } else if (kind < 95) {
      model_.shape.commands == UnitModel::Commands::kHexadecile ? cisc_hexadecile() : cisc_quartile();
    } else {
      fence();
    }
  }
}

void RandomCommands::finish() {
  fence();
  const unsigned dim = model_.shape.dim;
  rocc(0, 2, dim * model_.element());
  for (unsigned row = 0; row < model_.sums_rows(); row += dim)
    rocc(3, kResults + kResultBytes + row * dim * model_.element(), local(kAccumulator | row, dim, dim));
  fence();
}

}  // namespace spica::testbench
