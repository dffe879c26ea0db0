//go:build unix

package main

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// keyboard is what a terminal that speaks kitty's protocol tells of keys, for each of its two
// screens: a stack of flags.
type keyboard struct {
	stacks [2][]int
	screen int // 1 for the one without scrollback
	most   int // the flags that were asked for at the same time
}

var keyboardSequence = regexp.MustCompile(`\x1b\[(?:([<>=])(\d*)(?:;\d+)?u|\?(1047|1049)([hl]))`)

// keyboardAfter reads what a program has written.
func keyboardAfter(raw string) *keyboard {
	k := new(keyboard)
	for _, m := range keyboardSequence.FindAllStringSubmatch(raw, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			n = 1
		}
		s := &k.stacks[k.screen]
		switch {
		case m[4] == "h":
			k.screen = 1
		case m[4] == "l":
			k.screen = 0
		case m[1] == ">":
			*s = append(*s, n)
			k.most |= n
		case m[1] == "<":
			*s = (*s)[:max(len(*s)-n, 0)]
		case len(*s) > 0:
			(*s)[len(*s)-1] = n
			k.most |= n
		}
	}
	return k
}

func (k *keyboard) asBefore() bool {
	return k.screen == 0 && len(k.stacks[0]) == 0 && len(k.stacks[1]) == 0
}

func (c *console) keyboard() *keyboard {
	c.mu.Lock()
	defer c.mu.Unlock()
	return keyboardAfter(c.raw.String())
}

const game = `
export default function (pi) {
  pi.registerCommand("game", { description: "wants releases", handler: async (args, ctx) => {
    await ctx.ui.custom((tui, _t, _k, done) => {
      let heard = [];
      return { wantsKeyRelease: true, invalidate() {}, render: (width) => ["heard " + heard.join(" ")],
        handleInput(data) { if (data === "q") done(); heard.push(JSON.stringify(data).replace("\\u001b", "")); tui.requestRender(); } };
    }, { overlay: args === "over" });
    ctx.ui.notify("over");
  } });
}
`

// TestTerminal_KeyReleases: a script's component that wants releases gets them, and the terminal
// is asked for them no longer than that: not while the program is suspended, and not after it.
func TestTerminal_KeyReleases(t *testing.T) {
	for _, how := range []string{"", "over"} {
		p := prepare(t, `"An answer."`, "-e", "game.ts")
		p.write("game.ts", game)
		p.cmd = exec.Command("sh", append([]string{"-c", `set -m; rondo "$@"; echo stopped now; fg >/dev/null`, "sh"}, p.cmd.Args[1:]...)...)
		c := p.show(70, 24)
		c.say(strings.TrimSpace("/game " + how))
		c.sees("heard")
		c.until("releases", func() bool { return c.keyboard().most == 3 })
		c.types("a\x1b[97;1:3u\x1b[1;1:3A")
		c.sees(`heard "a" "[97;1:3u" "[1;1:3A"`)
		typed := time.Time{}
		c.until("stopped now", func() bool {
			if time.Since(typed) > 20*time.Second { // on a busy machine the shell may miss a stop
				c.types(ctrlZ)
				typed = time.Now()
			}
			return strings.Contains(c.text(), "stopped now")
		})
		c.mu.Lock()
		suspended, _, _ := strings.Cut(c.raw.String(), "stopped now")
		c.mu.Unlock()
		if k := keyboardAfter(suspended); !k.asBefore() {
			t.Errorf("the keys are %v while the program is suspended", k)
		}
		c.sees("heard")
		c.types("\x1b[98;1:3u")
		c.sees(`"[98;1:3u"`)
		c.types("q")
		c.sees("over")
		c.until("no releases", func() bool {
			k := c.keyboard()
			return len(k.stacks[0]) == 1 && k.stacks[0][0] == 1 && k.screen == 0
		})
		c.leave()
		if k := c.keyboard(); !k.asBefore() {
			t.Errorf("the keys are left as %v", k)
		}
	}
}

// TestTerminal_KeyReleasesAfterACrash: the guard gives the keys of both screens back.
func TestTerminal_KeyReleasesAfterACrash(t *testing.T) {
	p := prepare(t, `"An answer."`, "-e", "game.ts")
	p.write("game.ts", game)
	p.cmd = exec.Command("sh", append([]string{"-c", `set -m; rondo "$@" & echo $! > pid; fg 2>/dev/null; wait; echo; echo back in the shell; read line`, "sh"}, p.cmd.Args[1:]...)...)
	c := p.show(70, 24)
	c.say("/game over")
	c.sees("heard")
	c.until("releases", func() bool { return c.keyboard().most == 3 })
	pid, err := strconv.Atoi(strings.TrimSpace(c.await("pid")))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.until("the keys as before", func() bool { return c.keyboard().asBefore() })
}
