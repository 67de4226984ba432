// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/accumulator.h"

#include <algorithm>
#include <cstring>

#include "models/numeric/convert.h"
#include "models/protocol/payload/dma_command.h"

namespace spica::matrix_unit {

namespace {

/// Integers of 32 bits become sums, or are added to them.
void put_words(float* to, const unsigned char* from, std::uint32_t count, bool accumulate) {
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t sum = 0, word = 0;
    if (accumulate) std::memcpy(&sum, to + i, sizeof sum);
    std::memcpy(&word, from + 4 * i, sizeof word);
    sum += word;
    std::memcpy(to + i, &sum, sizeof sum);
  }
}

}  // namespace

Accumulator::Accumulator(const MatrixUnitParams& p)
    : dim_(static_cast<std::uint32_t>(p.dim)),
      rows_(p.accumulator_rows()),
      kept_(p.sum_format()),
      result_(p.result_format()),
      kernels_(array_kernels(static_cast<unsigned>(p.dim))),
      sums_(std::size_t{rows_} * dim_) {
  if (const auto rule = p.sum_rule()) rule_.emplace(*rule, p);
}

void Accumulator::add_block(std::uint32_t row, const float* result, std::uint32_t rows, std::uint32_t columns,
                            bool accumulate) {
  float* to = &sums_[std::size_t{row} * dim_];
  if (accumulate) rows_accumulated_ += rows;
  if (rule_) return rule_->add(result, to, rows, columns, accumulate);
  const auto add = integers() ? kernels_.add_integers : kernels_.add;
  const auto set = integers() ? kernels_.set_integers : kernels_.set;
  const auto put = [&](float* row_to, const float* from, std::uint32_t count) {
    (accumulate ? add : set)(row_to, from, count);
    round_sums(row_to, count);
  };
  if (columns == dim_) return put(to, result, rows * dim_);
  for (std::uint32_t r = 0; r < rows; ++r) put(to + r * dim_, result + r * dim_, columns);
}

void Accumulator::round_sums(float* sums, std::uint32_t count) const {
  if (kept_ == numeric::Format::kFp32 || integers()) return;
  numeric::round_all(kept_, numeric::Overflow::kSpecial, sums, count);
}

void Accumulator::read(std::uint32_t row, unsigned char* to, std::uint32_t elements, bool narrow) const {
  const float* from = &sums_[std::size_t{row} * dim_];
  if (narrow) numeric::encode(result_, numeric::Overflow::kSpecial, from, elements, to);
  else std::memcpy(to, from, elements * sizeof(float));
}

void Accumulator::write(std::uint32_t row, const unsigned char* from, std::uint32_t elements, bool narrow,
                        bool accumulate) {
  float* const to = &sums_[std::size_t{row} * dim_];
  rows_accumulated_ += accumulate;
  if (integers()) return put_words(to, from, elements, accumulate);
  float values[32];  // the largest DIM
  if (narrow) numeric::decode(result_, from, elements, values);
  else std::memcpy(values, from, elements * sizeof(float));
  (accumulate ? kernels_.add : kernels_.set)(to, values, elements);
  round_sums(to, elements);
}

unsigned Accumulator::debug(protocol::Payload& payload) {
  const std::uint64_t address = payload.get_address(), bytes = payload.get_data_length();
  if (address % 4 != 0 || bytes % 4 != 0 || address + bytes > sums_.size() * sizeof(float)) return 0;
  float* const sums = sums_.data() + address / 4;
  payload.is_read() ? std::memcpy(payload.get_data_ptr(), sums, bytes)
                    : std::memcpy(sums, payload.get_data_ptr(), bytes);
  return static_cast<unsigned>(bytes);
}

void Accumulator::reset() {
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  rows_accumulated_ = 0;
}

void access_row(protocol::Payload& payload, Accumulator& sums, const MatrixUnitParams& params,
                MatrixUnitStats& stats) {
  const protocol::DmaCommand* move = payload.get_extension<protocol::DmaCommand>();
  const bool narrow = move != nullptr && move->narrow && params.narrow();
  const auto row = static_cast<std::uint32_t>(payload.get_address()) / params.accumulator_row_bytes();
  const std::uint32_t elements = payload.get_data_length() / (narrow ? 2 : 4);
  if (row >= sums.rows() || elements > params.dim) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.is_read()) {
    sums.read(row, payload.get_data_ptr(), elements, narrow);
    ++stats.accumulator_rows_read;
  } else {
    sums.write(row, payload.get_data_ptr(), elements, narrow, move != nullptr && move->accumulate);
    ++stats.accumulator_rows_loaded;
    stats.accumulator_rows_accumulated += sums.take_rows_accumulated();
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace spica::matrix_unit
