package tui

// paint draws a frame, unless the terminal still takes the one before.
func (a *app) paint() {
	if a.end.away || a.conv.Width == 0 || !a.frames.start() {
		return
	}
	f := a.composer.compose()
	if f == nil { // an extension has not drawn yet what is to be seen
		a.frames.again(spinTime)
		return
	}
	a.frames.draw(f)
	if a.Busy() || a.dialogs.Ends() || a.conv.Pending() { // something changes with time
		a.frames.again(spinTime)
	}
}
