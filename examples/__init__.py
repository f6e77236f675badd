"""Programs that train real models with minijax: `python -m examples.digits`."""
