package host

import (
	"os"
	"path/filepath"
)

// maxLinks is how many symbolic links in a row are followed, as in Linux.
const maxLinks = 40

// Real follows links on the disk.
func (local) Real(path string) string { return real(filepath.Clean(path), maxLinks) }

// Exists does not follow a link.
func (local) Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func real(p string, links int) string {
	if resolved, err := filepath.EvalSymlinks(p); err == nil {
		return resolved
	}
	if target, err := os.Readlink(p); err == nil && links > 0 {
		if !filepath.IsAbs(target) {
			target = filepath.Join(real(filepath.Dir(p), links-1), target)
		}
		return real(filepath.Clean(target), links-1)
	}
	dir := filepath.Dir(p)
	if dir == p {
		return p
	}
	return filepath.Join(real(dir, links), filepath.Base(p))
}
