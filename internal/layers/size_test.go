package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The limits of what one head can hold.
const (
	maxFields    = 15   // of a type's own state: exported fields are a record of others'
	maxMethods   = 60   // of a type
	maxLockFiles = 3    // in which the mutex of a type is locked
	maxLines     = 5000 // of a package that has no packages below it, without tests
)

// exceptions are raised limits, each with its reason. A type is named package.Type.
var exceptions = map[string]struct {
	fields, methods, lockFiles, lines int
	reason                            string
}{
	"agent.Agent":                      {fields: 20, reason: "the kernel's state changes under one lock, in one file"},
	"agent.execution":                  {fields: 20, reason: "one allocation for each call of a tool"},
	"extension/script":                 {lines: 12000, reason: "the engine and Node's library are still in it"},
	"extension/script.Engine":          {fields: 23, reason: "as the package"},
	"extension/script.host":            {fields: 21, lockFiles: 8, reason: "as the package"},
	"extension/script.system":          {lockFiles: 8, reason: "as the package"},
	"extension/script.remote":          {fields: 18, reason: "as the package"},
	"internal/term/highlight.Language": {fields: 22, reason: "a row of a table: the syntax of a language"},
}

// measure is what a type has.
type measure struct {
	fields, methods int
	mutexes         []string
	lockFiles       map[string]bool
}

// TestTypesAndPackagesAreSmall holds the limits for all packages of the module.
func TestTypesAndPackagesAreSmall(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && dir != root {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		checkPackage(t, dir, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkPackage(t *testing.T, dir, pkg string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	types, lines := make(map[string]*measure), 0
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(src), "\n")
		f, err := parser.ParseFile(set, path, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
		collectTypes(f, types)
	}
	for _, f := range parsed {
		collectMethods(set, f, types)
	}
	if limit := max(exceptions[pkg].lines, maxLines); lines > limit && !hasPackages(dir) {
		t.Errorf("package %s has %d lines, more than %d: cut a package out of it", pkg, lines, limit)
	}
	for name, m := range types {
		e := exceptions[pkg+"."+name]
		if limit := max(e.fields, maxFields); m.fields > limit && m.methods > 0 {
			t.Errorf("%s.%s has %d fields, more than %d: make parts of it", pkg, name, m.fields, limit)
		}
		if limit := max(e.methods, maxMethods); m.methods > limit {
			t.Errorf("%s.%s has %d methods, more than %d: make parts of it", pkg, name, m.methods, limit)
		}
		if limit := max(e.lockFiles, maxLockFiles); len(m.lockFiles) > limit {
			t.Errorf("the mutex of %s.%s is locked in %d files, more than %d", pkg, name, len(m.lockFiles), limit)
		}
	}
}

// hasPackages reports whether there is a package below a folder.
func hasPackages(dir string) bool {
	below, _ := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	return len(below) > 0
}

func collectTypes(f *ast.File, types map[string]*measure) {
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			m := &measure{lockFiles: make(map[string]bool)}
			types[ts.Name.Name] = m
			if st, ok := ts.Type.(*ast.StructType); ok {
				for _, field := range st.Fields.List {
					for _, n := range field.Names {
						if !n.IsExported() {
							m.fields++
						}
					}
					if sel, ok := field.Type.(*ast.SelectorExpr); ok && strings.HasSuffix(sel.Sel.Name, "Mutex") {
						for _, n := range field.Names {
							m.mutexes = append(m.mutexes, n.Name)
						}
					}
				}
			}
		}
	}
}

// collectMethods counts methods, and the files in which a method locks its own mutex.
func collectMethods(set *token.FileSet, f *ast.File, types map[string]*measure) {
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Body == nil {
			continue
		}
		m := types[receiver(fn)]
		if m == nil {
			continue
		}
		m.methods++
		if len(fn.Recv.List[0].Names) == 0 {
			continue
		}
		self := fn.Recv.List[0].Names[0].Name
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if lock, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasSuffix(lock.Sel.Name, "Lock") {
				if mu, ok := lock.X.(*ast.SelectorExpr); ok && slices.Contains(m.mutexes, mu.Sel.Name) {
					if x, ok := mu.X.(*ast.Ident); ok && x.Name == self {
						m.lockFiles[set.Position(fn.Pos()).Filename] = true
					}
				}
			}
			return true
		})
	}
}

// receiver returns the name of a method's type.
func receiver(fn *ast.FuncDecl) string {
	expr := fn.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	switch x := expr.(type) {
	case *ast.IndexExpr:
		expr = x.X
	case *ast.IndexListExpr:
		expr = x.X
	}
	if id, ok := expr.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
