"""`python -m gpt1lib.lessons`: see notebooks.py."""

import sys

from .notebooks import main

sys.exit(main())
