// Package transcript is the record of a session: its entries and their JSON form, the store
// that keeps them, and what can be read from them without a session at work: the context of a
// branch, the tree, copies, statistics. It imports packages agent and ai alone, so that a
// program that reads session files links nothing else of Rondo.
//
// # Usage
//
//	store, err := jsonl.Open(path, nil)
//	…
//	defer store.Close()
//	context, err := transcript.Project(store, store.Leaf()) // what the model would see
//	roots, err := transcript.Tree(store)                    // all branches
//
// # Entries
//
// [Entry] is a sealed union: a struct for each entry type of Pi 0.85, [UnknownEntry] for all
// others. An entry names its parent, so that the entries of a store form a tree;
// [Store.Leaf] is where the next one is added. Entries are never changed once they are stored.
// [DecodeEntry] and [EncodeEntry] convert one line of a session file. Unknown types, unknown
// fields and entries of an unexpected form survive a round trip byte for byte.
//
// # What is expected of a store
//
// [Store] states it, and package storetest checks it:
//
//  1. Append adds all of the entries or none, completes their ids, parents and times, and
//     returns when they are kept.
//  2. Reading never fails for entries that another program has written; it skips what is
//     damaged and tells so.
//  3. Of several writers of one store, one is admitted.
//
// transcript/jsonl keeps the file format of Pi 0.85: one JSON line for an entry, written once
// and never changed. transcript/memory keeps entries until the end of the process.
//
// # Context
//
// [Project] walks from a leaf to the root. After a compaction the context is its summary, the
// entries from [CompactionEntry].FirstKeptEntryID on, and all later ones; older entries are not
// even read. [ForModel] makes what a model reads of messages.
//
// # Copies
//
// [CopyBranch] and [CopyTree] copy from one store into another; the copy has the context and
// the labels of its source.
package transcript
