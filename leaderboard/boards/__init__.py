"""Standings, ranks, and who may see which number."""
