package layer_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

func load(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(raw, into, json.MatchCaseInsensitiveNames(true))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// options are those of a script.
type options struct {
	Width, MaxHeight, Row, Col jsontext.Value
	MinWidth, OffsetX, OffsetY int
	Anchor                     string
	Margin                     jsontext.Value
}

func (o *options) plain(t *testing.T) *extension.OverlayOptions {
	t.Helper()
	text := func(v jsontext.Value) string {
		var s string
		if v.Kind() == '"' {
			if err := json.Unmarshal(v, &s); err != nil {
				t.Fatal(err)
			}
			return s
		}
		return string(v)
	}
	p := &extension.OverlayOptions{
		Width: text(o.Width), MaxHeight: text(o.MaxHeight), Row: text(o.Row), Col: text(o.Col), MinWidth: o.MinWidth, OffsetX: o.OffsetX, OffsetY: o.OffsetY, Anchor: o.Anchor,
	}
	var err error
	switch o.Margin.Kind() {
	case '0':
		var all int
		err = json.Unmarshal(o.Margin, &all)
		p.Margin = extension.Margins{Top: all, Right: all, Bottom: all, Left: all}
	case '{':
		err = json.Unmarshal(o.Margin, &p.Margin)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlaces: layers stand where those of Pi 0.85 stand, by getBounds of their handles.
func TestPlaces(t *testing.T) {
	var screens []struct {
		Columns, Rows int
		Cases         []struct {
			Options  options
			Lines    int
			Rendered int
			Bounds   [4]int
		}
	}
	load(t, "bounds.json", &screens)
	for _, s := range screens {
		for _, c := range s.Cases {
			o := c.Options.plain(t)
			width, most := layer.Extent(o, s.Columns, s.Rows)
			lines := c.Lines
			if most >= 0 {
				lines = min(lines, most)
			}
			b := layer.Position(o, s.Columns, s.Rows, width, lines)
			if got := [4]int{b.Row, b.Col, b.Width, b.Height}; got != c.Bounds || width != c.Rendered {
				t.Errorf("%dx%d, %d lines, %+v: %v, in Pi %v", s.Columns, s.Rows, c.Lines, *o, got, c.Bounds)
			}
		}
	}
}

type step struct {
	Op, ID       string
	NonCapturing bool
	// Target, Focus and After are names, null for nobody, or left out.
	Target, Focus, After jsontext.Value
}

// TestFocus: who gets what is typed is as in Pi 0.85, whatever layers come, go and take the
// focus from each other and from what lies below them.
func TestFocus(t *testing.T) {
	var traces [][]step
	load(t, "focus.json", &traces)
	for i, trace := range traces {
		s := new(layer.Stack)
		s.Ground("base")
		layers := make(map[string]*layer.Layer)
		for j, st := range trace {
			play(s, layers, st)
			where := fmt.Sprintf("trace %d, step %d, %s %s %s", i, j, st.Op, st.ID, st.Target)
			if got := s.Focus(); got != target(st.Focus) {
				t.Fatalf("%s: the focus is at %v, in Pi at %s", where, got, st.Focus)
			}
			if st.After != nil {
				if got := s.Typed(); got != target(st.After) {
					t.Fatalf("%s: %v gets what is typed, in Pi %s", where, got, st.After)
				}
			}
		}
	}
}

func target(name jsontext.Value) layer.Target {
	if name.Kind() != '"' {
		return nil
	}
	return strings.Trim(string(name), `"`)
}

func play(s *layer.Stack, layers map[string]*layer.Layer, st step) {
	l := layers[st.ID]
	switch st.Op {
	case "show":
		layers[st.ID] = layer.New(st.ID, st.NonCapturing, false)
		s.Show(layers[st.ID])
	case "hide":
		s.Hide(l)
	case "hideOverlay":
		s.HideTop()
	case "conceal", "reveal":
		s.SetHidden(l, st.Op == "conceal")
	case "focus":
		s.Take(l)
	case "unfocus":
		if st.Target != nil {
			s.ReleaseTo(l, target(st.Target))
		} else {
			s.Release(l)
		}
	case "setFocus":
		s.Give(target(st.Target))
	case "open":
		s.Ground(st.ID)
	case "close":
		s.Ground("editor")
	}
}

// TestUnseen: a layer that the screen has no room for does not get what is typed.
func TestUnseen(t *testing.T) {
	var turns []string
	s := &layer.Stack{Turned: func(from, to layer.Target) { turns = append(turns, fmt.Sprint(from, ">", to)) }}
	s.Ground("editor")
	narrow := layer.New("narrow", false, true)
	s.Show(narrow)
	if s.Focus() != "editor" || s.Seen(narrow) {
		t.Errorf("what cannot be seen has the focus: %v", s.Focus())
	}
	wide := layer.New("wide", false, false)
	s.Show(wide)
	s.Update(wide, false, true)
	if got := s.Typed(); got != "editor" {
		t.Errorf("%v gets what is typed", got)
	}
	s.Update(wide, false, false)
	s.Take(wide)
	part := "a part of it"
	s.Give(part)
	s.Gone(part)
	if got := s.Typed(); got != "wide" {
		t.Errorf("%v gets what is typed", got)
	}
	if got := s.Layers(); len(got) != 2 || got[1] != wide {
		t.Errorf("the layers are %v", got)
	}
	if want := "[<nil>>editor editor>wide wide>editor editor>wide wide>a part of it a part of it>wide]"; fmt.Sprint(turns) != want {
		t.Errorf("the focus went %v", turns)
	}
}

// TestCover: questions over a layer are answered one after another, the newest first, before the
// layer has the focus again.
func TestCover(t *testing.T) {
	s := new(layer.Stack)
	s.Ground("editor")
	s.Show(layer.New("layer", false, false))
	for _, step := range []struct {
		do   func(layer.Target)
		what string
		want string
	}{
		{s.Cover, "first", "first"}, {s.Cover, "second", "second"}, {s.Cover, "first", "first"}, {s.Ground, "editor", "layer"},
	} {
		step.do(step.what)
		if got := s.Typed(); got != step.want {
			t.Errorf("%v gets what is typed, and not %s", got, step.want)
		}
	}
}
