// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/host_queues/packets.h"

namespace spica::protocol {

namespace {

// Byte offsets in a packet.
constexpr unsigned kHeader = 0, kSetup = 2, kBlock = 4, kGrid = 12, kShared = 28, kObject = 32,
                   kArguments = 40, kChoice = 48, kWaits = 8, kSignal = 56;
constexpr unsigned kBarrierBit = 8;  // of the header
constexpr unsigned kTypeMask = 0xFF;

template <class Bytes>
void put(Bytes& bytes, unsigned at, std::uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bytes[at + i] = static_cast<unsigned char>(value >> 8 * i);
}

template <class Bytes>
std::uint64_t get(const Bytes& bytes, unsigned at, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{bytes[at + i]} << 8 * i;
  return value;
}

}  // namespace

Packet::Bytes Packet::encode() const {
  Bytes bytes{};
  put(bytes, kHeader, static_cast<unsigned>(type) | (barrier ? 1u << kBarrierBit : 0), 2);
  put(bytes, kSignal, signal, 8);
  if (type == Type::kBarrierAnd) {
    for (unsigned i = 0; i < kMostWaits; ++i) put(bytes, kWaits + 8 * i, waits[i], 8);
    return bytes;
  }
  put(bytes, kSetup, 3, 2);  // dimensions
  for (unsigned i = 0; i < 3; ++i) {
    put(bytes, kBlock + 2 * i, block[i], 2);
    put(bytes, kGrid + 4 * i, grid[i], 4);
  }
  put(bytes, kShared, shared_bytes, 4);
  put(bytes, kObject, object, 8);
  put(bytes, kArguments, arguments, 8);
  put(bytes, kChoice, choice, 8);
  return bytes;
}

std::optional<Packet> Packet::decode(const Bytes& bytes) {
  Packet packet;
  bool wide = false;
  const auto address = [&](unsigned at) {
    const std::uint64_t value = get(bytes, at, 8);
    wide |= value >> 32 != 0;
    return static_cast<std::uint32_t>(value);
  };
  const std::uint64_t header = get(bytes, kHeader, 2);
  packet.type = static_cast<Type>(header & kTypeMask);
  packet.barrier = (header >> kBarrierBit & 1) != 0;
  packet.signal = address(kSignal);
  if (packet.type == Type::kBarrierAnd) {
    for (unsigned i = 0; i < kMostWaits; ++i) packet.waits[i] = address(kWaits + 8 * i);
  } else if (packet.type == Type::kKernel) {
    for (unsigned i = 0; i < 3; ++i) {
      packet.block[i] = static_cast<std::uint32_t>(get(bytes, kBlock + 2 * i, 2));
      packet.grid[i] = static_cast<std::uint32_t>(get(bytes, kGrid + 4 * i, 4));
    }
    packet.shared_bytes = static_cast<std::uint32_t>(get(bytes, kShared, 4));
    packet.object = address(kObject);
    packet.arguments = address(kArguments);
    packet.choice = address(kChoice);
  } else {
    return std::nullopt;
  }
  return wide ? std::nullopt : std::optional(packet);
}

KernelObject::Bytes KernelObject::encode() const {
  Bytes bytes{};
  unsigned at = 0;
  for (const std::uint32_t word : {startup, entry, registers, barriers, matrix_unit})
    put(bytes, 4 * at++, word, 4);
  return bytes;
}

KernelObject KernelObject::decode(const Bytes& bytes) {
  KernelObject object;
  unsigned at = 0;
  for (std::uint32_t* word :
       {&object.startup, &object.entry, &object.registers, &object.barriers, &object.matrix_unit})
    *word = static_cast<std::uint32_t>(get(bytes, 4 * at++, 4));
  return object;
}

}  // namespace spica::protocol
