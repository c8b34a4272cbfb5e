"""The demo: a whole game between demo players over an embedded mail server."""
