"""Documentation is true: blocks run and print what they say, links lead somewhere."""

import re

import pytest

from tests.docs.pages import PAGES, ROOT, blocks, run

LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


@pytest.mark.parametrize(
    "page", [p for p in PAGES if blocks(p)], ids=lambda p: str(p.relative_to(ROOT))
)
def test_every_block_prints_what_the_page_says(page):
    for block, printed in zip(blocks(page), run(page), strict=True):
        place = f"{page.name}, the block at line {block.line}"
        assert "Traceback (most recent call last)" not in printed, (
            f"{place}:\n{printed}"
        )
        if block.printed is not None:
            assert printed.rstrip() == block.printed.rstrip(), place


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    text = page.read_text(encoding="utf-8")
    broken = [to for to in LINK.findall(text) if not (page.parent / to).exists()]
    assert broken == []


def test_there_are_pages_with_blocks():
    assert sum(len(blocks(page)) for page in PAGES) > 15
