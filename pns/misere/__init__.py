"""Misère play of impartial games: whoever makes the last move loses.

Sums have no Grundy numbers here. Small lands are replaced by reduced canonical trees
(`pns.misere.trees`), and a whole position is one land of a game of outcomes (`pns.misere.game`), so
that all searches, databases, audits and certificates work as for other games.
"""
