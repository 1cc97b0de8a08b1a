"""Files on disk: their paths, writing whole files or none, and the folder of a long run."""
