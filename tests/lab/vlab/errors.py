"""What the lab itself may fail with, as opposed to the command that runs in it."""


class LabError(Exception):
    """The lab cannot do what was asked. Its text says why, and the remedy."""


class OutOfTime(Exception):
    """The command ran longer than --timeout."""
