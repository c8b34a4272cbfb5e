"""The database: tables, the only transactions, and the way from one schema to the next."""
