package script

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFacadeSums: what the cache of compiled modules goes by differs wherever the contents of
// the embedded files do.
func TestFacadeSums(t *testing.T) {
	contents := map[string]string{} // by checksum
	files := 0
	for name, sum := range facadeSums() {
		data, err := fs.ReadFile(facade, name)
		if err != nil {
			continue // a folder
		}
		files++
		key := hex.EncodeToString(sum)
		if known, ok := contents[key]; len(sum) < 16 || ok && known != string(data) {
			t.Errorf("%s has the checksum %q of another file", name, key)
		}
		contents[key] = string(data)
	}
	if files < len(libraryModules) {
		t.Errorf("%d files have checksums; there are at least %d", files, len(libraryModules))
	}
}

// TestImportLate: what a module imports is asked for where it is used, also as a class that is
// made or extended; what is always there stays.
func TestImportLate(t *testing.T) {
	got := importLate(`var import_rondo_host=require("rondo:host"),import_node_url=require("node:url"),import_text=__toESM(require("rondo:tui/text"));` +
		`class A extends import_text.B{}new import_node_url.URL(x);(0,import_node_url.parse)(import_rondo_host.host,import_text2,import_text.default)`)
	want := `var import_rondo_host=require("rondo:host"),import_node_url=__later(()=>require("node:url")),import_text=__later(()=>__toESM(require("rondo:tui/text")));` +
		`class A extends (import_text()).B{}new (import_node_url()).URL(x);(0,(import_node_url()).parse)(import_rondo_host.host,import_text2,(import_text()).default)`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestLibraryModulesAreNotCopied: esbuild's own words for exports and imports are those that are
// replaced, in a module of the library and in an extension.
func TestLibraryModulesAreNotCopied(t *testing.T) {
	source, err := librarySource("node:url")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(source, `__toCommonJS=mod=>__defProp(mod,`) {
		t.Error("a module of the library copies what it exports:", source[:min(len(source), 1200)])
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.ts")
	for name, text := range map[string]string{
		"a.ts": `import { join } from "node:path"; import c from "./c.cjs"; export default () => join(c.a, "b");`, "c.cjs": `exports.a = "a";`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := NewBundle(file, "")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.code, "=       (require_node_path())") || !strings.Contains(b.code, "=__toESM(require_c()") {
		t.Error("the copies are not those of files alone:", b.code)
	}
}
