// Package width measures and cuts text for a terminal, where bytes, characters and columns
// differ: escape sequences take no column, some characters take two, and what a user sees as
// one character (a grapheme cluster) may be many code points.
//
// Styles live in the text as escape sequences. Every function here keeps them right: a cut
// line ends its style, a wrapped line starts with the style that was active, and links (OSC 8)
// are closed and opened again.
//
// A tab counts [TabWidth] columns wherever it stands, other control characters none.
package width
