"""Strong solutions: the value of every position of a small game, by retrograde analysis.

`build_solution` computes and writes one, `read_solution` opens it, and `check_solution` checks it.
The method is that of [irving2014]: slices from the last to the first, each from the ones after it.
"""
