package script

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"

	"github.com/rondo-agent/rondo/internal/atomicfile"
)

// cache keeps compiled code in a folder. What the engine loads from there is trusted as code
// is, so the folder must belong to the user alone; if it does not, nothing is read from it. A
// cache that cannot be used costs time and nothing else, so its errors are not reported.
type cache struct{ dir string }

// read returns what was written under a key, nil if there is nothing sound.
func (c cache) read(key string) []byte {
	if c.dir == "" || !private(c.dir) {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(key)))
	if err != nil || len(b) < sha256.Size {
		return nil
	}
	sum, data := b[:sha256.Size], b[sha256.Size:]
	if sha256.Sum256(data) != [sha256.Size]byte(sum) {
		return nil
	}
	return data
}

func (c cache) write(key string, data []byte) {
	if c.dir == "" {
		return
	}
	file := filepath.Join(c.dir, filepath.FromSlash(key))
	if os.MkdirAll(filepath.Dir(file), 0o700) != nil || !private(c.dir) {
		return
	}
	sum := sha256.Sum256(data)
	_ = atomicfile.Write(file, append(sum[:], data...), &atomicfile.Options{Perm: 0o600})
}

// private reports whether nobody else may write the folder.
func private(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0)
}
