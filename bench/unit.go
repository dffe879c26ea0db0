package main

import (
	"fmt"
	"math"
	"strconv"
)

// unit is what a number counts; it decides how the number is printed.
type unit string

// The units.
const (
	nanoseconds unit = "ns"
	byteCount   unit = "B"
	megabytes   unit = "MB" // of 1 000 000 bytes
	count       unit = ""
	times       unit = "×"
)

// scale is a multiple of a unit with a name of its own.
type scale struct {
	size float64
	name string
}

var scales = map[unit][]scale{
	nanoseconds: {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}},
	byteCount:   {{1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}},
	megabytes:   {{1, "MB"}},
	count:       {{1, ""}},
	times:       {{1, "×"}},
}

// format prints a value in the largest scale that it fills.
func (u unit) format(v float64) string {
	list := scales[u]
	chosen := list[len(list)-1]
	for _, s := range list {
		if math.Abs(v) >= s.size {
			chosen = s
			break
		}
	}
	text := digits(v / chosen.size)
	if chosen.name == "" {
		return text
	}
	return text + " " + chosen.name
}

// digits prints a number with three significant digits, whole when it is large.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.1:
		return fmt.Sprintf("%.2f", v)
	case a >= 0.01:
		return fmt.Sprintf("%.3f", v)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
