package graphics_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/mode/tui/graphics"
)

// TestDetect: the variables of terminals are taken as by Pi 0.85, and tmux and screen for what
// they are.
func TestDetect(t *testing.T) {
	for _, c := range []struct {
		said, env, name string
		placeholders    bool
	}{
		{"", "TERM=xterm-256color", "", false},
		{"", "KITTY_WINDOW_ID=1", "kitty", true},
		{"", "TERM_PROGRAM=ghostty", "kitty", true},
		{"", "TERM=xterm-ghostty", "kitty", true},
		{"", "GHOSTTY_RESOURCES_DIR=/x", "kitty", true},
		{"", "WEZTERM_PANE=0", "kitty", false},
		{"", "TERM_PROGRAM=WezTerm", "kitty", false},
		{"", "TERM_PROGRAM=WarpTerminal", "kitty", false},
		{"", "TERM_PROGRAM=iTerm.app", "iterm2", false},
		{"", "ITERM_SESSION_ID=x", "iterm2", false},
		{"", "TERM_PROGRAM=vscode", "", false},
		{"", "TERM_PROGRAM=Apple_Terminal", "", false},
		{"", "WT_SESSION=1", "", false},
		{"", "TERM=foot", "", false},
		{"", "KITTY_WINDOW_ID=1 TMUX=/x", "", false},
		{"", "KITTY_WINDOW_ID=1 TERM=tmux-256color", "", false},
		{"", "KITTY_WINDOW_ID=1 TERM=screen-256color", "", false},
		{"", "KITTY_WINDOW_ID=1 STY=1", "", false},
		{"auto", "KITTY_WINDOW_ID=1", "kitty", true},
		{"none", "KITTY_WINDOW_ID=1", "", false},
		{"kitty", "TERM=xterm", "kitty", false},
		{"kitty", "KITTY_WINDOW_ID=1", "kitty", true},
		{"kitty", "TMUX=/x", "kitty", false},
		{"iterm2", "KITTY_WINDOW_ID=1", "iterm2", false},
	} {
		env := func(name string) string {
			_, rest, _ := strings.Cut(" "+c.env, " "+name+"=")
			value, _, _ := strings.Cut(rest, " ")
			return value
		}
		if p := graphics.Detect(c.said, env); p.Name != c.name || p.Placeholders != c.placeholders {
			t.Errorf("%q with %s: %+v", c.said, c.env, p)
		}
	}
}

func encoded(t *testing.T, width, height int, photo bool) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(i*i>>3) | 3
	}
	var buf bytes.Buffer
	var err error
	if photo {
		err = jpeg.Encode(&buf, img, nil)
	} else {
		err = png.Encode(&buf, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(buf.Bytes())
}

// shown is a store with an image of 90x36 pixels that is ready to be shown.
func shown(t *testing.T, p graphics.Protocol, data string, columns, rows int) (*graphics.Store, []string) {
	t.Helper()
	changed := make(chan struct{}, 10)
	s := &graphics.Store{Changed: func() { changed <- struct{}{} }}
	s.Use(p)
	refs := s.Add(data, "image/png", columns, rows)
	if refs == nil {
		return s, nil
	}
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("the image is not prepared")
	}
	if !s.Ready(refs) {
		t.Error("it is not ready")
	}
	return s, refs
}

var (
	placeholders = graphics.Protocol{Name: "kitty", Placeholders: true}
	kitty        = graphics.Protocol{Name: "kitty"}
	iterm        = graphics.Protocol{Name: "iterm2"}
)

// TestSizes: an image takes the cells that it has pixels for, and at most those that are given.
func TestSizes(t *testing.T) {
	for _, c := range []struct{ width, height, columns, rows, c, r int }{
		{90, 36, 60, 20, 10, 2},
		{91, 37, 60, 20, 11, 3},
		{900, 360, 60, 20, 60, 12},
		{900, 360, 60, 5, 25, 5},
		{10, 2000, 60, 10, 1, 10},
		{2000, 3, 60, 10, 60, 1},
		{1, 1, 60, 10, 1, 1},
	} {
		s, refs := shown(t, placeholders, encoded(t, c.width, c.height, false), c.columns, c.rows)
		need := make(graphics.Shown)
		lines := s.Resolve(refs, false, strings.ToUpper, need)
		if columns := strings.Count(lines[0], "\U0010EEEE"); len(refs) != c.r || columns != c.c {
			t.Errorf("%dx%d in %dx%d: %d columns and %d rows", c.width, c.height, c.columns, c.rows, columns, len(refs))
		}
	}
}

var chunks = regexp.MustCompile(`\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\`)

// sent puts together what commands of kitty's protocol carry.
func sent(t *testing.T, commands string) (keys string, img image.Image) {
	t.Helper()
	var data strings.Builder
	all := chunks.FindAllStringSubmatch(commands, -1)
	for i, m := range all {
		if len(m[2]) > 4096 {
			t.Errorf("a chunk has %d bytes", len(m[2]))
		}
		if more := strings.HasSuffix(m[1], "m=1"); more != (i < len(all)-1) {
			t.Errorf("chunk %d of %d says %s", i, len(all), m[1])
		}
		data.WriteString(m[2])
	}
	raw, err := base64.StdEncoding.DecodeString(data.String())
	if err != nil {
		t.Fatal(err)
	}
	img, err = png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return all[0][1], img
}

// TestPlaceholders: each row of an image is text of its width, and the terminal gets a PNG of
// the pixels that it has cells for, also of a photo.
func TestPlaceholders(t *testing.T) {
	s, refs := shown(t, placeholders, encoded(t, 1000, 400, true), 20, 30)
	need := make(graphics.Shown)
	lines := s.Resolve([]string{"a" + refs[0] + strings.Repeat(" ", 25) + "b", "\x1b[41m" + refs[1] + "\x1b[m", "text"}, false, strings.ToUpper, need)
	if !regexp.MustCompile("^a\x1b\\[38;2;[0-9;]*m(\U0010EEEE..){20}\x1b\\[39m {5}b$").MatchString(lines[0]) {
		t.Errorf("%q", lines[0])
	}
	if !strings.Contains(lines[1], "\U0010EEEE\u030d\u0305\U0010EEEE\u030d\u030d") || lines[2] != "text" {
		t.Errorf("%q", lines)
	}
	if len(need) != 1 {
		t.Fatalf("%d images are needed", len(need))
	}
	for id, i := range need {
		keys, img := sent(t, string(i.Data()))
		if want := fmt.Sprintf("a=T,f=100,q=2,U=1,i=%d,c=20,r=4,", id); !strings.HasPrefix(keys, want) {
			t.Errorf("keys %s, and not %s", keys, want)
		}
		if size := img.Bounds().Size(); size != image.Pt(180, 72) {
			t.Errorf("the terminal gets %v pixels", size)
		}
	}
}

// TestOver: an image lies over the rows that are written for good, when they are written, and
// leaves the cursor where it was; in lines that are drawn again is what it is.
func TestOver(t *testing.T) {
	data := encoded(t, 90, 54, false)
	for _, p := range []graphics.Protocol{kitty, iterm} {
		s, refs := shown(t, p, data, 60, 30)
		lines := []string{"before", "  " + refs[0], "  " + refs[1] + "   ", "  " + refs[2] + strings.Repeat(" ", 12) + "|", "after"}
		got := s.Resolve(lines, true, strings.ToUpper, nil)
		if got[0] != "before" || got[1] != "  " || strings.TrimSpace(got[2]) != "" || got[4] != "after" {
			t.Errorf("%s: %q", p.Name, got)
		}
		want := "^  \x1b7\x1b\\[2A.*\x1b8\x1b\\[10C  \\|$"
		if !regexp.MustCompile(want).MatchString(got[3]) {
			t.Errorf("%s: %q", p.Name, got[3])
		}
		if p == kitty {
			keys, _ := sent(t, got[3])
			if keys != "a=T,f=100,q=2,C=1,c=10,r=3,m=0" {
				t.Errorf("keys %s", keys)
			}
		} else if !strings.Contains(got[3], "\x1b]1337;File=inline=1;size=") || !strings.Contains(got[3], ";width=10;height=3;preserveAspectRatio=0:") {
			t.Errorf("%q", got[3])
		}

		if got := s.Resolve(lines, false, strings.ToUpper, nil); got[1] != "  [IMAGE: IMAGE/PNG 90X54]" || strings.Contains(strings.Join(got, ""), "\x1b") {
			t.Errorf("%s, drawn again: %q", p.Name, got)
		}
		if got := s.Resolve(lines[2:], true, strings.ToUpper, nil); got[0] != "  [IMAGE: IMAGE/PNG 90X54]" || strings.Contains(strings.Join(got, ""), "\x1b") {
			t.Errorf("%s, cut: %q", p.Name, got)
		}
	}
	if kitty.Forget() == "" || placeholders.Forget() != "" || iterm.Forget() != "" {
		t.Error("images over cells, and no others, are to be taken from the screen before it is drawn anew")
	}
}

// TestNoImages: what is no image, or is not wanted, is not shown; a reference that nobody has
// given shows nothing.
func TestNoImages(t *testing.T) {
	data := encoded(t, 90, 54, false)
	s, refs := shown(t, graphics.Protocol{}, data, 60, 30)
	if refs != nil {
		t.Error("a terminal without images shows one")
	}
	s.Use(placeholders)
	for _, wrong := range []string{"", "!", base64.StdEncoding.EncodeToString([]byte("no image")), data[:40]} {
		if s.Add(wrong, "image/png", 60, 30) != nil {
			t.Errorf("%.20q is shown", wrong)
		}
	}
	s.SetOff(true)
	if s.Add(data, "image/png", 60, 30) != nil {
		t.Error("it is shown although it is not wanted")
	}
	if got := s.Resolve([]string{"a\x1b_rondo;123;0\x1b\\b"}, true, strings.ToUpper, nil); got[0] != "ab" {
		t.Errorf("%q", got)
	}
	if got := graphics.Describe(data, "image/jpeg"); got != "[image: image/png 90x54]" {
		t.Error(got)
	}
	if got := graphics.Describe("?", "image/png"); got != "[image: image/png]" {
		t.Error(got)
	}
}

// TestManyImages: images that were not shown for long make room for others, and come back when
// they are asked for.
func TestManyImages(t *testing.T) {
	changed := make(chan struct{}, 1000)
	s := &graphics.Store{Changed: func() { changed <- struct{}{} }}
	s.Use(placeholders)
	var all []string
	for i := range 250 {
		all = append(all, s.Add(encoded(t, 9+i, 18, false), "image/png", 60, 1)...)
		<-changed
	}
	need := make(graphics.Shown)
	lines := s.Resolve(all, false, strings.ToUpper, need)
	if lines[0] != "" || lines[49] != "" || lines[50] == "" || lines[249] == "" || len(need) != 200 {
		t.Errorf("%d images are kept", len(need))
	}
	again := s.Add(encoded(t, 9, 18, false), "image/png", 60, 1)
	<-changed
	if got := s.Resolve(again, false, strings.ToUpper, need); !strings.Contains(got[0], "\U0010EEEE") {
		t.Errorf("it does not come back: %q", got)
	}
}
