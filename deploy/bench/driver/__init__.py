"""Measures hatchery and other queues, one after the other, in the same way."""
