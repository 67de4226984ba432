# SPDX-License-Identifier: Apache-2.0
"""Setuptools works in a folder of its own: its `build` is that of CMake, and it would pack what it finds there."""
import tempfile

import setuptools

with tempfile.TemporaryDirectory() as work:
    setuptools.setup(options={"build": {"build_base": work}, "egg_info": {"egg_base": work}})
