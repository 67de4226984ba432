# SPDX-License-Identifier: Apache-2.0
"""Runs of `spica gemm` and its neighbours: keywords are their options (docs/reference/job.md), which the program knows; _runs.pyi
is generated from what it says."""
import collections.abc
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import warnings

import numpy as np

from ._machine import ConfigError, InternalError, program


class Outcome(dict):
    """stats.json of a run, also as attributes: outcome.cycles, outcome.utilisation, outcome.stats["main_memory.reads"]. `text`: what
    the run printed; `energy`: energy.json, None without energy=True."""

    def __init__(self, folder, text):
        super().__init__(_document(folder / "stats.json") or {})
        if (sums := _document(folder / "opencl.json")) is not None:
            self.update(totals=sums["totals"], kernels=sums["by_kernel"])
        self.text, self.energy = text, _document(folder / "energy.json")

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the run has no {name!r}; there are {', '.join(self)}") from None

    def __repr__(self):
        return f"<spica.Outcome {self.get('end')}, {self.get('cycles')} cycles, verified {self.get('verified')}>"


class RunError(RuntimeError):
    """A program faulted or hung, or a result is wrong. `outcome` has what there is."""

    def __init__(self, message, outcome):
        super().__init__(message)
        self.outcome = outcome

    def __reduce__(self):
        return type(self), (str(self), self.outcome)


def _document(file):
    return json.loads(file.read_text()) if file.is_file() else None


def _value(name, value, folder):
    """As a document has it. An array is kept in a file of numpy, and the settings of a mapping as texts."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        file = folder / f"{name}.npy"
        np.save(file, value)
        return str(file)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, collections.abc.Mapping):
        return [f"{key}={str(one).lower() if isinstance(one, (bool, np.bool_)) else one}" for key, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [_value(f"{name}.{place}", one, folder) for place, one in enumerate(value)]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise ConfigError(f"{name}: a text, a number, a list, a file or an array, not {type(value).__name__}")


def _job(kind, allow_plugins, options):
    """Runs it in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="spica-") as name:
        folder = pathlib.Path(name)
        out = pathlib.Path(options.get("out") or folder / "out")
        document = {"job": kind, **{key: _value(key, value, folder) for key, value in options.items() if value is not None}, "out": str(out)}
        file = folder / "run.json"
        file.write_text(json.dumps(document))
        done = subprocess.run([program(), "job", str(file)] + ["--allow-plugins"] * bool(allow_plugins), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False)
        said = done.stderr.replace(f"{file}:1: ", "").replace(f" ({file}:1)", "").strip()
        is_of_host = (out / "opencl.json").is_file()  # the code of an OpenCL program, which may be any
        if done.returncode == 2 and not is_of_host:
            raise ConfigError(said)
        if done.returncode not in (0, 1) and not is_of_host:
            raise InternalError(said or f"the run ended with exit code {done.returncode}")
        outcome = Outcome(out, done.stdout)
    if done.returncode != 0:
        raise RunError(said or f"the program ended with code {done.returncode}", outcome)
    if said:
        warnings.warn(said, stacklevel=3)
    return outcome


def gemm(*, allow_plugins=False, **options):
    """A matrix product on a machine of its own, as `spica gemm`: an Outcome. Keywords are its options by the names of
    docs/reference/job.md: spica.gemm(size="256x256x256", design="fp16-virgo", set={"cluster.cores": 4}, energy=True). Files may
    be arrays: a=, b=, bias=. What is wrong, such as an unknown keyword, is one ConfigError; a wrong result is a RunError."""
    return _job("gemm", allow_plugins, options)


def attention(*, allow_plugins=False, **options):
    """Attention, as `spica attention`: see gemm()."""
    return _job("attention", allow_plugins, options)


def concurrent(*, allow_plugins=False, **options):
    """Several products at once, as `spica concurrent`: see gemm()."""
    return _job("concurrent", allow_plugins, options)


def stream(*, allow_plugins=False, **options):
    """Kernels in streams that a file says, as `spica stream`: see gemm(). Machine.stream() has streams of a program here."""
    return _job("stream", allow_plugins, options)


def opencl(program=None, *args, allow_plugins=False, **options):
    """A program that uses OpenCL, and its arguments, as `spica opencl`: spica.opencl("python3", "mm.py", 256, config="volta-sm").
    See gemm(); outcome.kernels and outcome.totals are those of opencl.json."""
    words = {} if "args" in options else {"args": shlex.join(str(one) for one in args)}
    return _job("opencl", allow_plugins, {"program": program, **words, **options})


def _shown(name, options):
    """Extents as the options have them: {"ids": (1, 128)} is ["ids=1x128"]."""
    given = options.get(name)
    if isinstance(given, collections.abc.Mapping):
        options[name] = [f"{key}={'x'.join(map(str, one)) if isinstance(one, (list, tuple)) else one}" for key, one in given.items()]


def _exported(module, inputs, file):
    """A module of torch as an ONNX file, and its inputs as arrays by name."""
    import torch
    if isinstance(inputs, collections.abc.Mapping):
        names, tensors = list(inputs), [torch.as_tensor(one) for one in inputs.values()]
    else:
        tensors = [torch.as_tensor(one) for one in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
        names = [f"input_{place}" for place in range(len(tensors))]
    torch.onnx.export(module.eval(), tuple(tensors), str(file), input_names=names, opset_version=17)
    return {name: tensor.numpy() for name, tensor in zip(names, tensors)}


class NetworkOutcome(Outcome):
    """Of network(): also `outputs`, arrays by name, and `operators`, a list of records."""

    def __init__(self, outcome, outputs):
        dict.__init__(self, outcome)
        self.text, self.energy, self.outputs = outcome.text, outcome.energy, outputs

    def table(self):
        """The operators as text, a line each, as the command prints them."""
        lines = self.text.splitlines()
        begin = next(place for place, line in enumerate(lines) if line.startswith("  operator "))
        end = next((place for place in range(begin, len(lines)) if not lines[place]), len(lines))
        return "\n".join(line[2:] for line in lines[begin:end])


def network(model=None, inputs=None, *, expected=None, allow_plugins=False, **options):
    """A neural network, operator by operator, as `spica network`: a NetworkOutcome. `model` is an ONNX file, or a module of torch,
    which is exported for these inputs. `inputs` and `expected` map names to arrays; inputs that are not given are random.
    Keywords are options: spica.network("model.onnx", symbol={"batch": 1}, config="volta-sm", format="fp16", energy=True). `map` is a
    mapping file, or its rules: [{"operator": "product", "format": "fp16"}]. Errors are as those of gemm()."""
    with tempfile.TemporaryDirectory(prefix="spica-") as name:
        folder = pathlib.Path(name)
        if not isinstance(model, (str, os.PathLike, type(None))):
            file = folder / "model.onnx"
            inputs, model = _exported(model, inputs, file), file
        for key, arrays in ("inputs", inputs), ("expected", expected):
            if isinstance(arrays, collections.abc.Mapping):
                np.savez(folder / f"{key}.npz", **{one: np.asarray(array) for one, array in arrays.items()})
                options[key] = folder / f"{key}.npz"
            elif arrays is not None:
                options[key] = arrays
        for key in "shape", "symbol":
            _shown(key, options)
        if not isinstance(options.get("map"), (str, os.PathLike, type(None))):
            rules, options["map"] = options["map"], folder / "map.yaml"
            options["map"].write_text(json.dumps({"rules": list(rules)}))
        outputs = pathlib.Path(options.setdefault("outputs", folder / "outputs.npz"))
        outcome = _job("network", allow_plugins, {"model": model, **options})
        with np.load(outputs) as arrays:
            return NetworkOutcome(outcome, dict(arrays))
