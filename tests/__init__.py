"""What the package promises, proved."""
