package oauth

import (
	"context"
	"os"
	"os/exec"
	"runtime"
)

// OpenBrowser opens an address, if there is a desktop to do it on. That it does not work is no
// error: the address is shown as well.
func OpenBrowser(ctx context.Context, url string) {
	var cmd *exec.Cmd
	switch {
	case os.Getenv("SSH_CONNECTION") != "":
		return // the browser would open where nobody sits
	case runtime.GOOS == "windows":
		cmd = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", url)
	case runtime.GOOS == "darwin":
		cmd = exec.CommandContext(ctx, "open", url)
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return
	default:
		cmd = exec.CommandContext(ctx, "xdg-open", url)
	}
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // it ends by itself, or with ctx
	}
}
