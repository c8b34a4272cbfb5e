"""Fill the values of site.conf into the configurations of this folder.

    python3 deploy/render.py [--values FILE] [--set NAME=VALUE]... OUT

writes OUT/dovecot/… and OUT/postfix/…, nothing else. Needs only Python. In a template `@NAME@` stands for a value, and
`@NAME_PATTERN@` for the same value escaped for a regular expression. A missing or unknown name is an error.
"""

import argparse
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = ("dovecot", "postfix")
PLACEHOLDER = re.compile(r"@([A-Z][A-Z_]*[A-Z])@")


def read_values(path: Path) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals:
            raise SystemExit(f"{path}:{number}: not of the form NAME = value: {line}")
        values[name.strip()] = value.strip()
    return values


def fill(text: str, values: dict[str, str], where: Path) -> str:
    def one(match: re.Match[str]) -> str:
        name = match[1]
        plain = name.removesuffix("_PATTERN")
        if plain not in values:
            raise SystemExit(f"{where}: no value for {plain}")
        return values[plain] if plain == name else re.escape(values[plain]).replace("/", r"\/")

    return PLACEHOLDER.sub(one, text)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fill the values of site.conf into the configurations.")
    parser.add_argument("--values", type=Path, default=HERE / "site.conf", help="the file of values")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="overrides the file")
    parser.add_argument("out", type=Path, help="the folder to write to")
    options = parser.parse_args()
    values = read_values(options.values)
    for pair in options.set:
        name, equals, value = pair.partition("=")
        if not equals or name not in values:
            parser.error(f"--set {pair}: not one of the names in {options.values}")
        values[name] = value
    for folder in FOLDERS:
        for template in sorted((HERE / folder).iterdir()):
            target = options.out / folder / template.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(fill(template.read_text(encoding="utf-8"), values, template), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
