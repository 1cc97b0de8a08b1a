"""Files on disk: where they lie, whole or not at all, and what a long run keeps there."""
