"""The pure engine: values, the Game protocol, orders from text, draws, the registry. No clock, no I/O, no chance."""
