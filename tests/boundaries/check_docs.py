#!/usr/bin/env python3
# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: Apache-2.0
"""Documents and programs say the same.

check_docs.py SOURCE_DIR PROGRAM_DIR: options and commands of the programs stand in docs/cli.md and the manual pages, and
what stands there exists; exit codes, variables, event kinds, areas, commands of ./dev and presets too; links between
documents resolve. Prints every fault and ends with 1 if there is one. With --self-test it makes one fault after the other
and ends with 1 if one is not seen. Only modules that python3-minimal has.
"""
import os
import re
import subprocess
import sys

source, programs = sys.argv[1], sys.argv[2]
faults = []
edits = {}  # Path: (text, what stands there instead), of the self-test.


def read(path):
    with open(os.path.join(source, path), encoding="utf-8") as file:
        text = file.read()
    if path in edits:
        old, new = edits[path]
        if old not in text:
            fault(f"self-test: {path} has no {old!r}")
        text = text.replace(old, new)
    return text


def fault(text):
    faults.append(text)


def same(what, documented, real, where):
    """Both directions; an empty side would make this a check of nothing."""
    if not documented or not real:
        fault(f"{where}: found no {what} to compare ({len(documented)} documented, {len(real)} real)")
    for name in sorted(documented - real):
        fault(f"{where} names {what} {name}, which does not exist")
    for name in sorted(real - documented):
        fault(f"{where} does not name {what} {name}")


answers = {}  # They do not change while this runs.


def run(program, *arguments):
    if (program, *arguments) not in answers:
        answers[(program, *arguments)] = ask(program, *arguments)
    return answers[(program, *arguments)]


def ask(program, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    done = subprocess.run([os.path.join(programs, program), *arguments], stdin=subprocess.DEVNULL, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def section(text, heading):
    """From the line of `heading` to the next heading of its level or above."""
    level = heading.split(" ")[0]
    lines = text.split("\n")
    if heading not in lines:
        fault(f"docs/cli.md has no section {heading}")
        return ""
    start = lines.index(heading) + 1
    end = start
    while end < len(lines) and not re.match(rf"#{{1,{len(level)}}} ", lines[end]):
        end += 1
    return "\n".join(lines[start:end])


def commands_in(text, program):
    """The words that follow the name of the program in examples and code."""
    return set(re.findall(rf"{program} ([a-z]+)\b", "\n".join(code_of(text))))


def code_of(text):
    blocks = re.findall(r"^```.*?^```|^    [^\n]*$", text, re.M | re.S)
    return blocks + re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def check_cli():
    text = read("docs/cli.md")
    source_text = read("app/cli/commandline.cpp")
    own = text.split("\n## The other programs\n")[0]

    real = set()
    for names in re.findall(r"QCommandLineOption \w+\{(.*?)_s,", source_text.replace("\n", " ")):
        real |= {"--" + name for name in re.findall(r'u"([a-z-]{2,})"', names)}
    for extra in re.findall(r'\{u"o"_s, u"([a-z]+)"_s\}', source_text):
        real.add("--" + extra)
    same("the option", options_in(own), real, "docs/cli.md")
    if "`-o FILE`" not in own:
        fault("docs/cli.md does not name -o FILE")
    _, help_text = run("pilothouse-cli", "--help")
    same("the option", options_in(help_text) | {"--output"}, real, "pilothouse-cli --help")

    # The program itself knows each, and takes a value where the document says so. --version ends it after parsing.
    for option in sorted(options_in(own)):
        takes_value = bool(re.search(rf"^\| `{option} [A-Z]", own, re.M))
        code, said = run("pilothouse-cli", f"{option}=1" if takes_value else option, "--version")
        if code != 0:
            fault(f"docs/cli.md: pilothouse-cli does not take {option}{' VALUE' if takes_value else ''}: {said.strip()}")

    real = set(re.findall(r'command [!=]= "([a-z]+)"_L1', source_text))
    table = set(re.findall(r"^\| `([a-z]+)[ `]", section(text, "## Commands").split("\n### ")[0], re.M))
    same("the command", table, real, "docs/cli.md")
    same("the command", set(re.findall(r"^  ([a-z]+) ", help_text.split("\n\n")[1], re.M)), real, "pilothouse-cli --help")
    for path in ("README.md", "docs/cli.md"):
        for word in sorted(commands_in(read(path), "pilothouse-cli") - real):
            fault(f"{path} shows pilothouse-cli {word}, which does not exist")

    for group in ("sandbox", "keys"):
        _, usage = run("pilothouse-cli", group)
        usage = usage.split("(pilothouse-cli --help")[0].split(f": {group} ")[-1]
        verbs = {part.split()[0] for part in usage.split("|")}
        table = set(re.findall(rf"^\| `{group} ([a-z]+)[ `]", section(text, f"### {group}"), re.M))
        same(f"the command {group}", table, verbs, "docs/cli.md")
        for path in ("README.md", "docs/cli.md"):
            for word in sorted(commands_in(read(path), f"pilothouse-cli {group}") - verbs):
                fault(f"{path} shows pilothouse-cli {group} {word}, which does not exist")

    codes = set(re.findall(r"^    \w+ = (\d+),", read("app/cli/exitcodes.h"), re.M))
    same("the exit code", set(re.findall(r"^\| (\d+) \|", section(text, "## Exit codes"), re.M)), codes, "docs/cli.md")

    variables = set()
    for folder in ("core", "app/cli"):
        for place, _, files in os.walk(os.path.join(source, folder)):
            for name in files:
                if name.endswith(".cpp"):
                    with open(os.path.join(place, name), encoding="utf-8") as file:
                        variables |= set(re.findall(r'"((?:PILOTHOUSE|SUPERSERVE)_[A-Z_]+)"', file.read()))
    named = set(re.findall(r"`((?:PILOTHOUSE|SUPERSERVE)_[A-Z_]+)`", section(text, "## Environment")))
    same("the variable", named, variables, "docs/cli.md")


def check_other_programs():
    text = read("docs/cli.md")
    for program in ("pilothouse", "pilothouse-sandboxd"):
        if not os.path.exists(os.path.join(programs, program)):
            continue  # Built without the window.
        code, said = run(program, "--help")
        if code != 0:
            fault(f"{program} --help ends with {code}")
        same("the option", options_in(section(text, f"### `{program}`")), options_in(said), f"docs/cli.md, {program}")


def check_manual_pages():
    for program in ("pilothouse", "pilothouse-cli", "pilothouse-sandboxd"):
        if not os.path.exists(os.path.join(programs, program)):
            continue
        path = f"packaging/linux/man/{program}.1.in"
        page = re.sub(r"\\f[BIR]", " ", read(path).replace("\\-", "-"))
        _, said = run(program, "--help")
        same("the option", options_in(page) - {"--output"}, options_in(said), path)
        if program == "pilothouse-cli":
            for command in re.findall(r"^  ([a-z]+) ", said.split("\n\n")[1], re.M):
                if not re.search(rf"^\.B[IR]? \"?{command}\b", page, re.M):
                    fault(f"{path} does not name the command {command}")


def check_tables():
    kinds = set(re.findall(r'EventKind::\w+, "([a-z-]+)"_L1', read("core/util/event.cpp")))
    table = section_of(read("docs/event-log.md"), "## Kinds and payloads")
    named = {name for row in re.findall(r"^\| ([a-z][a-z, -]*) \|", table, re.M) for name in row.split(", ")}
    same("the kind", named - {"kind"}, kinds, "docs/event-log.md")

    areas = set(re.findall(r'^    "([a-z]+/[a-z]+)=', read("cmake/layers.cmake"), re.M))
    named = set(re.findall(r"`((?:core|ui|app)/[a-z]+)`", read("docs/architecture.md")))
    same("the area", named, areas, "docs/architecture.md")

    guide = read("CONTRIBUTING.md")
    dev = read("dev")
    real = set(re.findall(r"^([a-z]+)\)$", dev, re.M))
    same("the command ./dev", set(re.findall(r"\./dev ([a-z]+)", guide)) - {"help"}, real, "CONTRIBUTING.md")
    presets = set(re.findall(r'"name": "([a-z]+)", "inherits"', read("CMakePresets.json"))) - {"base"}
    same("the preset", set(re.findall(r"^\| `([a-z]+)` \|", section_of(guide, "## Build"), re.M)), presets,
         "CONTRIBUTING.md")


def section_of(text, start):
    at = text.find("\n" + start)
    if at < 0:
        fault(f"there is no section {start}")
        return ""
    rest = text[at + 1:]
    end = rest.find("\n## ", 1)
    return rest if end < 0 else rest[:end]


def anchors_of(text):
    found = set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        found.add(re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-"))
    return found


def documents():
    found = [name for name in os.listdir(source) if name.endswith(".md")]
    return sorted(found + ["docs/" + name for name in os.listdir(os.path.join(source, "docs")) if name.endswith(".md")])


def check_links():
    count = 0
    for path in documents():
        text = re.sub(r"^```.*?^```|^    [^\n]*$", "", read(path), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(os.path.join(source, file)):
                fault(f"{path} links {target}, which is not there")
            elif anchor and anchor not in anchors_of(read(file)):
                fault(f"{path} links {target}, which has no such heading")
    if count == 0:
        fault("no link between documents was found")


def check_all():
    faults.clear()
    for check in (check_cli, check_other_programs, check_manual_pages, check_tables, check_links):
        check()
    return list(faults)


# Path, what is taken out, what is put in, what must be said then.
BREACHES = (
    ("docs/cli.md", "--keep-sandbox", "--keep", "names the option --keep, which does not exist"),
    ("docs/cli.md", "--keep-sandbox", "--json", "does not name the option --keep-sandbox"),
    ("docs/cli.md", "| `--max-steps N`", "| `--max-steps`", "does not take --max-steps:"),
    ("docs/cli.md", "| `sandbox ls ID PATH`", "| `sandbox dir ID PATH`", "names the command sandbox dir"),
    ("docs/cli.md", "| `doctor` |", "| `physician` |", "does not name the command doctor"),
    ("docs/cli.md", "| 125 |", "| 126 |", "names the exit code 126"),
    ("docs/cli.md", "| `PILOTHOUSE_MODEL` |", "| `PILOTHOUSE_MODELL` |", "does not name the variable PILOTHOUSE_MODEL"),
    ("docs/cli.md", "| `--host-suffix NAME` |", "| `--host NAME` |", "names the option --host,"),
    ("docs/cli.md", "](event-log.md)", "](events.md)", "links events.md, which is not there"),
    ("README.md", "pilothouse-cli doctor", "pilothouse-cli heal", "shows pilothouse-cli heal"),
    ("SECURITY.md", "README.md#what", "README.md#whatever", "has no such heading"),
    ("docs/event-log.md", "| limit-hit |", "| limit-met |", "names the kind limit-met"),
    ("docs/architecture.md", "`core/store`", "`core/shop`", "does not name the area core/store"),
    ("CONTRIBUTING.md", "./dev bench", "./dev measure", "names the command ./dev measure"),
    ("CONTRIBUTING.md", "| `asan` |", "| `tsan` |", "does not name the preset asan"),
    ("packaging/linux/man/pilothouse-cli.1.in", "\\-\\-deny", "\\-\\-refuse", "does not name the option --deny"),
)


def self_test():
    missed = []
    for path, old, new, words in BREACHES:
        edits.clear()
        edits[path] = (old, new)
        said = check_all()
        if any("self-test" in text for text in said) or not any(words in text for text in said):
            missed.append(f"{path}, {old} -> {new}: said {said}")
    edits.clear()
    return missed


result = self_test() if "--self-test" in sys.argv[3:] else check_all()
for line in result:
    print(line)
print(f"{len(documents())} documents, {len(result)} faults")
sys.exit(1 if result else 0)
