package filequeue

// Ready says whether the turn of t has come.
func (t *Ticket) Ready() bool {
	select {
	case <-t.turn:
		return true
	default:
		return false
	}
}
