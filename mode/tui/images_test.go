package tui_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// drawnPNG is an image of 90x36 pixels: ten cells in two rows.
func drawnPNG(t *testing.T) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 90, 36))
	for i := range img.Pix {
		img.Pix[i] = byte(i)
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

const readsImage = `{"text": "I look at it.", "tools": [{"name": "read", "args": {"path": "p.png"}}]}, "Seen."`

// terminalWith starts rondo where the environment is that of a terminal.
func terminalWith(t *testing.T, env []string, said, replies string, args ...string) *console {
	t.Helper()
	p := prepare(t, replies, args...)
	p.environment(env...)
	if err := os.WriteFile(filepath.Join(p.dir, "p.png"), drawnPNG(t), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write("shows.ts", showsImages)
	p.term.ImageProtocol = said
	return p.show(70, 24)
}

// TestImagesOfResults: an image that a tool has read is shown as the terminal can.
func TestImagesOfResults(t *testing.T) {
	const label = "[image: image/png 90x36]"
	for name, c := range map[string]struct {
		env   []string
		said  string
		wrote string // "" for the label
	}{
		"kitty":   {[]string{"KITTY_WINDOW_ID=1"}, "", "\x1b_Ga=T,f=100,q=2,U=1,i=[0-9]+,c=10,r=2,m=0;iVBOR"},
		"wezterm": {[]string{"TERM_PROGRAM=WezTerm"}, "", "  \x1b7\x1b\\[1A\x1b_Ga=T,f=100,q=2,C=1,c=10,r=2,m=0;iVBOR[^\x1b]*\x1b\\\\\x1b8"},
		"iterm2":  {[]string{"TERM_PROGRAM=iTerm.app"}, "", "  \x1b7\x1b\\[1A\x1b]1337;File=inline=1;size=[0-9]+;width=10;height=2;preserveAspectRatio=0:iVBOR[^\x1b]*\a\x1b8"},
		"said":    {nil, "iterm2", "\x1b]1337;File="},
		"tmux":    {[]string{"KITTY_WINDOW_ID=1", "TMUX=/tmp/x"}, "", ""},
		"xterm":   {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				con := terminalWith(t, c.env, c.said, readsImage)
				con.say("look")
				con.sees("Seen.")
				if c.wrote == "" {
					con.sees("  " + label)
					if con.wrote("\x1b_G|1337|\x1b\\[16t") {
						t.Error("the terminal is told of images")
					}
				} else {
					con.until("the image", func() bool { return con.wrote(c.wrote) })
					if strings.Contains(con.text(), label) {
						t.Errorf("its label is shown as well:\n%s", con.text())
					}
					if !con.wrote("\x1b\\[16t") {
						t.Error("the terminal is not asked how large characters are")
					}
				}
				con.leave()
			})
		})
	}
}

// TestImagesStayWhenTheSizeChanges: placeholders are text; what lies over cells is
// taken away before the screen is drawn anew. A character of another size takes more pixels.
func TestImagesStayWhenTheSizeChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := terminalWith(t, []string{"KITTY_WINDOW_ID=1"}, "", readsImage)
		c.types("\x1b[6;36;18t") // the terminal says how large characters are
		c.say("look")
		c.sees("Seen.")
		c.until("the image", func() bool { return c.wrote("U=1,i=[0-9]+,c=5,r=1,") })
		c.until("its cells", func() bool { return strings.Contains(c.text(), "\U0010EEEE") })
		c.resize(60, 20)
		c.until("its cells again", func() bool { return strings.Count(c.text(), "\U0010EEEE") == 5 })
		c.leave()

		c = terminalWith(t, []string{"TERM_PROGRAM=WezTerm"}, "", readsImage)
		c.say("look")
		c.sees("Seen.")
		c.until("the image", func() bool { return c.wrote("C=1,c=10,r=2") })
		c.resize(60, 20)
		c.until("the image again", func() bool { return c.wrote("(?s)C=1,c=10,r=2.*\x1b_Ga=d,d=a,q=2\x1b.*C=1,c=10,r=2") })
		c.leave()
	})
}

// TestImagesNotWanted: /settings and the settings leave images out.
func TestImagesNotWanted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, readsImage)
		p.environment("KITTY_WINDOW_ID=1")
		p.term.ImageProtocol, p.term.HideImages = "", true
		p.term.Settings = settings{"terminal.showImages": false}
		if err := os.WriteFile(filepath.Join(p.dir, "p.png"), drawnPNG(t), 0o600); err != nil {
			t.Fatal(err)
		}
		c := p.show(70, 24)
		c.say("look")
		c.sees("Seen.")
		c.sees("[image: image/png 90x36]")
		c.say("/settings")
		c.types("showImages")
		c.sees("show images, where the terminal can: no")
		c.types(enter)
		c.sees("show images, where the terminal can: yes")
		c.types(escape)
		c.loses("Settings")
		c.until("the image", func() bool { return strings.Contains(c.text(), "\U0010EEEE") })
		c.leave()
	})
}

const showsImages = `
import { Container, Image, Text, getCapabilities, getCellDimensions } from "@earendil-works/pi-tui";
import { readFileSync } from "node:fs";
const image = (more) => new Image(readFileSync("p.png").toString("base64"), "image/png", { fallbackColor: (s) => "<" + s + ">" }, more);
export default function (pi) {
  pi.registerTool({ name: "picture", label: "Picture", description: "draws", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "drawn" }, { type: "image", data: readFileSync("p.png").toString("base64"), mimeType: "image/png" }], details: {} }),
    renderResult: (_r, _o, _t, context) => { const c = new Container(); c.addChild(new Text("pictured " + context?.showImages, 0, 0)); c.addChild(image({ maxWidthCells: 5 })); return c; } });
  pi.registerCommand("caps", { handler: async (_a, ctx) => ctx.ui.notify(JSON.stringify([getCapabilities().images, getCellDimensions()])) });
  pi.registerCommand("over", { handler: async (_a, ctx) => { await ctx.ui.custom((_1, _2, _3, done) => Object.assign(image({}), { handleInput: () => done() }), { overlay: true, overlayOptions: { width: 30 } }); ctx.ui.notify("closed"); } });
}
`

// TestImagesOfExtensions: the Image of a script is shown in results, and over
// everything where text can stand for its cells.
func TestImagesOfExtensions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		replies := `{"tools": [{"name": "picture", "args": {}}]}, "Done."`
		c := terminalWith(t, []string{"KITTY_WINDOW_ID=1"}, "", replies, "shows.ts")
		c.say("draw")
		c.sees("Done.")
		c.sees("pictured true")
		c.until("the image that it draws, and that of the result", func() bool {
			return c.wrote("U=1,i=[0-9]+,c=5,r=1,") && c.wrote("U=1,i=[0-9]+,c=10,r=2,") && strings.Count(c.text(), "\U0010EEEE") == 5+20
		})
		c.say("/caps")
		c.sees(`["kitty",{"widthPx":9,"heightPx":18}]`)
		c.say("/over")
		c.until("the image on the other screen", func() bool { return c.wrote("(?s)\\?1049h.*U=1,i=[0-9]+,c=10,r=2,") })
		c.until("its cells", func() bool { return strings.Count(c.text(), "\U0010EEEE") >= 20+10 })
		c.types("x")
		c.sees("closed")
		c.leave()

		c = terminalWith(t, []string{"TERM_PROGRAM=iTerm.app"}, "", replies, "shows.ts")
		c.say("draw")
		c.sees("Done.")
		c.until("the image", func() bool { return c.wrote("1337;File=inline=1;size=[0-9]+;width=5;height=1;") })
		c.say("/over")
		c.sees("[image: image/png 90x36]")
		c.types("x")
		c.sees("closed")
		c.leave()

		c = terminalWith(t, nil, "", replies, "shows.ts")
		c.say("draw")
		c.sees("Done.")
		c.sees("pictured false")
		c.sees("<[Image: [image/png] 90x36]>")
		c.say("/caps")
		c.sees(`[null,{"widthPx":9,"heightPx":18}]`)
		c.leave()
	})
}

// TestImagesOfNobody: what a model or a tool writes is no command for images, whatever
// it looks like.
func TestImagesOfNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		data := base64.StdEncoding.EncodeToString(drawnPNG(t))
		c := terminalWith(t, []string{"KITTY_WINDOW_ID=1"}, "", `"\u001b_Ga=T,f=100,c=10,r=2;`+data+`\u001b\\\\ \u001b_rondo;1;0\u001b\\\\ said"`)
		c.say("look")
		c.sees("said")
		c.leave()
		if c.wrote("\x1b_G|\x1b_rondo") {
			t.Error("it was told to the terminal")
		}
	})
}
