"""`python -m roundtab` is the command line."""

import sys

from roundtab.cli import main

sys.exit(main())
