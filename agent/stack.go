package agent

// A stack that grows with its calls is copied at each doubling, the deeper the dearer: for
// a run that makes one quick call that was a third of its time. So the goroutines of runs
// and of tools make theirs large enough at once, while there is nothing to copy.

//go:noinline
func reserveRunStack(i int) byte {
	var frame [28 << 10]byte
	return touch(frame[:], i)
}

// reserveToolStack takes less: a batch may have many tools that wait.
//
//go:noinline
func reserveToolStack(i int) byte {
	var frame [6 << 10]byte
	return touch(frame[:], i)
}

// touch keeps the compiler from leaving the frame out.
func touch(frame []byte, i int) byte {
	frame[i%len(frame)] = 1
	return frame[i/2%len(frame)]
}
