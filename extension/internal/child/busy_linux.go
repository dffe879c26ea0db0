package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of times in /proc, which is the same on all of Linux's architectures that Go
// runs on.
const tick = 10 * time.Millisecond

// Used returns the processor time that the program has used so far, all of its threads
// together. ok is false where that cannot be told: when the program has ended, and on other
// systems than Linux.
func (c *Child) Used() (used time.Duration, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.proc.Pid()))
	if err != nil {
		return 0, false
	}
	_, after, _ := bytes.Cut(raw, []byte(") ")) // the name before it may hold anything
	fields := bytes.Fields(after)
	if len(fields) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * tick, err1 == nil && err2 == nil
}
