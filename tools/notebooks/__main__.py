"""`python -m tools.notebooks`: see commands.py."""

import sys

from tools.notebooks.commands import main

sys.exit(main())
