package script_test

import (
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/internal/term/palette"
)

// TestPiExamples runs every example extension of Pi 0.85, as its npm package has it, in our
// host: with a runner, a session and a person of Go, which send the events, call everything
// that the example registers, render and press keys, and note each step (examples_drive_test.go
// and its neighbours). The same steps are those of Pi under Node, where testdata/examples/drive.js
// does the same with Pi's own packages. The table that -v shows says how many of Pi's steps are
// the same in ours; steps that only ours has count as differences. What differs are the
// descriptions and results of the program's own tools, which examples wrap: those are ours.
//
// What Pi did is kept as hashes of its steps, so that this needs Pi's package alone. make
// examples runs Pi as well, and checks that the hashes are right; with -update it writes them.
// To see the steps that differ, name examples: RONDO_EXAMPLES="todo snake" go test -run
// PiExamples -v. Pi, Node and what Pi did are kept in the user's cache folder.
func TestPiExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("installs Pi from npm and runs for half a minute")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the programs that answer the examples are shell scripts")
	}
	if raceEnabled {
		t.Skip("takes minutes with the race detector; the other tests have the same code")
	}
	pi := installPi(t)
	examples := pi.examples(t)
	asked := strings.Fields(os.Getenv("RONDO_EXAMPLES"))
	if len(asked) > 0 && !slices.Contains(asked, "all") {
		examples = slices.DeleteFunc(examples, func(name string) bool { return !slices.Contains(asked, name) })
	}
	ours := pi.ours(t, examples)
	want := recordedSteps(t)
	var theirs map[string][]string
	if len(asked) > 0 {
		theirs = pi.traces(t, examples)
		checkRecorded(t, want, theirs)
	}
	var table strings.Builder
	ran, same, steps := 0, 0, 0
	for _, name := range examples {
		k, _ := compare(want[name], hashes(ours[name].Steps))
		n := max(len(want[name]), len(ours[name].Steps))
		if ours[name].Failure == "" && slices.Contains(ours[name].Steps, `["loaded"]`) {
			ran, same, steps = ran+1, same+k, steps+n
		}
		fmt.Fprintf(&table, "%-28s %4d/%-4d %s\n", name, k, n, ours[name].Failure)
		if theirs != nil {
			_, diff := compare(theirs[name], ours[name].Steps)
			t.Logf("%s\n%s", name, diff)
		}
	}
	t.Logf("%d of %d examples ran; of those, %d of %d steps are those of Pi\n%s", ran, len(examples), same, steps, table.String())
	if len(examples) == 78 && (ran < 76 || same*100 < steps*97) {
		t.Errorf("%d examples ran and %d of %d steps are the same; want 76 and 97 %%", ran, same, steps)
	}
}

var update = flag.Bool("update", false, "write the hashes of what Pi did anew")

const recordedFile = "testdata/examples/pi.json"

// recordedSteps are the hashes of what Pi did.
func recordedSteps(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	var file map[string][]byte
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatalf("%s: %v", recordedFile, err)
	}
	steps := map[string][]string{}
	for name, sums := range file {
		for sum := range slices.Chunk(sums, hashSize) {
			steps[name] = append(steps[name], string(sum))
		}
	}
	return steps
}

// checkRecorded compares the hashes with what Pi does, and puts that in their place if asked to.
func checkRecorded(t *testing.T, recorded, theirs map[string][]string) {
	t.Helper()
	for name, steps := range theirs {
		now := hashes(steps)
		if k, _ := compare(recorded[name], now); k != len(now) || k != len(recorded[name]) {
			if !*update {
				t.Errorf("%s: Pi does %d steps, of which %d are recorded; write them with -update", name, len(now), k)
			}
			recorded[name] = now
		}
	}
	if !*update {
		return
	}
	var b strings.Builder
	b.WriteString("{\n")
	names := make([]string, 0, len(recorded))
	for name := range recorded {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		fmt.Fprintf(&b, "%q: %q", name, base64.StdEncoding.EncodeToString([]byte(strings.Join(recorded[name], ""))))
		if i < len(names)-1 {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	if err := os.WriteFile(recordedFile, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// hashSize is how much of a step's SHA-256 is kept: enough to tell steps of one example apart.
const hashSize = 4

func hashes(steps []string) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		sum := sha256.Sum256([]byte(s))
		out[i] = string(sum[:hashSize])
	}
	return out
}

// ourRun is what an example did in our host.
type ourRun struct {
	Steps   []string
	Failure string
}

// ours runs examples in our host, as many at once as tests do.
func (pi *piInstall) ours(t *testing.T, examples []string) map[string]ourRun {
	t.Helper()
	home := exampleHome(t)
	for key, value := range exampleEnvironment(home) {
		t.Setenv(key, value)
	}
	colors, err := palette.Read(filepath.Join("testdata", "harness.json"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	runs := map[string]ourRun{}
	t.Run("ours", func(t *testing.T) {
		for _, name := range examples {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run := pi.ourTrace(t, name, home, colors)
				mu.Lock()
				defer mu.Unlock()
				runs[name] = run
			})
		}
	})
	return runs
}

func (pi *piInstall) ourTrace(t *testing.T, name, home string, colors *palette.Palette) (run ourRun) {
	t.Helper()
	start := time.Now()
	main := filepath.Join(t.TempDir(), "main.ts")
	source := "import " + quote(filepath.ToSlash(filepath.Join(pi.driver, "stage.js"))) + "; export { default } from " + quote(filepath.ToSlash(pi.file(name))) + ";\n"
	if err := os.WriteFile(main, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cwd := exampleProject(t)
	synctest.Test(t, func(t *testing.T) {
		steps, err := runExample(t, main, cwd, home, pi.extensions(), colors)
		if run.Steps = steps; err != nil {
			run.Failure = fmt.Sprintf("%.300s", err)
		}
		time.Sleep(time.Minute) // what the bundler leaves behind ends by itself
	})
	t.Logf("%d steps in %s", len(run.Steps), time.Since(start).Round(time.Millisecond))
	return run
}

// compare returns how many steps of want are in got, in the same order, and what differs.
func compare(want, got []string) (same int, diff string) {
	for len(want) > 0 && len(got) > 0 && want[0] == got[0] {
		want, got, same = want[1:], got[1:], same+1
	}
	for len(want) > 0 && len(got) > 0 && want[len(want)-1] == got[len(got)-1] {
		want, got, same = want[:len(want)-1], got[:len(got)-1], same+1
	}
	length := make([][]int32, len(want)+1) // of the longest common sequence of what is left
	for i := range length {
		length[i] = make([]int32, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var b strings.Builder
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			i, j = i+1, j+1
		case j == len(got) || i < len(want) && length[i+1][j] >= length[i][j+1]:
			fmt.Fprintf(&b, "Pi   %.1500s\n", want[i])
			i++
		default:
			fmt.Fprintf(&b, "ours %.1500s\n", got[j])
			j++
		}
	}
	return same + int(length[0][0]), b.String()
}
