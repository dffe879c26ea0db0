// Package palette knows the colours of themes by the names that Pi 0.85 gives them (its
// docs/themes.md), those of the program's own theme, and those of theme files.
package palette

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Colour is a colour of a theme file: "#rrggbb", a number of the 256-colour palette, or "" for
// the terminal's own. One of the program's own theme has parameters of an SGR sequence.
type Colour struct {
	Hex   string
	Index int // 0 to 255, if Hex and SGR are empty and Indexed is set
	SGR   string
	// Indexed says that Index counts; without it the zero value is the terminal's own colour.
	Indexed bool
}

// MarshalJSON writes the colour as theme files have it; parameters as {"sgr": "1;36"}.
func (c Colour) MarshalJSON() ([]byte, error) {
	switch {
	case c.Indexed:
		return json.Marshal(c.Index)
	case c.Hex != "":
		return json.Marshal(c.Hex)
	case c.SGR != "":
		return json.Marshal(map[string]string{"sgr": c.SGR})
	}
	return []byte(`""`), nil
}

// Palette is a theme's colours of text and of backgrounds.
type Palette struct {
	Name string            `json:"name"`
	Path string            `json:"path,omitzero"` // of the theme file
	Fg   map[string]Colour `json:"fg"`
	Bg   map[string]Colour `json:"bg"`
}

// OwnName is the name of the program's own theme.
const OwnName = "terminal"

// BuiltIn are the names of the program's own theme, which fits dark and light terminals alike;
// those besides [OwnName] are Pi's.
var BuiltIn = []string{OwnName, "dark", "light"}

// isOwn reports whether a name, which may be empty, is one of the program's own theme.
func isOwn(name string) bool { return name == "" || slices.Contains(BuiltIn, name) }

// FullColour reports whether the terminal says that it shows all colours and not 256 of them.
func FullColour() bool {
	c := os.Getenv("COLORTERM")
	return c == "truecolor" || c == "24bit"
}

// backgrounds are the names that are colours of backgrounds; all others are of text.
var backgrounds = strings.Fields("selectedBg searchMatchBg userMessageBg customMessageBg toolPendingBg toolSuccessBg toolErrorBg")

// instead are the names that a theme file need not have, and those that stand for them (Pi 0.85).
var instead = map[string]string{
	"thinkingMax": "thinkingXhigh", "searchMatchBg": "selectedBg", "searchMatchText": "text", "scrollbarTrack": "muted", "scrollbarThumb": "text",
}

// Own returns the program's own theme. It uses the sixteen colours that users have chosen for
// their terminals.
func Own(name string) *Palette {
	if name == "" {
		name = OwnName
	}
	p := &Palette{Name: name, Fg: map[string]Colour{}, Bg: map[string]Colour{}}
	for line := range strings.Lines(ownColours) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		sgr := ""
		if len(fields) > 1 {
			sgr = fields[1]
		}
		p.set(fields[0], Colour{SGR: sgr})
	}
	return p
}

const ownColours = `
accent 36
border 34
borderAccent 36
borderMuted 2
success 32
error 31
warning 33
muted 2
dim 2
text
thinkingText 2;3
scrollbarTrack 2
scrollbarThumb
searchMatchText 30
userMessageText 1
customMessageText
customMessageLabel 35
toolTitle 1
toolOutput 2
mdHeading 1;33
mdLink 34
mdLinkUrl 2
mdCode 36
mdCodeBlock
mdCodeBlockBorder 2
mdQuote 3
mdQuoteBorder 2
mdHr 2
mdListBullet 36
toolDiffAdded 32
toolDiffRemoved 31
toolDiffContext 2
syntaxComment 2
syntaxKeyword 35
syntaxFunction 34
syntaxVariable
syntaxString 32
syntaxNumber 33
syntaxType 36
syntaxOperator
syntaxPunctuation
thinkingOff 2
thinkingMinimal 34
thinkingLow 34
thinkingMedium 36
thinkingHigh 35
thinkingXhigh 95
thinkingMax 91
bashMode 33
selectedBg 7
searchMatchBg 43
userMessageBg
customMessageBg
toolPendingBg
toolSuccessBg
toolErrorBg
`

func (p *Palette) set(name string, c Colour) {
	if slices.Contains(backgrounds, name) {
		p.Bg[name] = c
	} else {
		p.Fg[name] = c
	}
}

// ErrUnknown is returned for a theme that is in no folder.
var ErrUnknown = errors.New("no such theme")

// Load returns the theme with a name: one of our own, or a file name.json of a folder.
func Load(name string, folders ...string) (*Palette, error) {
	if !isOwn(name) && filepath.Base(name) == name {
		for _, folder := range folders {
			p, err := Read(filepath.Join(folder, name+".json"))
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			return p, err
		}
	}
	if isOwn(name) {
		return Own(name), nil
	}
	return nil, fmt.Errorf("theme %q: %w in %s", name, ErrUnknown, strings.Join(folders, ", "))
}

// Read reads a theme file.
func Read(path string) (*Palette, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read theme: %w", err)
	}
	var file struct {
		Name   string                    `json:"name"`
		Vars   map[string]jsontext.Value `json:"vars"`
		Colors map[string]jsontext.Value `json:"colors"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("read theme %s: %w", path, err)
	}
	p := &Palette{Name: file.Name, Path: path, Fg: map[string]Colour{}, Bg: map[string]Colour{}}
	for name, v := range file.Colors {
		c, err := resolve(v, file.Vars, 0)
		if err != nil {
			return nil, fmt.Errorf("read theme %s: colour %s: %w", path, name, err)
		}
		p.set(name, c)
	}
	p.complete()
	return p, p.check()
}

// complete puts in what may be left out.
func (p *Palette) complete() {
	for name, other := range instead {
		for _, m := range []map[string]Colour{p.Fg, p.Bg} {
			c, there := m[other]
			if _, named := m[name]; there && !named {
				m[name] = c
			}
		}
	}
}

// resolve follows variables.
func resolve(v jsontext.Value, vars map[string]jsontext.Value, depth int) (Colour, error) {
	if depth > len(vars) {
		return Colour{}, errors.New("the variables refer to each other in a circle")
	}
	switch v.Kind() {
	case '0':
		var n int
		if err := json.Unmarshal(v, &n); err != nil || n < 0 || n > 255 {
			return Colour{}, fmt.Errorf("%s is no number from 0 to 255", v)
		}
		return Colour{Index: n, Indexed: true}, nil
	case '"':
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return Colour{}, err
		}
		switch {
		case s == "":
			return Colour{}, nil
		case isHex(s):
			return Colour{Hex: s}, nil
		}
		if next, ok := vars[s]; ok {
			return resolve(next, vars, depth+1)
		}
		return Colour{}, fmt.Errorf("%q is neither #rrggbb nor one of vars", s)
	}
	return Colour{}, fmt.Errorf("%s is neither a text nor a number", v)
}

func isHex(s string) bool {
	return len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdefABCDEF") == ""
}

// check reports the names that a theme file lacks.
func (p *Palette) check() error {
	if p.Name == "" || strings.Contains(p.Name, "/") {
		return fmt.Errorf("theme %s needs a name without a slash", p.Path)
	}
	var missing []string
	full := Own("")
	for _, names := range []map[string]Colour{full.Fg, full.Bg} {
		for name := range names {
			_, fg := p.Fg[name]
			_, bg := p.Bg[name]
			if !fg && !bg && instead[name] == "" {
				missing = append(missing, name)
			}
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("theme %s lacks the colours %s", p.Path, strings.Join(missing, ", "))
	}
	return nil
}
