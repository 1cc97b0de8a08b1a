"""What those who write lessons use: sync, run, layout, index, stats, template."""
