package html

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// tokens writes a count as people say it: 950, 12.3k, 4.5M.
func tokens(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 999_950:
		return short(float64(n)/1e3) + "k"
	}
	return short(float64(n)/1e6) + "M"
}

func short(v float64) string {
	if v >= 99.95 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// dollars writes a price with as many digits as matter.
func dollars(v float64) string {
	switch {
	case v <= 0:
		return "$0"
	case v < 0.0001:
		return "<$0.0001"
	case v < 0.01:
		return fmt.Sprintf("$%.4f", v)
	case v < 1:
		return fmt.Sprintf("$%.3f", v)
	}
	return fmt.Sprintf("$%.2f", v)
}

// span writes a duration as people say it.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

func millis(ms int64) string { return span(time.Duration(ms) * time.Millisecond) }

// count writes a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// preview returns the beginning of a text in one line of at most limit characters.
func preview(text string, limit int) string {
	if most := limit * 8; len(text) > most { // a preview never looks at a whole output
		text = text[:most]
	}
	var b strings.Builder
	n, blank := 0, true
	for _, r := range text {
		if unicode.IsSpace(r) || r == utf8.RuneError {
			if !blank {
				b.WriteByte(' ')
				blank, n = true, n+1
			}
			continue
		}
		if n >= limit {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			blank, n = false, n+1
		}
	}
	return strings.TrimRight(b.String(), " ")
}
