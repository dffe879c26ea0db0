// Package jsonl keeps a session in a file of JSON lines, the format of Pi 0.85: a header,
// then one entry a line, in the order in which they happened.
//
// # Usage
//
//	header := transcript.NewHeader(cwd)
//	store, err := jsonl.Create(filepath.Join(jsonl.Dir(root, cwd), jsonl.FileName(header)), header, nil)
//
// or, for a session that exists,
//
//	info, err := jsonl.Recent(jsonl.Dir(root, cwd), cwd)
//	store, err := jsonl.Open(info.Path, nil)
//
// # What can be relied on
//
//  1. When Append returns nil, the entries have been handed to the operating system: a
//     killed process loses none of them. [Options.Sync] waits for the disk as well.
//  2. Each Append is one write of whole lines. If it fails, what it wrote is taken back.
//  3. What is in the file is never changed: a last line that was cut off is ended with a
//     newline before the next entry, and then passed over. Files of version 1 and 2 are the
//     exception: they are rewritten in version 3, by an atomic rename, when they are opened
//     for writing.
//  4. One store at a time writes a file; another gets a [*LockedError]. Any number may read.
//  5. A file that is not a session is refused and left as it is.
//  6. A line that cannot be read does not hide others: it is passed over and reported by
//     [Store.Problems], its children take the nearest readable entry before it as parent,
//     and whole entries on the same line are found.
//  7. A new session has no file before its first message of the conversation (Pi 1.x), so
//     that sessions that were only looked at leave nothing behind.
//
// # Cost
//
// Opening reads the file once, at several hundred megabytes a second, and keeps about a
// hundred bytes for each entry: its id, its parent, its type and its place. Neither the text
// of the session nor the length of its lines counts, but for a line that is damaged and for
// files of version 1 and 2. Entries are read from the file again when they are asked for.
package jsonl
