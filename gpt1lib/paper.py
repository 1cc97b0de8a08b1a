"""`python -m gpt1lib.paper`, as stored results name it: now `python -m gpt1course.paper`.

The one file of the library that runs a part of the course.
"""

from runpy import run_module

if __name__ == "__main__":
    run_module("gpt1course.paper", run_name="__main__", alter_sys=True)
