package compaction

import (
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/ai"
)

// minResult is how much of a result is left at least, in bytes.
const minResult = 1000

// ShortenResults takes about excess bytes out of the largest results; nil if they are small.
func ShortenResults(messages []ai.Message, excess int) []ai.Message {
	var sizes []int
	for _, m := range messages {
		if r, ok := m.(*ai.ToolResultMessage); ok && textBytes(r.Content) > minResult {
			sizes = append(sizes, textBytes(r.Content))
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	most := level(sizes, excess)
	out := slices.Clone(messages)
	for i, m := range out {
		if r, ok := m.(*ai.ToolResultMessage); ok && textBytes(r.Content) > most {
			short := *r
			short.Content = shortenTexts(r.Content, most)
			out[i] = &short
		}
	}
	return out
}

// level returns the size that nothing may exceed so that excess is saved.
func level(sizes []int, excess int) int {
	low, high := minResult, slices.Max(sizes)
	for low < high {
		middle, saved := (low+high+1)/2, 0
		for _, n := range sizes {
			saved += max(n-middle, 0)
		}
		if saved >= excess {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

func textBytes(c ai.Content) int {
	n := 0
	for _, block := range c {
		if t, ok := block.(*ai.Text); ok {
			n += len(t.Text)
		}
	}
	return n
}

// shortenTexts gives each text of a result its share of most bytes.
func shortenTexts(c ai.Content, most int) ai.Content {
	all := textBytes(c)
	out := slices.Clone(c)
	for i, block := range out {
		if t, ok := block.(*ai.Text); ok {
			share := max(len(t.Text)*most/all, 4)
			out[i] = &ai.Text{Text: shortenWith(t.Text, share, func(missing int) string {
				return fmt.Sprintf("[… %d bytes of this result are left out here, since it does not fit into the context window; read it in smaller parts …]", missing)
			})}
		}
	}
	return out
}
