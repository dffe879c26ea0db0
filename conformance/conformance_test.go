package conformance_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/conformance"
	"github.com/rondo-agent/rondo/conformance/ordered"
)

// What the tests take from the environment; README.md describes it.
const (
	envCommand  = "RONDO_CMD"
	envHomeVars = "RONDO_HOME_VAR"
	envDir      = "RONDO_CONFORMANCE_DIR"
	envPending  = "RONDO_PENDING"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(envStub); mode != "" {
		os.Exit(stub(mode))
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		removeBinary()
		os.Exit(code)
	}))
}

func TestScenarios(t *testing.T) {
	pending := loadPending(t)
	suite := conformance.Suite{Dir: cmp.Or(os.Getenv(envDir), "testdata")}
	groups := map[string][]*conformance.Scenario{}
	for _, s := range loadScenarios(t, suite) {
		groups[s.Group()] = append(groups[s.Group()], s)
	}
	l := &lab{program: program(t), suite: suite, pending: pending, runPending: os.Getenv(envPending) == "run"}
	t.Cleanup(func() { l.report(t) })
	for group, scenarios := range groups {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			for _, s := range scenarios {
				t.Run(strings.TrimPrefix(s.Name, group+"/"), func(t *testing.T) {
					t.Parallel()
					l.test(t, s)
				})
			}
		})
	}
}

// lab runs scenarios as tests.
type lab struct {
	program    *conformance.Program
	suite      conformance.Suite
	pending    conformance.Pending
	runPending bool

	mu sync.Mutex
	// early are the scenarios that are pending and pass.
	early []string
}

func (l *lab) test(t *testing.T, s *conformance.Scenario) {
	waiting := l.pending.Find(s)
	if waiting != nil && !l.runPending {
		t.Skipf("%s: %s", waiting.Name, waiting.Reason)
	}
	want, err := l.suite.Golden(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	recording, differences := l.play(t, s, want)
	for range races[s.Name] {
		if len(differences) == 0 {
			break
		}
		recording, differences = l.play(t, s, want)
	}
	switch {
	case len(differences) > 0 && waiting != nil:
		t.Skipf("%s: %s; for now it differs\n%s", waiting.Name, waiting.Reason, l.explain(s, recording, differences))
	case len(differences) > 0:
		t.Error(l.explain(s, recording, differences))
	case waiting != nil:
		l.mu.Lock()
		l.early = append(l.early, s.Name)
		l.mu.Unlock()
	}
}

// races are scenarios in which the client acts upon an event while the program works on, so
// that what comes of it may come sooner or later, as in the recorded program; and how often
// they are played again until the order is the recorded one.
var races = map[string]int{
	"extension/lifecycle-steering": 4, // steers at tool_execution_start, when tool_call handlers run
}

// play runs a scenario and compares it.
func (l *lab) play(t *testing.T, s *conformance.Scenario, want conformance.Trace) (*conformance.Recording, []conformance.Difference) {
	t.Helper()
	recording, err := l.program.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return recording, conformance.Compare(want, conformance.Normalise(recording))
}

// explain says what the scenario shows, in which way the program differs, and what it
// wrote to standard error.
func (l *lab) explain(s *conformance.Scenario, r *conformance.Recording, differences []conformance.Difference) string {
	var b strings.Builder
	facets := make([]string, len(differences))
	for i, d := range differences {
		facets[i] = d.Facet
	}
	fmt.Fprintf(&b, "differs in %s: %s\n", strings.Join(facets, ", "), s.About)
	if r.Problem != "" {
		fmt.Fprintf(&b, "the scenario was not played to its end: %s\n", r.Problem)
	}
	if s.Differs != "" {
		fmt.Fprintf(&b, "the golden was corrected by hand: %s\n", s.Differs)
	}
	for _, d := range differences {
		fmt.Fprintf(&b, "\n%s\n", d)
	}
	if r.Stderr != "" {
		fmt.Fprintf(&b, "\nstandard error:\n%s\n", r.Stderr)
	}
	fmt.Fprintf(&b, "\nscenario: %s\ngolden:   %s", filepath.Join(l.suite.Dir, "scenarios", s.Name+".json"), filepath.Join(l.suite.Dir, "goldens", s.Name+".json"))
	return b.String()
}

// report names the pending scenarios that could be active.
func (l *lab) report(t *testing.T) {
	if len(l.early) == 0 {
		return
	}
	slices.Sort(l.early)
	t.Logf("%d pending scenarios pass already:\n  %s", len(l.early), strings.Join(l.early, "\n  "))
}

// TestLint checks the files themselves: every scenario has a golden and every golden a
// scenario, and no scenario has a member that nothing reads.
func TestLint(t *testing.T) {
	suite := conformance.Suite{Dir: cmp.Or(os.Getenv(envDir), "testdata")}
	scenarios := loadScenarios(t, suite)
	goldens, err := suite.Goldens()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		if !slices.Contains(goldens, s.Name) {
			t.Errorf("%s has no golden", s.Name)
		}
		for _, complaint := range s.Lint() {
			t.Errorf("%s: %s", s.Name, complaint)
		}
	}
	for _, name := range goldens {
		lintGolden(t, filepath.Join(suite.Dir, "goldens", name+".json"))
		if !slices.ContainsFunc(scenarios, func(s *conformance.Scenario) bool { return s.Name == name }) {
			t.Errorf("the golden %s has no scenario", name)
		}
	}
}

// lintGolden checks that a golden is written as a recording would write it, so that a
// change of one value shows as a change of one line.
func lintGolden(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	value, err := ordered.Parse(data)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	if ordered.Sorted(value)+"\n" != string(data) {
		t.Errorf("%s is not in the form of the goldens: members by name, indented by one space", path)
	}
}

// TestPending checks that every line of pending.txt still holds for a scenario.
func TestPending(t *testing.T) {
	scenarios := loadScenarios(t, conformance.Suite{Dir: "testdata"})
	for _, line := range loadPending(t) {
		if !slices.ContainsFunc(scenarios, line.Matches) {
			t.Errorf("pending.txt:%d: %q matches no scenario; remove the line", line.Line, line.Name)
		}
	}
}

func loadScenarios(t *testing.T, suite conformance.Suite) []*conformance.Scenario {
	t.Helper()
	scenarios, err := suite.Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	if len(scenarios) == 0 {
		t.Fatalf("%s holds no scenarios", suite.Dir)
	}
	return scenarios
}

func loadPending(t *testing.T) conformance.Pending {
	t.Helper()
	f, err := os.Open("pending.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pending, err := conformance.ParsePending(f)
	if err != nil {
		t.Fatal(err)
	}
	return pending
}

// program returns what is tested: the command of the environment, or the binary, which is
// built once.
func program(t *testing.T) *conformance.Program {
	t.Helper()
	p := &conformance.Program{Command: strings.Fields(os.Getenv(envCommand))}
	if vars := os.Getenv(envHomeVars); vars != "" {
		p.HomeVars = strings.Split(vars, ",")
	}
	if len(p.Command) == 0 {
		binary, err := buildBinary()
		if err != nil {
			t.Fatal(err)
		}
		p.Command = []string{binary}
	}
	path, err := exec.LookPath(p.Command[0])
	if err != nil {
		t.Fatalf("%s: %v", envCommand, err)
	}
	// The program runs in another folder, so its own path must not depend on this one.
	if p.Command[0], err = filepath.Abs(path); err != nil {
		t.Fatal(err)
	}
	return p
}

// binaryDir is the folder of the binary once it is built.
var binaryDir string

var buildBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return "", err
	}
	binaryDir = dir
	binary := filepath.Join(dir, "rondo")
	cmd := exec.Command("go", "build", "-o", binary, "./cmd/rondo")
	cmd.Dir = ".."
	if err := seeSources(cmd.Dir); err != nil {
		return "", err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build ./cmd/rondo: %w\n%s", err, out)
	}
	return binary, nil
})

// seeSources lists the folders of Go files, so that the go command does not take the result
// of an earlier test for that of a program that has changed since: it remembers what a test
// reads, and not what a compiler does that the test runs.
func seeSources(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if name := d.Name(); d.IsDir() && path != root && (name == "testdata" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		return err
	})
}

func removeBinary() {
	if binaryDir != "" {
		os.RemoveAll(binaryDir)
	}
}
