package process_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"
)

// roles are what the test binary is as an extension.
var roles = map[string]func(*peer){}

func TestMain(m *testing.M) {
	if name, ok := strings.CutPrefix(os.Args[len(os.Args)-1], "role:"); ok {
		roles[name](newPeer())
		return
	}
	goleak.VerifyTestMain(m)
}

type object = map[string]any

// peer is the extension's end of the protocol, for roles.
type peer struct {
	in   *bufio.Reader
	last int
	kept map[string]object
	// take answers calls.
	take func(call object) (answer object)
}

func newPeer() *peer { return &peer{in: bufio.NewReader(os.Stdin), kept: make(map[string]object)} }

func (p *peer) send(m object) {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	p.raw(string(line))
}

func (p *peer) raw(line string) { fmt.Fprintln(os.Stdout, line) }

func (p *peer) receive() object {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var m object
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	return m
}

// ready takes initialize and registers.
func (p *peer) ready(m object) (initialize object) {
	initialize = p.receive()
	m["type"], m["protocol"] = "ready", 1
	p.send(m)
	return initialize
}

// act asks for something and waits, and serves calls meanwhile.
func (p *peer) act(call object, action string, params object) object {
	p.last++
	id := fmt.Sprint("a", p.last)
	m := object{"type": "action", "id": id, "action": action, "params": params}
	if call != nil {
		m["for"] = call["id"]
	}
	p.send(m)
	for p.kept[id] == nil {
		p.step()
	}
	return p.kept[id]
}

func (p *peer) step() {
	m := p.receive()
	switch m["type"] {
	case "result", "error":
		p.kept[fmt.Sprint(m["id"])] = m
	case "shutdown":
		os.Exit(0)
	case "cancel":
	default:
		if answer := p.take(m); answer != nil && m["id"] != nil {
			if answer["type"] == nil {
				answer["type"] = "result"
			}
			answer["id"] = m["id"]
			p.send(answer)
		}
	}
}

func (p *peer) serve() {
	for {
		p.step()
	}
}
