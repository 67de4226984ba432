// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/serve.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "platform/bindings/api/serve_device.h"
#include "platform/bindings/api/serve_numerics.h"
#include "platform/bindings/client/channel.h"
#include "platform/bindings/client/wire.h"

namespace spica::api {

namespace {

using client::Answer;
using client::Reader;
using client::Request;
using client::Writer;

class Server {
 public:
  Server(int socket, const Places& places) : socket_(socket), places_(places) {}

  /// The answer to one request, or the error that prevents it.
  Writer answer(Reader request) {
    try {
      Writer done;
      done << Answer::kDone;
      serve(request, done);
      return done;
    } catch (const Error& error) {
      return std::move(Writer() << Answer::kError << std::string(error.what()));
    } catch (const std::bad_alloc&) {
      return std::move(Writer() << Answer::kError << std::string("not enough memory"));
    } catch (const std::exception& error) {
      return std::move(Writer() << Answer::kInternalError << std::string("internal error: ") + error.what());
    }
  }

 private:
  void grid(Reader& request) {
    const auto kernel = request.get<std::string>(), grid = request.get<std::string>();
    machine_->grid(kernel, grid, request.get<std::string>());
  }
  void step(Reader& request) {
    Machine::Impl::Step step;
    for (std::string* text :
         {&step.stream, &step.launch, &step.grid, &step.block, &step.arguments, &step.record, &step.wait})
      *text = request.get<std::string>();
    machine_->step(step);
  }
  void serve(Reader& request, Writer& done) {
    const auto kind = request.get<Request>();
    if (kind == Request::kMma) return serve_mma(request, done);
    if (kind == Request::kExplain) return serve_explain(request, done);
    if (machine_ == nullptr && kind != Request::kCreate)
      throw Error("there is no machine yet: the first request must create it");
    switch (kind) {
      case Request::kCreate: create(request, done); break;
      case Request::kObserve: machine_->observe(request.get<Observation>()); break;
      case Request::kLoad: load(request.get<std::string>()); break;
      case Request::kStand: stand(request, done); break;
      case Request::kArguments: machine_->arguments(request.get<std::string>()); break;
      case Request::kGrid: grid(request); break;
      case Request::kStep: step(request); break;
      case Request::kVariable: variable(request, done); break;
      case Request::kFill: fill(request); break;
      case Request::kWrite: write(request); break;
      case Request::kRead: read(request, done); break;
      case Request::kRun: done << machine_->run(); break;
      case Request::kRunCycles: done << machine_->run_cycles(request.get<std::uint64_t>()); break;
      case Request::kStatistic: done << machine_->statistic(request.get<std::string>()); break;
      default: look(kind, request, done);
    }
  }

  void look(Request kind, Reader& request, Writer& done) {
    switch (kind) {
      case Request::kTime: {
        const Machine::Impl::Time time = machine_->time();
        done << time.cycles << time.mhz;
        break;
      }
      case Request::kCounts: done << machine_->counts(); break;
      case Request::kWarp: {
        const auto core = request.get<unsigned>();
        done << machine_->warp(core, request.get<unsigned>());
        break;
      }
      case Request::kOutput: done << machine_->output(); break;
      case Request::kConfiguration: done << machine_->configuration(); break;
      default:
        if (device_ == nullptr || !serve_device(kind, request, done, *device_))
          throw Error(fmt::format("unknown request {}", static_cast<unsigned>(kind)));
    }
  }

  void create(Reader& request, Writer& done) {
    const auto configuration = request.get<std::string>();
    machine_ = make_local(configuration, request.get<std::vector<std::string>>(), places_);
    done << std::string(SPICA_VERSION);
  }

  void load(const std::string& program) {
    machine_->load(program);
    send_output();
  }
  void stand(Reader& request, Writer& done) {
    DeviceOptions options;
    options.queue_packets = request.get<unsigned>();
    device_ = &machine_->stand(options);
    send_output();
    done << device_->facts();
  }
  void send_output() {
    machine_->on_output([this](const std::string& line) {
      client::send_message(socket_, (Writer() << Answer::kLine << line).bytes());
    });
  }

  void variable(Reader& request, Writer& done) {
    const Variable found = machine_->variable(request.get<std::string>());
    done << found << found.type.text();
  }
  void fill(Reader& request) {
    const auto name = request.get<std::string>();
    const auto type = request.get<Type>();
    machine_->fill(name, type, request.raw(type.count() * type.bytes));
  }
  void write(Reader& request) {
    const auto address = request.get<std::uint64_t>();
    const auto cluster = request.get<unsigned>();
    const std::uint64_t bytes = request.left();
    machine_->write(address, request.raw(bytes), bytes, cluster);
  }

  void read(Reader& request, Writer& done) {
    const auto address = request.get<std::uint64_t>();
    const auto cluster = request.get<unsigned>();
    const auto bytes = request.get<std::uint64_t>();
    if (bytes == 0) return;
    if (address + (bytes - 1) < address) throw Error("the memory to read ends behind the last address");
    // First and last byte: how much there is to make room for is for the memory to say.
    unsigned char one = 0;
    machine_->read(address, &one, 1, cluster);
    machine_->read(address + (bytes - 1), &one, 1, cluster);
    machine_->read(address, done.room(bytes), bytes, cluster);
  }

  const int socket_;
  const Places& places_;
  std::unique_ptr<Machine::Impl> machine_;
  Device::Impl* device_ = nullptr;  // of the machine; nullptr: it runs one program
};

}  // namespace

void serve(int socket, const Places& places) {
  std::thread([socket] {
    pollfd gone{socket, POLLRDHUP, 0};
    while (poll(&gone, 1, -1) <= 0) {
    }
    _exit(0);
  }).detach();
  Server server(socket, places);
  while (std::optional<std::string> message = client::receive_message(socket))
    if (!client::send_message(socket, server.answer(Reader(std::move(*message))).bytes())) return;
}

}  // namespace spica::api
