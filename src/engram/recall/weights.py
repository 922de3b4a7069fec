"""Every figure of the ranking that was chosen by measuring, frozen.

Made by ``benchmarks/learn_weights.py``: one recipe for all its sets of queries, a coordinate search that changes a
figure only where queries and sets that it did not look at gain by it. Run it again before changing a line here, and
put what it printed into the message of that commit. The weights of the fields stand in ``engram.index.layout.FIELDS``,
because every posting holds them; those of other stems of a word in ``engram.text.terms``.
"""

from __future__ import annotations

# BM25: how soon more of the same word stops counting, and how much the length of a memory counts.
K1 = 1.2
B = 0.75

# What the text of a candidate adds, as a share of the idf of the words concerned.
PHRASE = 0.05
NEAR = 0.05
TRIGGER = 0.5
TAG = 0.25
ANCHOR = 0.1
# The same for a task type, as a share of the idf of a word that one memory has.
TASK_TYPE = 0.1

# Expansion: so many of the best lend so many words, and the task's own words keep this share of the score.
FEEDBACK = 3
LENT = 20
ALPHA = 0.7
# Expansion never moves the first so many.
PINNED = 2

# What the best memory by meaning gets, as a share of the best score by words (`benchmarks/recall.py` prints its gain).
SEMANTIC = 0.5

# Typos: a word that no memory has is read as so many neighbours at most, which count this much.
NEIGHBOURS = 2
NEIGHBOUR = 0.9

# The floor (see ``score``): the score that is enough, as a share of a word that one memory has; the share of what the
# task says that is enough; and how much of a match a corrected word is.
FLOOR_SCORE = 1.0
FLOOR_SHARE = 0.3
FLOOR_CORRECTED = 0.5
# Below so many memories words say what they would among so many.
FLOOR_COUNT = 32
# What has less than this share of the best score is noise behind it: not shown.
FLOOR_TAIL = 0.15
