"""Templates: where they are looked up, and what may go into them.

Templates write block markup (markup.py). Whatever is inserted is made harmless: no newline, no markup, none of the
private-use characters that mark an order. Only `order`, `orders`, `send` and `quoted` make markup from values.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, Environment, FileSystemLoader, StrictUndefined, TemplateNotFound
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Concat
from markupsafe import Markup

from pbm import timewords
from pbm.mail.markup import KEEP, LINK, LINK_BODY, LINK_END, ORDER, ORDER_END, PRIVATE, SAID
from pbm.mail.markup_html import encoded

SHARED = "shared"

# Zero-width joiners stay: emoji and several scripts need them.
_JOINERS = "\u200c\u200d"
_MARKS = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "*": "&#42;", "|": "&#124;", "#": "&#35;", "=": "&#61;"}
)
_SPACE = re.compile(r"\s")
_HEADS = re.compile(r"^ ?[!~]")
_WHITE = re.compile(r"\s+")


def package_templates() -> Path:
    """The templates that ship: beside the package's modules when installed, else at the repository's top level."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def one_line(text: str) -> str:
    """The text without controls, invisible and private-use characters, on one line, in one Unicode form."""
    return " ".join(_visible(text).split())


def _visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    text = _SPACE.sub(" ", unicodedata.normalize("NFC", text))
    return "".join(c for c in text if c in _JOINERS or unicodedata.category(c)[0] != "C")


def harmless(value: object) -> Markup:
    """A value as markup that says just what the value says.

    Raises TypeError for None: a template that prints it has forgotten a case.
    """
    if isinstance(value, Markup):
        return value
    if value is None:
        raise TypeError("a template prints None")
    text = _visible(str(value)).translate(_MARKS)
    return Markup(_HEADS.sub(lambda found: f"&#{ord(found[0][-1])};", text))  # noqa: S704 - made harmless just before


def order(line: str) -> Markup:
    """An order as we print it: `(HIT bob)`, in HTML a one-tap link. Our own wrapping keeps it on one line."""
    return Markup(f"{ORDER}{harmless(line).replace(' ', KEEP)}{ORDER_END}")  # noqa: S704


def orders(lines: Iterable[str]) -> Markup:
    """Several orders, one behind the other."""
    return Markup(" ").join(order(line) for line in lines)


def said(lines: Iterable[str]) -> Markup:
    """Orders that somebody has sent, printed alike, but no links: there is nothing to tap."""
    marked = (f"{ORDER}{SAID}{harmless(line).replace(' ', KEEP)}{ORDER_END}" for line in lines)
    return Markup(" ".join(marked))  # noqa: S704


def send(label: str, lines: Sequence[str]) -> Markup:
    """A one-tap link that sends several lines in one mail; the lines themselves stand only in the link."""
    body = encoded("\n".join(one_line(line) for line in lines))
    return Markup(f"{LINK}{harmless(label)}{LINK_BODY}{body}{LINK_END}")  # noqa: S704


def quoted(text: str) -> Markup:
    """What a person wrote, its lines kept: a block of user text."""
    lines = [one_line(line) for line in text.splitlines()]
    return Markup("\n\n" + "\n".join(f"> {harmless(line)}".rstrip() for line in lines) + "\n\n")  # noqa: S704


def names(items: Iterable[object], last: str = "and") -> Markup:
    """A list in words: `alice, bob and carol`."""
    shown = [harmless(item) for item in items]
    head, tail = shown[:-1], shown[-1:]
    return Markup(", ").join(head) + (Markup(f" {last} ") if head else Markup("")) + Markup("").join(tail)  # noqa: S704


def _join(items: Iterable[object], separator: str = "") -> Markup:
    return harmless(separator).join(harmless(item) for item in items)


class _Code(CodeGenerator):
    """`a ~ b` joins what is made harmless, not what is escaped for HTML."""

    def visit_Concat(self, node: Concat, frame: Frame) -> None:  # noqa: N802 - Jinja's name
        self.write("environment.filters['join']((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")


class _Environment(Environment):
    code_generator_class = _Code


class Templates:
    """Templates by name, `shared/round.txt`, from the first folder that has it."""

    def __init__(self, folders: Sequence[Path] = (), *, loader: BaseLoader | None = None) -> None:
        """`folders`: the operator's own, and those of plug-ins, before the ones that ship. `loader`: before all."""
        loaders: list[BaseLoader] = [loader] if loader else []
        loaders.append(FileSystemLoader([*folders, package_templates()]))
        env = _Environment(
            loader=ChoiceLoader(loaders),
            undefined=StrictUndefined,
            autoescape=True,  # so that macros and blocks keep their markup
            finalize=harmless,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
        )
        for name in ("safe", "escape", "e", "forceescape", "urlize", "xmlattr", "tojson", "striptags", "pprint"):
            del env.filters[name]
        env.filters.update(join=_join, names=names, quoted=quoted, said=said)
        env.filters["span"] = timewords.words
        env.globals.update(order=order, orders=orders, send=send, said=said)
        self._env = env

    def render(self, name: str, values: Mapping[str, Any]) -> Markup:
        """The template's markup. Raises jinja2.UndefinedError for a value it isn't given, TypeError for None."""
        return self._markup(self._env.get_template(name), values)

    def render_first(self, names: Sequence[str], values: Mapping[str, Any]) -> Markup:
        """The first of these templates that there is. Raises jinja2.TemplatesNotFound if there is none."""
        return self._markup(self._env.select_template(list(names)), values)

    def exists(self, name: str) -> bool:
        try:
            self._env.get_template(name)
        except TemplateNotFound:
            return False
        return True

    @staticmethod
    def _markup(template: Any, values: Mapping[str, Any]) -> Markup:
        return Markup(template.render(values).strip("\n"))  # noqa: S704 - a template's own output


def stray(source: str) -> bool:
    """Whether a template's own text holds private-use characters, which are ours alone to set."""
    return PRIVATE.search(source) is not None
