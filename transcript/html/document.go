package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

//go:embed page.css
var css string

//go:embed page.js
var js string

//go:embed frame.html
var frame string

// document writes the whole page.
func (x *exporter) document() error {
	title, err := x.title()
	if err != nil {
		return err
	}
	model, thinking, err := x.setting()
	if err != nil {
		return err
	}
	x.head(title)
	bar, help, _ := strings.Cut(frame, "<!-- session -->")
	x.raw(bar)
	x.about(title, model, thinking)
	x.raw(`<div id="talk">`, "\n")
	if err := x.branch(); err != nil {
		return err
	}
	x.raw("</div>\n<p class=\"end\">Exported by Rondo</p>\n</main>\n")
	if err := x.elsewhere(); err != nil {
		return err
	}
	x.raw(help, "<script>", js, "</script>\n</body>\n</html>\n")
	return x.check()
}

func (x *exporter) head(title string) {
	x.raw("<!doctype html>\n", `<html lang="en"`)
	if x.opts.Theme != ThemeAuto {
		x.attr("data-theme", string(x.opts.Theme))
	}
	x.raw(">\n<head>\n", `<meta charset="utf-8">`, "\n")
	x.raw(`<meta http-equiv="Content-Security-Policy" content="`, policy(), `">`, "\n")
	x.raw(`<meta name="viewport" content="width=device-width, initial-scale=1">`, "\n")
	x.raw(`<meta name="referrer" content="no-referrer">`, "\n", `<meta name="generator" content="Rondo">`, "\n", "<title>")
	x.text(title)
	x.raw("</title>\n", `<link rel="icon" href="`, icon, `">`, "\n")
	x.raw("<style>", css, "</style>\n</head>\n")
}

// icon is the page's own, so that browsers do not ask a server for one.
const icon = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%23b8552f'/%3E%3Cpath d='M5 4v8M5 4h4a2 2 0 010 4H5m3 0l3 4' stroke='%23fff' stroke-width='1.6' fill='none' stroke-linecap='round'/%3E%3C/svg%3E`

// policy is the page's content security policy: our style and our script, images from the
// page itself, nothing else.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'", hash(css), hash(js))
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// title returns what the page is called.
func (x *exporter) title() (string, error) {
	if x.opts.Title != "" {
		return x.opts.Title, nil
	}
	if name := preview(x.name, 120); name != "" {
		return name, nil
	}
	for _, i := range x.path {
		if x.nodes[i].kind != user {
			continue
		}
		e, err := x.entry(i)
		if err != nil {
			return "", err
		}
		if m, ok := e.(*transcript.MessageEntry); ok {
			if u, ok := m.Message.(*ai.UserMessage); ok {
				if text := preview(withoutFiles(u.Content.Text()), 80); text != "" {
					return text, nil
				}
			}
		}
	}
	return "Session " + x.store.Header().ID, nil
}

// entry reads the entry at a position.
func (x *exporter) entry(i int32) (transcript.Entry, error) {
	e, err := x.store.Entry(x.nodes[i].id)
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	return e, nil
}

// setting returns the model and the thinking level at the end of the branch.
func (x *exporter) setting() (model, thinking string, err error) {
	if len(x.path) == 0 {
		return "", "", nil
	}
	leaf := x.nodes[x.path[len(x.path)-1]].id
	for e, err := range x.store.Ancestors(leaf, transcript.TypeModel, transcript.TypeThinkingLevel) {
		if err != nil {
			return "", "", fmt.Errorf("read the session: %w", err)
		}
		switch e := e.(type) {
		case *transcript.ModelEntry:
			if model == "" {
				model = slashed(e.Provider, e.ModelID)
			}
		case *transcript.ThinkingLevelEntry:
			if thinking == "" {
				thinking = string(e.ThinkingLevel)
			}
		default: // the two kinds asked for are all there are
		}
		if model != "" && thinking != "" {
			break
		}
	}
	if model == "" && len(x.totals.models) > 0 {
		model = x.totals.models[len(x.totals.models)-1]
	}
	return model, thinking, nil
}

func slashed(provider, model string) string {
	if provider == "" || model == "" {
		return provider + model
	}
	return provider + "/" + model
}

// about writes the heading and what is known of the session as a whole.
func (x *exporter) about(title, model, thinking string) {
	h, t := x.store.Header(), &x.totals
	x.raw(`<header class="about">`, "\n<h1>")
	x.text(title)
	x.raw("</h1>\n<dl>\n")
	if thinking != "" && thinking != string(ai.ThinkingOff) {
		model += " · thinking " + thinking
	}
	x.fact("Model", model)
	if len(t.models) > 1 {
		x.fact("Models that answered", strings.Join(t.models, ", "))
	}
	x.fact("Folder", h.CWD)
	x.when()
	x.fact("Messages", fmt.Sprintf("%s, %s, %s", count(t.prompts, "prompt"), count(t.answers, "answer"), count(t.calls, "tool call")))
	x.fact("Tokens", usageText(&t.usage))
	if t.usage.Cost.Total > 0 {
		x.fact("Cost", dollars(t.usage.Cost.Total))
	}
	x.fact("Session", h.ID)
	x.fact("Forked from", h.ParentSession)
	x.raw("</dl>\n</header>\n")
}

func (x *exporter) fact(name, value string) {
	if value == "" {
		return
	}
	x.raw("<div><dt>", name, "</dt><dd>")
	x.code(value)
	x.raw("</dd></div>\n")
}

// when writes the time of the session, in UTC for who reads without scripts.
func (x *exporter) when() {
	first, last := x.totals.first, x.totals.last
	if at := x.store.Header().Timestamp.Time; !at.IsZero() && (first.IsZero() || at.Before(first)) {
		first = at
	}
	if first.IsZero() {
		return
	}
	x.raw("<div><dt>Time</dt><dd>")
	x.time(first, true)
	if last.Sub(first) >= time.Second {
		x.raw(" <span>for ", span(last.Sub(first)), "</span>")
	}
	x.raw("</dd></div>\n")
}

// time writes a time, which the script rewrites for the reader's own zone.
func (x *exporter) time(at time.Time, date bool) {
	at = at.UTC()
	layout := "15:04"
	if date {
		layout = "2006-01-02 15:04 UTC"
	}
	x.raw(`<time datetime="`, at.Format("2006-01-02T15:04:05.000Z"), `"`)
	if date {
		x.raw(` data-date`)
	}
	x.raw(">", at.Format(layout), "</time>")
}

// usageText writes token counts: input with what was cached, and output.
func usageText(u *ai.Usage) string {
	if u.Input+u.Output+u.CacheRead+u.CacheWrite == 0 {
		return ""
	}
	parts := []string{"↑" + tokens(u.Input+u.CacheRead+u.CacheWrite), "↓" + tokens(u.Output)}
	if u.CacheRead+u.CacheWrite > 0 {
		parts = append(parts, fmt.Sprintf("%d%% cached", 100*u.CacheRead/max(u.Input+u.CacheRead+u.CacheWrite, 1)))
	}
	return strings.Join(parts, " ")
}
