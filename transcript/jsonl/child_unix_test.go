//go:build unix

package jsonl_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// childFull appends to a disk that is full: the size of files is limited. Then there is
// room again.
func childFull(path string) {
	s, err := jsonl.Open(path, nil)
	if err != nil {
		childFail(err)
	}
	defer s.Close()
	info, err := os.Stat(path)
	if err != nil {
		childFail(err)
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		childFail(err)
	}
	limit := old
	limit.Cur = uint64(info.Size()) + 100 // part of the entry fits
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		childFail(err)
	}
	leaf, n := s.Leaf(), s.Len()
	e := storetest.User(strings.Repeat("y", 500))
	err = s.Append(e)
	fmt.Println(err != nil, s.Leaf() == leaf, s.Len() == n, e.ID == "")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		childFail(err)
	}
	fmt.Println(s.Append(e))
}

// childBequeath locks a session as a store does and leaves the open file to a command that
// outlives it for a moment, as a child does that has been forked and does not run yet.
func childBequeath(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		childFail(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		childFail(err)
	}
	heir := exec.Command("sleep", "0.1")
	heir.ExtraFiles = []*os.File{f}
	if err := heir.Start(); err != nil {
		childFail(err)
	}
	fmt.Println("open")
	io.Copy(io.Discard, os.Stdin)
}
