// Package partialjson reads a JSON object that is still arriving, or damaged: the
// arguments of a tool call, which models write by hand and streams cut anywhere.
//
// # Usage
//
// [Object] decides whether a call may run: it takes a complete object or gives an error.
// [Salvage] and [Parser.Object] are for display: they make the most of what has arrived
// and never fail. Salvage reads a text once; a [Parser] follows a text that grows and
// looks only at what is new.
//
// # What is mended
//
// Everywhere, also by Object, and without being an error:
//
//   - a raw control character inside a string stands for itself;
//   - a backslash that begins no valid escape stands for itself: "\usepackage" and "\d"
//     keep their backslash;
//   - a lone surrogate escape and invalid UTF-8 become U+FFFD;
//   - of members with the same name, the last one counts.
//
// # What is salvaged
//
// By Salvage and Parser, which agree on every text:
//
//   - an open string holds what has arrived, without an escape or a character that is
//     not whole yet;
//   - open objects and arrays are closed;
//   - a name without a value and a dangling comma are dropped;
//   - an open number is its longest prefix that is a number; an open literal is taken
//     to be the one that it begins;
//   - at a syntax error reading stops as if the text ended there, and so it does at an
//     object or array more than 1000 deep;
//   - what is not the beginning of an object is an empty object.
//
// # Costs
//
// A Parser that gets a text of n bytes in deltas costs O(n) for the scanning. A snapshot
// costs three allocations for a string in the root object, and copies the members of the
// containers that are open, nothing else: strings share memory with the text, or with a
// buffer if they have escapes. The text is compared with the previous one only when its
// address has changed, as it does when a growing buffer moves.
package partialjson
