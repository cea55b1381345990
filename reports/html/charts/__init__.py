"""Charts of a page as Vega-Lite, built with Altair.

Colours are custom properties of the page, so a chart changes with light, dark and print without a
redraw. The colours of gained, undecided and lost also differ in lightness (Okabe and Ito 2008), and
every mark shows its verdict by a shape or a word, too.
"""
