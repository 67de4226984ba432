# SPDX-License-Identifier: Apache-2.0
"""pytest --spica-check hazards --spica-check memory: checks for all machines of the tests that do not say `checks=` themselves."""
import spica


def pytest_addoption(parser):
    group = parser.getgroup("spica")
    group.addoption("--spica-check", action="append", default=[], choices=["hazards", "memory"], metavar="CHECK",
                    help="check all kernels of the tests for hazards or memory errors, may be repeated; a finding fails the test")


def pytest_configure(config):
    spica.default_checks = tuple(config.getoption("--spica-check"))
