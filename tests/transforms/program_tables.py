"""Tables of programs over `J`, each under the check that it shows."""


class ProgramTable:
    """Programs by name. refused: the names of those that must raise."""

    def __init__(self):
        self.programs = {}
        self.refused = set()

    def check(self, number, name):
        """Enter a program under the check it shows."""

        def enter(program):
            self.programs[f"check_{number}_{name}"] = program
            return program

        return enter

    def raising(self, number, name, *programs):
        """Enter programs of which each must raise what jax raises."""
        for i, program in enumerate(programs):
            self.check(number, f"{name}_{i}")(program)
            self.refused.add(f"check_{number}_{name}_{i}")
