# SPDX-License-Identifier: Apache-2.0
"""Tests of the kernel in main.cpp, with numpy as the reference."""
import os

import numpy as np
import pytest
import spica

ELF = os.environ["PRODUCT_ELF"]


@pytest.fixture
def operands():
    random = np.random.default_rng(1)
    return {"a": random.integers(-8, 8, (64, 32)).astype(np.float32), "x": random.integers(-8, 8, 32).astype(np.float32)}


@pytest.mark.parametrize("mode", ["cycle", "fast"])
@pytest.mark.parametrize("rows", [1, 7, 64])
def test_product(operands, rows, mode):
    result = spica.run(ELF, mode=mode, args={"rows": rows, "alpha": 0.5}, inputs=operands, outputs=["y"])
    expected = 0.5 * operands["a"] @ operands["x"]
    expected[rows:] = 0
    np.testing.assert_array_equal(result["y"], expected)


def test_two_cores_are_faster_than_one(operands):
    one, two = (spica.run(ELF, settings={"cluster.cores": cores}, inputs=operands) for cores in (1, 2))
    assert two.kernel_cycles < one.kernel_cycles
    assert two.stats["cluster_0.core_1.warp_instructions"] > 500


def test_too_many_rows_are_an_error():
    result = spica.run(ELF, args={"rows": 65})
    assert result.exit_code == 1 and result.console == "at most 64 rows\n"


def test_an_array_of_another_type_is_refused(operands):
    with pytest.raises(spica.ConfigError, match=r"float64\[32\] does not fit 'x', which is float32\[32\]"):
        spica.run(ELF, inputs={"x": operands["x"].astype(np.float64)})
