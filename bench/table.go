package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"
)

// writeText prints the report for people.
func (r *report) writeText(w io.Writer) {
	fmt.Fprintf(w, "Rondo beside Pi %s on %s/%s, %d cores", piVersion, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if r.CPU != "" {
		fmt.Fprintf(w, " (%s)", r.CPU)
	}
	fmt.Fprintf(w, ", %s", runtime.Version())
	if r.Node != "" {
		fmt.Fprintf(w, ", Node %s", r.Node)
	}
	fmt.Fprintln(w, ".\nMedians, with [least – greatest]; ratio = Rondo / Pi of the medians, best = of the least values.")
	r.writeLoad(w)
	fmt.Fprintln(w)
	writeAligned(w, r.cells(), "lrlrlrrll")
	fmt.Fprintln(w)
	if len(r.NotMeasured) > 0 {
		fmt.Fprintln(w, "Not measured:")
		for _, reason := range r.NotMeasured {
			fmt.Fprintln(w, "  "+strings.ReplaceAll(reason, "\n", "\n    "))
		}
	}
	fmt.Fprintln(w, r.summary())
}

// writeLoad warns when other work disturbs the numbers.
func (r *report) writeLoad(w io.Writer) {
	busiest := sample(r.Load).max()
	if busiest > float64(runtime.NumCPU())+1 {
		fmt.Fprintf(w, "The machine was busy with other work (load %.1f on %d cores): trust \"best\" more than \"ratio\".\n", busiest, runtime.NumCPU())
	}
}

// cells are the table's lines; the line of a new group is preceded by an empty one.
func (r *report) cells() [][]string {
	lines := [][]string{{"", "Pi", "", "Rondo", "", "ratio", "best", "bar", ""}}
	group := ""
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Group != group {
			group = row.Group
			lines = append(lines, nil, []string{group})
		}
		pi, piRange := row.Unit.show(row.Pi)
		rondo, rondoRange := row.Unit.show(row.Rondo)
		lines = append(lines, []string{
			"  " + row.What, pi, piRange, rondo, rondoRange,
			showRatio(row.ratio()), showRatio(row.best()), row.barText(), string(row.verdict()),
		})
	}
	return lines
}

// show prints a sample's median and its range.
func (u unit) show(s sample) (median, span string) {
	switch len(s) {
	case 0:
		return "–", ""
	case 1:
		return u.format(s.median()), ""
	}
	return u.format(s.median()), "[" + u.format(s.min()) + " – " + u.format(s.max()) + "]"
}

func showRatio(ratio float64, ok bool) string {
	if !ok {
		return ""
	}
	return digits(ratio)
}

func (r *report) summary() string {
	found := map[verdict]int{}
	for i := range r.Rows {
		found[r.Rows[i].verdict()]++
	}
	return fmt.Sprintf("%d bars hold, %d missed, %d not judged.", found[holds], found[missed], found[notJudged])
}

// writeAligned prints cells in columns; align has l or r for each column.
func writeAligned(w io.Writer, lines [][]string, align string) {
	widths := make([]int, len(align))
	for _, line := range lines {
		for i, cell := range line {
			if len(line) > 1 {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, line := range lines {
		var out strings.Builder
		for i, cell := range line {
			pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell)))
			if align[i] == 'r' {
				out.WriteString(pad + cell)
			} else {
				out.WriteString(cell + pad)
			}
			out.WriteString("  ")
		}
		fmt.Fprintln(w, strings.TrimRight(out.String(), " "))
	}
}
