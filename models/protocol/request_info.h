// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

namespace spica::protocol {

using Payload = tlm::tlm_generic_payload;

/// Who caused a request. Observers, fault reports and checkers read it; timing never depends on it.
struct Origin {
  enum class Unit : std::uint8_t { kNone, kCore, kMatrixUnit, kDma, kTensorCore, kHost };
  Unit unit = Unit::kNone;
  std::uint8_t warp = 0;
  std::uint16_t core = 0;    // core number, or number of the unit
  std::uint32_t pc = 0;      // of the instruction, cores only
  std::uint32_t lanes = 0;   // active lanes that take part, cores only
};

/// Atomic operations a memory can perform; the values are those of the RISC-V funct5 field. The command
/// of such a request is READ; the operand travels in the data and is replaced by the old value (by 0 or 1
/// for a store-conditional that did or did not take place).
enum class Atomic : std::uint8_t {
  kAdd = 0x00, kSwap = 0x01, kLoadReserved = 0x02, kStoreConditional = 0x03, kXor = 0x04,
  kOr = 0x08, kAnd = 0x0C, kMin = 0x10, kMax = 0x14, kMinUnsigned = 0x18, kMaxUnsigned = 0x1C,
  kNone = 0xFF,
};

/// Travels with every request inside the platform (a sticky extension of pooled payloads).
/// A payload from outside may lack it: use info_of(), which then returns a neutral one.
struct RequestInfo final : tlm::tlm_extension<RequestInfo> {
  Origin origin;
  std::uint64_t tag = 0;          // the initiator's own; nobody else looks at it
  Atomic atomic = Atomic::kNone;  // a 4-byte read-modify-write; the old value comes back in the data
  /// The data was already moved at the point where this request took effect (the L1 for a core): what
  /// travels on is traffic for timing only, and nobody may write its data again.
  bool timing_only = false;

  tlm::tlm_extension_base* clone() const override { return new RequestInfo(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const RequestInfo&>(other);
  }
};

inline const RequestInfo& info_of(const Payload& payload) {
  static const RequestInfo neutral;
  const RequestInfo* info = payload.get_extension<RequestInfo>();
  return info != nullptr ? *info : neutral;
}

}  // namespace spica::protocol
