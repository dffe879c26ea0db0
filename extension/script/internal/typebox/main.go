// Typebox makes the modules below facade/typebox of the npm package typebox, which extensions
// describe the parameters of their tools with. It needs npm; building the program does not.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// version is that which Pi 0.85 has.
const version = "1.3.7"

// modules are the package's entry points. Each is whole in itself, so that the small ones,
// which most extensions need alone, are quick to load.
var modules = []string{"", "compile", "error", "format", "guard", "value"}

func main() {
	if err := generate("facade/typebox"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(into string) error {
	dir, err := os.MkdirTemp("", "typebox-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, args := range [][]string{{"npm", "pack", "--silent", "typebox@" + version}, {"tar", "xzf", "typebox-" + version + ".tgz"}} {
		cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // constants
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
	}
	license, err := os.ReadFile(filepath.Join(dir, "package", "license"))
	if err != nil {
		return err
	}
	banner := "// Code generated from the npm package typebox " + version + " by go generate; DO NOT EDIT.\n/*\n" + strings.TrimSpace(string(license)) + "\n*/"
	for _, module := range modules {
		name := "index"
		if module != "" {
			name = module
		}
		r := api.Build(api.BuildOptions{
			EntryPoints: []string{filepath.Join(dir, "package", "build", module, "index.mjs")}, Bundle: true,
			Format: api.FormatESModule, Platform: api.PlatformNeutral, Target: api.ES2023,
			MinifySyntax: true, MinifyWhitespace: true, MinifyIdentifiers: true, KeepNames: false,
			LegalComments: api.LegalCommentsNone, Banner: map[string]string{"js": banner}, Charset: api.CharsetUTF8,
		})
		if len(r.Errors) > 0 {
			return fmt.Errorf("bundle typebox/%s: %s", module, r.Errors[0].Text)
		}
		if err := os.WriteFile(filepath.Join(into, name+".js"), r.OutputFiles[0].Contents, 0o644); err != nil { //nolint:gosec // a source file
			return err
		}
	}
	return nil
}
