package partialjson_test

import "unsafe"

// growing is a buffer whose prefixes are strings that share its memory, as a stream's
// text is kept.
type growing struct{ buf []byte }

func (g *growing) add(s string) string {
	g.buf = append(g.buf, s...)
	return unsafe.String(unsafe.SliceData(g.buf), len(g.buf))
}
