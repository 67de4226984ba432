// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "platform/opencl/driver/engine.h"
#include "platform/opencl/driver/graph.h"

namespace spica::opencl {

/// The thread of a context, which carries out its commands and callbacks and owns its machines. Without
/// commands it uses no CPU time.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  /// `on_error` gets the report of a machine that has stopped, and the reason why a command failed.
  Worker(const std::vector<cl_device_id>& devices, std::function<void(const std::string&)> on_error);

  void start();
  /// Ends the thread and the machines. In the thread itself: ends when the present task has returned.
  void stop();

  Graph& graph() { return graph_; }
  std::uint64_t now_ns(cl_device_id device) const { return engine(device).now_ns(); }
  const std::shared_ptr<ProgramArea>& programs(cl_device_id device) const {
    return engine(device).programs();
  }
  /// A machine has stopped. No command works any more.
  bool is_lost() const { return is_lost_; }

  /// Reads or writes a buffer on one device; for functions passed to Graph::post.
  void write(cl_device_id device, std::uint64_t address, const void* from, std::size_t bytes);

 private:
  Engine& engine(cl_device_id device);
  const Engine& engine(cl_device_id device) const { return const_cast<Worker*>(this)->engine(device); }
  void loop();
  void call(const std::function<void()>& function);
  void execute(const Ref<_cl_event>& event);
  void carry_out(const Ref<_cl_event>& event, Engine& on);
  void run_launches();
  void run_launches(Engine& on);
  void lose(const std::string& report);
  void bring(_cl_mem& buffer, cl_device_id device);

  Graph graph_;
  std::deque<Engine> engines_;
  const std::function<void(const std::string&)> on_error_;
  std::atomic<bool> is_lost_{false};
  std::thread thread_;
};

}  // namespace spica::opencl
