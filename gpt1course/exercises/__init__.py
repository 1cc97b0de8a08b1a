"""The exercises of the lessons, one file per lesson."""
