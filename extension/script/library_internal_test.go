package script

import (
	"encoding/hex"
	"io/fs"
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
