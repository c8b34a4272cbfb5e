"""Mail: letters in, letters out. Pure, but for the modules that talk IMAP and SMTP."""
