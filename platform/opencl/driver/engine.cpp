// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/engine.h"

#include <algorithm>
#include <utility>

#include "platform/opencl/driver/queue.h"

namespace spica::opencl {

Engine::Engine(cl_device_id device)
    : device_(device),
      programs_(std::make_shared<ProgramArea>(device->facts().program_base, device->facts().program_bytes,
                                              device->facts().keeps_programs)) {}

DeviceMachine& Engine::machine() {
  if (machine_ == nullptr) machine_ = backend().start(device_->choice());
  return *machine_;
}

std::uint64_t Engine::program_number(const Executable& executable) {
  const auto known = program_numbers_.find(executable.serial());
  if (known != program_numbers_.end()) return known->second;
  for (const std::uint64_t serial : programs_->take_released()) {
    const auto gone = program_numbers_.find(serial);
    if (gone == program_numbers_.end()) continue;  // the machine did not take it
    machine().remove_program(gone->second);
    program_numbers_.erase(gone);
  }
  executable.set_run();
  const std::uint64_t number = machine().add_program(executable.elf());
  program_numbers_[executable.serial()] = number;
  return number;
}

void Engine::submit(const Ref<_cl_event>& event) {
  KernelWork& work = std::get<KernelWork>(event->work.action);
  work.launch.program = program_number(*work.executable);
  work.launch.queue = event->queue->number;
  running_[machine().submit(work.launch)] = event;
}

std::vector<Engine::Ended> Engine::run() {
  std::vector<Ended> ended;
  for (const Completion& completion : machine().run()) {
    const auto found = running_.find(completion.launch);
    if (found == running_.end()) continue;
    // In the fast mode cores run ahead of the machine's clock, by less than a quantum.
    now_ns_ = std::max<std::uint64_t>(now_ns_, completion.end_ns);
    ended.push_back({std::move(found->second), completion});
    running_.erase(found);
  }
  return ended;
}

std::vector<Ref<_cl_event>> Engine::abandon() {
  std::vector<Ref<_cl_event>> events;
  for (auto& launch : running_) events.push_back(std::move(launch.second));
  running_.clear();
  return events;
}

std::uint64_t Engine::update_time() {
  if (machine_ != nullptr) now_ns_ = std::max<std::uint64_t>(now_ns_, machine_->now_ns());
  device_->advance(now_ns_);
  return now_ns_;
}

}  // namespace spica::opencl
