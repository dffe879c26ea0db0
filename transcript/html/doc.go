// Package html writes a session as one HTML page: to read, to print, to keep, or to send
// to somebody who has no Rondo.
//
// # Usage
//
//	store, err := jsonl.Open(path, &jsonl.Options{ReadOnly: true})
//	…
//	written, err := export.File(store, "") // beside whatever else is in the working folder
//
// or [HTML] for any other writer.
//
// # The page
//
// It shows the branch of the session that ends at the store's leaf; the other branches are
// in it as well and reached through the tree at its side. It needs no other file and no
// network. Without scripts it still shows and prints its branch; with them it has a search,
// keys to move and fold, a choice of themes, and buttons that copy.
//
// # Security
//
// A session holds what strangers have written: web pages, logs, files of unknown projects.
// So the page contains no markup of a session's, only text that is escaped and elements
// that this package writes itself. Links lead to http, https and mailto only, images are
// data of the raster types that browsers decode, never SVG and never fetched. A content
// security policy allows exactly one style sheet and one script, by their hashes, and no
// request at all. Characters that turn the direction of writing are shown in code by name,
// so that it reads as it runs.
//
// The page tells all that the session does: keys that a tool has printed are in it.
//
// # Cost
//
// Entries are read twice and written one at a time: memory holds one turn and, for each
// entry, about a hundred bytes. Browsers render what is in view; what is folded and what
// lies on other branches waits.
package html
