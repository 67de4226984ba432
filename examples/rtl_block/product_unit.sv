// SPDX-License-Identifier: Apache-2.0
// Products of 8x8 matrices of int8, added to 64 sums of 32 bits. An APB slave:
//   0x000 to 0x03C  write  A: row r is in words 2r and 2r + 1, the first element in the lowest byte
//   0x040 to 0x07C  write  B: column c likewise
//   0x080           write  starts the product of what was written; bit 0: the sums begin at 0
//   0x100 to 0x1FC  read   the sums, row by row; waits until all products are in them
// Operands have two buffers: one is written while the other is multiplied. A write waits while both are in use.
// One multiplier: 512 cycles for a product, and a cycle to write each sum. With MERGED_WRITE its last step writes it.
module product_unit #(
    parameter bit MERGED_WRITE = 0
) (
    input  logic        pclk,
    input  logic        presetn,
    input  logic        psel,
    input  logic        penable,
    input  logic        pwrite,
    input  logic [ 8:2] paddr,
    input  logic [31:0] pwdata,
    output logic [31:0] prdata,
    output logic        pready,
    output logic        pslverr,
    output logic        busy
);
  logic [31:0] a[2][16], b[2][16];
  logic signed [31:0] sums[64];
  logic [1:0] full, first;  // of each buffer: it is started; its sums begin at 0
  logic filling, working, running;
  logic [5:0] index;  // of the sum: row, column
  logic [3:0] step;  // along k; 8 writes the sum
  logic signed [31:0] sum;

  assign busy = running | (|full);
  assign pready = pwrite ? !full[filling] : !busy;
  assign prdata = sums[paddr[7:2]];
  assign pslverr = psel & penable & pready & (pwrite == paddr[8]);

  wire write = psel & penable & pwrite & pready & !paddr[8];
  wire [31:0] a_word = a[working][{index[5:3], step[2]}], b_word = b[working][{index[2:0], step[2]}];
  wire signed [7:0] x = a_word[8*step[1:0]+:8], y = b_word[8*step[1:0]+:8];
  wire signed [31:0] base = step != 0 ? sum : first[working] ? 0 : sums[index];
  wire signed [31:0] next = base + 32'(x) * 32'(y);
  wire ends = MERGED_WRITE ? step == 4'd7 : step[3];
  wire last = running & ends & (index == 6'd63);

  always_ff @(posedge pclk) begin
    if (write && paddr[7:6] == 2'd0) a[filling][paddr[5:2]] <= pwdata;
    if (write && paddr[7:6] == 2'd1) b[filling][paddr[5:2]] <= pwdata;
    if (running) sum <= next;
    if (running && ends) sums[index] <= MERGED_WRITE ? next : sum;
  end

  always_ff @(posedge pclk or negedge presetn) begin
    if (!presetn) begin
      {full, first, filling, working, running, index, step} <= '0;
    end else begin
      if (write && paddr[7]) begin
        full[filling] <= 1'b1;
        first[filling] <= pwdata[0];
        filling <= !filling;
      end
      if (running) begin
        step <= ends ? '0 : step + 1'b1;
        index <= index + 6'(ends);
      end
      if (last) begin
        full[working] <= 1'b0;
        working <= !working;
        running <= MERGED_WRITE && full[!working];
      end else if (full[working]) begin
        running <= 1'b1;
      end
    end
  end
endmodule
