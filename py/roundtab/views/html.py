"""A small tree of HTML nodes and its text, in which everything that came from outside is escaped.

    el("td", {"class": "num"}, "10,412 B")
    el("ul", [el("li", name) for name in names])

Text never becomes markup. What could run code is refused when the node is made: script and style elements, attributes
that begin with `on`, addresses with a scheme other than http(s), mailto or blob.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Attribute = str | int | float | bool | None
"""True writes the bare name; False and None leave the attribute out."""

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
REFUSED = frozenset({"script", "style", "iframe", "object", "embed", "base", "link", "meta"})
ADDRESSES = frozenset({"action", "formaction", "href", "poster", "src", "xlink:href"})
SCHEMES = frozenset({"http", "https", "mailto", "blob"})

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9:_-]*")
_SCHEME = re.compile(r"([^/?#:]*):")
_IGNORED_IN_ADDRESSES = re.compile(r"[\x00-\x20]")
"""Browsers skip these, so `java\\nscript:` is a scheme too."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element with its attributes and children."""

    tag: str
    attributes: Mapping[str, Attribute]
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Fragment:
    """Nodes beside each other."""

    children: tuple[Node, ...]


Node = Element | Fragment | str
Child = Node | int | None | Sequence["Child"]
"""What may stand inside an element; None stands for nothing."""


def el(tag: str, first: Mapping[str, Attribute] | Child = None, *rest: Child) -> Element:
    """An element: its attributes, if it has any, then its children.

    Raises ValueError for a tag, an attribute name or an address that could run code.
    """
    if not _NAME.fullmatch(tag) or tag.lower() in REFUSED:
        raise ValueError(f"no view may make a <{tag}> element")
    attributes, children = (first, rest) if isinstance(first, Mapping) else ({}, (first, *rest))
    for name, value in attributes.items():
        _check(name, value)
    inside = tuple(_flat(children))
    if tag in VOID and inside:
        raise ValueError(f"<{tag}> takes no children")
    return Element(tag, attributes, inside)


def fragment(*children: Child) -> Fragment:
    """Nodes beside each other, without an element around them."""
    return Fragment(tuple(_flat(children)))


def text(node: Node) -> str:
    """The node as HTML text."""
    return "".join(_pieces(node))


def plain(node: Node) -> str:
    """The words of the node without any markup."""
    if isinstance(node, str):
        return node
    return "".join(plain(child) for child in node.children)


def escape(value: str) -> str:
    """`value` so that it is text in an element and in a quoted attribute."""
    return (
        value.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
        .replace("'", "&#39;")
        .replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


def _flat(children: Iterable[Child]) -> Iterator[Node]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, str | Element | Fragment):
            yield child
        elif isinstance(child, int):
            yield str(child)
        else:
            yield from _flat(child)


def _check(name: str, value: Attribute) -> None:
    """Refuse what could run code or end the tag."""
    lower = name.lower()
    if not _NAME.fullmatch(name) or lower.startswith("on") or lower == "srcdoc":
        raise ValueError(f"no view may set the attribute {name!r}")
    if lower in ADDRESSES and isinstance(value, str):
        scheme = _SCHEME.match(_IGNORED_IN_ADDRESSES.sub("", value))
        if scheme and scheme.group(1).lower() not in SCHEMES:
            raise ValueError(f"no view may link to {value[:40]!r}")


def _pieces(node: Node) -> Iterator[str]:
    if isinstance(node, str):
        yield escape(node)
        return
    if isinstance(node, Element):
        yield f"<{node.tag}{_attributes(node.attributes)}>"
    for child in node.children:
        yield from _pieces(child)
    if isinstance(node, Element) and node.tag not in VOID:
        yield f"</{node.tag}>"


def _attributes(attributes: Mapping[str, Attribute]) -> str:
    written = []
    for name, value in attributes.items():
        if value is True:
            written.append(f" {name}")
        elif value is not None and value is not False:
            written.append(f' {name}="{escape(str(value))}"')
    return "".join(written)
