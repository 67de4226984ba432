// SPDX-License-Identifier: Apache-2.0
// A machine as a module of your virtual platform, next to the processor model that drives it:
//
//   spica::Accelerator gpu("gpu", "virgo", {"run.mode=fast"});
//   bus.out.bind(gpu.host);       // memory, shared memory, registers, doorbell
//   gpu.done.bind(interrupt);     // sc_signal<bool>
//
// For the addresses and registers that the host sees, see <spica/models/host_port/host_port_regs.h> and
// docs/for-integrators.md.
#ifndef SPICA_ACCELERATOR_H  // not #pragma once: it is installed at two places
#define SPICA_ACCELERATOR_H

#include <spica/spica.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace spica {

/// All sockets are 32 bits wide and use the base protocol: b_transport, nb_transport, debug and direct memory access.
class Accelerator final : public sc_core::sc_module {
 public:
  /// `configuration` and `overrides` as in Machine, with host.present on; `period`: clock period, overrides clock_mhz.
  /// Throws Error.
  explicit Accelerator(const sc_core::sc_module_name& name, const std::string& configuration = "virgo",
                       const std::vector<std::string>& overrides = {},
                       const sc_core::sc_time& period = sc_core::SC_ZERO_TIME)
      : Accelerator(name, configuration, overrides, period, SPICA_SHARE) {}
  ~Accelerator() override;

  tlm::tlm_target_socket<32> host{"host"};
  /// High from the end of a program, or a fault, until the host clears the interrupt. May stay unbound.
  sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> done{"done"};
  /// While it is high, everything except global memory is in its initial state. May stay unbound.
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> reset{"reset"};
  /// With main_memory.external: the port to your memory, which must be bound. Otherwise throws Error.
  tlm::tlm_initiator_socket<32>& memory();

  /// Cycles of its clock since the start.
  std::uint64_t cycles() const;
  /// The current value of a statistic, by its name in stats.json ("cluster_0.core_0.warp_instructions",
  /// "host_port.reads"). Throws Error.
  std::uint64_t statistic(const std::string& name) const;
  /// All names of statistics, in order.
  std::vector<std::string> statistics() const;

  /// The lines that programs have printed, without an incomplete last one.
  std::string output() const;
  /// Calls `listener` with each completed line, without its newline.
  void on_output(std::function<void(const std::string& line)> listener);
  /// Calls `listener` with each fault, warning and note of a program when it occurs. The machine stops at a fault until
  /// it is reset.
  void on_fault(std::function<void(const Fault& fault)> listener);

  /// All parameters in effect, as YAML with the place where each was set.
  std::string configuration() const;

 private:
  Accelerator(const sc_core::sc_module_name& name, const std::string& configuration,
              const std::vector<std::string>& overrides, const sc_core::sc_time& period, const char* share);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spica

#endif  // SPICA_ACCELERATOR_H
