"""Proof and disproof numbers and the thresholds of DFPN with Grundy numbers.

Numbers are plain ints from 0 to INF, as 32-bit tables hold them. A solved win
is (0, INF), a solved loss (INF, 0); every other number is from 1 to MAX_NUMBER.
Equation numbers are those of [cizek2025]. `docs/errata.md` says where its equations need care.
"""

from __future__ import annotations

from typing import Tuple

INF = 2**32 - 1
MAX_NUMBER = 2**31
"""The largest number of an unsolved node; larger sums saturate here."""

Numbers = Tuple[int, int]
"""The proof number and the disproof number of a node."""

WIN: Numbers = (0, INF)
LOSS: Numbers = (INF, 0)


def are_of_table(pn: int, dn: int) -> bool:
    """Whether a search stores such numbers in its table: unsolved, or a win.

    A loss is a fact, and is only read from facts.

    >>> are_of_table(3, 5), are_of_table(0, INF), are_of_table(INF, 0), are_of_table(0, 5)
    (True, True, False, False)
    """
    if pn:
        return pn <= MAX_NUMBER and 0 < dn <= MAX_NUMBER
    return dn == INF


Thresholds = Tuple[int, int, int, int, int]
"""(pt, dt, mt, ps, ds) of a node."""

ROOT: Thresholds = (INF, INF, INF, 0, 0)


def most_proving_below(pn: int, dn: int, pt: int, dt: int, mt: int, ps: int, ds: int) -> bool:
    """Whether the most proving node is below a node (Theorem 2, inequalities (3)).

    >>> most_proving_below(1, 1, *ROOT), most_proving_below(0, INF, *ROOT)
    (True, False)
    """
    return pn < pt and dn < dt and (pn + ps < mt or dn + ds < mt or mt >= INF)


def pt_of_child(dt: int, dn: int, child_pn: int) -> int:
    """pt(w) below an atomic node v, equation (10); INF if no dn(v) reaches dt(v).

    Where dn(v) has saturated, a finite threshold would let pn(w) grow only by 1 at each visit.

    >>> pt_of_child(9, 7, 2), pt_of_child(MAX_NUMBER + 1, MAX_NUMBER, 2) == INF
    (4, True)
    """
    return INF if dt > MAX_NUMBER else dt - dn + child_pn


def dt_of_child(pt: int, second_dn: int, epsilon: float, others: int = 0) -> int:
    """dt(w) below an atomic node v, equation (10) with the 1+ε rule [pawlewicz2007].

    second_dn is the second least dn among the children of v, INF when w is alone;
    others is th(w), the number of other processes below w, which raises dn(w) when
    v chooses among its children (section "Second-Level Parallelization").

    >>> dt_of_child(INF, 7, 0.0), dt_of_child(INF, 8, 0.25), dt_of_child(9, 10, 0.5)
    (8, 10, 9)
    >>> dt_of_child(INF, 7, 0.0, 2)
    6
    """
    if second_dn == INF or second_dn - others >= pt:
        return pt
    limit = second_dn + 1
    if epsilon:
        limit = max(limit, -int(-(1.0 + epsilon) * second_dn // 1))
    return min(pt, limit - others)


def mt_of_land(
    total: int, number: int, second: int, pt: int, dt: int, mt: int, ps: int, ds: int
) -> int:
    """mt(w) of a land's couple w below a sum v of several unknown lands: equation (12), corrected.

    total is pn(v) = dn(v), number is min(pn(w), dn(w)), and second the least of this number of
    the other lands, INF for none. Equation (12) has no second: it is right where the next land
    is always the first unknown one, for which second is INF, too. Where it is the one with the
    least number, as the paper proposes for parallel search, the most proving node also leaves w
    when another land's number becomes less than that of w. Of lands with 2 and 3 the first is
    left at 4, while equation (12) alone would stay below it until it is solved
    (`docs/errata.md`).

    >>> mt_of_land(5, 2, 3, *ROOT), mt_of_land(5, 2, 3, 6, 9, INF, 0, 0)
    (4, 3)
    """
    t = min(pt, dt)
    if mt < INF:
        t = min(t, mt - min(ps, ds))
    return min(second + 1, INF if t > MAX_NUMBER else t - total + number)
