package graphics

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi/kitty"
)

// chunk is how much of an image a command of kitty's protocol may carry.
const chunk = 4096

// transmit is the command of kitty's protocol that gives the terminal a PNG, with more keys
// than those of the format. Nothing is answered.
func transmit(png []byte, keys string) []byte {
	data := base64.StdEncoding.EncodeToString(png)
	var b strings.Builder
	b.Grow(len(data) + len(data)/chunk*16 + 64)
	keys = "a=T,f=100,q=2," + keys
	for first := true; first || data != ""; first = false {
		part := data[:min(len(data), chunk)]
		data = data[len(part):]
		more := 0
		if data != "" {
			more = 1
		}
		if first {
			fmt.Fprintf(&b, "\x1b_G%s,m=%d;%s\x1b\\", keys, more, part)
		} else {
			fmt.Fprintf(&b, "\x1b_Gm=%d;%s\x1b\\", more, part)
		}
	}
	return []byte(b.String())
}

// virtual gives the terminal an image that placeholders show.
func (i *Image) virtual() []byte {
	return transmit(i.png, fmt.Sprintf("U=1,i=%d,c=%d,r=%d", i.id, i.columns, i.rows))
}

// placeholders are the cells of a row. Each says by itself which it is, so that a line can be
// cut anywhere. The colour is the image's number.
func (i *Image) placeholders(row int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm", i.id>>16&0xff, i.id>>8&0xff, i.id&0xff)
	for column := range i.columns {
		b.WriteRune(kitty.Placeholder)
		b.WriteRune(kitty.Diacritic(row))
		b.WriteRune(kitty.Diacritic(column))
	}
	b.WriteString("\x1b[39m")
	return b.String()
}

// over draws the image over the rows that end with the cursor's, and leaves the cursor where
// it is.
func (i *Image) over(name string) string {
	up := ""
	if i.rows > 1 {
		up = fmt.Sprintf("\x1b[%dA", i.rows-1)
	}
	if name == "iterm2" {
		data := base64.StdEncoding.EncodeToString(i.png)
		return fmt.Sprintf("\x1b7%s\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=0:%s\a\x1b8", up, len(i.png), i.columns, i.rows, data)
	}
	return fmt.Sprintf("\x1b7%s%s\x1b8", up, transmit(i.png, fmt.Sprintf("C=1,c=%d,r=%d", i.columns, i.rows)))
}

// Forget takes images that lie over cells from the screen, before it is drawn anew.
func (p Protocol) Forget() string {
	if p.Name == "kitty" && !p.Placeholders {
		return "\x1b_Ga=d,d=a,q=2\x1b\\"
	}
	return ""
}

// most is how many columns and rows an image has at most: there are as many signs for them.
const most = 250
