"""Charts of a page as Vega-Lite, made with Altair.

Colours are custom properties of the page, so that a chart follows light, dark and print without
being drawn anew. The three colours of gained, undecided and lost differ in lightness as well
(Okabe and Ito 2008), and every mark repeats its verdict as a shape or a word.
"""
