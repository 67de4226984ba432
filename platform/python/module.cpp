// SPDX-License-Identifier: Apache-2.0
// The C++ API in Python, without conveniences; those are in spica/__init__.py.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/client/machine_impl.h"
#include "platform/client/process.h"

namespace py = pybind11;
using namespace spica;
using Unlocked = py::call_guard<py::gil_scoped_release>;

namespace {

/// What a program says need not be UTF-8.
py::str text_of(const std::string& text) {
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::dict dictionary(const Fault& fault) {
  const char* const names[] = {"note", "warning", "fault"};
  py::dict result;
  result["severity"] = names[static_cast<unsigned>(fault.severity)];
  result["what"] = text_of(fault.what);
  result["cycle"] = fault.cycle;
  result["core"] = fault.core;
  result["warp"] = fault.warp;
  result["pc"] = fault.pc;
  result["lanes"] = fault.lanes;
  result["address"] = fault.address == 0 ? py::object(py::none()) : py::int_(fault.address);
  result["function"] = text_of(fault.function);
  result["file"] = text_of(fault.file);
  result["line"] = fault.line;
  result["text"] = text_of(fault.text);
  return result;
}

py::dict dictionary(const Outcome& outcome) {
  const char* const ends[] = {"finished", "fault", "deadlock", "livelock", "cycle_limit", "internal_error"};
  py::list faults;
  for (const Fault& fault : outcome.faults) faults.append(dictionary(fault));
  py::dict result;
  result["end"] = ends[static_cast<unsigned>(outcome.end)];
  result["exit_code"] = outcome.exit_code;
  result["cycles"] = outcome.cycles;
  result["kernel_cycles"] = outcome.kernel_cycles;
  result["faults"] = faults;
  result["report"] = text_of(outcome.report);
  py::dict documents;
  for (const auto& [name, text] : outcome.documents) documents[py::str(name)] = text_of(text);
  result["documents"] = documents;
  return result;
}

/// The bytes of something that has its elements one behind the other.
py::buffer_info bytes_of(const py::buffer& data, bool writable = false) {
  py::buffer_info info = data.request(writable);
  py::ssize_t expected = info.itemsize;
  for (py::ssize_t i = info.ndim; i-- > 0; expected *= info.shape[static_cast<std::size_t>(i)])
    if (info.shape[static_cast<std::size_t>(i)] > 1 && info.strides[static_cast<std::size_t>(i)] != expected)
      throw Error("the elements of an array must lie one behind the other");
  return info;
}

/// A machine in a process of its own. While it works, other threads of Python do.
class PythonMachine {
 public:
  PythonMachine(const std::string& program, const std::string& configuration,
                const std::vector<std::string>& settings, bool allow_plugins)
      : machine_(start(program, configuration, settings, allow_plugins)) {}

  Machine& get() {
    if (machine_ == nullptr) throw Error("the machine is closed");
    return *machine_;
  }
  void close() {
    const py::gil_scoped_release others_run;
    machine_.reset();
  }

  void write(std::uint64_t address, const py::buffer& data, unsigned cluster) {
    const py::buffer_info info = bytes_of(data);
    const py::gil_scoped_release others_run;
    get().write(address, info.ptr, static_cast<std::size_t>(info.size * info.itemsize), cluster);
  }
  void read_into(std::uint64_t address, const py::buffer& data, unsigned cluster) {
    const py::buffer_info info = bytes_of(data, true);
    const py::gil_scoped_release others_run;
    get().read(address, info.ptr, static_cast<std::size_t>(info.size * info.itemsize), cluster);
  }
  void write_variable(const std::string& name, unsigned kind, const py::buffer& data) {
    const py::buffer_info info = bytes_of(data);
    Type type{static_cast<Type::Kind>(kind), static_cast<std::uint64_t>(info.itemsize), {}};
    type.shape.assign(info.shape.begin(), info.shape.end());
    const py::gil_scoped_release others_run;
    get().write(name, type, info.ptr);
  }
  py::object variable(const std::string& name) {
    Variable found;
    {
      const py::gil_scoped_release others_run;
      found = get().variable(name);
    }
    return py::make_tuple(found.address, found.bytes, static_cast<unsigned>(found.type.kind),
                          found.type.bytes, py::tuple(py::cast(found.type.shape)), found.type.text());
  }
  void arguments(const std::vector<std::pair<std::string, std::string>>& values) {
    get().arguments(Arguments(values.begin(), values.end()));
  }
  py::dict run() {
    Outcome outcome;
    {
      const py::gil_scoped_release others_run;
      outcome = get().run();
    }
    return dictionary(outcome);
  }
  py::dict counts() {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    {
      const py::gil_scoped_release others_run;
      all = get().counts();
    }
    py::dict result;
    for (const auto& [name, value] : all) result[py::str(name)] = value;
    return result;
  }
  py::tuple warp(unsigned core, unsigned number) {
    const Warp warp = get().warp(core, number);
    const auto bytes = [](const std::vector<std::uint32_t>& words) {
      return py::bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
    };
    return py::make_tuple(warp.pc, warp.lanes, warp.running, warp.lane_count, bytes(warp.integers),
                          bytes(warp.floats));
  }
  void on_output(py::function listener) {
    // The last copy may go in a thread that is not Python's.
    const std::shared_ptr<py::function> kept(new py::function(std::move(listener)), [](py::function* last) {
      const py::gil_scoped_acquire mine;
      delete last;
    });
    get().on_output([kept](const std::string& line) {
      const py::gil_scoped_acquire mine;
      (*kept)(text_of(line));
    });
  }

 private:
  static std::unique_ptr<Machine> start(const std::string& program, const std::string& configuration,
                                        const std::vector<std::string>& settings, bool allow_plugins) {
    const py::gil_scoped_release others_run;
    return std::make_unique<Machine>(
        Machine::Impl::machine(client::start(program, configuration, settings, allow_plugins)));
  }
  std::unique_ptr<Machine> machine_;
};

/// A Ctrl-C ends the wait for a machine like any other.
void look_for_signals() {
  const py::gil_scoped_acquire mine;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace

PYBIND11_MODULE(_spica, module) {
  module.attr("version") = SPICA_VERSION;
  py::register_exception<Error>(module, "ConfigError", PyExc_ValueError);
  py::register_exception<InternalError>(module, "InternalError", PyExc_RuntimeError);
  client::set_waiting(look_for_signals);

  py::class_<PythonMachine>(module, "Machine")
      .def(py::init<const std::string&, const std::string&, const std::vector<std::string>&, bool>())
      .def("close", &PythonMachine::close)
      .def(
          "observe",
          [](PythonMachine& m, const std::vector<std::string>& checks,
             const std::vector<std::string>& suppressions, const std::vector<std::string>& traces,
             bool profile, bool energy) { m.get().observe({checks, suppressions, traces, profile, energy}); },
          Unlocked())
      .def(
          "load", [](PythonMachine& m, const std::string& program) { m.get().load(program); }, Unlocked())
      .def("arguments", &PythonMachine::arguments, Unlocked())
      .def(
          "grid",
          [](PythonMachine& m, const std::string& kernel, const std::vector<unsigned>& grid,
             const std::vector<unsigned>& block) { m.get().grid(kernel, grid, block); },
          Unlocked())
      .def(
          "launch",
          [](PythonMachine& m, const std::string& stream, const std::string& kernel,
             const std::vector<unsigned>& grid,
             const std::vector<std::pair<std::string, std::string>>& values,
             const std::vector<unsigned>& block) {
            m.get().launch(stream, kernel, grid, Arguments(values.begin(), values.end()), block);
          },
          Unlocked())
      .def(
          "record",
          [](PythonMachine& m, const std::string& stream, const std::string& event) {
            m.get().record(stream, event);
          },
          Unlocked())
      .def(
          "wait",
          [](PythonMachine& m, const std::string& stream, const std::string& event) {
            m.get().wait(stream, event);
          },
          Unlocked())
      .def(
          "argument_list", [](PythonMachine& m, const std::string& list) { m.get().arguments(list); },
          Unlocked())
      .def("variable", &PythonMachine::variable)
      .def("write", &PythonMachine::write)
      .def("read_into", &PythonMachine::read_into)
      .def("write_variable", &PythonMachine::write_variable)
      .def("run", &PythonMachine::run)
      .def(
          "run_cycles", [](PythonMachine& m, std::uint64_t cycles) { return m.get().run_cycles(cycles); },
          Unlocked())
      .def(
          "cycles", [](PythonMachine& m) { return m.get().cycles(); }, Unlocked())
      .def(
          "seconds", [](PythonMachine& m) { return m.get().seconds(); }, Unlocked())
      .def("counts", &PythonMachine::counts)
      .def("warp", &PythonMachine::warp)
      .def("output", [](PythonMachine& m) { return text_of(m.get().output()); })
      .def("on_output", &PythonMachine::on_output)
      .def("configuration", [](PythonMachine& m) { return text_of(m.get().configuration()); });
  module.def("number_text", [](double number) { return Value(number).text(); });
  module.def("single_text", [](float number) { return Value(number).text(); });
}
