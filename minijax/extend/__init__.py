"""For libraries that extend minijax: its types and tables, under JAX's names.

Not imported by `import minijax`.
"""
