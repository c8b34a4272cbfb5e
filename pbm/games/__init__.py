"""The rule sets, a file each. They import the core only."""
