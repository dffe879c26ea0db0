// Package version knows the program's version and answers --version.
//
// It does so while the program's packages are still being initialized: several hundred of them
// take twice as long and four times as much memory as the rest of the answer, and none of them is
// needed for it. Go initializes a package as soon as those that it imports are, so this one
// imports few and comes early; later would be as right, and slower.
package version

import (
	"os"
	"runtime/debug"
)

func init() {
	if len(os.Args) != 2 || os.Args[1] != "--version" {
		return // with anything else it is the command line's
	}
	if _, err := os.Stdout.WriteString("rondo " + Text() + "\n"); err == nil {
		os.Exit(0)
	}
}

// Number is that of the release. It is set by the linker.
var Number = "0.1.0-dev"

// Text is the version, with the commit that it was built from, if that is known.
func Text() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return Number + " (" + s.Value[:12] + ")"
			}
		}
	}
	return Number
}
