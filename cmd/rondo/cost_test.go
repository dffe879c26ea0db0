package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// costs bounds what every start of the program pays before main, and its size. These figures are the same
// in every run on one platform, which times are not. A limit is a little above what was measured when it
// was set: who crosses it has linked something, and either takes it out again or raises the limit here
// with a reason.
var costs = []struct {
	what     string
	measured int64 // linux/amd64
	limit    int64
}{
	{"packages that initialise something", 223, 232},
	{"bytes allocated by initialisations", 765_792, 820_000},
	{"allocations of initialisations", 4_549, 4_900},
	{"bytes of the stripped binary", 35_401_890, 37_000_000},
}

func TestStartingCostsLittle(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("links the program; the figures are those of linux/amd64")
	}
	program := filepath.Join(t.TempDir(), "rondo")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start := exec.Command(program, "--version")
	start.Env = append(os.Environ(), "GODEBUG=inittrace=1", "RONDO_HOME="+t.TempDir())
	var trace bytes.Buffer
	start.Stderr = &trace
	if err := start.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &trace)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	inits, allocated, allocations := readInits(t, trace.String())
	for i, found := range []int64{inits, allocated, allocations, info.Size()} {
		c := costs[i]
		t.Logf("%s: %d (measured when the limit was set: %d)", c.what, found, c.measured)
		if found > c.limit {
			t.Errorf("%s: %d, the limit is %d\n%s", c.what, found, c.limit, &trace)
		}
		if found == 0 {
			t.Errorf("%s: nothing was read of\n%s", c.what, &trace)
		}
	}
}

// readInits reads the runtime's trace: "init PACKAGE @0.1 ms, 0.2 ms clock, 3 bytes, 4 allocs".
func readInits(t *testing.T, trace string) (inits, allocated, allocations int64) {
	t.Helper()
	for line := range strings.Lines(trace) {
		_, figures, ok := strings.Cut(line, " ms clock, ")
		if !strings.HasPrefix(line, "init ") || !ok {
			continue
		}
		var b, n int64
		if _, err := fmt.Sscanf(figures, "%d bytes, %d allocs", &b, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		inits++
		allocated += b
		allocations += n
	}
	return inits, allocated, allocations
}
