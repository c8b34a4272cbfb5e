"""Blocks of markup as an HTML page for mail programs: inline styles, nothing from outside, no scripts.

Looks right at 320 px as at 1,200 px, light and dark. Each block and each cell stands on a source line of its own, so
that a program which only drops the tags doesn't glue words together. No style changes what the letters say
(`text-transform` would, where a program copies what is shown).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from urllib.parse import quote

from pbm.mail.markup import (
    BOLD,
    BOLD_END,
    KEEP,
    LINK,
    LINK_BODY,
    LINK_END,
    ORDER,
    ORDER_END,
    PRIVATE,
    SAID,
    Block,
    numeric_columns,
)

_MARKED = re.compile(
    f"{ORDER}(?P<order>[^{ORDER_END}]*){ORDER_END}"
    f"|{LINK}(?P<label>[^{LINK_BODY}]*){LINK_BODY}(?P<body>[^{LINK_END}]*){LINK_END}"
)
_SIGNS = {BOLD: "<strong>", BOLD_END: "</strong>", KEEP: " "}
_WORD_START = re.compile(r"(?<![A-Za-z])[A-Za-z]")

_FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"

_STYLE = {
    "heading": "margin:4px 0 16px;font-size:24px;line-height:1.25;font-weight:700;letter-spacing:-.01em",
    "subheading": "margin:28px 0 10px;font-size:17px;line-height:1.3;font-weight:700",
    "text": "margin:0 0 14px",
    "small": "margin:0;font-size:13px;line-height:1.5;color:#6b6a65",
    "print": "margin:20px 0 10px;padding:12px 0 0;border-top:1px solid #e7e3d8",
    "list": "margin:0 0 14px;padding:0 0 0 20px",
    "item": "margin:0 0 8px",
    "warning": "margin:0 0 14px;padding:12px 14px;border-left:4px solid #c77700;border-radius:4px;"
    "background-color:#fff4de;color:#5c3a00",
    "user": "margin:0 0 14px;padding:2px 0 2px 14px;border-left:3px solid #c9c5ba",
    "facts": "margin:0 0 18px;padding:14px 16px;border-radius:8px;background-color:#eef3f8",
    "label": "font-size:13px;line-height:1.4;color:#56616d",
    "value": "margin:0;font-size:17px;line-height:1.4;font-weight:600",
    "scroll": "margin:0 0 18px;overflow-x:auto",
    "table": "border-collapse:collapse;width:100%;font-size:15px;line-height:1.4",
    "th": "padding:6px 12px 6px 0;border-bottom:2px solid #d8d4c8;font-size:13px;font-weight:600;color:#6b6a65;"
    "vertical-align:bottom",
    "td": "padding:8px 12px 8px 0;border-bottom:1px solid #e7e3d8;vertical-align:top",
    "pill": f"display:inline-block;margin:0 6px 8px 0;padding:8px 14px;border:1px solid #2c5f8d;border-radius:8px;"
    f"{_MONO};font-size:15px;"
    "line-height:1.4;font-weight:600;color:#1d4f7c;background-color:#f5f9fd;text-decoration:none",
    "inline": f"{_MONO};font-size:.94em;font-weight:600;color:#1d4f7c;text-decoration:underline",
    "code": f"{_MONO};font-size:.94em;font-weight:600",
}

# Dark mode changes colours only; programs that drop <style> keep the light page, or invert it themselves.
_DARK = """
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background-color:#14161a!important}
.card{background-color:#1e2127!important;color:#e9e6df!important}
.small,.label,.th{color:#a3a19a!important}
.th{border-color:#444851!important}
.td,.print{border-color:#33373f!important}
.warning{background-color:#3a2a0c!important;color:#ffd58a!important}
.user{border-color:#555a64!important}
.facts{background-color:#232d38!important}
.label{color:#a9b6c3!important}
.pill{color:#a9d1f5!important;border-color:#6b9cc8!important;background-color:#1c2a37!important}
.inline{color:#a9d1f5!important}
}
@media (max-width:480px){
.card{padding:20px 18px 12px!important;border-radius:0!important}
.outer{padding:0!important}
}
"""

# The stripes of an airmail envelope; where gradients are unknown, the colour alone.
_STRIPES = (
    "height:6px;font-size:0;line-height:0;background-color:#2c5f8d;background-image:repeating-linear-gradient("
    "-45deg,#c0392b 0,#c0392b 14px,#fffdf8 14px,#fffdf8 28px,#2c5f8d 28px,#2c5f8d 42px,#fffdf8 42px,#fffdf8 56px)"
)

_PAGE = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{{title}}</title>
<style>{_DARK}</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f1eee6;-webkit-text-size-adjust:100%">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" \
style="background-color:#f1eee6">
<tr>
<td class="outer" align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" \
style="max-width:600px;table-layout:fixed">
<tr>
<td class="stripes" style="{_STRIPES}"></td>
</tr>
<tr>
<td class="card" align="left" style="padding:28px 32px 16px;border-radius:0 0 10px 10px;background-color:#fffdf8;\
color:#24262b;{_FONT};font-size:16px;line-height:1.55;overflow-wrap:break-word">
{{body}}
</td>
</tr>
</table>
</td>
</tr>
</table>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Links:
    """Where one-tap order links go: this mail's Reply-To, and the subject that the reply will bear."""

    address: str
    subject: str

    def order(self, line: str) -> str:
        """RFC 6068: address, subject and body filled in; the body is the one place where an order stands bare."""
        return self.body(encoded(line))

    def body(self, body: str) -> str:
        """The same for a body that is encoded already."""
        return f"mailto:{self.address}?subject={_quoted(self.subject)}&body={body}"


@lru_cache(maxsize=64)
def _quoted(subject: str) -> str:
    return quote(subject, safe="")


@lru_cache(maxsize=4096)
def encoded(text: str) -> str:
    """Text for the body of a mailto link: the first letter of each word is percent-encoded too, so that no piece of
    the link, wherever a program cuts it, begins with a verb."""
    lines = text.splitlines()
    return "%0D%0A".join(quote(_WORD_START.sub(_sign, line), safe="\x00").replace("\x00", "%") for line in lines)


def _sign(found: re.Match[str]) -> str:
    # NUL stands for the percent sign until the rest has been quoted.
    return f"\x00{ord(found[0]):02X}"


def to_html(blocks: Iterable[Block], *, title: str, links: Links | None) -> str:
    """A whole page. Without links, orders are text alone (public mails). Raises nothing."""
    body = "\n".join(_block(block, links) for block in blocks)
    return _PAGE.replace("{title}", escape(title)).replace("{body}", body, 1)


def _tag(name: str, style: str, content: str, more: str = "") -> str:
    return f'<{name} class="{style}"{more} style="{_STYLE[style]}">{content}</{name}>'


def _block(block: Block, links: Links | None) -> str:
    first = block.rows[0][0]
    match block.kind:
        case "heading":
            return _tag("h1", "heading", _inline(first, links), ' dir="auto"')
        case "subheading":
            return _tag("h2", "subheading", _inline(first, links), ' dir="auto"')
        case "items":
            return _items(block, links)
        case "table":
            return _table(block, links)
        case "user":
            rows = "<br>\n".join(_inline(row[0], links) for row in block.rows)
            return _tag("blockquote", "user", rows, ' dir="auto"')
        case "facts":
            return _tag("div", "facts", "\n" + "\n".join(_fact(row, links) for row in block.rows) + "\n")
        case "warning":
            return _tag("p", "warning", _inline(first, links), ' dir="auto"')
        case "small":
            return _tag("div", "print", _tag("p", "small", _inline(first, links), ' dir="auto"'))
        case _:
            return _tag("p", "text", _inline(first, links), ' dir="auto"')


def _items(block: Block, links: Links | None) -> str:
    rows = "\n".join(_tag("li", "item", _inline(row[0], links)) for row in block.rows)
    return _tag("ul", "list", f"\n{rows}\n")


def _fact(row: tuple[str, ...], links: Links | None) -> str:
    label, *values = row
    lines = [_tag("div", "label", _inline(label, links))]
    lines += [_tag("div", "small" if n else "value", _inline(value, links)) for n, value in enumerate(values)]
    return "\n".join(lines)


def _table(block: Block, links: Links | None) -> str:
    right = numeric_columns(block)
    lines = [f'<div style="{_STYLE["scroll"]}">', f'<table style="{_STYLE["table"]}">']
    for n, row in enumerate(block.rows):
        name = "td" if n else "th"
        lines.append("<tr>")
        for cell, flush in zip(row, right, strict=False):
            align = "right" if flush else "left"
            lines.append(_tag(name, name, _inline(cell, links), f' align="{align}"'))
        lines.append("</tr>")
    return "\n".join([*lines, "</table>", "</div>"])


def _inline(leaf: str, links: Links | None) -> str:
    if leaf.isascii():
        return escape(leaf, quote=False)
    out: list[str] = []
    at = 0
    # A leaf of nothing but orders is a row of buttons.
    buttons = links is not None and not _MARKED.sub("", leaf).strip(" .,")
    for found in _MARKED.finditer(leaf):
        out.append(_words(leaf[at : found.start()]))
        style = "pill" if buttons else "inline"
        if found["order"] is not None:
            # The guard may have put parentheses inside; no name and no verb has any of its own.
            bare = PRIVATE.sub("", found["order"].replace(KEEP, " ")).replace("(", "").replace(")", "")
            href = links.order(bare) if links and found["order"][:1] != SAID else None
            out.append(_link(f"({_words(found['order'])})", href, style))
        else:
            out.append(_link(_words(found["label"]), links.body(found["body"]) if links else None, style))
        at = found.end()
    out.append(_words(leaf[at:]))
    return "".join(out)


def _link(label: str, href: str | None, style: str) -> str:
    if href is None:
        return f'<span style="{_STYLE["code"]}">{label}</span>'
    return _tag("a", style, label, f' href="{escape(href)}"')


def _words(text: str) -> str:
    text = escape(text, quote=False)
    return text if text.isascii() else PRIVATE.sub(lambda found: _SIGNS.get(found[0], ""), text)
