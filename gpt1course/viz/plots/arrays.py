"""What every figure asks of the numbers it is given, and where names go beside them."""

import numpy as np
from numpy.typing import ArrayLike


def as_matrix(values: ArrayLike, name: str = "matrix", n_dim: int = 2) -> np.ndarray:
    """A float array of n_dim axes; ValueError for another shape or for nan."""
    array = np.asarray(values, dtype=float)
    if array.size == 0:
        raise ValueError(f"{name} is empty, its shape is {array.shape}")
    if array.ndim != n_dim:
        raise ValueError(f"{name} has shape {array.shape}, it needs {n_dim} axes")
    if np.isnan(array).any():
        raise ValueError(f"{name} holds {int(np.isnan(array).sum())} nan values")
    return array


def apart(places: ArrayLike, sizes: ArrayLike, low: float, high: float) -> np.ndarray:
    """Places of names of these sizes along a line so that none overlap: (n,) -> (n,).

    Each is moved as little as possible, up or down, the order is kept, and all stay
    between low and high if there is room (isotonic regression).
    """
    from scipy.optimize import isotonic_regression  # a second to import

    places, sizes = np.asarray(places, float), np.asarray(sizes, float)
    order = np.argsort(places, kind="stable")
    half = sizes[order] / 2
    steps = np.cumsum(np.append(0, half[:-1] + half[1:]))  # of names without a gap
    free = isotonic_regression(places[order] - steps).x
    top = max(low + half[0], high - half[-1] - steps[-1])
    result = np.empty_like(places)
    result[order] = np.clip(free, low + half[0], top) + steps
    return result
