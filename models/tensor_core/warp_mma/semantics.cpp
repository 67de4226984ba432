// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/semantics.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "models/numeric/silicon.h"

namespace spica::tensor_core::warp_mma {

Generation generation(const TensorCoreParams& params) {
  switch (params.style) {
    case Style::kTuring: return Generation::kTuring;
    case Style::kAmpere: return Generation::kAmpere;
    case Style::kBlock: return Generation::kBlock;
    default: return Generation::kVolta;
  }
}

namespace {

/// The silicon whose numerics a generation has.
constexpr std::string_view silicon_of(Generation style) {
  switch (style) {
    case Generation::kTuring: return "turing";
    case Generation::kAmpere: return "ampere";
    case Generation::kVolta:
    case Generation::kBlock: break;
  }
  return "volta";
}

}  // namespace

std::optional<numeric::SumRule> sum_rule(const TensorCoreParams& params, const isa::MmaForm& form) {
  return numeric::selected_rule(params.warp, silicon_of(generation(params)), form.operand, form.accumulate,
                                form.k, form.scale);
}

std::string missing_rule(const TensorCoreParams& params, const isa::MmaForm& form) {
  return numeric::missing_rule(params.warp, silicon_of(generation(params)), form.operand, form.accumulate,
                               form.k, form.scale);
}

protocol::FragmentAccess fragment_access(const FragmentMap& map, numeric::Format format, bool is_c,
                                         bool column_major) {
  const unsigned bits = numeric::info(format).stored_bits, most = is_c ? 4 : 16;
  const unsigned at_once = std::min({map.run(!column_major), map.elements(), most * 8 / bits});
  protocol::FragmentAccess access;
  access.element_bits = static_cast<std::uint8_t>(bits);
  access.lane_bytes = static_cast<std::uint8_t>(at_once * bits / 8);
  access.bytes = std::min<std::uint8_t>(access.lane_bytes, 4);
  access.majors = static_cast<std::uint16_t>(column_major ? map.columns() : map.rows());
  access.minors = static_cast<std::uint16_t>(column_major ? map.rows() : map.columns());
  if (access.lane_bytes == 0) return access;
  const unsigned pieces = access.lane_bytes / access.bytes, lanes = kLanes / pieces,
                 per_piece = at_once / pieces;
  std::array<Place, kLanes> of_lane;  // the place of an element has the bits of its lane and those of x
  for (unsigned lane = 0; lane < kLanes; ++lane) of_lane[lane] = map.place(lane, 0);
  for (unsigned x = 0; x < map.elements(); x += at_once) {
    std::array<Place, 4> of_piece;
    for (unsigned piece = 0; piece < pieces; ++piece) of_piece[piece] = map.place(0, x + piece * per_piece);
    for (unsigned first = 0; first < kLanes; first += lanes) {
      auto& phase = access.phases.emplace_back();
      auto& places = access.places.emplace_back();
      for (unsigned i = 0; i < kLanes; ++i) {
        const unsigned lane = first + i / pieces, piece = i % pieces, element = x + piece * per_piece;
        const Place place = {of_lane[lane].row | of_piece[piece].row,
                             of_lane[lane].column | of_piece[piece].column};
        phase[i] = {static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(element * bits / 32),
                    static_cast<std::uint8_t>(element * bits % 32),
                    static_cast<std::uint16_t>(column_major ? place.column : place.row),
                    static_cast<std::uint16_t>(column_major ? place.row : place.column)};
        places[i] = static_cast<std::uint8_t>(phase[i].row * kLanes + lane);
      }
    }
  }
  return access;
}

Semantics::Semantics(Generation style, const FormRules& rules) : rules_(rules) {
  for (const Operation& operation : operations(style))
    if (rules_[operation.form] || !numeric::info(operation.shape().operand).is_float)
      forms_[operation.form].operation = &operation;
}

void Semantics::prepare(Form& form) const {
  if (form.operation == nullptr) return;
  const Operation& operation = *form.operation;
  const isa::MmaForm& shape = operation.shape();
  form.arithmetic =
      std::make_unique<Arithmetic>(operation, rules_[operation.form].value_or(numeric::integer_rule()));
  for (const bool column_major : {false, true}) {
    form.access[0][column_major] = fragment_access(operation.a, shape.operand, false, column_major);
    form.access[1][column_major] = fragment_access(operation.b, shape.operand, false, column_major);
    form.access[2][column_major] = fragment_access(operation.c, shape.accumulate, true, column_major);
  }
}

const Semantics& Semantics::of(const TensorCoreParams& params) {
  static std::map<std::pair<Generation, FormRules>, Semantics> all;
  static std::mutex using_it;
  FormRules rules;
  const Generation style = generation(params);
  for (const Operation& operation : operations(style)) {
    const isa::MmaForm& shape = operation.shape();
    if (!missing_rule(params, shape).empty()) continue;
    const bool is_float = numeric::info(shape.operand).is_float;
    rules[operation.form] = is_float ? sum_rule(params, shape) : numeric::integer_rule();
  }
  const std::lock_guard lock(using_it);
  return all.try_emplace({style, rules}, style, rules).first->second;
}

void Semantics::multiply(unsigned form, const std::uint32_t* a, const std::uint32_t* b,
                         const std::uint32_t* c, std::uint32_t* d) const {
  prepared(form).arithmetic->multiply(a, b, c, d);
}

}  // namespace spica::tensor_core::warp_mma
