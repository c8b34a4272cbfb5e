"""The assassins for hire in games whose moderator names none (Tontine's setup), drawn by shuffle(`assassins`, list).

All are invented. None has a word of the grammar, is a common first name, or is within two letters of another, so that
a misspelt one is still clear. A change of this list changes the draws of a game that is played again: only append to
it together with a new rules version.
"""

from collections.abc import Sequence

ASSASSINS: tuple[str, ...] = (
    "Nightjar",
    "Vesper Knell",
    "Old Bramble",
    "Quicksilver",
    "Madam Thimble",
    "Corvane",
    "Doctor Hemlock",
    "The Ferryman",
    "Sable Fenwick",
    "Ironmoth",
    "Lady Vitriol",
    "Pepperbox",
    "Greywater",
    "Zephyrine",
    "Uncle Tallow",
    "Blackthorn",
    "Mister Velvet",
    "Cinderwick",
    "Wolfsbane",
    "Professor Gloam",
    "Needlewoman",
    "Duskwarden",
    "Captain Gristle",
    "Foxglove",
    "Marrowbone",
    "Sister Lament",
    "Undertow",
    "Juniper Crake",
    "Hollowmere",
    "Baron Mischance",
    "Tinderfoot",
    "Whisperjack",
    "Oleander Pike",
    "Ghostpenny",
    "Aunt Belladonna",
    "Rookfeather",
    "Silent Barnaby",
    "Thornapple",
    "Cobblestone",
    "Ember Quill",
    "Mothwing",
    "Count Vermilion",
    "Snapdragon",
    "Yellowjacket",
    "Widow Larkspur",
    "Gallowglass",
    "Periwinkle",
    "Brother Umber",
    "Kestrel Vane",
    "Soot Magnus",
    "Lockjaw",
    "Duchess Ash",
    "Fishhook",
    "Inkwell",
    "Raven Odds",
    "Tarantelle",
    "Mudlark",
    "Crooked Sixpence",
    "Bitterroot",
    "Jackdaw Prime",
    "Hobnail",
    "Verdigris",
    "Sandglass",
    "Nettlecombe",
)


def names_for(count: int) -> list[str]:
    """The list that is shuffled for `count` seats: as it ships, with a second of each name where it is too short."""
    names: Sequence[str] = ASSASSINS
    generation = 2
    while len(names) < count:
        names = [*names, *(f"{name} {generation}" for name in ASSASSINS)]
        generation += 1
    return list(names)
