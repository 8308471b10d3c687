"""The scenes: what models end in. Each is a function of a Maker (models.py)."""
SCENES = []  # name, function


def scene(function):
    SCENES.append((function.__name__, function))
    return function


def classes(m):
    return int(m.pick(8, 16, 24, 40))
