package compaction

// Settings say when the older part of a conversation is replaced by a summary (law S4).
// The zero value is that of Pi 0.85's settings.
type Settings struct {
	// Disabled starts with automatic compaction switched off; see
	// session.Session.SetAutoCompaction. Nothing is compacted then unless it is asked for.
	Disabled bool
	// ReserveTokens are kept free for the answer; 0 means 16384.
	ReserveTokens int
	// KeepRecentTokens of the newest messages stay as they are; 0 means 20000.
	KeepRecentTokens int
}

// Reserve returns ReserveTokens, or its default.
func (c Settings) Reserve() int {
	if c.ReserveTokens <= 0 {
		return 16_384
	}
	return c.ReserveTokens
}

// Keep returns KeepRecentTokens, or its default.
func (c Settings) Keep() int {
	if c.KeepRecentTokens <= 0 {
		return 20_000
	}
	return c.KeepRecentTokens
}
