#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes configs/fidelity/deviations.json, with which a run says on what its result rests, from docs/deviations.md.

    generate_fidelity.py           writes the file
    generate_fidelity.py --check   exit code 1 when the file is stale

An entry of the page has a comment behind its anchor: `<!-- when: CONDITION -->`, true of the runs whose results it concerns;
`never` where it is none, or only of programs that are wrong anyway; `always`. `<!-- improved -->` behind it: the program that runs is a
better one than the published one.
"""
import json
import re
import sys

import generated

PAGE = generated.ROOT / "docs" / "deviations.md"
TARGET = generated.ROOT / "configs" / "fidelity" / "deviations.json"
ENTRY = re.compile(r'^<a id="(?P<anchor>d\d+)"></a>(?P<when><!-- when: (?P<condition>.*?) -->)?(?P<improved><!-- improved -->)?'
                   r'\*\*(?P<id>D\d+)\. ?(?P<title>.*?)\*\*(?P<rest>.*)', re.S)
EFFECT = re.compile(r"\*Effect:\*(.*?)(?:\n\n|\Z)", re.S)
WORD = re.compile(r"\b[a-z]\w*(?:-\w+)+")


def plain(text):
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\s+", " ", text.replace("`", "").replace("**", "")).strip()


def entries():
    for block in re.split(r'^(?=<a id="d\d+">|## )', PAGE.read_text(), flags=re.M):
        found = ENTRY.match(block)
        if not found or found["rest"].startswith(" Replaced by"):
            continue
        if not found["when"]:
            sys.exit(f"docs/deviations.md: {found['id']} does not say when it counts: <!-- when: CONDITION --> behind its anchor")
        if found["condition"] == "never":
            continue
        effect = EFFECT.search(found["rest"])
        condition = "mode = cycle|fast" if found["condition"] == "always" else WORD.sub(r'"\g<0>"', found["condition"])
        one = {"id": found["id"], "title": plain(found["title"]).rstrip(".:,"), "when": condition,
               "effect": plain(effect[1]) if effect else ""}
        if found["improved"]:
            one["improved"] = True
        yield one


def main():
    lines = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in entries())
    return generated.keep(TARGET, f"[\n{lines}\n]\n")


if __name__ == "__main__":
    sys.exit(main())
