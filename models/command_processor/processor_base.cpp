// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/processor_base.h"

#include <fmt/format.h>

#include <cstring>
#include <ostream>

#include "models/command_processor/command_processor_regs.h"
#include "models/command_processor/registers_port.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::command_processor {

namespace {

// Of its clock: a decision takes thousands. A firmware that has done nothing for so long never will.
constexpr base::Cycle kMostCycles = 20'000'000;

}  // namespace

ProcessorBase::ProcessorBase(const CommandProcessorParams& params)
    : in("in", params.clusters), params_(params), queues_(params, outside()) {
  for (unsigned port = 0; port < in.size(); ++port) in[port].attach(*this, port);
  progress.bind(*this);
  hart_bus.bind(*this);
}

Queues::Outside ProcessorBase::outside() {
  return {
      [this](std::uint64_t address, unsigned char* to, unsigned bytes) { return read(address, to, bytes); },
      [this](std::uint64_t address, const unsigned char* from, unsigned bytes) {
        return write(address, from, bytes);
      },
      [this](const protocol::GridLaunch& launch) { return dispatcher->why_not(launch); },
      [this](const protocol::GridLaunch& launch) { return dispatcher->occupancy(launch); },
      [this](unsigned queue, std::uint32_t number, const protocol::Packet& packet) {
        if (probe() != nullptr) probe()->on_packet(cycle(), source(), queue, number, packet);
      }};
}

void ProcessorBase::start(const protocol::QueueSetup& queue) {
  queues_.start(queue);
  if (probe() != nullptr)
    probe()->on_doorbell(cycle(), source(), {protocol::Origin::Unit::kHost}, queue.queue, queue.written);
  react();
}

bool ProcessorBase::access_registers(protocol::Payload& payload) {
  if (!command_processor::access_registers(queues_, params_.registers_base, payload)) return false;
  const std::uint64_t offset = payload.get_address() - params_.registers_base;
  if (probe() != nullptr && offset % COMMAND_PROCESSOR_QUEUE_BYTES == COMMAND_PROCESSOR_DOORBELL) {
    const auto queue = static_cast<unsigned>(offset / COMMAND_PROCESSOR_QUEUE_BYTES);
    probe()->on_doorbell(cycle(), source(), protocol::info_of(payload).origin, queue,
                         queues_.state(queue).written);
  }
  return true;
}

void ProcessorBase::launch_all() {
  while (const auto launch = queues_.choose(cycle())) {
    count_launch();
    if (probe() != nullptr) probe()->on_kernel_launch(cycle(), source(), launch->id, queues_.run(launch->id));
    if (launches_changed_) launches_changed_();
    dispatcher->launch(*launch);
  }
}

void ProcessorBase::grid_dispatched(std::uint32_t kernel) {
  queues_.dispatched(kernel);
  react();
}

void ProcessorBase::grid_completed(std::uint32_t kernel) {
  queues_.ended(kernel, cycle());
  if (probe() != nullptr) probe()->on_kernel_end(cycle(), source(), kernel, queues_.run(kernel));
  if (launches_changed_) launches_changed_();
  react();
}

unsigned ProcessorBase::on_debug(unsigned, protocol::Payload& payload) {
  return peek_registers(queues_, params_.registers_base, payload);
}

// -- firmware

void ProcessorBase::run_firmware(base::Cycle now, base::Cycle until) {
  if (queues_.firmware().changed() && !hart->runs()) {
    hart->wake(now);
    awake_ = hart->now();
  }
  hart->run(until);
  if (hart->runs() && hart->now() - awake_ > kMostCycles)
    fail(hart->origin(),
         fmt::format("its firmware has neither slept nor launched a kernel for {} cycles", kMostCycles));
}

void ProcessorBase::access(protocol::HartAccess& access) {
  perform(access);
  if (access.store && probe() != nullptr)
    probe()->on_firmware(cycle(), source(), access.address, access.value, true);
}

void ProcessorBase::used(std::uint64_t address, std::uint32_t value) {
  if (probe() != nullptr) probe()->on_firmware(cycle(), source(), address, value, false);
}

void ProcessorBase::perform(protocol::HartAccess& access) {
  const std::uint64_t offset = access.address - FIRMWARE_REGISTERS;
  if (offset >= FIRMWARE_REGISTERS_BYTES) return access_memory(access);
  if (access.atomic || access.bytes != sizeof access.value) {
    access.error = "registers are 4 bytes wide";
    access.kind = protocol::FaultKind::kRegisterSize;
  } else if (!access.store) {
    const auto value = queues_.firmware().read(offset);
    access.value = value.value_or(0);
    if (!value) access.error = fmt::format("the command processor has no register at +{:#x}", offset);
  } else if (offset == FIRMWARE_SLEEP) {
    access.sleeps = !queues_.firmware().changed();
  } else if (offset == FIRMWARE_LAUNCH) {
    access.kind = protocol::FaultKind::kBadPacket;
    access.error = queues_.command(access.value & 0xFF, access.value >> 8);
    if (access.error.empty() && access.value >> 8 != 0)
      access.cycles = params_.memory_latency;  // the packet is written
    if (access.error.empty()) launch_all();
    awake_ = hart->now();
  } else {
    access.error = fmt::format("the command processor has no writable register at +{:#x}", offset);
  }
}

void ProcessorBase::access_memory(protocol::HartAccess& access) {
  access.cycles = params_.memory_latency;
  unsigned char bytes[sizeof access.value];
  std::memcpy(bytes, &access.value, sizeof bytes);
  const bool good = !access.atomic && (access.store ? write(access.address, bytes, access.bytes)
                                                    : read(access.address, bytes, access.bytes));
  std::memcpy(&access.value, bytes, sizeof bytes);
  if (good) return;
  access.kind = access.atomic ? protocol::FaultKind::kAtomicRefused : protocol::FaultKind::kUnmappedAccess;
  access.error = access.atomic ? "the command processor has no atomic accesses to main memory"
                               : "there is no memory at this address";
}

// -- reports

void ProcessorBase::fail(const protocol::Origin& origin, const std::string& detail) {
  protocol::GuestFault report{};
  report.kind = protocol::FaultKind::kBadPacket;
  report.severity = protocol::Severity::kFault;
  report.cycle = cycle();
  report.origin = origin;
  report.detail = detail;
  fault->report(report);
}

void ProcessorBase::report_problem() {
  if (const auto problem = queues_.problem()) fail(kOrigin, *problem);
}

void ProcessorBase::describe(std::ostream& out, const char* name) const {
  for (unsigned i = 0; i < params_.queues; ++i) {
    const protocol::QueueState state = queues_.state(i);
    if (state.written == state.read && state.running == 0) continue;
    out << fmt::format("{}: queue {}: packet {} of {} is at its head, {} kernels run", name, i, state.read,
                       state.written, state.running);
    for (std::size_t n = 0; n < state.waits.size(); ++n)
      out << fmt::format("{}{:#010x}", n == 0 ? "; it waits for signals at " : ", ", state.waits[n]);
    out << '\n';
  }
  if (!has_hart() || queues_.empty()) return;
  const protocol::Origin at = hart->origin();
  out << fmt::format("{}: its firmware {}, pc {:#010x}\n", name,
                     hart->runs()    ? "runs"
                     : hart->ended() ? "has ended"
                                     : "sleeps",
                     at.pc);
}

}  // namespace spica::command_processor
