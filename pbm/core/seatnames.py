"""The names that seats bear in an anonymous game (ruling G1): shuffle(`names`, this list), in seat order.

The list is part of the rules version of every game: names are added at its end only.
"""

SEAT_NAMES = (
    *("Amber", "Birch", "Cobalt", "Dune", "Ebony", "Fern", "Garnet", "Hazel", "Indigo", "Jasper"),
    *("Kestrel", "Larch", "Maple", "Nettle", "Onyx", "Pebble", "Quartz", "Raven", "Saffron", "Teal"),
    *("Umber", "Velvet", "Willow", "Yarrow", "Zephyr", "Aspen", "Basil", "Cedar", "Damson", "Elm"),
    *("Flint", "Ginger", "Heron", "Iris", "Juniper", "Kelp", "Lilac", "Moss", "Nutmeg", "Ochre"),
    *("Poppy", "Quince", "Rowan", "Slate", "Thistle", "Ursa", "Violet", "Wren", "Xenon", "Yew"),
)
