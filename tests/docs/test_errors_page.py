"""The page of errors is fresh, and the links in texts lead to what explains them."""

import re

from tests.base.test_errors import error_classes
from tests.docs.errors_page import EXPLAINED, page
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")


def test_the_page_is_fresh():
    assert page() == PAGE, "python -m tests.docs.errors_page > docs/errors.md"


def test_every_class_has_a_section():
    sections = re.findall(r"^### (\w+)$", PAGE, re.MULTILINE)
    assert sorted(sections) == sorted(error_classes())


def test_the_errors_that_link_are_explained():
    from minijax.base import errors

    linked = {
        name
        for name, c in error_classes().items()
        if issubclass(c, errors.JAXTypeError | errors.JAXIndexError)
    }
    assert linked == set(EXPLAINED)
