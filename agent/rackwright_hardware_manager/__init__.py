"""Erases disks by their kind, reads them back, and proves it."""
