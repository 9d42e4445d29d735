#!/usr/bin/env python3
"""Prints the ten tests that took longest: `slowest.py JUNIT_FILE`."""

import sys
import xml.etree.ElementTree as xml

N_PRINTED = 10


def main():
    cases = xml.parse(sys.argv[1]).getroot().iter("testcase")
    durations = [(float(case.get("time")), case.get("classname"), case.get("name")) for case in cases]
    print(f"the slowest of {len(durations)} tests:")
    for seconds, program, name in sorted(durations, reverse=True)[:N_PRINTED]:
        print(f"{seconds:8.1f} s  {program} {name}")


if __name__ == "__main__":
    main()
