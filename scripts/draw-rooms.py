#!/usr/bin/env python3
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a diagram of the rooms and of the rooms that each one links, from the CMake files.

    scripts/draw-rooms.py            writes the diagram into docs/architecture.md
    scripts/draw-rooms.py --check    writes nothing; exits with 1 if the diagram is out of date
"""

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "architecture.md"
BEGIN = "<!-- rooms: drawn by scripts/draw-rooms.py -->"
END = "<!-- rooms: end -->"

# CMake targets of third-party libraries and the names of the libraries. Qt's targets are not listed: their names
# contain the module.
LIBRARIES = {
    "batchpeak_torch": "libtorch",
    "CLI11::CLI11": "CLI11",
    "Eigen3::Eigen": "Eigen",
    "LibYaml::LibYaml": "libyaml",
    "Pcre2::Pcre2": "PCRE2",
    "XxHash::XxHash": "xxHash",
    "muparser::muparser": "muParser",
    "nlohmann_json::nlohmann_json": "nlohmann-json",
    "yaml-cpp": "yaml-cpp",
    "yaml-cpp::yaml-cpp": "yaml-cpp",
}
LAYERS = ("app", "ui", "core")
KEYWORDS = {"APART", "DOOR", "LINKS", "PRECOMPILED", "PRIVATE", "PRIVATE_LINKS", "PUBLIC", "QT"}


@dataclass
class Room:
    name: str
    folder: str
    is_program: bool
    rooms: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)

    def take(self, links: list[str]) -> None:
        for link in links:
            if link in LIBRARIES:
                self.libraries.append(LIBRARIES[link])
            elif link.startswith("Qt6::"):
                self.libraries.append("Qt " + link.removeprefix("Qt6::"))
            elif link.startswith("batchpeak_") and link != "batchpeak_compile_options":
                self.rooms.append(link.removeprefix("batchpeak_"))

    def node(self) -> str:
        label = "<br/>".join([f"<b>{self.folder}</b>", *([", ".join(self.libraries)] if self.libraries else [])])
        return f'{self.name}(["{label}"])' if self.is_program else f'{self.name}["{label}"]'


def calls(text: str, command: str) -> list[list[str]]:
    """Returns the arguments of every call of a CMake command, without comments."""
    text = re.sub(r"#.*", "", text)
    return [match.split() for match in re.findall(rf"^\s*{command}\(([^)]*)\)", text, re.MULTILINE)]


def links_of(arguments: list[str]) -> list[str]:
    links, takes = [], False
    for argument in arguments:
        if argument in KEYWORDS:
            takes = argument in {"LINKS", "PRIVATE", "PRIVATE_LINKS", "PUBLIC"}
        elif takes:
            links.append(argument)
    return links


def read_rooms() -> list[Room]:
    rooms = []
    for layer in LAYERS:
        for file in sorted((ROOT / layer).rglob("CMakeLists.txt")):
            folder = file.parent.relative_to(ROOT).as_posix()
            text = file.read_text(encoding="utf-8")
            for arguments in calls(text, "batchpeak_room"):
                room = Room(arguments[0], folder, is_program=False)
                room.take(links_of(arguments))
                rooms.append(room)
            # Only programs that are installed, not those that only the build runs.
            installed = {arguments[1] for arguments in calls(text, "install") if arguments[0] == "TARGETS"}
            for arguments in calls(text, "target_link_libraries"):
                if arguments[0] in installed:
                    program = Room(arguments[0], arguments[0], is_program=True)
                    program.take(links_of(arguments))
                    rooms.append(program)
    return rooms


def circle_in(rooms: list[Room]) -> list[str]:
    """Returns the rooms that are in a cycle of links or lead to one; empty if there is no cycle."""
    linked = {room.name: set(room.rooms) for room in rooms}
    while free := [name for name, links in linked.items() if not links & linked.keys()]:
        for name in free:
            del linked[name]
    return sorted(linked)


def picture(rooms: list[Room]) -> str:
    arrows = [f"  {room.name} --> {other}" for room in rooms for other in sorted(room.rooms)]
    between_rooms = sum(len(room.rooms) for room in rooms if not room.is_program)
    nodes = [f"  {room.node()}" for room in rooms]
    return "\n".join(
        [
            BEGIN,
            "```mermaid",
            "flowchart TD",
            *nodes,
            *arrows,
            "```",
            "",
            f"{sum(not room.is_program for room in rooms)} rooms, {between_rooms} arrows between them, no circle.",
            END,
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the diagram is out of date")
    arguments = parser.parse_args()
    rooms = read_rooms()
    if circle := circle_in(rooms):
        print(f"These rooms are in a cycle of links or lead to one: {', '.join(circle)}.", file=sys.stderr)
        return 1
    text = DOCUMENT.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        print(f"{DOCUMENT} has no place for the diagram: add the lines {BEGIN} and {END}.", file=sys.stderr)
        return 1
    drawn = text[: text.index(BEGIN)] + picture(rooms) + text[text.index(END) + len(END) :]
    if drawn == text:
        return 0
    if arguments.check:
        print("The diagram in docs/architecture.md is out of date: run 'make architecture'.", file=sys.stderr)
        return 1
    DOCUMENT.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
