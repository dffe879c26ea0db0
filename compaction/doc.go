// Package compaction replaces the older part of a conversation by a summary (law S4): it
// measures messages, plans what a summary stands for, and asks a model for it. It consists of
// functions over messages and entries and knows no session.
package compaction
