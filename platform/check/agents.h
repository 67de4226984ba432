// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::check {

/// The parts of a matrix unit that each work in their own order.
enum class Engine : std::uint8_t { kLoad, kExecute, kStore };
inline constexpr unsigned kEngines = 3;

/// Whose accesses are in program order: each warp, the operand reads that a tensor core does for a warp, and
/// the three engines of each matrix unit. Numbers them all.
class Agents {
 public:
  static constexpr std::uint16_t kNobody = 0xFFFF;

  Agents(unsigned cores, unsigned warps, unsigned units, bool tensor_tiles)
      : cores_(cores), warps_(warps), units_(units), tensors_(tensor_tiles ? cores * warps : 0) {}

  unsigned cores() const { return cores_; }
  unsigned warps_of_core() const { return warps_; }
  unsigned warps() const { return cores_ * warps_; }
  unsigned units() const { return units_; }
  bool tensor_tiles() const { return tensors_ != 0; }
  unsigned count() const { return warps() + tensors_ + kEngines * units_; }

  std::uint16_t warp(unsigned core, unsigned warp) const {
    return static_cast<std::uint16_t>(core * warps_ + warp);
  }
  std::uint16_t tensor(unsigned warp) const { return static_cast<std::uint16_t>(warps() + warp); }
  std::uint16_t engine(unsigned unit, Engine e) const {
    return static_cast<std::uint16_t>(warps() + tensors_ + kEngines * unit + static_cast<unsigned>(e));
  }

  bool is_warp(unsigned agent) const { return agent < warps(); }
  bool is_tensor(unsigned agent) const { return !is_warp(agent) && agent < warps() + tensors_; }
  bool is_engine(unsigned agent) const { return agent >= warps() + tensors_ && agent < count(); }
  unsigned core_of(unsigned agent) const { return agent % warps() / warps_; }  // warps and their tensor reads
  unsigned warp_of(unsigned agent) const { return agent % warps() % warps_; }
  unsigned unit_of(unsigned agent) const { return (agent - warps() - tensors_) / kEngines; }
  Engine engine_of(unsigned agent) const {
    return static_cast<Engine>((agent - warps() - tensors_) % kEngines);
  }

 private:
  unsigned cores_, warps_, units_, tensors_;
};

}  // namespace spica::check
