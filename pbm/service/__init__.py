"""What the service does: reads mails, closes rounds, answers. Each function runs in its caller's transaction."""
