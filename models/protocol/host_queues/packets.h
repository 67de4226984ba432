// SPDX-License-Identifier: Apache-2.0
// The contract between host and command processor: packets in the ring of a queue, and signals. The packets are those
// of HSA (HSA Platform System Architecture Specification 1.2, section 2.9, Architected Queuing Language), with 32-bit
// addresses in their 64-bit fields.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/protocol/host_queues/work_group.h"

namespace spica::protocol {

inline constexpr std::uint32_t kPacketBytes = 64, kKernelObjectBytes = 32, kSignalBytes = 8;
inline constexpr unsigned kMostQueues = 32, kMostWaits = 5;

/// One packet of a queue.
struct Packet {
  enum class Type : std::uint8_t { kKernel = 2, kBarrierAnd = 3 };
  Type type = Type::kKernel;
  bool barrier = true;  // begins when all earlier packets of the queue have completed
  std::uint32_t signal = 0;  // address of a 64-bit word that is decremented on completion; 0: none

  // Kernel dispatch packets only.
  Index3 block{1, 1, 1};  // threads of a work group
  Index3 grid{1, 1, 1};  // threads of the grid: a multiple of block
  std::uint32_t shared_bytes = 0;
  std::uint32_t object = 0;  // address of its KernelObject
  std::uint32_t arguments = 0;
  std::uint32_t choice = 0;  // address of its KernelChoice (kernel_choice.h), in the reserved field; 0: none

  // Barrier packets only.
  std::array<std::uint32_t, kMostWaits> waits{};  // addresses of signals that must be 0; 0: unused

  using Bytes = std::array<unsigned char, kPacketBytes>;
  Bytes encode() const;
  /// Returns nothing if the type is none of these, or if an address has more than 32 bits.
  static std::optional<Packet> decode(const Bytes& bytes);
};

/// The common part of all packets of a kernel, as 32-bit words in this order: the entry of its warps, and the resources
/// of a work group.
struct KernelObject {
  std::uint32_t startup = 0, entry = 0, registers = 0, barriers = 1, matrix_unit = 0;

  using Bytes = std::array<unsigned char, kKernelObjectBytes>;
  Bytes encode() const;
  static KernelObject decode(const Bytes& bytes);
};

}  // namespace spica::protocol
