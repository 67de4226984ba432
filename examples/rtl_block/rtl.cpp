// SPDX-License-Identifier: Apache-2.0
// The product unit as RTL, compiled by Verilator: a clock cycle of it in each tick.
#include "unit.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

using sc_core::sc_time_stamp;  // Verilator's headers, behind those of SystemC, name it so
#include <verilated.h>
#include <verilated_vcd_c.h>

#include <Vproduct_unit.h>

class ProductRtl final : public ProductUnit {
 public:
  struct Params {
    std::string waves;

    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      field("waves", p.waves, "file of the waveform (VCD); empty: none");
    }
  };

  ProductRtl(const sc_core::sc_module_name& name, const Params& params, const spica::base::ClockDomain& clock)
      : ProductUnit(name, clock), period_(clock.period().to_seconds() * 1e12) {
    if (!params.waves.empty()) {
      context_.traceEverOn(true);
      vcd_ = std::make_unique<VerilatedVcdC>();
      top_.trace(vcd_.get(), 99);
      vcd_->open(params.waves.c_str());
      if (!vcd_->isOpen()) throw std::runtime_error("cannot write the waveform " + params.waves);
    }
    restart();
  }
  ~ProductRtl() override {
    if (vcd_) vcd_->close();
    top_.final();
  }

  void reset() override {
    ProductUnit::reset();
    restart();
  }

 private:
  void restart() {
    top_.presetn = top_.psel = top_.penable = top_.pclk = 0;
    top_.eval();
    top_.presetn = 1;
    top_.eval();
  }

  /// The rising edge ends the cycle before, with the inputs of it. Times in the waveform are those of Spica's traces.
  Pins cycle(const Bus& bus) override {
    top_.pclk = 1;
    top_.eval();
    top_.psel = bus.select;
    top_.penable = bus.enable;
    top_.pwrite = bus.write;
    top_.paddr = static_cast<unsigned char>(bus.address / 4);
    top_.pwdata = bus.data;
    top_.eval();
    const Pins pins{top_.pready != 0, top_.pslverr != 0, top_.busy != 0, top_.prdata};
    show(static_cast<double>(now()));
    top_.pclk = 0;
    top_.eval();
    show(static_cast<double>(now()) + 0.5);
    return pins;
  }

  void show(double cycle) {
    if (vcd_) vcd_->dump(static_cast<std::uint64_t>(std::llround(cycle * period_)));
  }

  double period_;  // picoseconds
  VerilatedContext context_;
  Vproduct_unit top_{&context_, ""};
  std::unique_ptr<VerilatedVcdC> vcd_;
};
SPICA_BLOCK(ProductRtl, "product_rtl", "multiplies 8x8 matrices of int8, RTL")
