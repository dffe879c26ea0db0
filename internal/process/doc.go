// Package process runs commands so that they, and everything that they started, can be
// ended.
//
// # Usage
//
//	p, err := process.Start(cmd, func(piece []byte) { … })
//	if err != nil {
//		return err
//	}
//	select {
//	case <-p.Exited():
//		p.Drain(ctx, 250*time.Millisecond, 1500*time.Millisecond)
//	case <-ctx.Done():
//		p.Stop(500 * time.Millisecond)
//		p.Drain(ctx, 0, 0)
//	}
//	exit, err := p.Wait()
//
// # What is ended
//
// On Unix a command leads a session of its own: it has no controlling terminal, so that
// nothing it starts can open the terminal of the user interface, and a signal to its group
// reaches what did not leave the group. Some do leave it, with setsid or a double fork.
// Linux and macOS are therefore asked for the processes as well: those of the session,
// children of those already known, and on Linux whatever carries the command's mark in its
// environment (RONDO_PROCESS), which survives both. A process that leaves the group, loses
// its parent and clears its environment gets away.
//
// On Windows a command runs in a job object, which nothing can leave.
//
// # When this process ends
//
// [KillAll] is for the handler of exit signals. Nothing can be handled when this process is
// killed with SIGKILL; on Linux the kernel then kills the command itself (PR_SET_PDEATHSIG),
// and on Windows the whole job. On Linux the command's children live on, until they write
// to the pipe that nobody reads any more.
//
// The parent-death signal is tied to the thread that started the child, not to the
// process, and Go may end threads. So the goroutine that starts a command is locked to its
// thread and stays there, waiting for the command, until that has ended.
//
// # Concurrency
//
// All functions and methods may be called from any goroutine.
package process
