package docs_test

import (
	"bufio"
	"os/exec"
	"regexp"
	"runtime"
	"syscall"
	"testing"
)

// serveToken is the token of the server that examples talk to.
const serveToken = "choose-something-long"

// TestHTTPBlocks_PrintWhatIsShown runs the examples of a page one after another against one
// server. The variables that the page speaks of are set: ID and LAST are the session and the
// event that earlier examples have named last.
func TestHTTPBlocks_PrintWhatIsShown(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages show commands of a Unix shell")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	for _, page := range pages(t, "*.md") {
		var blocks []*block
		for _, b := range page.blocks {
			if b.is("http") {
				blocks = append(blocks, b)
			}
		}
		if len(blocks) == 0 {
			continue
		}
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			where := newPlace(t)
			env := []string{"API=" + where.server(t) + "/api", "AUTH=Authorization: Bearer " + serveToken}
			for _, b := range blocks {
				out := where.talk(t, b, page.output(b), env)
				for name, last := range map[string]*regexp.Regexp{"ID": sessionID, "LAST": eventID} {
					if all := last.FindAllStringSubmatch(out, -1); all != nil {
						env = append(env, name+"="+all[len(all)-1][1])
					}
				}
			}
		})
	}
}

var (
	sessionID = regexp.MustCompile(`"sessionId":"([^"]+)"`)
	eventID   = regexp.MustCompile(`(?m)^id: (\S+)$`)
	address   = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

// server starts a server in the place's folder and returns its address.
func (p *place) server(t *testing.T) string {
	t.Helper()
	cmd := p.command("rondo", "serve", "--port", "0")
	cmd.Env = append(cmd.Env, "RONDO_SERVE_TOKEN="+serveToken)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 143 {
			t.Errorf("rondo serve ended with %v", err)
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url := address.FindString(lines.Text()); url != "" {
			return url
		}
	}
	t.Fatal("rondo serve has said no address")
	return ""
}

// talk runs a block and returns its output.
func (p *place) talk(t *testing.T, b, output *block, env []string) string {
	t.Helper()
	cmd := p.command("sh", "-c", b.text)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", b.at, err)
	}
	if output == nil {
		t.Errorf("%s: the output is not shown; it is\n%s", b.at, out)
	} else if !matchesText(output.text, string(out)) {
		t.Errorf("%s: the output is\n%s", output.at, out)
	}
	return string(out)
}
