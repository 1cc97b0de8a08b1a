"""Scripts for those who maintain the course; each says in its first lines how to run it."""
