"""How positions of games lie on a table (`pns.game.Scenes`): squares, rows of objects, graphs.

A game has an object of one of these classes as `scenes`. Nothing here knows lands: a scene says
its position by a text that the game reads. Colours come from the page, by the classes of elements.
"""
