"""`python -m leadline.symbolic.cli` is `leadline`."""

import sys

from leadline.symbolic.cli import main

sys.exit(main())
