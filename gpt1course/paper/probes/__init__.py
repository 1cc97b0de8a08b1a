"""What a model knows beside what fine-tuning gets out: other ways to read its states."""
