// Typebox makes the modules below facade/typebox of the npm package typebox, which extensions
// describe the parameters of their tools with. It needs npm; building the program does not.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// version is that which Pi 0.85 has.
const version = "1.3.7"

// modules are the package's entry points but the first. Each is whole in itself. The first is
// what most extensions describe their parameters with, so it is made of parts, of which they need
// one: see [parts].
var modules = []string{"compile", "error", "format", "guard", "value"}

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
	build := filepath.Join(dir, "package", "build")
	p, err := divide(build)
	if err != nil {
		return err
	}
	files := map[string]string{} // by name
	banner := "// Code generated from the npm package typebox " + version + " by go generate; DO NOT EDIT.\n/*\n" + strings.TrimSpace(string(license)) + "\n*/"
	for _, module := range modules {
		code, err := bundle(&api.BuildOptions{EntryPoints: []string{filepath.Join(build, module, "index.mjs")}}, banner)
		if err != nil {
			return fmt.Errorf("bundle typebox/%s: %w", module, err)
		}
		files[module] = code
	}
	// What a part exports is what the others import, until nothing is missing.
	for grown := true; grown; {
		grown = false
		for _, part := range []string{index, core, rest} {
			opts := api.BuildOptions{Plugins: p.outside(part), Stdin: &api.StdinOptions{ResolveDir: build, Contents: "export * from './index.mjs'; export {default} from './index.mjs'"}}
			if part != index {
				opts.Stdin.Contents = p.entry(part, files[index], files[core], files[rest])
			}
			code, err := bundle(&opts, banner)
			if err != nil {
				return fmt.Errorf("bundle a part of typebox, %s: %w", part, err)
			}
			grown = grown || code != files[part]
			files[part] = code
		}
	}
	for name, code := range files {
		if err := os.WriteFile(filepath.Join(into, name+".js"), []byte(code), 0o644); err != nil { //nolint:gosec // a source file
			return err
		}
	}
	return nil
}

func bundle(opts *api.BuildOptions, banner string) (string, error) {
	opts.Bundle, opts.Format, opts.Platform, opts.Target = true, api.FormatESModule, api.PlatformNeutral, api.ES2023
	opts.MinifySyntax, opts.MinifyWhitespace, opts.MinifyIdentifiers = true, true, true
	opts.LegalComments, opts.Banner, opts.Charset = api.LegalCommentsNone, map[string]string{"js": banner}, api.CharsetUTF8
	r := api.Build(*opts)
	if len(r.Errors) > 0 {
		return "", errors.New(r.Errors[0].Text)
	}
	return string(r.OutputFiles[0].Contents), nil
}
