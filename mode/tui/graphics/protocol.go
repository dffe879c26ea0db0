// Package graphics shows images in terminals: by kitty's graphics protocol, as text that stands
// for cells of an image where the terminal knows that and as an image over cells elsewhere, or
// by iTerm2's inline images.
//
// Lines of the screen hold references to images, row by row, which are text without a width
// that only a [Store] makes. Just before lines are written, [Store.Resolve] puts in their place
// what the terminal understands; so whatever a model or a tool writes, no command for images
// reaches the terminal.
package graphics

import "strings"

// Protocol is how a terminal is sent images.
type Protocol struct {
	// Name is kitty, iterm2, or empty where there are no images.
	Name string
	// Placeholders says that characters may stand for cells of an image: they are drawn,
	// moved and erased as any text. Others get images where lines are written for good.
	Placeholders bool
}

// Detect finds out what a terminal understands by the variables of the environment (Pi 0.85).
// said is what a user has said: kitty, iterm2, none, auto, or nothing. Inside of tmux and
// screen, which do not know of images, there are none.
func Detect(said string, env func(string) string) Protocol {
	known := byEnvironment(env)
	switch said {
	case "none":
		return Protocol{}
	case "kitty", "iterm2":
		if known.Name != said {
			return Protocol{Name: said}
		}
	}
	return known
}

func byEnvironment(env func(string) string) Protocol {
	terminal, program := strings.ToLower(env("TERM")), strings.ToLower(env("TERM_PROGRAM"))
	multiplexed := env("TMUX") != "" || env("STY") != "" || strings.HasPrefix(terminal, "tmux") || strings.HasPrefix(terminal, "screen")
	switch {
	case multiplexed:
		return Protocol{}
	case env("KITTY_WINDOW_ID") != "", program == "kitty",
		program == "ghostty", strings.Contains(terminal, "ghostty"), env("GHOSTTY_RESOURCES_DIR") != "":
		return Protocol{Name: "kitty", Placeholders: true}
	case env("WEZTERM_PANE") != "", program == "wezterm", program == "warpterminal":
		return Protocol{Name: "kitty"}
	case env("ITERM_SESSION_ID") != "", program == "iterm.app":
		return Protocol{Name: "iterm2"}
	}
	return Protocol{}
}

// Cell is the size of a character in pixels.
type Cell struct{ Width, Height int }

// DefaultCell is used as long as the terminal has not reported its own (Pi 0.85).
var DefaultCell = Cell{9, 18}

// fit says how many cells an image of a size takes: as many as it has pixels for, and no more
// than there are columns and rows.
func fit(width, height int, cell Cell, columns, rows int) (c, r int) {
	scale := min(1, float64(columns*cell.Width)/float64(width), float64(rows*cell.Height)/float64(height))
	cells := func(pixels, size, most int) int {
		n := int((float64(pixels)*scale + float64(size) - 1e-6) / float64(size))
		return min(max(n, 1), max(most, 1))
	}
	return cells(width, cell.Width, columns), cells(height, cell.Height, rows)
}
