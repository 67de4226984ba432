// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/client/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "platform/bindings/client/channel.h"
#include "platform/bindings/client/child.h"
#include "platform/bindings/client/remote_device.h"
#include "platform/bindings/client/wire.h"

namespace spica::client {

namespace fs = std::filesystem;

namespace {

/// A child that runs `spica serve`, and the socket to it.
class Serving {
 public:
  Serving(const std::string& program, bool allow_plugins)
      : owner_(getpid()), child_(start_child(program, words_of(allow_plugins), "a machine")) {}
  ~Serving() {
    close(child_.socket);
    if (getpid() != owner_ || child_.process <= 0) return;  // a copy in a process that was forked
    kill(child_.process, SIGKILL);
    wait();
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  int socket() const { return child_.socket; }
  bool is_mine() const { return getpid() == owner_; }
  /// How it has ended.
  std::string end() {
    const int status = wait();
    if (WIFSIGNALED(status))
      return std::string("was ended by signal ") + std::to_string(WTERMSIG(status)) + " (" +
             strsignal(WTERMSIG(status)) + ")";
    return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  void stop() {
    if (child_.process > 0) kill(child_.process, SIGKILL);
  }

 private:
  static std::vector<std::string> words_of(bool allow_plugins) {
    std::vector<std::string> words{"serve"};
    if (allow_plugins) words.emplace_back("--allow-plugins");
    return words;
  }
  int wait() {
    if (child_.process > 0)
      while (waitpid(child_.process, &status_, 0) < 0 && errno == EINTR) {
      }
    child_.process = -1;
    return status_;
  }

  const pid_t owner_;
  Child child_;  // process -1: it has been waited for
  int status_ = 0;
};

/// One request at a time, of any thread.
class Process final : public Machine::Impl {
 public:
  Process(const std::string& program, const std::string& configuration,
          const std::vector<std::string>& overrides, bool allow_plugins)
      : child_(program, allow_plugins) {
    const auto version = ask(Writer() << Request::kCreate << configuration << overrides).get<std::string>();
    if (version != SPICA_VERSION)
      throw Error("'" + program + "' is Spica " + version + ", and this library is " + SPICA_VERSION);
  }

  void observe(const Observation& observation) override { ask(Writer() << Request::kObserve << observation); }
  void load(const std::string& program) override { ask(Writer() << Request::kLoad << absolute(program)); }
  Device::Impl& stand(const DeviceOptions& options) override {
    const auto facts = ask(Writer() << Request::kStand << options.queue_packets).get<DeviceFacts>();
    device_ = std::make_unique<RemoteDevice>([this](const Writer& request) { return ask(request); }, facts);
    return *device_;
  }
  void arguments(const std::string& list) override { ask(Writer() << Request::kArguments << list); }
  void grid(const std::string& kernel, const std::string& grid, const std::string& block) override {
    ask(Writer() << Request::kGrid << kernel << grid << block);
  }
  void step(const Step& step) override {
    ask(Writer() << Request::kStep << step.stream << step.launch << step.grid << step.block << step.arguments
                 << step.record << step.wait);
  }
  Variable variable(const std::string& name) override {
    return ask(Writer() << Request::kVariable << name).get<Variable>();
  }
  void write(std::uint64_t address, const void* from, std::size_t bytes, unsigned cluster) override {
    ask(Writer() << Request::kWrite << address << cluster, {from, bytes});
  }
  void read(std::uint64_t address, void* to, std::size_t bytes, unsigned cluster) override {
    Reader answer = ask(Writer() << Request::kRead << address << cluster << std::uint64_t{bytes});
    if (bytes != 0) std::memcpy(to, answer.raw(bytes), bytes);
  }
  Outcome run() override { return ask(Writer() << Request::kRun).get<Outcome>(); }
  bool run_cycles(std::uint64_t cycles) override {
    return ask(Writer() << Request::kRunCycles << cycles).get<bool>();
  }
  Time time() override {
    Reader answer = ask(Writer() << Request::kTime);
    const auto cycles = answer.get<std::uint64_t>();
    return {cycles, answer.get<double>()};
  }
  std::uint64_t statistic(const std::string& name) override {
    return ask(Writer() << Request::kStatistic << name).get<std::uint64_t>();
  }
  std::vector<std::pair<std::string, std::uint64_t>> counts() override {
    return ask(Writer() << Request::kCounts).get<std::vector<std::pair<std::string, std::uint64_t>>>();
  }
  Warp warp(unsigned core, unsigned warp) override {
    return ask(Writer() << Request::kWarp << core << warp).get<Warp>();
  }
  std::string output() override { return ask(Writer() << Request::kOutput).get<std::string>(); }
  void on_output(std::function<void(const std::string&)> listener) override {
    listener_ = std::move(listener);
  }
  std::string configuration() override { return ask(Writer() << Request::kConfiguration).get<std::string>(); }

 private:
  Reader ask(const Writer& request, Part more = {}) {
    if (asking_ == std::this_thread::get_id())
      throw Error("the machine is running: call this after run() has returned, not from a callback");
    const std::lock_guard<std::mutex> one(turn_);
    if (!child_.is_mine())
      throw Error("the machine belongs to the process that created it, not to a forked one");
    if (!lost_.empty()) throw InternalError(lost_);
    std::string error;
    asking_ = std::this_thread::get_id();
    try {
      send_message(child_.socket(), request.bytes(), more);  // where it does not arrive no answer comes
      auto [kind, answer] = receive();
      asking_ = std::thread::id();
      if (kind == Answer::kDone) return std::move(answer);
      error = answer.get<std::string>();
    } catch (...) {  // no call waits for what comes from it now
      asking_ = std::thread::id();
      if (lost_.empty()) lost_ = "the machine was stopped while it ran";
      child_.stop();
      throw;
    }
    throw Error(error);
  }

  std::pair<Answer, Reader> receive() {
    for (;;) {
      std::optional<std::string> message = receive_message(child_.socket());
      if (!message) {
        lost_ = "the process of the machine " + child_.end() + "; its messages are on standard error";
        throw InternalError(lost_);
      }
      Reader answer(std::move(*message));
      const auto kind = answer.get<Answer>();
      if (kind == Answer::kInternalError) {
        lost_ = answer.get<std::string>();
        throw InternalError(lost_);
      }
      if (kind != Answer::kLine) return {kind, std::move(answer)};
      if (listener_) listener_(answer.get<std::string>());
    }
  }

  Serving child_;
  std::mutex turn_;
  std::atomic<std::thread::id> asking_{};  // the thread that waits for an answer
  std::string lost_;  // why it answers no more; "": it does
  std::function<void(const std::string&)> listener_;
  std::unique_ptr<RemoteDevice> device_;
};

}  // namespace

std::string program_of(const char* place) {
  if (const char* given = std::getenv("SPICA_PROGRAM"); given != nullptr && *given != 0) return given;
  std::error_code ignored;
  for (const char* up : {"../../bin/spica", "../../../bin/spica"}) {  // of a folder, of a header in one
    const fs::path program = (fs::path(place) / up).lexically_normal();
    if (fs::exists(program, ignored)) return program.string();
  }
  throw Error("no program 'spica' was found for " + std::string(place) + ": name it in SPICA_PROGRAM");
}

std::string absolute(const std::string& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? fs::absolute(file).string() : file;
}

std::unique_ptr<Machine::Impl> start(const std::string& program, const std::string& configuration,
                                     const std::vector<std::string>& overrides, bool allow_plugins) {
  return std::make_unique<Process>(program, configuration, overrides, allow_plugins);
}

}  // namespace spica::client
