"""pbm: social strategy games by e-mail."""

__version__ = "0.1.0"
