"""Whatever comes from outside is text in the page."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.views.html import el, fragment, plain, text


def test_text_and_attribute_values_are_escaped() -> None:
    """Neither can end where it stands and begin markup."""
    assert text(el("p", {"title": "\"'<&>"}, "<b>&amp;\"'")) == (
        '<p title="&quot;&#39;&lt;&amp;&gt;">&lt;b&gt;&amp;amp;&quot;&#39;</p>'
    )


@given(words=st.text(st.characters(exclude_categories=["Cs"])), value=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_read_back_as_it_was(words: str, value: str) -> None:
    """A browser's parser sees one element, with this attribute and this text."""
    seen: list[object] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            seen.append((tag, attrs))

        def handle_data(self, data: str) -> None:
            seen.append(data)

    reader = Reader(convert_charrefs=True)
    reader.feed(text(el("p", {"title": value}, words)))
    reader.close()
    element, *rest = seen
    assert element == ("p", [("title", value.replace("\0", "\ufffd"))])
    assert "".join(map(str, rest)) == words.replace("\0", "\ufffd")


def test_nothing_is_written_for_none_and_false() -> None:
    """Views leave parts out with None; False leaves a boolean attribute out and True writes its name."""
    assert text(el("input", {"disabled": True, "checked": False, "value": None})) == "<input disabled>"
    assert text(el("p", None, ["a", None, ["b", 3]], fragment("c", el("br")))) == "<p>ab3c<br></p>"


def test_zero_is_a_value() -> None:
    """A count of 0 shows."""
    assert text(el("td", {"data-count": 0}, 0)) == '<td data-count="0">0</td>'


@pytest.mark.parametrize("tag", ["script", "SCRIPT", "style", "iframe", "object", "base", "p onclick", "p>", ""])
def test_elements_that_could_run_code_are_refused(tag: str) -> None:
    """Their content would not be text."""
    with pytest.raises(ValueError, match="no view may make"):
        el(tag)


@pytest.mark.parametrize("name", ["onclick", "ONERROR", "srcdoc", "a b", 'a"', "a=b", "a>", "", "a/"])
def test_attributes_that_could_run_code_are_refused(name: str) -> None:
    """Actions are named by `data-action`, never written as code."""
    with pytest.raises(ValueError, match="no view may set"):
        el("p", {name: "x"})


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JavaScript:x", " java\nscript:x", "\x01javascript:x", "data:text/html,x", "vbscript:x"],
)
def test_addresses_that_could_run_code_are_refused(address: str) -> None:
    """Browsers skip blanks and control characters in a scheme, and so does the check."""
    with pytest.raises(ValueError, match="no view may link"):
        el("a", {"href": address})


@pytest.mark.parametrize("address", ["#/job/a:b", "./x?y=a:b", "https://a.example/", "mailto:a@b.example", "/a:b", ""])
def test_ordinary_addresses_pass(address: str) -> None:
    """A colon behind the path begins no scheme."""
    assert text(el("a", {"href": address})).startswith("<a href=")


def test_an_element_without_end_tag_takes_no_children() -> None:
    """They would end up beside it."""
    with pytest.raises(ValueError, match="no children"):
        el("br", "x")


def test_plain_is_the_words_alone() -> None:
    """For titles and labels."""
    assert plain(el("p", "a ", el("b", "<b>"), fragment(" c"))) == "a <b> c"
