// Package undo records what tool calls and commands change, and undoes it.
//
// A Recorder runs around every call. It notes in the pack of the session the state of
// each path before and after the call; the supervisor of a command itself notes the
// states before the command writes. A Restorer reads the notes of a pack as a
// list of steps: turns, typed commands, and earlier undos. It plans how to restore the
// files as they were before a step, and applies the plan that the user has seen. The pack alone is enough:
// neither the session log nor a running session is needed.
//
// An undo never destroys what others changed. A path whose state is not the one that
// the steps left behind is merged if it is text and the changes do not overlap;
// otherwise it is a conflict and stays as it is. What an undo replaces is in the pack
// before it is replaced. An undo that was interrupted by a crash is finished by Recover.
// Paths outside of the roots are never touched. In git directories only the state of git is
// restored (snapshot.GitState): all of it or nothing.
//
// Nothing here asks the user or writes the session log. The only program that runs is git, isolated
// from the repository's configuration, to look up objects. Start reading at Recorder and Restorer.
package undo
