# SPDX-License-Identifier: Apache-2.0
"""Every kernel of sw/kernels, on every configuration it is for, at the smallest size that uses all of it."""
import pathlib
import random
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import network_models  # noqa: E402

SMALL = {
    "hello": "virgo",
    "hello_16k": "virgo-16k",
    "hello_128k": "fp16-virgo",
    "hello_256k": "attention",
    "vecadd": "virgo",
    "saxpy": "virgo",
    "softmax": "virgo",
    "elementwise": "virgo",
    "reduce": "virgo",
    "collatz": "virgo",
    "library_check": "virgo",
    "particles": "virgo",
    "particles_by_field": "virgo",
    "irregular_macros": "virgo",
    "irregular_plugin": "virgo",
    "wmma_probe": "turing-sm",
    "fragment_probe": "volta-sm",
}
ARGUMENTS = {"softmax": ["--args", "columns=100"]}

# Designs of `spica gemm` and their configuration; the smallest size is the tile, two tiles use both buffers.
GEMM = {
    "tc": ("virgo", "64x64x128"),
    "tc-dma": ("virgo", "64x64x128"),
    "virgo": ("virgo", "64x64x192"),
    "virgo-serial": ("virgo", "64x64x128"),
    "virgo-dma": ("virgo", "64x64x128"),
    "simt": ("virgo", "32x32x32"),
    "gemv": ("virgo", "64x1x64"),
    "tc-dma-swish": ("virgo", "128x64x64"),
    "tc-dma-swish-overlapped": ("virgo", "128x64x64"),
    "virgo-dma-swish": ("virgo", "192x64x64"),
    "virgo-dma-swish-overlapped": ("virgo", "128x64x64"),
    "dual-serial": ("virgo-dual", "64x64x64+64x64x64"),
    "dual-parallel": ("virgo-dual", "64x64x64+64x64x64"),
    "virgo-16k": ("virgo-16k", "32x64x64"),
    "virgo-v2": ("attention", "64x64x128"),
    "fp16-quartile": ("fp16-quartile", "128x64x256"),
    "fp16-volta": ("fp16-volta", "128x64x128"),
    "fp16-ampere": ("fp16-ampere", "128x128x384"),
    "fp16-ampere-quartile": ("fp16-ampere-quartile", "128x128x384"),
    "fp16-volta-published": ("fp16-volta", "128x64x128"),
    "fp16-ampere-published": ("fp16-ampere-quartile", "128x128x256"),
    "fp16-hopper": ("fp16-hopper", "128x128x384"),
    "fp16-hopper-quartile": ("fp16-hopper-quartile", "128x128x384"),
    "fp16-virgo-simt": ("fp16-virgo", "128x64x384"),
    "fp16-virgo-simt-serial": ("fp16-virgo", "128x64x128"),
    "fp16-virgo": ("fp16-virgo", "128x64x256"),
    "volta-wmma": ("volta-sm", "128x128x32"),
    "simt32": ("volta-sm", "128x256x32"),
    "volta-fp32": ("volta-sm", "256x128x64"),
    "volta-fp16": ("volta-sm", "256x128x64"),
    "turing-fp32": ("turing-sm", "256x128x64"),
    "turing-fp16": ("turing-sm", "256x128x64"),
    "ampere-fp32": ("ampere-sm", "256x128x64"),
    "ampere-fp16": ("ampere-sm", "256x128x64"),
    "ampere-fp32-async": ("ampere-sm", "256x128x96"),
    "ampere-fp16-async": ("ampere-sm", "256x128x96"),
    "cutlass13-nn": ("titanv-sm", "256x128x64"),
    "cutlass13-nt": ("titanv-sm", "128x128x128"),
    "cutlass13-tn": ("rtx2060-sm", "256x128x64"),
    "cutlass13-tt": ("rtx2060-sm", "128x128x128"),
    "gemm-tile": ("mgpu-2", "64x64x32"),
    "gemm-unit": ("virgo-4", "128x128x128"),
    "mlds-256x128x32": ("tcv1-sm", "256x128x64"),
    "mlds-128x256x32": ("tcnext-sm", "128x256x64"),
    "mlds-128x128x32": ("tcnext-sm", "128x256x64"),
    "mlds-128x64x32": ("tcv1-sm", "128x128x64"),
    "mlds-64x128x32": ("tcnext-sm", "128x128x64"),
    "mlds-64x64x32": ("tcv1-sm", "128x128x64"),
    "mlds-256x128x32-b": ("tcnext-sm", "256x128x64"),
}
ATTENTION = [(design, exponential) for design in ("virgo", "tc", "virgo-overlapped", "tc-overlapped")
             for exponential in ("exact", "polynomial")]
ATTENTION_CONFIGS = {"fp16-tc": "fp16-ampere", "fp16-tc-overlapped": "fp16-ampere", "fp16-virgo-overlapped": "fp16-virgo",
                     "fp16-hopper": "fp16-hopper"}  # others: attention
ATTENTION += [(design, "exact") for design in ATTENTION_CONFIGS]


# Products in streams: the last one multiplies what another stream has made, which an event orders.
STREAMS = """program: gemm_tile
config: mgpu-2
load: [operands.bin@0xA0000000]
kernels: [{name: product, kernel: gemm_32x32x16, grid: 1x1}]
streams:
  - name: left
    steps:
      - {launch: product, args: "m=32,n=32,k=32,a=0xA0000000,c=0xC0000000"}
      - {record: made}
      - {launch: product, args: "m=32,n=32,k=32,a=0xA0000080,c=0xC0030000"}
  - name: right
    steps:
      - {launch: product, args: "m=32,n=32,k=32,a=0xA0000100,c=0xC0010000"}
      - {wait: made}
      - {launch: product, args: "m=32,n=32,k=32,a=0xC0000000,c=0xC0020000"}
"""
PRODUCTS = ["concurrent", "--config", "mgpu-2", "--gemm", "32_32_32_00,32_32_64_00", "--available", "4", "--schedule"]
FIRMWARE = ["command_processor.firmware=command_processor"]


def of_queues(folder):
    """Kernels in queues, launched by the block and by a program. `folder`: for their files."""
    draw = random.Random(1)
    (folder / "operands.bin").write_bytes(struct.pack("<65536f", *(draw.uniform(-1, 1) for _ in range(65536))))
    (folder / "products.yaml").write_text(STREAMS)
    stream = ["stream", str(folder / "products.yaml")]
    return [Case("streams", "mgpu-2", stream), Case("streams firmware", "mgpu-2", stream, fixed=FIRMWARE),
            *(Case(f"concurrent {schedule}", "mgpu-2", [*PRODUCTS, schedule]) for schedule in ("default", "goldyloc", "oracle")),
            Case("concurrent goldyloc firmware", "mgpu-2", [*PRODUCTS, "goldyloc"], fixed=FIRMWARE)]


def of_grids(kernels, folder):
    """Vectors of gpu_stream on several work groups of one multiprocessor. `folder`: for the vectors."""
    draw = random.Random(2)
    (folder / "vectors.bin").write_bytes(struct.pack("<4096f", *(draw.uniform(-1, 1) for _ in range(4096))))
    program = ["run", "titanv-sm", str(kernels / "gpu_stream.elf"), "-q", "--grid", "8", "--block", "128"]
    for vector in ("0xA4000000", "0xA8000000"):
        program += ["--load", f"{folder / 'vectors.bin'}@{vector}"]
    return [Case(f"gpu_stream {kernel}", "titanv-sm", [*program, "--kernel", kernel])
            for kernel in ("init", "read", "scale", "triad", "cached")]


def of_networks(folder):
    """Neural networks with products on the matrix unit, and with all operators on the lanes. `folder`: for their files."""
    found = []
    for make, config in (network_models.encoder, "virgo"), (network_models.pictures, "volta-sm"), (network_models.sequences, "virgo"), \
            (network_models.upsampling, "mgpu-4"), (network_models.selections, "volta-sm"):
        file = folder / f"{make.__name__}.onnx"
        make(file)
        found.append(Case(f"network {make.__name__}", config, ["network", str(file), "--config", config, *network_models.SHAPES[make]],
                          fixed=["dispatcher.present=true", "command_processor.present=true"]))
    return found


class Case:
    """A command of the program, without mode and parameters."""

    def __init__(self, name, config, command, prints=False, fixed=(), kept=()):
        self.name, self.config, self.command = name, config, command
        self.fixed = fixed    # parameters that it needs, beside
        self.kept = kept      # those that are in its command
        self.prints = prints  # its console is a part of the result

    def settings(self):
        """KEY=VALUE that no set changes."""
        return [*self.kept, *self.fixed]


def cases(kernels, configs=(), folder=None):
    """`kernels`: folder of the built programs; `configs`: names of all configurations. One that is in no list here takes
    part with the matrix product that is meant for it. `folder`: for files of kernels in queues and grids; None: these do not take part."""
    found = [Case(name, config, ["run", config, str(kernels / f"{name}.elf"), "-q", *ARGUMENTS.get(name, ())], True)
             for name, config in SMALL.items()]
    found += [Case(f"gemm {design}", config, ["gemm", "--design", design, "--size", size])
              for design, (config, size) in GEMM.items()]
    found += [Case(f"attention {design} {exponential}", ATTENTION_CONFIGS.get(design, "attention"),
                   ["attention", "--design", design, "--exponential", exponential, "--sequence", "128"],
                   fixed=["cluster.core.load_store.merge_duplicates=true"] if design == "virgo" else ())
              for design, exponential in ATTENTION]
    found += [Case(f"attention {design} fp8", config,
                   ["attention", "--design", design, "--format", "fp8_e4m3", "--sequence", "128"])
              for design, config in ATTENTION_CONFIGS.items()]
    found += [Case(f"gemm {design} {format}", "ampere-sm",
                   ["gemm", "--design", design, "--format", format, "--size", "256x128x128"],
                   fixed=[f"cluster.tensor_core.warp.numerics={numerics}"])
              for design, format, numerics in (("ampere-fp32", "fp8_e4m3", "ada"), ("ampere-fp16-async", "fp8_e5m2", "hopper_mma"),
                                              ("ampere-fp32", "nvfp4", "blackwell"))]
    if folder is not None:
        found += of_queues(folder) + of_grids(kernels, folder) + of_networks(folder)
    known = {case.config for case in found}
    return found + [Case(f"gemm on {config}", config, ["gemm", "--config", config, "--size", "128x64x256"])
                    for config in configs if config not in known]
