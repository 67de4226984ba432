// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::check {

/// The parts of a matrix unit that work independently, each in its own order.
enum class Engine : std::uint8_t { kLoad, kExecute, kStore };
inline constexpr unsigned kEngines = 3;

/// Numbers all agents, that is parties with ordered accesses: each warp, the operand reads of a tensor core for a warp,
/// a warp's asynchronous copies, and the three engines of each matrix unit.
class Agents {
 public:
  static constexpr std::uint16_t kNone = 0xFFFF;

  Agents(unsigned cores, unsigned warps, unsigned units, bool tensor_tiles, bool copies)
      : cores_(cores),
        warps_(warps),
        units_(units),
        tensors_(tensor_tiles ? cores * warps : 0),
        copies_(copies ? cores * warps : 0) {}

  unsigned cores() const { return cores_; }
  unsigned warps_of_core() const { return warps_; }
  unsigned warps() const { return cores_ * warps_; }
  unsigned units() const { return units_; }
  bool tensor_tiles() const { return tensors_ != 0; }
  bool has_copies() const { return copies_ != 0; }
  unsigned count() const { return engines() + kEngines * units_; }

  std::uint16_t warp(unsigned core, unsigned warp) const {
    return static_cast<std::uint16_t>(core * warps_ + warp);
  }
  std::uint16_t tensor(unsigned warp) const { return static_cast<std::uint16_t>(warps() + warp); }
  std::uint16_t copies(unsigned warp) const { return static_cast<std::uint16_t>(warps() + tensors_ + warp); }
  std::uint16_t engine(unsigned unit, Engine e) const {
    return static_cast<std::uint16_t>(engines() + kEngines * unit + static_cast<unsigned>(e));
  }

  bool is_warp(unsigned agent) const { return agent < warps(); }
  bool is_tensor(unsigned agent) const { return !is_warp(agent) && agent < warps() + tensors_; }
  bool is_copies(unsigned agent) const { return agent >= warps() + tensors_ && agent < engines(); }
  bool is_engine(unsigned agent) const { return agent >= engines() && agent < count(); }
  unsigned core_of(unsigned agent) const {
    return agent % warps() / warps_;
  }  // warps, and the operations performed for them
  unsigned warp_of(unsigned agent) const { return agent % warps() % warps_; }
  unsigned unit_of(unsigned agent) const { return (agent - engines()) / kEngines; }
  Engine engine_of(unsigned agent) const { return static_cast<Engine>((agent - engines()) % kEngines); }

 private:
  unsigned engines() const { return warps() + tensors_ + copies_; }

  unsigned cores_, warps_, units_, tensors_, copies_;
};

}  // namespace spica::check
