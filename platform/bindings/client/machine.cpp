// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "platform/bindings/client/machine_impl.h"
#include "platform/bindings/client/process.h"
#include "platform/bindings/client/spica.h"

namespace spica {

Machine::Machine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

Machine Machine::separate(const std::string& configuration, const std::vector<std::string>& overrides,
                          const char* share) {
  return Impl::machine(client::start(client::program_of(share), configuration, overrides));
}

void Machine::observe(const Observation& observation) { impl_->observe(observation); }
void Machine::load(const std::string& program) { impl_->load(program); }
void Machine::arguments(const std::string& list) { impl_->arguments(list); }

namespace {
std::string extent_text(const std::vector<unsigned>& extent) {
  std::string text;
  for (const unsigned length : extent) text += (text.empty() ? "" : "x") + std::to_string(length);
  return text;
}
/// The fourth number: bytes of shared memory.
std::string block_text(const std::vector<unsigned>& block) {
  if (block.size() < 4) return extent_text(block);
  return extent_text({block.begin(), block.begin() + 3}) + "," +
         extent_text({block.begin() + 3, block.end()});
}
}  // namespace

void Machine::grid(const std::string& kernel, const std::vector<unsigned>& grid,
                   const std::vector<unsigned>& block) {
  impl_->grid(kernel, extent_text(grid), block_text(block));
}

namespace {
/// As --args takes them. Throws Error.
std::string list_of(const Arguments& values) {
  std::string list;
  for (const auto& [name, value] : values) {
    // Both would be taken for other arguments.
    if ((name + value.text()).find_first_of(",=") != std::string::npos || name.empty())
      throw Error("argument '" + name + "': names and values must not contain a comma or an equals sign");
    list += (list.empty() ? "" : ",") + name + "=" + value.text();
  }
  return list;
}
}  // namespace

void Machine::arguments(const Arguments& values) {
  if (const std::string list = list_of(values); !list.empty()) impl_->arguments(list);
}

void Machine::launch(const std::string& stream, const std::string& kernel, const std::vector<unsigned>& grid,
                     const Arguments& values, const std::vector<unsigned>& block) {
  impl_->step({stream, kernel, extent_text(grid), block_text(block), list_of(values), "", ""});
}
void Machine::record(const std::string& stream, const std::string& event) {
  impl_->step({stream, "", "", "", "", event, ""});
}
void Machine::wait(const std::string& stream, const std::string& event) {
  impl_->step({stream, "", "", "", "", "", event});
}

std::uint64_t Machine::symbol(const std::string& name) const { return impl_->variable(name).address; }
Variable Machine::variable(const std::string& name) const { return impl_->variable(name); }

void Machine::write(std::uint64_t address, const void* from, std::size_t bytes, unsigned cluster) {
  impl_->write(address, from, bytes, cluster);
}

void Machine::read(std::uint64_t address, void* to, std::size_t bytes, unsigned cluster) const {
  impl_->read(address, to, bytes, cluster);
}

Outcome Machine::run() { return impl_->run(); }
bool Machine::run_cycles(std::uint64_t cycles) { return impl_->run_cycles(cycles); }

bool Machine::run_seconds(double seconds) {
  return run_cycles(static_cast<std::uint64_t>(std::ceil(seconds * impl_->time().mhz * 1e6)));
}

std::uint64_t Machine::cycles() const { return impl_->time().cycles; }

double Machine::seconds() const {
  const Impl::Time time = impl_->time();
  return static_cast<double>(time.cycles) / (time.mhz * 1e6);
}

std::uint64_t Machine::statistic(const std::string& name) const { return impl_->statistic(name); }
std::vector<std::pair<std::string, std::uint64_t>> Machine::counts() const { return impl_->counts(); }

std::vector<std::string> Machine::statistics() const {
  std::vector<std::string> names;
  for (auto& [name, value] : impl_->counts()) names.push_back(name);
  return names;
}

Warp Machine::warp(unsigned core, unsigned warp) const { return impl_->warp(core, warp); }
std::string Machine::output() const { return impl_->output(); }

void Machine::on_output(std::function<void(const std::string&)> listener) {
  impl_->on_output(std::move(listener));
}

std::string Machine::configuration() const { return impl_->configuration(); }

}  // namespace spica
