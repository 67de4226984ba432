// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/memory_ports.h"

#include "models/simt_core/pipeline/units/memory_queue.h"

namespace spica::simt_core {

void MemoryPorts::attach(MemoryQueue& queue, unsigned number) {
  queues_.push_back(&queue);
  several_ = queues_.size() != 1;
  for (unsigned port = 0; port < sockets_.size(); ++port) {
    if (number == 0) sockets_[port]->attach(queue, port);
    else sockets_[port]->attach(*this, port);
  }
  reset();
}

void MemoryPorts::reset() {
  for (protocol::InitiatorPort* socket : sockets_) socket->reset();
  last_.fill(base::kNever);
  accesses = 0;
  answered = base::kNever;
}

void MemoryPorts::on_response(unsigned port, protocol::Payload& payload) {
  queues_[protocol::info_of(payload).tag >> kQueueShift]->on_response(port, payload);
  for (MemoryQueue* queue : queues_) queue->try_again();
}

void MemoryPorts::on_lanes(protocol::Payload& payload, std::uint32_t) {
  queues_[protocol::info_of(payload).tag >> kQueueShift]->on_lanes(payload);
}

void MemoryPorts::on_ready(unsigned port) {
  for (MemoryQueue* queue : queues_) queue->on_ready(port);
}

}  // namespace spica::simt_core
