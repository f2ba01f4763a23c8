// Package watch keeps what a command is about to change, so that the change can be
// undone. It runs in the supervisor of the command. The filter of the command's sandbox holds
// each system call that changes the tree of files or opens a file for writing. A Watcher
// reads the path, puts the old content into a store, and lets the call continue or makes it.
//
// If the order is strict, the Watcher makes the call itself where it can: see
// actor. Otherwise this is not a security boundary: a thread can change the path in
// memory after the Watcher has read it. If the order is strict, the Watcher therefore reads
// it again before the call continues, and notices at least some attempts.
//
// A Watcher does not see writes to files that are open. It therefore keeps those files again
// when a turn begins, unless they are only mapped into memory. It does not see changes by
// processes that are not part of the command. Changes of owners, times and extended
// attributes are not kept; a command whose order is strict cannot change owners.
//
// A Watcher never delays a command for longer than it takes to copy a file, and it never
// hangs. If it cannot find out what a call would change, the call continues, or fails if
// the order is strict.
//
// Start reading at Watcher. These parts live as long as the command:
//   - order answers what the order says about a path.
//   - keeper puts old contents into the store.
//   - links keeps files that are removed or replaced without a copy.
//   - births holds the directories that the command has created.
//   - protection refuses changes of protected paths, and reports what the command did to them.
//   - gitGuard refuses changes of git directories that undo cannot restore, or that add programs.
//   - refusals reports the changes that could not be undone.
//
// Each system call has a change, which asks these parts. It consists of a call, which reads the
// arguments and knows the thread, and an actor, which makes the call. The function calls lists the
// system calls and what they change. On systems other than Linux there is nothing to serve.
package watch

// Reports are functions that a Watcher calls, most of them only if Order.Strict is set.
type Reports struct {
	// Refused is called with the first path whose old content cannot be kept, and the reason
	// for the user. Locks of a git index that come before it are reported too, each of them.
	Refused func(path, why string)
	// Protected is called once for each of the first protected paths that the command tried to
	// change.
	Protected func(path string)
	// Settings is called once for each of the first changes of a configuration file of git that were
	// refused, with the settings that need approval; "" if the file cannot be checked.
	Settings func(path, settings string)
	// Repository is called once for each directory in which the command creates an entry by
	// which git recognizes a repository, or to which it moves one. Made is set if the command
	// has created the directory.
	Repository func(dir string, made bool)
	// Denied is called with a path that the command tried to change, and that its sandbox makes
	// read-only or hides. It is called whether or not the order is strict.
	Denied func(path string)
	// Created is called once for each protected path that the command was allowed to create.
	Created func(path string)
}

// Raced is why a change is refused whose path was replaced during the check.
const Raced = "the program replaced the path while the change was checked"

// IndexLock is the file with which git locks the index of a repository. Commands that only
// read, such as git diff, also try to create it, and do not fail if they cannot.
const IndexLock = "index.lock"
