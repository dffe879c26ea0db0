package script_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// TestPiExamples runs every example extension of Pi 0.85 twice, with one driver: in our host,
// and under Node with Pi's own packages. The driver (testdata/examples) loads an example, calls
// everything that it registers, renders and presses keys, and notes each step. The table that
// -v shows says how many of Pi's steps are the same in ours.
//
// Pi, Node and what Pi did are kept in the user's cache folder. To see the steps that differ,
// name examples: RONDO_EXAMPLES="todo snake" go test -run PiExamples -v; "all" is all of them
func TestPiExamples(t *testing.T) {
	asked := strings.Fields(os.Getenv("RONDO_EXAMPLES"))
	if len(asked) == 0 {
		t.Skip("takes minutes, and Pi and Node from npm: make examples")
	}
	if slices.Contains(asked, "all") {
		asked = nil
	}
	pi := installPi(t)
	examples := pi.examples(t)
	examples = slices.DeleteFunc(examples, func(name string) bool { return len(asked) > 0 && !slices.Contains(asked, name) })
	theirs := pi.traces(t, examples)
	var table strings.Builder
	ran, same, steps := 0, 0, 0
	for _, name := range examples {
		ours := pi.ourTrace(t, name)
		want := theirs[name]
		k, diff := compare(want, ours.Steps)
		note := ours.Failure
		if ours.Failure == "" && loaded(ours.Steps) {
			ran++
		}
		same, steps = same+k, steps+len(want)
		fmt.Fprintf(&table, "%-28s %4d/%-4d %s\n", name, k, len(want), note)
		if len(asked) > 0 {
			t.Logf("%s\n%s", name, diff)
		}
	}
	t.Logf("%d of %d examples ran; %d of %d steps are those of Pi\n%s", ran, len(examples), same, steps, table.String())
	if len(asked) == 0 && (ran < 76 || same*100 < steps*97) {
		t.Errorf("%d examples ran and %d of %d steps are the same; want 76 and 97 %%", ran, same, steps)
	}
}

// ourRun is what an example did in our host.
type ourRun struct {
	Steps   []string
	Failure string
}

// ourTrace runs one example in a machine of its own.
func (pi *piInstall) ourTrace(t *testing.T, name string) (run ourRun) {
	t.Helper()
	cwd, home := pi.place(t)
	for key, value := range environment(home) {
		t.Setenv(key, value)
	}
	t.Chdir(cwd)
	trace := filepath.Join(t.TempDir(), "trace.json")
	main := `import * as fs from "node:fs";
		import * as tui from "@earendil-works/pi-tui";
		import * as agent from "@earendil-works/pi-coding-agent";
		import { drive } from ` + quote(filepath.ToSlash(filepath.Join(pi.driver, "drive.js"))) + `;
		import { written } from ` + quote(filepath.ToSlash(filepath.Join(pi.driver, "trace.js"))) + `;
		export default async function () {
			const save = () => fs.writeFileSync(` + quote(trace) + `, JSON.stringify(written()));
			try {
				await drive(() => import(` + quote(filepath.ToSlash(pi.file(name))) + `), { tui, agent }, ` + pi.env(t, cwd, home) + `);
			} finally {
				save();
			}
		}`
	if err := loadExtension(t, main, script.Settings{Cache: cacheDir, Home: filepath.Join(home, "agent"), Version: examplesVersion}); err != nil {
		run.Failure = fmt.Sprintf("%.300s", err)
	}
	raw, err := os.ReadFile(trace)
	if err == nil {
		err = json.Unmarshal(raw, &run.Steps, jsontext.AllowInvalidUTF8(true))
	}
	if err != nil && run.Failure == "" {
		run.Failure = err.Error()
	}
	return run
}

// loadExtension runs the factory of an extension.
func loadExtension(t *testing.T, source string, settings script.Settings) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "main.ts")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	r := extension.NewRunner(&extension.Options{
		CWD: filepath.Dir(path), Mode: extension.ModeRPC, UI: new(person),
		Hosts: []extension.HostKind{{Suffixes: script.Suffixes, Open: script.Host(settings)}},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	errs := r.Load(ctx, extension.Source{Path: path})
	if err := r.Close(context.WithoutCancel(ctx)); err != nil {
		errs = append(errs, &extension.Error{Path: path, Err: err})
	}
	if len(errs) > 0 {
		return errs[0].Err
	}
	return nil
}

// loaded reports whether the factory of an example has ended as it should.
func loaded(steps []string) bool {
	return slices.Contains(steps, `["loaded","function"]`) && slices.ContainsFunc(steps, func(s string) bool { return strings.HasPrefix(s, `["factory","returned"`) })
}

// compare returns how many steps of want are in got, in the same order, and what differs.
func compare(want, got []string) (same int, diff string) {
	length := make([][]int32, len(want)+1)
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
	return int(length[0][0]), b.String()
}
