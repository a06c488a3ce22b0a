"""Where protocols come from: built in, offered by a package, or a Python file of the user's. Floor 2.

Nothing is registered by hand. Built-in protocols are whatever the modules of `leadline.encodings` define,
each with the properties that the module of the same name in `leadline.properties` states; a package offers
more through the entry-point group `leadline.protocols`, whose values are modules that hold both.
"""

from leadline.symbolic.catalog.entry import Entry, model_of
from leadline.symbolic.catalog.files import load_file, split_path
from leadline.symbolic.catalog.registry import GROUP, complaints, entries, find

__all__ = ["GROUP", "Entry", "complaints", "entries", "find", "load_file", "model_of", "split_path"]
