"""Geometry of the drawings, computed on the server. Colours come from the style sheet.

A chart is a frozen dataclass of coordinates; the templates under `templates/charts/` write it as
inline SVG. Wide drawings exist twice, so that a label of 12 px stays 12 px on a phone.
"""
