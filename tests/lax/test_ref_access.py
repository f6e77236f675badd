import numpy as np
import pytest

from minijax.core import Indexer, Slice
from minijax.lax.ref_access import accessed_shape, accumulate, parsed, read, write

X = np.arange(24, dtype=np.float32).reshape(4, 6)
ROWS, COLUMNS = np.array([3, 0]), np.array([[1, -1], [2, 5]])

INDICES = [
    *(..., 0, -1, (0, 2), (slice(1, 3),), (slice(None, None, 2), 1)),
    *((slice(None, None, 3), slice(1, None, 2)), (ROWS,), (slice(1, None), ROWS)),
    *((ROWS, slice(0, 0)), (1, ROWS), (ROWS, 1), (ROWS, ROWS), (COLUMNS % 4, 2)),
    *((COLUMNS % 4, COLUMNS), (slice(None), COLUMNS), (ROWS[:, None] % 4, ROWS)),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_as_numpy_does(index):
    indexer, points = parsed(X.shape, index)
    expected = X[index]
    found = np.asarray(read(X, indexer, points))
    np.testing.assert_array_equal(found, expected)
    shape = np.shape(points[0]) if points else ()
    assert accessed_shape(X.shape, indexer, shape) == found.shape
    value = np.arange(expected.size, dtype=np.float32).reshape(expected.shape) + 100
    written, added = X.copy(), X.copy()
    written[index] = value
    np.add.at(added, index, value)
    if len(np.unique(expected)) == expected.size:  # else the order is not said
        np.testing.assert_array_equal(write(X, indexer, points, value), written)
    np.testing.assert_array_equal(accumulate(X, indexer, points, value), added)


def test_parsed():
    assert parsed((3,), ...) == (Indexer(), [])
    assert parsed((3,), slice(0, 3)) == (Indexer(), [])
    assert parsed((3, 4), (slice(1, None),))[0] == Indexer((Slice(1, 2), Slice(0, 4)))


@pytest.mark.parametrize(
    ("index", "error"),
    [
        (4, ValueError),
        ((0, 0, 0), ValueError),
        ((slice(None), None), ValueError),
        ((..., ...), ValueError),
        (slice(None, None, -1), ValueError),
        (True, TypeError),
        (1.5, TypeError),
        ("a", TypeError),
        (np.array([True, False, True, True]), IndexError),
    ],
)
def test_refused(index, error):
    with pytest.raises(error):
        parsed(X.shape, index)
