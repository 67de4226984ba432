// SPDX-License-Identifier: Apache-2.0
// What a host and a command processor have agreed on: packets in the ring of a queue, and signals. The packets are
// those of HSA (HSA Platform System Architecture Specification 1.2, section 2.9, Architected Queuing Language), with
// addresses of 32 bits in their fields of 64.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/protocol/work_group.h"

namespace spica::protocol {

inline constexpr std::uint32_t kPacketBytes = 64, kKernelObjectBytes = 32, kSignalBytes = 8;
inline constexpr unsigned kMostQueues = 32, kMostWaits = 5;

/// One packet of a queue.
struct Packet {
  enum class Type : std::uint8_t { kKernel = 2, kBarrierAnd = 3 };
  Type type = Type::kKernel;
  bool barrier = true;  // begins when all packets of the queue before it have completed
  std::uint32_t signal = 0;  // address of 64 bits from which 1 is taken when it has completed; 0: none

  // a kernel
  Index3 block{1, 1, 1};  // threads of a work group
  Index3 grid{1, 1, 1};  // threads of all: a multiple
  std::uint32_t shared_bytes = 0;
  std::uint32_t object = 0;  // address of its KernelObject
  std::uint32_t arguments = 0;
  std::uint32_t choice = 0;  // address of its KernelChoice (kernel_choice.h), in the reserved field; 0: none

  // a barrier
  std::array<std::uint32_t, kMostWaits> waits{};  // addresses of signals that must be 0; 0: none

  using Bytes = std::array<unsigned char, kPacketBytes>;
  Bytes encode() const;
  /// Nothing: it is none of these types, or an address has more than 32 bits.
  static std::optional<Packet> decode(const Bytes& bytes);
};

/// What packets of a kernel have in common: where its warps start and what a work group needs, as 32-bit words in this
/// order.
struct KernelObject {
  std::uint32_t startup = 0, entry = 0, registers = 0, barriers = 1, matrix_unit = 0;

  using Bytes = std::array<unsigned char, kKernelObjectBytes>;
  Bytes encode() const;
  static KernelObject decode(const Bytes& bytes);
};

}  // namespace spica::protocol
