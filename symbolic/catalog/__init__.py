"""The sources of protocols: built in, in an installed package, or in a Python file of the user's. Floor 4.

A class that was made in this process, as in a notebook, is a source too: other processes get it by value.

There is no list to keep. The built-in protocols are those that the modules of `leadline.encodings` define,
each with the properties in the module of the same name in `leadline.properties`. A package adds more through
the entry-point group `leadline.protocols`, whose values are modules that hold both.
"""

from leadline.symbolic.catalog.entry import Entry, model_of, model_on_values, model_or_outline
from leadline.symbolic.catalog.sources import (
    GROUP,
    complaints,
    entries,
    entry_of_class,
    find,
    find_module,
    installed,
    kept,
    load_file,
    made_again,
    naming,
    packed,
    receive,
    split_path,
)
