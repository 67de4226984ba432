// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "models/command_processor/queues.h"

namespace spica::command_processor {

using protocol::GridLaunch;
using protocol::KernelObject;
using protocol::Packet;

inline constexpr std::uint32_t kObject = 0x100, kSignals = 0x200, kRings = 0x1000, kRingBytes = 0x1000;

/// Queues in a memory of 256 KB from address 0 on, and what becomes of the kernels that they launch.
struct Bench {
  explicit Bench(const CommandProcessorParams& params = {})
      : queues(params, {[this](std::uint64_t address, unsigned char* to, unsigned bytes) {
                          if (address + bytes > memory.size()) return false;
                          std::memcpy(to, &memory[address], bytes);
                          return true;
                        },
                        [this](std::uint64_t address, const unsigned char* from, unsigned bytes) {
                          if (address + bytes > memory.size()) return false;
                          std::memcpy(&memory[address], from, bytes);
                          return true;
                        },
                        [](const GridLaunch& launch) {
                          return launch.threads() > 256 ? std::vector<std::string>{"too large"}
                                                        : std::vector<std::string>{};
                        },
                        [](const GridLaunch& launch) { return std::uint64_t{256} / launch.threads(); },
                        [this](unsigned queue, std::uint32_t number, const Packet&) {
                          begun.emplace_back(queue, number);
                        }}) {
    const auto bytes = KernelObject{0x80, 0x84, 40, 1, 0}.encode();
    std::memcpy(&memory[kObject], bytes.data(), bytes.size());
  }

  Packet kernel(std::uint32_t groups, std::uint32_t signal = 0) const {
    Packet packet;
    packet.block = {8, 1, 1};
    packet.grid = {8 * groups, 1, 1};
    packet.object = kObject;
    packet.signal = signal;
    return packet;
  }
  Packet record(std::uint32_t signal) const {
    Packet packet;
    packet.type = Packet::Type::kBarrierAnd;
    packet.signal = signal;
    return packet;
  }
  Packet wait(std::uint32_t signal) const {
    Packet packet;
    packet.type = Packet::Type::kBarrierAnd;
    packet.barrier = false;
    packet.waits[0] = signal;
    return packet;
  }
  void set(std::uint32_t signal, unsigned char value) {
    std::memset(&memory[signal], 0, 8);
    memory[signal] = value;
  }
  void queue(unsigned number, const std::vector<Packet>& packets) {
    const std::uint32_t base = kRings + number * kRingBytes;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const auto bytes = packets[i].encode();
      std::memcpy(&memory[base + 64 * i], bytes.data(), bytes.size());
    }
    const auto count = static_cast<std::uint32_t>(packets.size());
    queues.start({number, base, count, count, {}});
  }
  /// All that the processor can do now; the kernels it launches.
  std::vector<std::uint32_t> work() {
    std::vector<std::uint32_t> launched;
    const auto choose = [&] {
      while (const auto launch = queues.choose(0)) {
        launched.push_back(launch->id);
        running.insert(launch->id);
      }
    };
    choose();
    for (Step step; (step = queues.next()) != Step::kNone; choose()) queues.perform(step);
    return launched;
  }
  void end(std::uint32_t kernel) {
    queues.dispatched(kernel);
    queues.ended(kernel, 1);
    running.erase(kernel);
  }
  unsigned queue_of(std::uint32_t kernel) const { return queues.run(kernel).queue; }

  std::vector<unsigned char> memory = std::vector<unsigned char>(0x40000);
  Queues queues;
  std::set<std::uint32_t> running;
  std::vector<std::pair<unsigned, std::uint32_t>> begun;  // queue and packet, in their order
};

}  // namespace spica::command_processor
