package script

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
)

// overlayArg says where an overlay stands, as components.js describes it.
type overlayArg struct {
	Options *extension.OverlayOptions
	Live    int // function that says it anew, 0 for none
	Visible int // function that says whether to show it
}

func (in *instance) overlayOptions(a overlayArg) *extension.OverlayOptions {
	o := a.Options
	if a.Live != 0 {
		_ = in.function(context.Background(), a.Live, &o)
	}
	if o == nil {
		o = &extension.OverlayOptions{}
	}
	if a.Visible != 0 {
		o.Visible = func(columns, rows int) bool {
			visible := true
			_ = in.function(context.Background(), a.Visible, &visible, columns, rows)
			return visible
		}
	}
	return o
}

// componentOps are the operations with components, and of what components get.
func (h *host) componentOps() Table {
	return Table{
		"pi.ui.setWidget": do(h, func(in *instance, a struct {
			Key, Placement string
			Lines          []string
			Component      int
		},
		) error {
			if a.Lines == nil && a.Component == 0 {
				in.x.UI().SetWidget(a.Key, nil)
				return nil
			}
			w := &extension.Widget{Lines: a.Lines, Placement: a.Placement}
			if a.Component != 0 {
				w.Component = func(screen extension.Screen, theme extension.Theme) extension.Component {
					return in.quickly("widget", a.Component, screen, in.screenArg(screen), themeArg(theme))
				}
			}
			in.x.UI().SetWidget(a.Key, w)
			return nil
		}),
		"pi.ui.setHeader": do(h, func(in *instance, a struct{ Component int }) error {
			if a.Component == 0 {
				in.x.UI().SetHeader(nil)
				return nil
			}
			in.x.UI().SetHeader(func(screen extension.Screen, theme extension.Theme) extension.Component {
				return in.quickly("header", a.Component, screen, in.screenArg(screen), themeArg(theme))
			})
			return nil
		}),
		"pi.ui.setFooter": do(h, func(in *instance, a struct{ Component int }) error {
			if a.Component == 0 {
				in.x.UI().SetFooter(nil)
				return nil
			}
			in.x.UI().SetFooter(func(screen extension.Screen, theme extension.Theme, data extension.FooterData) extension.Component {
				return in.quickly("footer", a.Component, screen, in.screenArg(screen), themeArg(theme), map[string]any{"footer": h.hold(data)})
			})
			return nil
		}),
		"pi.ui.custom":  inTurn(act(h, custom)),
		"pi.ui.unready": do(h, unready),
		"pi.ui.done": onHeld(h, func(_ *instance, done func(any), a struct{ N int }) (jsontext.Value, error) {
			done(a.N)
			return nil, nil
		}),
		"pi.ui.again":                onHeld(h, func(_ *instance, again func(), _ struct{ N int }) (jsontext.Value, error) { again(); return nil, nil }),
		"pi.ui.paint":                act(h, paint),
		"pi.registerMessageRenderer": do(h, registerMessageRenderer),
		"pi.registerEntryRenderer":   do(h, registerEntryRenderer),
		"pi.ui.onTerminalInput":      do(h, onTerminalInput),
		"pi.ui.offTerminalInput":     do(h, func(in *instance, a struct{ H int }) error { return in.off(a.H) }),
	}.Add(h.screenOps(), h.overlayOps(), h.keyOps(), h.footerOps(), h.editorOps(), h.completionOps())
}

// screenOps are those of the screen that components are given.
func (h *host) screenOps() Table {
	return Table{
		"pi.ui.requestRender": onHeld(h, func(_ *instance, s extension.Screen, a struct {
			N    int
			Full bool
		},
		) (jsontext.Value, error) {
			s.RequestRender(a.Full)
			return nil, nil
		}),
		"pi.ui.size": onHeld(h, func(_ *instance, s extension.Screen, _ struct{ N int }) (map[string]int, error) {
			columns, rows := s.Size()
			return map[string]int{"columns": columns, "rows": rows}, nil
		}),
		"pi.ui.setFocus": onHeld(h, func(in *instance, s extension.Screen, a struct{ N, Component int }) (jsontext.Value, error) {
			s.SetFocus(in.shown(a.Component, s))
			return nil, nil
		}),
		"pi.ui.stop": onHeld(h, func(_ *instance, s extension.Screen, _ struct{ N int }) (jsontext.Value, error) {
			s.Stop()
			return nil, nil
		}),
		"pi.ui.start": onHeld(h, func(_ *instance, s extension.Screen, _ struct{ N int }) (jsontext.Value, error) {
			s.Start()
			return nil, nil
		}),
	}
}

// overlayOps are those of what lies over the rest of the screen.
func (h *host) overlayOps() Table {
	return Table{
		"pi.ui.hideOverlay": onHeld(h, func(_ *instance, s extension.Screen, _ struct{ N int }) (jsontext.Value, error) {
			s.HideOverlay()
			return nil, nil
		}),
		"pi.ui.hasOverlay": onHeld(h, func(_ *instance, s extension.Screen, _ struct{ N int }) (bool, error) { return s.HasOverlay(), nil }),
		"pi.ui.showOverlay": onHeld(h, func(in *instance, s extension.Screen, a struct {
			N, Component int
			overlayArg
		},
		) (int, error) {
			return h.hold(s.ShowOverlay(in.shown(a.Component, s), in.overlayOptions(a.overlayArg))), nil
		}),
		"pi.ui.overlay": onHeld(h, func(in *instance, o extension.Overlay, a struct {
			N, Component int
			What         string
			Hidden       bool
		},
		) (bool, error) {
			if a.What == "unfocusTo" {
				o.UnfocusTo(in.shown(a.Component, nil))
				return false, nil
			}
			return tellOverlay(o, a.What, a.Hidden)
		}),
		"pi.ui.overlayBounds": onHeld(h, func(_ *instance, o extension.Overlay, _ struct{ N int }) (*extension.Bounds, error) {
			b, ok := o.Bounds()
			if !ok {
				return nil, nil //nolint:nilnil // undefined in JavaScript
			}
			return &b, nil
		}),
	}
}

// keyOps tell which keys do what.
func (h *host) keyOps() Table {
	return Table{
		"pi.ui.keyMatches": onHeld(h, func(_ *instance, k extension.Keybindings, a struct {
			N            int
			Data, Action string
		},
		) (bool, error) {
			return k.Matches(a.Data, a.Action), nil
		}),
		"pi.ui.keysOf": onHeld(h, func(_ *instance, k extension.Keybindings, a struct {
			N      int
			Action string
		},
		) ([]string, error) {
			return k.Keys(a.Action), nil
		}),
	}
}

// onHeld makes an operation on something that Go holds under the argument's N.
func onHeld[T, A, Out any](h *host, fn func(in *instance, v T, a A) (Out, error)) Op {
	return act(h, func(_ context.Context, in *instance, raw jsontext.Value) (out Out, err error) {
		var n struct{ N int }
		if err := decode(raw, &n); err != nil {
			return out, err
		}
		v, err := held[T](h, n.N)
		if err != nil {
			return out, err
		}
		var a A
		if err := decode(raw, &a); err != nil {
			return out, err
		}
		return fn(in, v, a)
	})
}

func tellOverlay(o extension.Overlay, what string, hidden bool) (bool, error) {
	switch what {
	case "hide":
		o.Hide()
	case "setHidden":
		o.SetHidden(hidden)
	case "isHidden":
		return o.IsHidden(), nil
	case "focus":
		o.Focus()
	case "unfocus":
		o.Unfocus()
	case "isFocused":
		return o.IsFocused(), nil
	}
	return false, nil
}

// custom shows a component until it is done. The result stays in the machine, under the
// number that is returned.
func custom(ctx context.Context, in *instance, a struct {
	H       int
	Overlay bool
	overlayArg
	Handle int
},
) (int, error) {
	ctx, stop := withCall(ctx)
	defer stop()
	h := in.host
	h.mu.Lock()
	h.unready[a.H] = func() { begun(ctx) }
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.unready, a.H)
	}()
	opts := &extension.CustomOptions{Overlay: a.Overlay, OverlayOptions: func() *extension.OverlayOptions { return in.overlayOptions(a.overlayArg) }}
	if a.Handle != 0 {
		opts.OnHandle = func(o extension.Overlay) { _ = in.function(context.Background(), a.Handle, nil, in.host.hold(o)) }
	}
	result, _ := in.x.UI().Custom(ctx, func(screen extension.Screen, theme extension.Theme, keys extension.Keybindings, done func(any)) (extension.Component, error) {
		made, err := in.make(ctx, a.H, screen, in.screenArg(screen), themeArg(theme), map[string]any{"keys": in.host.hold(keys)}, map[string]any{"done": in.host.hold(done)})
		if err == nil && made == nil {
			err = errors.New("the function made no component")
		}
		return made, err
	}, opts)
	n, _ := result.(int)
	return n, nil
}

// unready says that the function of a custom component has given way before it has made it.
func unready(in *instance, a struct{ H int }) error {
	in.host.mu.Lock()
	defer in.host.mu.Unlock()
	if begin := in.host.unready[a.H]; begin != nil {
		begin()
	}
	return nil
}

// paint colours a text.
func paint(_ context.Context, in *instance, a struct{ Theme, How, Color, Text string }) (string, error) {
	ui := in.x.UI()
	t := ui.Theme()
	if a.Theme != "" && a.Theme != t.Name() {
		if named := ui.ThemeNamed(a.Theme); named != nil {
			t = named
		}
	}
	switch a.How {
	case "fg":
		return t.Fg(a.Color, a.Text), nil
	case "bg":
		return t.Bg(a.Color, a.Text), nil
	case "bold":
		return t.Bold(a.Text), nil
	case "italic":
		return t.Italic(a.Text), nil
	case "underline":
		return t.Underline(a.Text), nil
	case "inverse":
		return t.Inverse(a.Text), nil
	case "strikethrough":
		return t.Strikethrough(a.Text), nil
	case "fgANSI":
		return t.FgANSI(a.Color), nil
	case "bgANSI":
		return t.BgANSI(a.Color), nil
	case "mode":
		return t.ColorMode(), nil
	}
	return t.Name(), nil
}

func registerMessageRenderer(in *instance, a struct {
	CustomType string
	H          int
},
) error {
	api, err := in.own()
	if err != nil {
		return err
	}
	return api.RegisterMessageRenderer(a.CustomType, func(m jsontext.Value, expanded bool, theme extension.Theme) extension.Component {
		return in.quickly("renderMessage", a.H, nil, valueArg(m), valueArg(map[string]any{"expanded": expanded, "outputPad": 1}), themeArg(theme))
	})
}

func registerEntryRenderer(in *instance, a struct {
	CustomType string
	H          int
},
) error {
	api, err := in.own()
	if err != nil {
		return err
	}
	return api.RegisterEntryRenderer(a.CustomType, func(e jsontext.Value, expanded bool, theme extension.Theme) extension.Component {
		return in.quickly("renderEntry", a.H, nil, valueArg(e), valueArg(map[string]any{"expanded": expanded}), themeArg(theme))
	})
}

func onTerminalInput(in *instance, a struct{ H int }) error {
	off := in.x.UI().OnTerminalInput(func(data string) (string, bool) {
		var said struct {
			Consume bool
			Data    *string
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := in.function(ctx, a.H, &said, data); err != nil {
			in.report("terminal input", err)
			return data, false
		}
		if said.Data != nil {
			data = *said.Data
		}
		return data, said.Consume
	})
	in.host.mu.Lock()
	defer in.host.mu.Unlock()
	in.host.offs[a.H] = off
	return nil
}

// off ends what was begun under a function's number.
func (in *instance) off(fn int) error {
	h := in.host
	h.mu.Lock()
	off := h.offs[fn]
	delete(h.offs, fn)
	h.mu.Unlock()
	if off != nil {
		off()
	}
	return nil
}
